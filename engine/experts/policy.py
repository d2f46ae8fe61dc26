"""Which expert leaves the cache: the one with the least decayed count of uses (LFU with exponential decay, LRFU family).

An expert's count is sum over its uses i of 2 ** ((step_i - now) / half_life), and counts of experts that left are kept.
The division by 2 ** (now / half_life) is common to all, so scores are stored without it, as log2 of the sum: an
expert's score changes only when it is used, and the order of the others holds. Source of the idea: Lee et al., "LRFU", 2001.
"""

import heapq
from collections.abc import Container

import numpy as np
import numpy.typing as npt

HALF_LIFE = 8.0
"""Token steps until a use counts half; from replaying routing traces (benchmarks/cache.py, benchmarks/NOTES.md)."""


class StepClock:
    """Counts token steps (forward passes): a step begins when the walk over the MoE layers comes back to a layer not after the last one."""

    def __init__(self) -> None:
        self.step = 0
        self._last = -1

    def enter(self, ordinal: int) -> None:
        """The walk reaches MoE layer `ordinal`."""
        if ordinal <= self._last:
            self.step += 1
        self._last = ordinal


class DecayedCounts:
    """Scores of all experts, and the cached ones in the order in which they leave.

    An expert is a key: ordinal * width + expert. Finding a victim is O(log n): a heap holds the score that each cached expert
    had when it was looked at last; scores only grow, so an entry that is still true at the top is the least of all.
    """

    def __init__(self, n_layers: int, width: int, clock: StepClock, half_life: float = HALF_LIFE) -> None:
        self._clock, self._rate = clock, 1.0 / half_life
        self._scores = np.full(n_layers * width, -np.inf)
        self._layers = list(self._scores.reshape(n_layers, width))
        self._heap: list[tuple[float, int]] = []

    def touch(self, ordinal: int, experts: npt.NDArray[np.intp]) -> None:
        """Count one use of each of the distinct `experts` at the clock's step."""
        layer = self._layers[ordinal]
        layer[experts] = np.logaddexp2(layer[experts], self._clock.step * self._rate)

    def score(self, key: int) -> float:
        """log2 of the decayed count plus step / half_life; -inf for an expert that was never used."""
        return float(self._scores[key])

    def admit(self, key: int) -> None:
        """`key` is cached now."""
        heapq.heappush(self._heap, self._entry(key))

    def victims(self, n: int, newcomers: list[int], spare: int, held: Container[int]) -> list[int]:
        """Up to n cached keys that are not held, to make room for n of the newcomers; they are cached no more.

        The least score leaves first, among equals the later layer. Beyond the first `spare`, a key leaves only for a newcomer
        with more score than its own, so that what passes through once does not drive out what is used all the time.
        """
        out: list[int] = []
        aside: list[tuple[float, int]] = []
        heap = self._heap
        bars = sorted(map(self._entry, newcomers))[:n] if n > spare else []
        while len(out) < n and heap:
            top = heap[0]
            key = -top[1]
            true = self._entry(key)
            if true != top:
                heapq.heapreplace(heap, true)
            elif key in held:
                aside.append(heapq.heappop(heap))
            elif len(out) < spare or top < bars[n - 1 - len(out)]:
                out.append(key)
                heapq.heappop(heap)
            else:
                break
        for entry in aside:
            heapq.heappush(heap, entry)
        return out

    def _entry(self, key: int) -> tuple[float, int]:
        # Of two experts with equal counts, the one of the later layer is needed later.
        return float(self._scores[key]), -key
