"""Multi-head latent attention, absorbed (DeepSeek-V2): a cache of latents, and attention over them."""

from typing import Final

import numpy as np
import numpy.typing as npt

from kernels_pyx.attention import Rope
from kernels_pyx.compute import Compute, Rows

class LatentCache:
    """[capacity, d_latent + d_rope, padded to 16] of one layer as "f32", "f16" or "bf16": normed latent, rotated shared key.

    "q8": bytes [capacity, bytes of a row]: int8 codes of the latent, the rest as f16, a scale f16 for 32 codes.
    """

    capacity: Final[int]
    nbytes: Final[int]
    array: npt.NDArray[np.generic]  # a view for saving and loading
    def __init__(
        self, d_latent: int, d_rope: int, capacity: int, dtype: str, memory: npt.NDArray[np.uint8] | None = None
    ) -> None: ...  # memory: nbytes_for zeroed bytes at a multiple of 64, instead of own
    @staticmethod
    def nbytes_for(d_latent: int, d_rope: int, capacity: int, dtype: str) -> int: ...

class Latent:
    """Norm and rotate the new latents, append them, attend: causal, softmax in f32, tiles of keys at fixed positions."""

    def __init__(
        self, n_heads: int, d_nope: int, d_rope: int, d_latent: int, *, norm: npt.NDArray[np.float32], norm_eps: float,
        rope: Rope | None, scale: float,
    ) -> None: ...
    def __call__(self, c: Compute, q: Rows, queries: Rows, kv: Rows, n: int, position: int, cache: LatentCache, first: int = 0) -> None:
        """Rows first.. of q [n, n_heads * (d_nope + d_rope)], of which the last d_rope a head count (rotated in place); queries [n, n_heads *
        d_latent]: the others in latent space, replaced by what they attended; kv [n, d_latent + d_rope].
        Raises IndexError where position + n exceeds the cache, ValueError for other shapes, Interrupted."""
