"""Rotary frequencies from a config, in either spelling: rope_theta + rope_scaling, or rope_parameters.

Source: RoFormer (arXiv 2104.09864); linear scaling, yarn (arXiv 2309.00071) and Llama 3.1's as transformers 5 computes them.
"""

import math
from collections.abc import Sequence

import numpy as np

from engine.arch.read import ConfigReader, Guess
from engine.arch.spec import Rope
from engine.words import say

FALLBACK, MOST_THETA, LEAST = 10000.0, 1e12, 1e-3


def read_rope(
    r: ConfigReader, d_head: int, default_theta: float | None = None, *, interleaved: bool = False, ignore: Sequence[str] = ()
) -> Rope:
    """The rope of `r` over heads of d_head dims. default_theta: the family's value where the config names none.

    ignore: keys of the rope's own mapping that change nothing for text.
    """
    theta = _theta(r, default_theta)
    p = r.sub("rope_parameters")
    old = r.sub("rope_scaling")
    p = p if p is not None else old
    return rope_of(p, r, d_head, theta, interleaved=interleaved, ignore=ignore)


def rope_of(
    p: ConfigReader | None, r: ConfigReader, d_head: int, theta: float | None, *, interleaved: bool = False, ignore: Sequence[str] = ()
) -> Rope:
    """The rope of the mapping p inside the config r; theta is what the config says outside of p."""
    kind, partial = "default", r.real("partial_rotary_factor", 1.0, high=1.0)
    if p is not None:
        kind = p.may("rope_type", str, None) or p.may("type", str, "default")
        p.ignore("type", "rope_type", *ignore)
        theta = _theta(p, theta)
        partial = p.real("partial_rotary_factor", partial, high=1.0)
    if theta is None:
        if p is None or not p.is_muted:
            r.need("rope_theta", float)
        theta = FALLBACK
    proportional = kind == "proportional"
    d = d_head if proportional else int(d_head * partial)
    if d < 2 or d % 2:
        if not isinstance(d_head, Guess):
            r.fault(say("asks to turn {d} dims of a head, which is no even number", d=d))
        d = 2
    freq = np.float32(1.0) / np.power(np.float32(theta), np.arange(0, d, 2, dtype=np.float32) / np.float32(d))
    factor = 1.0
    if p is not None and kind == "linear":
        freq = freq / np.float32(p.real("factor", None, LEAST))
    elif p is not None and kind == "yarn":
        freq, factor = _yarn(p, r, freq, theta, d)
    elif p is not None and kind == "llama3":
        freq = _llama3(p, r, freq)
    elif proportional:
        # The exponents are those of the whole head; what partial_rotary_factor leaves out stands still.
        freq[int(d_head * partial) // 2 :] = 0
    elif kind != "default":
        r.fault(say("asks for rotary embeddings of type {kind}, which this family's reader does not support", kind=f"{kind!r:.60}"))
    if p is not None:
        p.done()
    return Rope(_floats(freq), factor, interleaved)


def _theta(r: ConfigReader, default: float | None) -> float | None:
    """What `r` itself says."""
    return default if r.may("rope_theta", float, None) is None else r.real("rope_theta", FALLBACK, 1.0, MOST_THETA)


def _yarn(p: ConfigReader, r: ConfigReader, freq: np.ndarray, theta: float, d: int) -> tuple[np.ndarray, float]:
    factor = p.real("factor", None, LEAST)
    original = p.positive_or("original_max_position_embeddings", None) or r.positive("max_position_embeddings")
    low, high = (
        d / 2 * math.log(original / (p.real(key, default, LEAST) * 2 * math.pi)) / math.log(theta)
        for key, default in (("beta_fast", 32.0), ("beta_slow", 1.0))
    )
    if p.may("truncate", bool, True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    ramp = np.clip((np.arange(d // 2, dtype=np.float32) - low) / (high - low if high != low else 0.001), 0, 1)
    scaled = freq / np.float32(factor) * ramp + freq * (1 - ramp)
    m, m_all = p.real("mscale", 0.0, -LEAST), p.real("mscale_all_dim", 0.0, -LEAST)

    def mscale(scale: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * scale * math.log(factor) + 1.0

    attention = p.may("attention_factor", float, None)
    if attention is None:
        attention = mscale(m) / mscale(m_all) if m and m_all else mscale(1.0)
    return scaled.astype(np.float32), attention


def _llama3(p: ConfigReader, r: ConfigReader, freq: np.ndarray) -> np.ndarray:
    """Llama 3.1: slow frequencies divided by the factor, fast ones as they are, those between mixed."""
    factor, low, high = (np.float32(p.real(key, None, LEAST)) for key in ("factor", "low_freq_factor", "high_freq_factor"))
    original = np.float32(p.positive("original_max_position_embeddings"))
    if high <= low:
        r.fault(say("asks for rotary embeddings whose high_freq_factor is not above low_freq_factor"), "rope_scaling")
        return freq
    wavelength = np.float32(2 * math.pi) / freq
    smooth = (original / wavelength - low) / (high - low)
    between = (1 - smooth) * freq / factor + smooth * freq
    slow = np.where(wavelength > original / low, freq / factor, freq)
    return np.where((wavelength >= original / high) & (wavelength <= original / low), between, slow).astype(np.float32)


def yarn_softmax_scale(r: ConfigReader) -> float:
    """What yarn's mscale_all_dim multiplies a softmax scale by (DeepSeek): the square of its attention factor; 1 without yarn."""
    p = r.may("rope_parameters", dict, None) or r.may("rope_scaling", dict, None) or {}
    if p.get("rope_type", p.get("type")) != "yarn":
        return 1.0
    quiet = ConfigReader(p)  # read_rope tells what is wrong with them
    scale, factor = quiet.real("mscale_all_dim", 0.0, -LEAST), quiet.real("factor", 1.0, LEAST)
    if not scale or factor <= 1:
        return 1.0
    return float((0.1 * scale * math.log(factor) + 1.0) ** 2)


def _floats(values: Sequence[float] | np.ndarray) -> tuple[float, ...]:
    return tuple(float(v) for v in values)
