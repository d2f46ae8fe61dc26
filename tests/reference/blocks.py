"""Blocks of q8 and q4 in NumPy, operation by operation in f32, so that the kernels must give the same codes and scales.

Each row of w [n, 32] is a block. q8: w = d c, d = max|w| / 127. q4: w = d c + m, fitted by least squares from four starts; of twelve fits
the first with the least squared error. d and m are f16; sums run over the columns in order.
"""

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
BLOCK = 32


def q8(w: F32) -> tuple[F32, F32]:
    """(d [n], codes [n, 32])."""
    d = _f16(np.abs(w).max(axis=1) / np.float32(127))
    return d, np.clip(np.rint(_over(w, d[:, None])), -127, 127)


def q4(w: F32) -> tuple[F32, F32, F32]:
    """(d [n], m [n], codes [n, 32])."""
    lo, hi, total = w.min(axis=1) + np.float32(0), w.max(axis=1) + np.float32(0), _sum(w)
    best, best_d, best_m = np.full(len(w), np.inf, np.float32), np.zeros_like(lo), _f16(lo)
    for top in (15, 14, 13, 12):
        d, m = _f16((hi - lo) / np.float32(top)), _f16(lo)
        for _ in range(3):
            c = _codes(w, d, m)
            gap = w - (d[:, None] * c + m[:, None])
            error = _sum(gap * gap)
            better = error < best
            best, best_d, best_m = np.where(better, error, best), np.where(better, d, best_d), np.where(better, m, best_m)
            sc, det = _sum(c), BLOCK * _sum(c * c) - _sum(c) * _sum(c)
            slope = _over(BLOCK * _sum(c * w) - sc * total, det)
            new = _f16(np.maximum(slope, 0))
            d, m = np.where(det > 0, new, d), np.where(det > 0, _f16((total - new * sc) * np.float32(1 / BLOCK)), m)
    return best_d, best_m, _codes(w, best_d, best_m)


def _codes(w: F32, d: F32, m: F32) -> F32:
    inverse = _over(np.ones_like(d), d)
    return np.clip(np.rint((w - m[:, None]) * inverse[:, None]), 0, 15)


def _sum(x: F32) -> F32:
    return np.cumsum(x, axis=1, dtype=np.float32)[:, -1]


def _f16(x: F32) -> F32:
    return x.astype(np.float16).astype(np.float32)


def _over(a: F32, b: F32) -> F32:
    """a / b, 0 where b is."""
    return np.divide(a, b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape), np.float32), where=b > 0)
