"""How an engine is opened."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

DRAFTS = ("auto", "ngram", "mtp", "off")
MOST_PARALLEL = 8
REQUEST_BYTES = 64_000_000  # that requests of programs may take together
KV_KINDS = ("auto", "f32", "f16", "bf16", "q8")


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """One container, one memory limit.

    budget_bytes: RAM for trunk, expert cache, KV cache, scratch and read buffers; None: the default for this machine.
    context: tokens; None: what fits the budget, at least 1024. threads: compute threads; None: the performance cores.
    exact: decoded weights and f32 activations and KV cache instead of int8 activations and f16 KV.
    chunk: prefill rows at once; None: what fits. direct: unbuffered expert reads. draft: what guesses ahead while that pays: "ngram"
    (what was said before), "mtp" (layers for further tokens that a model brings along), "auto" (all that there is) or "off".
    draft_model: a container with the same tokenizer whose model drafts beside them, in memory as a whole; draft_needed
    False: where it does not fit this model, that is said and the model is opened without it.
    lookahead: "on" and "off" whether the next layer's likely experts are read early, "auto" while that is measured to gain.
    warm_start: keep how much experts are used, and begin the next session with the most used ones in memory. record_routes: a file to
    which the experts of each decoded token are appended, see engine.experts.trace. record_drafts: a file to which each decision about
    drafts is appended, see engine.generate.drafts. kv: how keys and values (and latents) are kept, one of KV_KINDS; "auto": f32 in
    exact arithmetic, else f16, or bf16 where a model's numbers exceed f16. states: a folder in which the states of conversations are
    kept between turns and sessions, in at most states_bytes; None: the open conversation's alone is, in memory.
    programs: keep room for what programs ask for: REQUEST_BYTES for their requests, and answers held to a grammar. parallel: answers
    that may be computed together, each with a context of its own; 1 to MOST_PARALLEL. apart: the tokenizer has a process of its own,
    since its library holds Python's lock while it reads a vocabulary; it is counted under the limit too.
    """

    model: Path
    budget_bytes: int | None = None
    context: int | None = None
    threads: int | None = None
    exact: bool = False
    chunk: int | None = None
    draft: str = "off"
    direct: bool = True
    lookahead: str = "auto"
    warm_start: bool = True
    record_routes: Path | None = None
    record_drafts: Path | None = None
    kv: str = "auto"
    states: Path | None = None
    states_bytes: int = 2_000_000_000
    programs: bool = False
    draft_model: Path | None = None
    draft_needed: bool = True
    parallel: int = 1
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn from the logits.

    temperature 0 is the argmax. top_k 0, top_p 1, min_p 0 and repetition_penalty 1 are off; end tokens are never penalized. Draws
    are keyed by (seed, position); seed None: a fresh one, reported in the answer's statistics. max_tokens None: until the end
    token or the context's end.
    stop: strings at which the answer ends; they are not part of it. presence_penalty is taken from the logit of each token that the
    answer has, frequency_penalty as often as it has it; logit_bias: (token, what is added to its logit). All 0 are off.
    """

    temperature: float = 0.7
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logit_bias: tuple[tuple[int, float], ...] = ()

    def given(self, values: Mapping[str, Any]) -> "Sampling":
        """These settings with those of `values` that are not None in their place.

        A temperature of 0 asks for the model's own choice, so these settings' repetition penalty goes with the temperature that it
        was made for.
        """
        said = {k: v for k, v in values.items() if v is not None}
        if said.get("temperature") == 0:
            said = {"repetition_penalty": 1.0} | said
        return replace(self, **said)
