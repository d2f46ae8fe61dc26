"""Replays a routing trace through the expert cache without reading anything, next to LRU and to the optimum.

`replay` uses the streamer's own cache and takes the same decisions in the same order, so its counts equal the streamer's wherever all
experts that a layer misses get slots at once. Where they pass through few slots, the times at which reads arrive move single hits.
"""

import heapq
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.experts.cache import BUSY_BYTES, ExpertCache
from engine.experts.trace import Step, Uses

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Counts:
    """Expert accesses of a replay that found a slot and that did not; experts that lost their slot."""

    hits: int
    misses: int
    evictions: int

    @property
    def hit_rate(self) -> float:
        """Share of the accesses that hit; 0 without any."""
        return self.hits / (self.hits + self.misses) if self.hits + self.misses else 0.0

    def since(self, earlier: "Counts") -> "Counts":
        """What came after `earlier`."""
        return Counts(self.hits - earlier.hits, self.misses - earlier.misses, self.evictions - earlier.evictions)


def replay(
    steps: Sequence[Step], n_slots: int, warm_up: int = 0, uses: Sequence[Uses] | None = None, slot_bytes: int = BUSY_BYTES
) -> Counts:
    """What the streamer's cache with n_slots slots, empty at first, does with the trace after its first `warm_up` steps.

    uses: those of a RouteRecorder, where steps have several rows. slot_bytes: of an expert; all large ones are alike.
    """
    width = 1 + max(max(ids) for step in steps for ids in step)
    cache = ExpertCache(len(steps[0]), width, 1, n_slots, slot_bytes)
    before = Counts(0, 0, 0)
    for n, step in enumerate(steps):
        if n == warm_up:
            before = Counts(cache.hits, cache.misses, cache.evictions)
        for ordinal, ids in enumerate(step):
            rows, counts = (1, None) if uses is None else (uses[n][0], np.array(uses[n][1][ordinal], np.int32))
            addresses, ready = cache.access(ordinal, np.array(ids, np.int32), rows, counts)
            if ready < len(ids):
                _fetch(cache, [ordinal * width + e for e in ids], addresses.tolist())
    return Counts(cache.hits, cache.misses, cache.evictions).since(before)


def _fetch(cache: ExpertCache, keys: list[int], addresses: list[int]) -> None:
    """The decisions of the streamer's loop, where reads arrive one after the other and none before the cached experts are computed."""
    cached = [key for key, address in zip(keys, addresses, strict=True) if address]
    wanted = cache.in_order(key for key, address in zip(keys, addresses, strict=True) if not address)
    least, waiting = cache.least(len(wanted)), list[int]()
    cache.hold(cached)
    while wanted or waiting:
        n_had = len(cache.reserve(wanted, least - len(waiting))) if wanted else 0
        waiting += wanted[:n_had]
        del wanted[:n_had]
        if cached:
            cache.release(cached)
            cached = []
        else:
            cache.loaded(waiting.pop(0))


def lru(steps: Sequence[Step], n_slots: int, warm_up: int = 0) -> Counts:
    """The same for a cache that evicts the least recently used expert."""
    cached: OrderedDict[Key, None] = OrderedDict()
    counted = _Counted(warm_up)
    for step, key in _accesses(steps):
        if key in cached:
            counted.hit(step)
            cached.move_to_end(key)
            continue
        full = len(cached) >= n_slots
        counted.miss(step, full)
        if full:
            cached.popitem(last=False)
        cached[key] = None
    return counted.counts


def optimum(steps: Sequence[Step], n_slots: int, warm_up: int = 0) -> Counts:
    """Belady's clairvoyant cache: an expert is kept only if it is used again before one that is cached.

    Over a whole trace no policy hits more often.
    """
    accesses = list(_accesses(steps))
    never = len(accesses)
    following, after = [never] * never, dict[Key, int]()
    for i in reversed(range(never)):
        following[i] = after.get(accesses[i][1], never)
        after[accesses[i][1]] = i
    cached: dict[Key, int] = {}
    farthest: list[tuple[int, Key]] = []  # heap of (-next use, key), with outdated entries
    counted = _Counted(warm_up)
    for i, (step, key) in enumerate(accesses):
        if key in cached:
            counted.hit(step)
        elif len(cached) >= n_slots:
            while cached.get(farthest[0][1]) != -farthest[0][0]:
                heapq.heappop(farthest)
            kept = following[i] < -farthest[0][0]
            counted.miss(step, kept)
            if not kept:
                continue
            del cached[heapq.heappop(farthest)[1]]
        else:
            counted.miss(step, False)
        cached[key] = following[i]
        heapq.heappush(farthest, (-following[i], key))
    return counted.counts


class _Counted:
    """Counts of the steps from warm_up on."""

    def __init__(self, warm_up: int) -> None:
        self._warm_up, self._hits, self._misses, self._evictions = warm_up, 0, 0, 0

    def hit(self, step: int) -> None:
        self._hits += step >= self._warm_up

    def miss(self, step: int, evicts: bool) -> None:
        self._misses += step >= self._warm_up
        self._evictions += evicts and step >= self._warm_up

    @property
    def counts(self) -> Counts:
        return Counts(self._hits, self._misses, self._evictions)


def _accesses(steps: Sequence[Step]) -> Iterator[tuple[int, Key]]:
    return ((n, (ordinal, e)) for n, step in enumerate(steps) for ordinal, ids in enumerate(step) for e in ids)
