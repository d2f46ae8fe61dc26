"""The memory of one sequence: what each layer's mixer keeps, and how many tokens are in it."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.arch.spec import ArchSpec, Delta, Gqa, Mixer, Mla
from engine.container.format import ALIGN, PAGE, rounded
from engine.model.checkpoints import Checkpoints, parts_of
from kernels_pyx.aio import Arena
from kernels_pyx.attention import KvCache
from kernels_pyx.latent import LatentCache
from kernels_pyx.recurrent import DeltaState

# Rows of a step that a recurrent layer can take back: a draft's tokens and the one before them.
REPLAY_ROWS = 9
Kept = KvCache | LatentCache | DeltaState


def ring(mixer: Gqa, context: int) -> int | None:
    """The window where it is shorter than the context; a longer one hides nothing."""
    return mixer.window if mixer.window is not None and mixer.window < context else None


def kv_capacity(mixer: Gqa, context: int, chunk: int) -> int:
    """Rows of a layer's cache: the context, or a ring of the window and one step's rows."""
    window = ring(mixer, context)
    return context if window is None else window + chunk


def _delta_shape(m: Delta) -> tuple[int, int, int, int, int, int, bool]:
    return m.n_key_heads, m.n_value_heads, m.d_key, m.d_value, m.conv, REPLAY_ROWS, m.decay.per_channel


def mixer_bytes(m: Mixer, context: int, chunk: int, dtype: str) -> int:
    """Bytes that one layer keeps: keys and values, latents, or a recurrent state that does not grow."""
    if isinstance(m, Gqa):
        return KvCache.nbytes_for(m.n_kv_heads, m.d_head, m.d_head, kv_capacity(m, context, chunk), dtype)
    if isinstance(m, Mla):
        return LatentCache.nbytes_for(m.d_latent, m.d_rope, context, dtype)
    return DeltaState.nbytes_for(*_delta_shape(m))


def kv_bytes(spec: ArchSpec, context: int, chunk: int, dtype: str, checkpoints: int = 0) -> int:
    """Bytes of the arena for what all layers keep at this context and chunk, and for so many checkpoints."""
    layers = sum(rounded(mixer_bytes(layer.mixer, context, chunk, dtype), ALIGN) for layer in spec.all_layers)
    return rounded(layers + checkpoints * checkpoint_bytes(spec, context, chunk, dtype), PAGE)


def checkpoint_bytes(spec: ArchSpec, context: int, chunk: int, dtype: str) -> int:
    """Bytes of a copy of what the layers cannot take back by themselves; 0 where all can."""
    fixed = (m for m in (layer.mixer for layer in spec.layers) if isinstance(m, Delta) or (isinstance(m, Gqa) and ring(m, context)))
    return sum(rounded(mixer_bytes(m, context, chunk, dtype), ALIGN) for m in fixed)


class State:
    """One sequence's caches. `length` tokens are kept; rows beyond it are free to be overwritten.

    truncate(n) is how rejected drafts and edited prompts are taken back. A ring keeps only its window and a recurrent layer
    replays only the rows of a short step: going back further is possible to a checkpoint alone, see `keep`.
    """

    def __init__(self, spec: ArchSpec, context: int, chunk: int, dtype: str, arena: Arena, checkpoints: int = 0) -> None:
        """arena: kv_bytes of zeroed memory, and checkpoint_bytes for each of the checkpoints."""
        self.context = context
        self.length = 0
        self.reach = 0  # the highest length since the start, which bounds how far a ring can go back
        self.chunk = chunk
        self._memories: list[npt.NDArray[np.uint8]] = []
        self.caches: Sequence[Kept] = [self._cache(layer.mixer, dtype, arena) for layer in spec.layers]
        self.further = self._cache(spec.mtp.layer.mixer, dtype, arena) if spec.mtp is not None else None
        self.known = (0, 0)  # positions whose hidden rows the layer for further tokens still has, from and to
        self.known_row = 0  # where it has the first of them
        self._recurrent = tuple(c for c in self.caches if isinstance(c, DeltaState))
        # Capacities of the rings, 0 for layers without one.
        self.rings = tuple(
            c.capacity if isinstance(m := layer.mixer, Gqa) and isinstance(c, KvCache) and ring(m, context) is not None else 0
            for layer, c in zip(spec.layers, self.caches, strict=True)
        )

        parts = [p for c in self._recurrent for p in parts_of(c)] + [m for m, r in zip(self._memories, self.rings, strict=False) if r]
        size = checkpoint_bytes(spec, context, chunk, dtype)
        copies = arena.take(checkpoints * size) if checkpoints and size else np.empty(0, np.uint8)
        self.checkpoints = Checkpoints(parts, copies.reshape(checkpoints if size else 0, size))

    def _cache(self, m: Mixer, dtype: str, arena: Arena) -> Kept:
        memory = arena.take(mixer_bytes(m, self.context, self.chunk, dtype))
        self._memories.append(memory)
        if isinstance(m, Gqa):
            capacity = kv_capacity(m, self.context, self.chunk)
            return KvCache(m.n_kv_heads, m.d_head, m.d_head, capacity, dtype, ring(m, self.context), memory)
        if isinstance(m, Mla):
            return LatentCache(m.d_latent, m.d_rope, self.context, dtype, memory)
        return DeltaState(*_delta_shape(m), memory)

    @property
    def nbytes(self) -> int:
        """Bytes of all caches."""
        return sum(c.nbytes for c in (*self.caches, *([self.further] if self.further is not None else [])))

    def commit(self, n: int) -> None:
        """Keep the first n rows of the step just computed."""
        self.length += n
        self.reach = max(self.reach, self.length)

    def keep(self) -> None:
        """Make a checkpoint here, where layers need one and there is memory for it."""
        self.checkpoints.keep(self.length, self.reach)

    def truncate(self, length: int) -> bool:
        """Go back to `length` tokens. False where a layer no longer has what that needs; the state then stands at the last checkpoint
        before them, or is empty.
        """
        length = min(self.length, length)
        self.known = self.known[0], min(self.known[1], length)
        overwritten = any(self.rings) and length < self.reach - self.chunk
        if length == 0 or overwritten or any(c.least > length for c in self._recurrent):
            place = self.checkpoints.back_to(length) if length else None
            if place is None:
                self.clear()
            else:
                self.length, self.reach = place.length, place.reach
                self.known = self.known[0], min(self.known[1], self.length)
            return self.length == length
        self.checkpoints.forget(length)
        self.length = length
        return True

    def clear(self) -> None:
        """An empty sequence, whatever the caches hold."""
        self.length = self.reach = 0
        self.known = (0, 0)
        self.checkpoints.forget()
        for c in self._recurrent:
            c.reset()

    def stand_at(self, length: int, reach: int) -> None:
        """The caches were filled from elsewhere and hold `length` tokens; reach: as if so many had been computed."""
        self.checkpoints.forget()
        self.length, self.reach, self.known = length, reach, (0, 0)

    def recover(self) -> None:
        """After a step that was stopped: as before it, or at an earlier checkpoint where a recurrent layer had moved on."""
        self.truncate(self.length)
