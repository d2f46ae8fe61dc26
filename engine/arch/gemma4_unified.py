"""Gemma 4 12B, dense, whose images and sounds need no towers; the text of it. Read from: transformers 5.23 `modeling_gemma4_unified.py`.

As Gemma 4 without experts. Traps: as there.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import gemma4
from engine.arch.spec import ArchSpec

DENSE = True
MODEL_TYPES = ("gemma4_unified_text",)


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a gemma4_unified config.json. Raises UnsupportedModel."""
    return gemma4.spec(config, "gemma4_unified")
