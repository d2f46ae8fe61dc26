"""Strict reads of config.json: a key that is missing, of a wrong type, unsupported or never read is an error that names it."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar, overload

from engine.errors import UnsupportedModel

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


def _stored_as(q: Mapping[str, Any]) -> str:
    """What a quantization_config says about the weights, in our words; empty for what we do not read."""
    if q.get("quant_method") == "fp8" and q.get("weight_block_size") == [128, 128] and q.get("fmt", "e4m3") == "e4m3":
        return "fp8"
    groups = [g.get("weights", {}) for g in q.get("config_groups", {}).values()]
    int4 = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": True}
    if q.get("format") == "pack-quantized" and groups and all(g.get(k) == v for g in groups for k, v in int4.items()):
        return "int4"
    return ""


_OTHER_SENSES = re.compile(r"vision|audio|image|video|media|^(bo|eo)[ai]_|^mm_|projector|^ignore_index$")


class ConfigReader:
    """One config, read key by key; `done` refuses what was never looked at.

    Raises UnsupportedModel from every method; all problems of one config are collected where that is possible.
    """

    def __init__(self, config: Mapping[str, Any], where: str = "config.json") -> None:
        self._config = config
        self._where = where
        self._seen: set[str] = set()

    @staticmethod
    def text(config: Mapping[str, Any], wrapped: str, plain: str = "") -> "tuple[ConfigReader, str]":
        """The reader of the text model and the prefix of its tensors: `wrapped` where the config is that of a multimodal wrapper.

        What the wrapper says about tokens and tying holds for its text; what it says about images and sound does not matter.
        """
        inner = config.get("text_config")
        if inner is None:
            return ConfigReader(config), plain
        if not isinstance(inner, dict):
            raise UnsupportedModel(f"config.json says text_config = {inner!r}, but a mapping is expected.")
        shared = ("tie_word_embeddings", "bos_token_id", "eos_token_id", "quantization_config")
        outer = ConfigReader({k: v for k, v in config.items() if not _OTHER_SENSES.search(k)})
        outer.ignore("text_config", *shared)
        outer.done()
        return ConfigReader({**inner, **{k: config[k] for k in shared if k in config}}, "config.json: text_config"), wrapped

    def need(self, key: str, kind: type[T]) -> T:
        """The value of `key`, which must be there and of this type (an int passes as float)."""
        if self._config.get(key) is None:
            raise UnsupportedModel(f"{self._where} lacks the key '{key}'. The file is incomplete; fetch the model again.")
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
        if value is not None and value not in supported:
            allowed = " or ".join(repr(s) for s in supported)
            raise UnsupportedModel(f"{self._where} says {key} = {value!r}, but only {allowed} is supported for this family.")

    def ignore(self, *keys: str) -> None:
        """These keys are known and change nothing here."""
        self._seen.update(keys)

    def positive(self, key: str) -> int:
        """An integer from 1 to what the engine can hold: LIMITS, else WIDEST."""
        value = self.need(key, int)
        most = next((n for part, n in LIMITS if part in key), WIDEST)
        if not 1 <= value <= most:
            raise UnsupportedModel(f"{self._where} says {key} = {value}, but it must lie between 1 and {most}.")
        return value

    def ids(self, key: str) -> tuple[int, ...]:
        """Token ids given as one integer or a list; empty where absent."""
        self._seen.add(key)
        value = self._config.get(key)
        values = [] if value is None else value if isinstance(value, list) else [value]
        if not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            raise UnsupportedModel(f"{self._where} says {key} = {value!r}, but token ids must be integers.")
        return tuple(values)

    def sub(self, key: str) -> "ConfigReader | None":
        """A reader of the mapping under `key`, None where absent."""
        value = self.may(key, dict, None)
        return None if value is None else ConfigReader(value, f"{self._where}: {key}")

    def quantized(self, *known: str) -> None:
        """Refuse weights stored in another way than plain or one of `known`: "fp8" (blocks of 128 x 128), "int4" (groups of 32)."""
        q = self.may("quantization_config", dict, None)
        if q is not None and _stored_as(q) not in known:
            method = q.get("format") or q.get("quant_method")
            raise UnsupportedModel(
                f"{self._where} says that the weights are stored as '{method}', which is not read for this family. "
                "Fetch a bf16 copy of the model."
            )

    def layer_set(self, key: str, n_layers: int, one_based: bool = False) -> frozenset[int]:
        """Layer indices given as a list, counted from 0 in the answer. Raises UnsupportedModel for one that does not exist."""
        values = self.need(key, list)
        first = 1 if one_based else 0
        if not all(isinstance(v, int) and first <= v < n_layers + first for v in values):
            raise UnsupportedModel(f"{self._where} says {key} = {values!r}, but the model has {n_layers} layers.")
        return frozenset(v - first for v in values)

    def layer_types(self, n_layers: int, **kinds: str) -> tuple[str, ...] | None:
        """The list under layer_types in the words of `kinds` (published word=ours); None where absent."""
        values = self.may("layer_types", list, None)
        if values is None:
            return None
        if len(values) != n_layers or not all(v in kinds for v in values):
            raise UnsupportedModel(f"{self._where} says layer_types = {values!r}, but {n_layers} of {', '.join(kinds)} are expected.")
        return tuple(kinds[v] for v in values)

    def done(self) -> None:
        """Refuse keys that nobody read: a silently dropped key is a wrong model."""
        unknown = sorted(set(self._config) - self._seen - NEUTRAL)
        if unknown:
            raise UnsupportedModel(f"{self._where} has keys that this family's reader does not know: {', '.join(unknown)}.")

    def _typed(self, key: str, kind: type[T]) -> T:
        self._seen.add(key)
        value = self._config[key]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)  # type: ignore[return-value]
        if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
            raise UnsupportedModel(f"{self._where} says {key} = {value!r}, but {kind.__name__} is expected.")
        return value
