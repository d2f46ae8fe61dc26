"""The publisher's sampling, from generation_config.json; values that make no sense are left out."""

import math
from collections.abc import Callable
from typing import Any

from engine.container.strict import Malformed, parse_object

_SENSIBLE: dict[str, Callable[[float], bool]] = {
    "temperature": lambda v: 0 <= v <= 10,
    "top_k": lambda v: v >= 0 and v == int(v),
    "top_p": lambda v: 0 < v <= 1,
    "min_p": lambda v: 0 <= v < 1,
    "repetition_penalty": lambda v: 0 < v <= 10,
}


def published_defaults(generation_config: bytes) -> dict[str, float]:
    """Sampling values that a generation_config.json names; none where it is damaged."""
    try:
        value: dict[str, Any] = parse_object(generation_config)
    except Malformed:
        return {}
    numbers = {k: v for k, v in value.items() if isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v)}
    return {k: numbers[k] for k, sensible in _SENSIBLE.items() if k in numbers and sensible(numbers[k])}
