"""Rotary positions in float64 (Su et al. 2021)."""

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]


def rotate(
    x: npt.ArrayLike, positions: npt.NDArray[np.int64], inv_freq: npt.NDArray[np.float32], factor: float = 1.0, interleaved: bool = False
) -> F64:
    """x [T, n, d]: its first 2 * len(inv_freq) dims are rotated by f32(position) * inv_freq, rounded to f32 as checkpoints assume.

    interleaved: pairs (2i, 2i+1), else (i, i + len(inv_freq)). factor multiplies cosine and sine.
    """
    y = np.array(x, np.float64)
    half = len(inv_freq)
    angle = (positions.astype(np.float32)[:, None] * inv_freq.astype(np.float32)).astype(np.float64)[:, None, :]
    cos, sin = np.cos(angle) * factor, np.sin(angle) * factor
    first, second = (
        (np.s_[..., 0 : 2 * half : 2], np.s_[..., 1 : 2 * half : 2]) if interleaved else (np.s_[..., :half], np.s_[..., half : 2 * half])
    )
    a, b = y[first].copy(), y[second].copy()
    y[first], y[second] = a * cos - b * sin, b * cos + a * sin
    return y
