"""The memory of one sequence: a KV cache a layer, and how many tokens are in it."""

from collections.abc import Sequence

from engine.arch.spec import ArchSpec, Gqa
from kernels_pyx.attention import KvCache

DTYPE_BYTES = {"f32": 4, "f16": 2, "bf16": 2}


def ring(mixer: Gqa, context: int) -> int | None:
    """The window where it is shorter than the context; a longer one hides nothing."""
    return mixer.window if mixer.window is not None and mixer.window < context else None


def kv_capacity(mixer: Gqa, context: int, chunk: int) -> int:
    """Rows of a layer's cache: the context, or a ring of the window and one step's rows."""
    window = ring(mixer, context)
    return context if window is None else window + chunk


def kv_bytes(spec: ArchSpec, context: int, chunk: int, dtype: str) -> int:
    """Bytes of all KV caches at this context and chunk."""
    total = 0
    for layer in spec.layers:
        m = layer.mixer
        assert isinstance(m, Gqa)
        total += KvCache.nbytes_for(m.n_kv_heads, m.d_head, m.d_head, kv_capacity(m, context, chunk), dtype)
    return total


class State:
    """One sequence's caches. `length` tokens are kept; rows beyond it are free to be overwritten.

    truncate(n) is how rejected drafts and edited prompts are taken back. A ring keeps only its window: going back further
    than the rows of one step is refused there, and the caller starts again from 0.
    """

    def __init__(self, spec: ArchSpec, context: int, chunk: int, dtype: str) -> None:
        self.context = context
        self.length = 0
        self._reach = 0  # the highest length since the start, which bounds how far a ring can go back
        self._chunk = chunk
        self.caches: Sequence[KvCache] = [self._cache(layer.mixer, dtype) for layer in spec.layers]
        self._rings = any(isinstance(m := layer.mixer, Gqa) and ring(m, context) is not None for layer in spec.layers)

    def _cache(self, m: object, dtype: str) -> KvCache:
        assert isinstance(m, Gqa)
        capacity = kv_capacity(m, self.context, self._chunk)
        return KvCache(m.n_kv_heads, m.d_head, m.d_head, capacity, dtype, ring(m, self.context))

    @property
    def nbytes(self) -> int:
        """Bytes of all caches."""
        return sum(c.nbytes for c in self.caches)

    def commit(self, n: int) -> None:
        """Keep the first n rows of the step just computed."""
        self.length += n
        self._reach = max(self._reach, self.length)

    def truncate(self, length: int) -> bool:
        """Go back to `length` tokens. False where a ring has overwritten what that needs; the state is then empty."""
        if self._rings and length < self._reach - self._chunk:
            length, self.length, self._reach = -1, 0, 0
            return False
        self.length = min(self.length, length)
        if length == 0:
            self._reach = 0
        return True
