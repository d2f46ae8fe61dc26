"""Model families: `model_type` of config.json is the name of the module that turns the config into an ArchSpec.

A new family is one file here. Nothing else in the project knows a family's name.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

from engine.arch.spec import ArchSpec
from engine.errors import UnsupportedModel

_SHARED = {"names", "read", "rope", "spec"}


def families() -> tuple[str, ...]:
    """The supported values of `model_type`, sorted."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name not in _SHARED))


def read_arch(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture that a config.json describes. Raises UnsupportedModel with the list of families."""
    kind = config.get("model_type")
    if kind not in families():
        known = ", ".join(families())
        named = f"a model of type '{kind}'" if isinstance(kind, str) else "no model_type"
        raise UnsupportedModel(f"config.json names {named}, which is not supported. Supported Mixture-of-Experts types: {known}.")
    spec: ArchSpec = importlib.import_module(f"engine.arch.{kind}").spec(config)
    return spec
