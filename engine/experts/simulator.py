"""Replays a routing trace through the expert cache without reading anything, next to LRU and to the optimum.

`replay` uses the streamer's own cache, policy and clock and takes the same decisions in the same order, so its counts equal the
streamer's wherever a layer's experts fit the slots. Below that, the streamer's order of arrival decides and `replay` takes file order.
"""

import heapq
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.experts.cache import PASSING, ExpertCache
from engine.experts.policy import HALF_LIFE, DecayedCounts, StepClock
from engine.experts.trace import Step

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


def replay(steps: Sequence[Step], n_slots: int, half_life: float = HALF_LIFE) -> Counts:
    """What the streamer's cache with n_slots slots, empty at first, does with the trace."""
    width = 1 + max(max(ids) for step in steps for ids in step)
    clock = StepClock()
    policy = DecayedCounts(len(steps[0]), width, clock, half_life)
    cache = ExpertCache(len(steps[0]), width, 1, n_slots, 1, policy)
    for step in steps:
        for ordinal, ids in enumerate(step):
            clock.enter(ordinal)
            experts = np.array(ids, np.int32)
            addresses, _ = cache.access(ordinal, experts)
            keys = [ordinal * width + e for e in ids]
            cache.hold(k for k, a in zip(keys, addresses.tolist(), strict=True) if a)
            wanted = sorted(k for k, a in zip(keys, addresses.tolist(), strict=True) if not a)
            while wanted:
                n = len(cache.reserve(wanted, PASSING))
                for key in wanted[:n]:
                    cache.loaded(key)
                del wanted[:n]
                cache.release(keys)
            cache.release(keys)
    return Counts(cache.hits, cache.misses, cache.evictions)


def lru(steps: Sequence[Step], n_slots: int) -> Counts:
    """The same for a cache that evicts the least recently used expert."""
    cached: OrderedDict[Key, None] = OrderedDict()
    hits = evictions = n = 0
    for key in _accesses(steps):
        n += 1
        if key in cached:
            hits += 1
            cached.move_to_end(key)
            continue
        if len(cached) >= n_slots:
            cached.popitem(last=False)
            evictions += 1
        cached[key] = None
    return Counts(hits, n - hits, evictions)


def optimum(steps: Sequence[Step], n_slots: int) -> Counts:
    """Belady's clairvoyant cache: an expert is kept only if it is used again before one that is cached. No policy hits more often."""
    accesses = list(_accesses(steps))
    never = len(accesses)
    following, after = [never] * never, dict[Key, int]()
    for i in reversed(range(never)):
        following[i] = after.get(accesses[i], never)
        after[accesses[i]] = i
    cached: dict[Key, int] = {}
    farthest: list[tuple[int, Key]] = []  # heap of (-next use, key), with outdated entries
    hits = evictions = 0
    for i, key in enumerate(accesses):
        if key in cached:
            hits += 1
        elif len(cached) >= n_slots:
            while cached.get(farthest[0][1]) != -farthest[0][0]:
                heapq.heappop(farthest)
            if following[i] >= -farthest[0][0]:
                continue
            del cached[heapq.heappop(farthest)[1]]
            evictions += 1
        cached[key] = following[i]
        heapq.heappush(farthest, (-following[i], key))
    return Counts(hits, never - hits, evictions)


def _accesses(steps: Sequence[Step]) -> Iterator[Key]:
    return ((ordinal, e) for step in steps for ordinal, ids in enumerate(step) for e in ids)
