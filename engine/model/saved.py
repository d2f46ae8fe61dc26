"""What a sequence's caches hold, as pieces that can be written to a file and read back in the same order."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.model.state import State
from kernels_pyx.attention import KvCache
from kernels_pyx.latent import LatentCache
from kernels_pyx.recurrent import DeltaState

TILE = 64  # rows of a tile of keys and values; capacities are multiples of it
PIECE_ROWS = 256  # of a latent cache, at once

Array = npt.NDArray[Any]


def pieces(state: State, length: int, reach: int) -> Iterator[Array]:
    """Views of what `length` tokens need, each of some 100 KB, but a recurrent layer's matrices whole.

    reach: State.reach. A ring is taken as it lies, so it fits one of the same capacity only, see State.rings.
    """
    further = [] if state.further is None else [state.further]
    for cache, ring in zip((*state.caches, *further), (*state.rings, *(0 for _ in further)), strict=True):
        if isinstance(cache, KvCache):
            n = cache.capacity // TILE
            rows = reach if ring else length
            both = [_by_tiles(a, n) for a in (cache.keys, cache.values)]
            for tile in range(min(-(-rows // TILE), n)):
                for array in both:
                    yield array[:, tile]
        elif isinstance(cache, LatentCache):
            for at in range(0, length, PIECE_ROWS):
                yield cache.array[at : min(at + PIECE_ROWS, length)]
        else:
            yield from (cache.matrices, cache.ring, cache.held)


def copy(source: State, target: State, length: int) -> bool:
    """Let `target` hold the first `length` tokens of `source`, as if it had computed them; False where layers keep what does not lie by
    tokens: rings, and recurrent states.
    """
    if any(source.rings) or any(isinstance(cache, DeltaState) for cache in source.caches):
        return False
    for there, here in zip(pieces(source, length, length), pieces(target, length, length), strict=True):
        here[...] = there
    target.stand_at(length, length)
    return True


def nbytes(state: State) -> int:
    """Bytes of the pieces now."""
    return sum(a.nbytes for a in pieces(state, state.length, state.reach))


def _by_tiles(array: Array, n: int) -> Array:
    """[heads, tiles, ...] as a view: keys come by blocks of 16, values by rows, 8-bit codes by tiles."""
    heads, rows, *rest = array.shape
    out = array.reshape(heads, n, rows // n, *rest)
    if not np.shares_memory(out, array):
        raise ValueError("a cache's array cannot be seen by tiles without a copy")
    return out
