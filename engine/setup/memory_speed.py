"""How fast this machine's memory is: plain reads, and products of packed weights with one row. Measured once a process."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.cancel import CancelToken
from kernels_pyx.aio import Arena
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Linear, Matrix, pack, read_loop

MEMORY = 192 << 20  # bytes beyond all caches
SIDE = 2048
ROUNDS = 12


@dataclass(frozen=True, slots=True)
class MemorySpeed:
    """threads: compute threads of all figures. read_rate: bytes a second of a plain read loop over memory; product_rate: of packed 4-bit
    weights in products with one row; call_seconds: of a product so small that only the call counts.
    """

    threads: int
    isa: str
    read_rate: float
    product_rate: float
    call_seconds: float


_known: dict[int, MemorySpeed] = {}
_measuring = threading.Lock()


def memory_speed(threads: int, cancel: CancelToken | None = None) -> MemorySpeed:
    """What was measured before with so many threads, or is now. Raises Cancelled."""
    with _measuring:
        if threads not in _known:
            _known[threads] = measured(threads, cancel or CancelToken())
        return _known[threads]


def measured(threads: int, cancel: CancelToken) -> MemorySpeed:
    """About a second, with 200 MB of memory that are given back. Raises Cancelled."""
    c = Compute(threads, False, 1, SIDE)
    arena = Arena(MEMORY)
    try:
        strip = np.random.default_rng(0).standard_normal((SIDE, SIDE), np.float32)
        packed = pack("q4", strip)
        n = MEMORY // packed.nbytes
        block = arena.array[: n * packed.nbytes].reshape(n, -1)
        block[:] = packed
        linears = [Linear([Matrix("q4", SIDE, SIDE, part)]) for part in block]
        small = Linear([Matrix("q4", 64, 64, pack("q4", strip[:64, :64]))])
        x, out, few = Rows(1, SIDE), [Rows(1, SIDE)], [Rows(1, 64)]
        x.array[:] = strip[:1]
        narrow = Rows(1, 64)

        def products() -> None:
            for linear in linears:
                linear(c, x, 1, out)

        def calls() -> None:
            for _ in range(n):
                small(c, narrow, 1, few)

        works = (lambda: read_loop(c, block.reshape(-1)), products, calls)
        # The least of several rounds: other programs slow a round down, nothing speeds one up.
        read, product, call = (min(_seconds(work, cancel) for _ in range(ROUNDS)) for work in works)
        return MemorySpeed(threads, c.isa, block.nbytes / read, block.nbytes / product, call / n)
    finally:
        c.close()
        arena.close()


def _seconds(work: Callable[[], object], cancel: CancelToken) -> float:
    cancel.check()
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
