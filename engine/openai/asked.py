"""A request of a program as we understand it, whatever its format was, and the parameters that formats share."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from engine.config import Sampling
from engine.events import ModelInfo
from engine.openai.reading import Fields
from engine.openai.refusals import Refused
from engine.requests import Generate, Message, Options, Shape

MOST_ANSWERS = 16
MOST_STOPS = 16
MOST_TOP = 20
LONGEST = (1 << 31) - 1
# What clients say that changes no answer: of OpenAI's interface, then of other servers and of front ends.
IGNORED = (
    "user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "prediction",
    "keep_alive", "cache_prompt", "timings_per_token", "return_progress", "request_id", "priority", "session_id", "chat_id", "message_id",
)  # fmt: skip
# Ways to draw tokens that are not here, with the values that leave them off, which front ends send for all they know.
OFF: dict[str, tuple[Any, ...]] = {
    "options": ({},), "typical_p": (1,), "tfs_z": (1,), "top_a": (0,), "mirostat": (0,), "mirostat_mode": (0,), "xtc_probability": (0,),
    "dry_multiplier": (0,), "dynatemp_range": (0,), "smoothing_factor": (0,), "min_tokens": (0,), "ignore_eos": (False,),
    "length_penalty": (1,), "use_beam_search": (False,), "skip_special_tokens": (True,), "add_generation_prompt": (True,),
    "include_reasoning": (True,), "guided_json": (), "guided_regex": (), "guided_grammar": (), "grammar": ("",), "json_schema": ({},),
}  # fmt: skip
EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high", "max": "max"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be generated: `n` answers to each of `prompts`, or to `messages`. sampling.seed is set.

    echo: text results begin with the prompt. body: what was asked, for results that repeat it.
    """

    kind: Literal["chat", "completion", "response"]
    model: str
    messages: tuple[Message, ...] = ()
    prompts: tuple[str | tuple[int, ...], ...] = ()
    sampling: Sampling = field(default_factory=Sampling)
    thinking: bool | None = None
    options: Options = field(default_factory=Options)
    n: int = 1
    stream: bool = False
    include_usage: bool = False
    echo: bool = False
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many answers are wanted."""
        return self.n * max(len(self.prompts), 1)

    def generate(self, index: int, id: int) -> Generate:
        """The request for the index-th answer. Answers to one prompt differ by their seeds."""
        prompt, k = divmod(index, self.n)
        seed = ((self.sampling.seed or 0) + k) % (1 << 64)
        options = replace(self.options, prompt=self.prompts[prompt]) if self.prompts else self.options
        return Generate(id, self.messages, replace(self.sampling, seed=seed), self.thinking, options=options)


def leave(f: Fields) -> None:
    """Pass over what changes no answer, and refuse what is not here. Raises Refused."""
    f.ignore(*IGNORED)
    for key, values in OFF.items():
        f.only(key, *values)


def most_of(f: Fields, key: str) -> int | None:
    """A limit of tokens; -1, as other servers have it, is none."""
    return None if f.any(key) == -1 else f.whole(key, 1, LONGEST)


def sampling_of(f: Fields, info: ModelInfo, seed: int, most: int | None) -> Sampling:
    """How tokens are drawn: what is left out is as the model's publisher has it; seed: for a request without one."""
    given = f.whole("seed", -(1 << 63), (1 << 64) - 1)
    values = {
        "temperature": f.number("temperature", 0, 2),
        "top_p": f.number("top_p", 0, 1),
        "top_k": f.whole("top_k", -1, 1 << 30),
        "min_p": f.number("min_p", 0, 1),
        "repetition_penalty": f.number("repetition_penalty", 0.01, 10),
        "presence_penalty": f.number("presence_penalty", -2, 2),
        "frequency_penalty": f.number("frequency_penalty", -2, 2),
        "stop": _stops(f),
        "logit_bias": _bias(f, info.vocabulary),
        "max_tokens": most,
        "seed": (seed if given is None else given) % (1 << 64),
    }
    if values["top_k"] == -1:  # off, in the words of other servers
        values["top_k"] = 0
    return info.defaults.given(values)


def thinking_of(effort: str | None, info: ModelInfo, name: str) -> tuple[bool | None, str]:
    """(whether to think, how much) of a reasoning effort. Raises Refused where the model has neither."""
    if effort is None:
        return None, ""
    if effort == "none":
        return (False if info.can_think else None), ""
    if effort not in EFFORTS:
        raise Refused(f"{name} has to be one of none, {', '.join(EFFORTS)}.", name)
    if info.efforts:
        return (True if info.can_think else None), EFFORTS[effort]
    if info.can_think:
        return effort != "minimal", ""
    raise Refused(f"This model cannot be told how much to reason. Leave {name} out.", name, "unsupported_parameter")


def shape_of(f: Fields) -> Shape | None:
    """The shape of an answer, by a response_format's object."""
    kind = f.one_of("type", "text", "json_object", "json_schema")
    if kind is None:
        raise Refused(f"{f.name('type')} is missing.", f.name("type"))
    if kind == "json_schema":
        held = Fields(f.object("json_schema") or {}, f.name("json_schema")) if f.has("json_schema") else f
        schema = held.object("schema")
        if schema is None:
            raise Refused(f"{held.name('schema')} is missing.", held.name("schema"))
        held.ignore("name", "description", "strict")  # a schema is always kept to
        held.end()
        f.end()
        return Shape("schema", json.dumps(schema, ensure_ascii=False))
    f.end()
    return Shape("json") if kind == "json_object" else None


def check_model(asked: str | None, info: ModelInfo) -> str:
    """The model's name as it was asked for. Raises Refused where another one is open."""
    if not asked:
        raise Refused("model is missing: name the model, as /v1/models does.", "model")
    if asked.removesuffix(".ouzel") != info.name.removesuffix(".ouzel"):
        raise Refused(f"The model {asked!r} is not open here; {info.name} is.", "model", "model_not_found", 404)
    return asked


def _stops(f: Fields) -> tuple[str, ...] | None:
    value = f.any("stop")
    if value is None:
        return None
    stops = [value] if isinstance(value, str) else value
    if not isinstance(stops, list) or len(stops) > MOST_STOPS or not all(isinstance(s, str) and s for s in stops):
        raise Refused(f"stop has to be a text or a list of up to {MOST_STOPS} texts.", "stop")
    return tuple(stops)


def _bias(f: Fields, vocabulary: int) -> tuple[tuple[int, float], ...] | None:
    value = f.object("logit_bias")
    if value is None:
        return None
    out = []
    for key, bias in value.items():
        if not (key.isascii() and key.isdecimal() and int(key) < vocabulary):
            raise Refused(f"logit_bias names {key[:40]!r}, which is no token of this model.", "logit_bias")
        if isinstance(bias, bool) or not isinstance(bias, int | float) or not -100 <= bias <= 100:
            raise Refused("A logit_bias has to be a number from -100 to 100.", "logit_bias")
        out.append((int(key), float(bias)))
    return tuple(out)
