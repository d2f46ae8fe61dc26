"""Model families: `model_type` of config.json names the module that turns the config into an ArchSpec.

A new family is one file here, with `spec(config)`; where checkpoints spell its type in other ways too, `MODEL_TYPES`; and where it has no
experts, `DENSE`.
Nothing else in the project knows a family's name.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

from engine.arch.sense import contradictions
from engine.arch.spec import ArchSpec
from engine.errors import UnsupportedConfig, UnsupportedModel
from engine.words import joined, say

_SHARED = {"names", "read", "rope", "sense", "spec", "gated_delta", "kimi", "latent", "plain_dense", "sigmoid_moe"}
_COUNTS = ("num_experts", "num_local_experts", "n_routed_experts")  # one of them is in every Mixture-of-Experts config


def families() -> tuple[str, ...]:
    """The supported families, sorted: values of `model_type`, further spellings left out."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name not in _SHARED))


@cache
def _modules() -> dict[str, str]:
    """The family of every spelling of model_type."""
    out = {}
    for name in families():
        out[name] = name
        for spelling in getattr(importlib.import_module(f"engine.arch.{name}"), "MODEL_TYPES", ()):
            out[spelling] = name
    return out


def read_arch(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture that a config.json describes. Raises UnsupportedModel with the list of families, UnsupportedConfig."""
    arch = described(config)
    if problems := contradictions(arch):
        raise UnsupportedConfig(problems)
    return arch


def described(config: Mapping[str, Any]) -> ArchSpec:
    """As read_arch, also where `contradictions` would find some."""
    kind = config.get("model_type")
    family = _modules().get(kind) if isinstance(kind, str) else None
    if family is None:
        named = say("config.json names no model_type.")
        if isinstance(kind, str):
            named = say("config.json names a model of type '{kind}', which is not supported.", kind=kind)
        raise UnsupportedModel(joined(" ", [named, _supported()]))
    module = importlib.import_module(f"engine.arch.{family}")
    dense, text = getattr(module, "DENSE", False), config.get("text_config", config)
    if not dense and isinstance(text, Mapping) and not any(text.get(key) for key in _COUNTS):
        raise UnsupportedModel(
            say(
                "config.json describes a dense {kind} model: it has none of {counts}. {supported}",
                kind=kind,
                counts=", ".join(_COUNTS),
                supported=_supported(),
            )
        )
    spec: ArchSpec = module.spec(config)
    if not dense and not spec.experts:
        raise UnsupportedModel(
            say(
                "config.json describes a dense {kind} model: none of its layers has experts. {supported}", kind=kind, supported=_supported()
            )
        )
    return spec


def _supported() -> str:
    return say("Supported types: {families}.", families=", ".join(families()))
