"""Grouped-query attention in float64, with the whole score matrix."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.reference.norm import rms_norm
from tests.reference.rope import rotate

F64 = npt.NDArray[np.float64]
Weight = npt.NDArray[np.float32] | None


@dataclass(frozen=True)
class GqaReference:
    """The options of `kernels_pyx.attention.Gqa`, by the same names; inv_freq None: no positions."""

    n_heads: int
    n_kv_heads: int
    d_head: int
    d_value: int
    inv_freq: Weight = None
    factor: float = 1.0
    interleaved: bool = False
    norm: str = "none"
    q_norm: Weight = None
    k_norm: Weight = None
    norm_eps: float = 0.0
    value_norm: bool = False
    scale: float | None = None
    softcap: float | None = None
    sinks: Weight = None
    window: int | None = None

    def __call__(self, q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike) -> F64:
        """q [T, n_heads * d_head], k and v [T, n_kv_heads * d] at positions 0..T-1; returns [T, n_heads * d_value]."""
        t = len(np.asarray(q))
        queries = self._place(np.asarray(q, np.float64), self.n_heads, self.q_norm)
        keys = self._place(np.asarray(k, np.float64), self.n_kv_heads, self.k_norm)
        values = np.asarray(v, np.float64).reshape(t, self.n_kv_heads, self.d_value)
        if self.value_norm:
            values = rms_norm(values, None, self.norm_eps)
        group = self.n_heads // self.n_kv_heads
        keys, values = np.repeat(keys, group, axis=1), np.repeat(values, group, axis=1)
        scores = np.einsum("ihd,jhd->hij", queries, keys) * (self.d_head**-0.5 if self.scale is None else self.scale)
        if self.softcap is not None:
            scores = self.softcap * np.tanh(scores / self.softcap)
        i, j = np.arange(t)[:, None], np.arange(t)[None, :]
        seen = (j <= i) if self.window is None else (j <= i) & (i - j < self.window)
        scores = np.where(seen, scores, -np.inf)
        if self.sinks is not None:
            sink = np.broadcast_to(np.asarray(self.sinks, np.float64)[:, None, None], (self.n_heads, t, 1))
            scores = np.concatenate([scores, sink], axis=2)
        p = np.exp(scores - scores.max(axis=2, keepdims=True))
        p = (p / p.sum(axis=2, keepdims=True))[:, :, :t]
        return np.einsum("hij,jhd->ihd", p, values).reshape(t, -1)

    def _place(self, x: F64, heads: int, weight: Weight) -> F64:
        if self.norm == "width":
            x = rms_norm(x, weight, self.norm_eps)
        x = x.reshape(len(x), heads, self.d_head)
        if self.norm == "head":
            x = rms_norm(x, weight, self.norm_eps)
        if self.inv_freq is None:
            return x
        return rotate(x, np.arange(len(x)), self.inv_freq, self.factor, self.interleaved)
