"""Grouped-query attention over a cache of keys and values."""

from typing import Final

import numpy as np
import numpy.typing as npt

from kernels_pyx.compute import Compute, Rows

class Rope:
    """Rotary tables of one step: angle = f32(position) * inv_freq, cos and sin times `factor` (yarn's attention factor).

    inv_freq f32 [d_rotated / 2]; interleaved: pairs (2i, 2i+1), else halves (i, i + d_rotated / 2). Zero frequencies are the identity.
    """

    def __init__(self, capacity: int, inv_freq: npt.NDArray[np.float32], *, factor: float = 1.0, interleaved: bool = False) -> None: ...
    nbytes: Final[int]
    def fill(self, position: int, n: int, first: int = 0) -> None: ...  # rows first.. are those of positions position..position+n-1
    def require(self, position: int, n: int, first: int) -> int: ...  # ValueError unless rows first.. are those of n positions

class KvCache:
    """Keys and values of one layer as "f32", "f16", "bf16" or "q8"; position j lies in row j % capacity (a multiple of 64: rounded up).

    keys [n_kv_heads, capacity / 16, d_key, 16]: row j is [:, j // 16, :, j % 16]. values [n_kv_heads, capacity, d_value].
    q8: codes int8 with a scale f16 for 32 numbers of a head; both are bytes [n_kv_heads, capacity / 64, bytes of a tile of 64 rows].
    window: a ring; keys j with i - j < window are seen by row i, and capacity must be at least window + the rows of a step.
    """

    capacity: Final[int]
    nbytes: Final[int]
    keys: npt.NDArray[np.generic]  # float32, float16, uint16 holding bfloat16, or bytes; views for saving and loading
    values: npt.NDArray[np.generic]
    def __init__(
        self, n_kv_heads: int, d_key: int, d_value: int, capacity: int, dtype: str, window: int | None = None,
        memory: npt.NDArray[np.uint8] | None = None,
    ) -> None: ...  # memory: nbytes_for zeroed bytes at a multiple of 64, instead of own
    @staticmethod
    def nbytes_for(n_kv_heads: int, d_key: int, d_value: int, capacity: int, dtype: str) -> int: ...

class Gqa:
    """Norm and rotate queries and keys, append keys and values, attend; softmax in f32, causal, tiles of keys at fixed positions.

    norm: "none" | "head" (over d_head) | "width" (over all heads) with weights q_norm, k_norm; value_norm: rms without
    weight on v (Gemma 4). sinks f32 [n_heads]: one extra logit each whose probability is dropped (gpt-oss).
    softcap: scores = cap * tanh(scores / cap). scale default d_head ** -0.5.
    """

    def __init__(
        self,
        n_heads: int,
        n_kv_heads: int,
        d_head: int,
        *,
        d_value: int | None = None,
        rope: Rope | None = None,
        norm: str = "none",
        q_norm: npt.NDArray[np.float32] | None = None,
        k_norm: npt.NDArray[np.float32] | None = None,
        norm_eps: float = 0.0,
        value_norm: bool = False,
        scale: float | None = None,
        softcap: float | None = None,
        sinks: npt.NDArray[np.float32] | None = None,
    ) -> None: ...
    def __call__(
        self, c: Compute, q: Rows, k: Rows, v: Rows, n: int, position: int, cache: KvCache, out: Rows, first: int = 0
    ) -> None:
        """q [n, n_heads * d_head], k, v [n, n_kv_heads * d]: rows first.. are positions position..position+n-1; q and k are overwritten.
        Raises IndexError where position + n exceeds a cache without window, or a ring is smaller than window + n - 1."""
