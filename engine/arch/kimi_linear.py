"""Kimi-Linear (48B-A3B). Read from: the released `modeling_kimi_linear.py`, transformers 5.23; paper arXiv 2510.26692.

Kimi's text model with plain residuals, silu, experts on the whole width, unbounded decay and low-rank output gates of the
recurrent layers only. Trap: rope_theta and head_dim are there and mean nothing.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch.kimi import text_spec
from engine.arch.read import ConfigReader
from engine.arch.spec import ArchSpec


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a kimi_linear config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    r.quantized()
    return text_spec(r, "kimi_linear", "")
