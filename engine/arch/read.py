"""Strict reads of config.json: a key that is missing, of a wrong type, unsupported or never read is an error that names it."""

import math
import re
from collections.abc import Mapping
from typing import Any, TypeVar, overload

from engine.errors import UnsupportedConfig
from engine.words import joined, say

# No real model comes near these; beyond them a damaged config would take all memory before anything is checked.
LIMITS = (("layers", 1024), ("experts", 4096))
WIDEST = 2**24

T = TypeVar("T")

# Keys that say nothing about the maths of a text forward pass.
NEUTRAL = frozenset(
    [
    "_name_or_path", "architectures", "attn_implementation", "auto_map", "attention_dropout", "attention_probs_dropout_prob",
    "bad_words_ids", "chunk_size_feed_forward", "classifier_dropout", "dtype", "embedding_dropout", "ep_size", "finetuning_task",
    "head_dtype", "hidden_dropout", "hidden_dropout_prob", "id2label", "initializer_range", "is_decoder", "is_encoder_decoder",
    "label2id", "max_length", "model_type", "num_return_sequences", "output_attentions", "output_hidden_states", "output_router_logits",
    "pad_token_id", "prefix", "pretraining_tp", "problem_type", "resid_pdrop", "return_dict", "router_aux_loss_coef",
    "router_jitter_noise", "sep_token_id", "task_specific_params", "tokenizer_class", "torch_dtype", "transformers_version",
    "unk_token_id", "use_cache",
    ]
)
# What older versions of transformers wrote into inner configs, whatever the model: defaults of its sampling and of encoders; and what
# mirrors add.
NEUTRAL |= frozenset(
    [
    "_attn_implementation_autoset", "_commit_hash", "add_cross_attention", "begin_suppress_tokens", "cross_attention_hidden_size",
    "decoder_start_token_id", "diversity_penalty", "do_sample", "early_stopping", "encoder_no_repeat_ngram_size",
    "exponential_decay_length_penalty", "forced_bos_token_id", "forced_eos_token_id", "length_penalty", "min_length", "model_name",
    "no_repeat_ngram_size", "num_beam_groups", "num_beams", "output_scores", "pruned_heads", "remove_invalid_values",
    "repetition_penalty", "return_dict_in_generate", "suppress_tokens", "temperature", "tf_legacy_loss", "tie_encoder_decoder",
    "top_k", "top_p", "torchscript", "typical_p", "unsloth_fixed", "unsloth_version", "use_bfloat16",
    ]
)  # fmt: skip


def _stored_as(q: Mapping[str, Any]) -> str:
    """What a quantization_config says about the weights, in our words; empty for what we do not read."""
    if q.get("quant_method") == "fp8" and q.get("weight_block_size") == [128, 128] and q.get("fmt", "e4m3") in ("e4m3", "float8_e4m3fn"):
        return "fp8"
    named = q.get("config_groups")
    groups = [g.get("weights") if isinstance(g, dict) else None for g in named.values()] if isinstance(named, dict) else []
    int4 = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": True}
    if q.get("format") == "pack-quantized" and groups and all(isinstance(g, dict) and int4.items() <= _plain(g).items() for g in groups):
        return "int4"
    return ""


def _plain(g: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in g.items() if isinstance(v, str | int)}


_OTHER_SENSES = re.compile(r"vision|audio|image|video|media|^(bo|eo)[ai]_|^mm_|projector|^ignore_index$")


class Guess(int):
    """A number in place of one that could not be read, so that the rest of the config is read too; nothing is held against it."""

    def __floordiv__(self, other: int) -> "Guess":
        return Guess(1)

    def __rfloordiv__(self, other: int) -> "Guess":
        return Guess(1)


_BLANK: dict[type, Any] = {int: Guess(1), float: 1.0}


class ConfigReader:
    """One config, read key by key; `done` refuses what was never looked at.

    A read that fails notes the problem and gives something to go on with; `done` of the outermost reader raises UnsupportedConfig with
    all problems that it and the readers made from it noted.
    """

    def __init__(self, config: Mapping[str, Any], where: str = "config.json", inside: "ConfigReader | None" = None) -> None:
        self._config = config
        self._where = where
        self._seen: set[str] = set()
        self._bad: set[str] = set()
        self._inner, self._muted = inside is not None, False
        self._problems: list[str] = inside._problems if inside is not None else []

    @staticmethod
    def text(config: Mapping[str, Any], wrapped: str, plain: str = "") -> "tuple[ConfigReader, str]":
        """The reader of the text model and the prefix of its tensors: `wrapped` where the config is that of a multimodal wrapper.

        What the wrapper says about tokens and tying holds for its text; what it says about images and sound does not matter.
        """
        inner = config.get("text_config")
        if inner is None:
            return ConfigReader(config), plain
        if not isinstance(inner, dict):
            raise UnsupportedConfig([say("config.json says text_config = {inner}, but a mapping is expected", inner=f"{inner!r:.60}")])
        shared = ("tie_word_embeddings", "bos_token_id", "eos_token_id", "quantization_config")
        outer = ConfigReader({k: v for k, v in config.items() if not _OTHER_SENSES.search(k)})
        text = ConfigReader({**inner, **{k: config[k] for k in shared if k in config}}, "config.json: text_config")
        outer._inner, outer._problems = True, text._problems
        outer.ignore("text_config", *shared)
        outer.done()
        return text, wrapped

    def fault(self, words: str, key: str = "") -> None:
        """Note a problem, of a key only the first; `words` follow the name of the file."""
        if key not in self._bad:
            self._problems.append(joined(" ", [self._where, words]))
        self._bad |= {key} - {""}

    @property
    def is_muted(self) -> bool:
        """Whether the mapping that this reads was not there, which has been told."""
        return self._muted

    def is_bad(self, key: str) -> bool:
        """Whether `key` has a problem, so that what was read from it is a guess."""
        return key in self._bad

    def need(self, key: str, kind: type[T]) -> T:
        """The value of `key`, which must be there and of this type (an int passes as float)."""
        self._seen.add(key)
        if self._config.get(key) is None:
            self.fault(say("lacks the key '{key}'", key=key), key)
            return self._blank(kind)
        return self._typed(key, kind)

    @overload
    def may(self, key: str, kind: type[T], default: None) -> T | None: ...
    @overload
    def may(self, key: str, kind: type[T], default: T) -> T: ...
    def may(self, key: str, kind: type[T], default: T | None) -> T | None:
        """The value of `key`, or `default` where it is absent or null."""
        self._seen.add(key)
        return default if self._config.get(key) is None else self._typed(key, kind)

    def only(self, key: str, *supported: object) -> None:
        """`key` must be absent, null or one of the supported values."""
        self._seen.add(key)
        value = self._config.get(key)
        if value is not None and value not in supported and not any(isinstance(s, Guess) for s in supported):
            allowed = joined(say(" or "), map(repr, supported)) or "null"
            self.fault(
                say(
                    "says {key} = {value}, but only {allowed} is supported for this family",
                    key=key,
                    value=f"{value!r:.60}",
                    allowed=allowed,
                ),
                key,
            )

    def ignore(self, *keys: str) -> None:
        """These keys are known and change nothing here."""
        self._seen.update(keys)

    def positive(self, key: str) -> int:
        """An integer from 1 to what the engine can hold: LIMITS, else WIDEST."""
        return self._within(key, self.need(key, int), 1)

    def positive_of(self, key: str, *also: str) -> int:
        """As `positive`, of a number that may have another of these names; two of them must agree."""
        found = next((k for k in (key, *also) if self._config.get(k) is not None), key)
        value = self.positive(found)
        for other in {key, *also} - {found}:
            self.only(other, value)
        return value

    @overload
    def positive_or(self, key: str, default: None) -> int | None: ...
    @overload
    def positive_or(self, key: str, default: int) -> int: ...
    def positive_or(self, key: str, default: int | None) -> int | None:
        """As `positive`, or `default` where the key is absent or null."""
        value = self.may(key, int, default)
        if value is not None and value < 1 and self._config.get(key) is None:
            if not self._problems:  # else it comes of a guess
                self.fault(say("lacks the key '{key}', for which the other keys give {value}", key=key, value=value), key)
            return self._blank(int)
        return None if value is None else self._within(key, value, 1)

    def count(self, key: str) -> int:
        """As `positive`, but 0 where the key is absent or null, and 0 may be said."""
        return self._within(key, self.may(key, int, 0), 0)

    def real(self, key: str, default: float | None, low: float = 0.0, high: float = 1e9) -> float:
        """A number above `low` and up to `high`; `default` where the key is absent or null, None: it must be there."""
        value = self.need(key, float) if default is None else self.may(key, float, default)
        if not low < value <= high:
            self.fault(
                say(
                    "says {key} = {value}, but it must be more than {low:g} and at most {high:g}", key=key, value=value, low=low, high=high
                ),
                key,
            )
        if key not in self._bad:
            return value
        return 1.0 if default is None else default

    def ids(self, key: str) -> tuple[int, ...]:
        """Token ids given as one integer or a list; empty where absent."""
        self._seen.add(key)
        value = self._config.get(key)
        values = [] if value is None else value if isinstance(value, list) else [value]
        if not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            self.fault(say("says {key} = {value}, but token ids must be integers", key=key, value=f"{value!r:.60}"), key)
            return ()
        return tuple(values)

    def sub(self, key: str) -> "ConfigReader | None":
        """A reader of the mapping under `key`, None where absent."""
        self._seen.add(key)
        return None if self._config.get(key) is None else self.need_sub(key)

    def need_sub(self, key: str) -> "ConfigReader":
        """A reader of the mapping under `key`, which must be there; where it is not, what is read from it notes no problems."""
        out = ConfigReader(self.need(key, dict), f"{self._where}: {key}", self)
        if key in self._bad:
            out._problems, out._muted = [], True
        return out

    def quantized(self, *known: str) -> None:
        """Refuse weights stored in another way than plain or one of `known`: "fp8" (blocks of 128 x 128), "int4" (groups of 32)."""
        q = self.may("quantization_config", dict, None)
        if q and _stored_as(q) not in known:
            method = q.get("format") or q.get("quant_method")
            words = say(
                "says that the weights are stored as {method}, which is not read for this family; a bf16 copy of the model is",
                method=f"{method!r:.60}",
            )
            self.fault(words, "quantization_config")

    def indices(self, key: str) -> frozenset[int]:
        """Layer indices given as a list; empty where absent."""
        values = self.may(key, list, [])
        if not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            self.fault(say("says {key} = {values}, but a list of layers is expected", key=key, values=f"{values!r:.60}"), key)
            return frozenset()
        return frozenset(values)

    def layer_set(self, key: str, n_layers: int, one_based: bool = False) -> frozenset[int]:
        """Layer indices given as a list, counted from 0 in the answer; each must exist."""
        values = self.need(key, list)
        first = 1 if one_based else 0
        sound = all(isinstance(v, int) and not isinstance(v, bool) for v in values)
        if not sound or not (isinstance(n_layers, Guess) or all(first <= v < n_layers + first for v in values)):
            self.fault(
                say("says {key} = {values}, but the model has {n_layers} layers", key=key, values=f"{values!r:.60}", n_layers=n_layers), key
            )
            return frozenset()
        return frozenset(v - first for v in values)

    def layer_types(self, n_layers: int, **kinds: str) -> tuple[str, ...] | None:
        """The list under layer_types in the words of `kinds` (published word=ours); None where absent."""
        values = self.may("layer_types", list, None)
        if values is None:
            return None
        if self.is_bad("layer_types"):
            return None
        known = all(isinstance(v, str) and v in kinds for v in values)
        if known and isinstance(n_layers, Guess):
            return None
        if not known or len(values) != n_layers:
            words = say(
                "says layer_types = {values}, with {count} entries, but {n_layers} of {kinds} are expected",
                values=f"{values!r:.60}",
                count=len(values),
                n_layers=n_layers,
                kinds=", ".join(kinds),
            )
            self.fault(words, "layer_types")
            return None
        return tuple(kinds[v] for v in values)

    def done(self) -> None:
        """Refuse keys that nobody read: a silently dropped key is a wrong model. Raises UnsupportedConfig with everything so far."""
        unknown = sorted(set(self._config) - self._seen - NEUTRAL)
        if unknown:
            self.fault(say("has keys that this family's reader does not know: {unknown}", unknown=", ".join(unknown)))
        if self._problems and not self._inner:
            raise UnsupportedConfig(self._problems)

    def _within(self, key: str, value: int, least: int) -> int:
        most = next((n for part, n in LIMITS if part in key), WIDEST)
        if least <= value <= most:
            return value
        self.fault(
            say(
                "says {key} = {value}, but it must lie between {least} and {most}", key=key, value=f"{value!r:.60}", least=least, most=most
            ),
            key,
        )
        return self._blank(int)

    @staticmethod
    def _blank(kind: type[T]) -> T:
        return _BLANK[kind] if kind in _BLANK else kind()

    def _typed(self, key: str, kind: type[T]) -> T:
        self._seen.add(key)
        value = self._config[key]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < 2**1000 else math.inf
        wrong = not isinstance(value, kind) or (kind is not bool and isinstance(value, bool))
        if wrong or (isinstance(value, float) and not math.isfinite(value)):
            self.fault(say("says {key} = {value}, but {name} is expected", key=key, value=f"{value!r:.60}", name=kind.__name__), key)
            return self._blank(kind)
        return value  # type: ignore[no-any-return]
