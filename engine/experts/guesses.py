"""What the next MoE layer likely uses: kept while it is cached, and the likeliest of the rest read ahead."""

from collections.abc import Iterable

from engine.experts.cache import PASSING, ExpertCache
from engine.experts.lookahead import READS
from engine.experts.store import PREFETCH, ExpertStore


class Guesses:
    """The named experts of one layer at a time; key = ordinal * width + expert.

    Counts reads ahead, and what became of them when their layer came: used (there in time), late (asked for while still in flight),
    wasted (not asked for, or not brought).
    """

    def __init__(self, cache: ExpertCache, store: ExpertStore, width: int, n_slots: int) -> None:
        self.reads = self.used = self.late = self.wasted = 0
        self._cache, self._store, self._width = cache, store, width
        self._most = max(n_slots - PASSING, n_slots // 2)  # the layer at work needs slots for what it reads
        self._ordinal = -1
        self._named: set[int] = set()
        self._kept: list[int] = []
        self._missing: list[int] = []
        self._unjudged: list[int] = []
        self._in_flight: set[int] = set()

    def name(self, ordinal: int, experts: Iterable[int]) -> None:
        """MoE layer `ordinal`, the one after the next stream's, likely uses the distinct `experts`, likeliest first."""
        self.forget()
        cache, base = self._cache, ordinal * self._width
        keys = [base + e for e in experts][: self._most]
        self._ordinal, self._named = ordinal, set(keys)
        self._kept = [key for key in keys if cache.address(key)]
        cache.hold(self._kept)
        if len(self._kept) < len(keys):
            self._missing = [key for key in keys if not cache.address(key) and not cache.loading(key) and self._store.there(key)]
            del self._missing[READS:]

    def forget(self) -> None:
        """Nothing is named or kept any more; reads in flight go on."""
        self._cache.release(self._kept)
        self._named, self._kept, self._missing = set(), [], []

    def begin(self, ordinal: int, keys: Iterable[int]) -> None:
        """The layer at `ordinal` asks for `keys`: what was read for it is judged, and what was named for another time is forgotten."""
        if self._named and self._ordinal != ordinal + 1:
            self.forget()
        if not self._unjudged:
            return
        asked = set(keys)
        late = [key for key in self._unjudged if key in asked and self._cache.loading(key)]
        used = sum(1 for key in self._unjudged if key in asked and self._cache.address(key))
        self.late += len(late)
        self.used += used
        self.wasted += len(self._unjudged) - len(late) - used
        self._unjudged.clear()
        if self._in_flight:
            if late:
                self._store.promote(late)
            self._store.drop(PREFETCH)

    @property
    def open(self) -> bool:
        """Whether `begin` has something to do."""
        return bool(self._unjudged or self._named)

    @property
    def wanted(self) -> bool:
        """Whether something named could be read."""
        return bool(self._missing)

    def read(self) -> None:
        """Ask for the likeliest missing ones, behind all demand, in the slots that their demand would take. The layer at work is held."""
        keys, self._missing = self._missing, []
        slots = self._cache.reserve(keys, READS)
        del keys[len(slots) :]
        if keys:
            self._store.submit(self._ordinal, keys, slots, PREFETCH)
            self.reads += len(keys)
            self._unjudged += keys
            self._in_flight.update(keys)

    def ended(self, key: int, ready: bool) -> bool:
        """A read of `key` ended, ready or not; whether it was a guess, so that its failure is nobody's."""
        if key not in self._in_flight:
            return False
        self._in_flight.remove(key)
        if ready and key in self._named:
            self._kept.append(key)
            self._cache.hold((key,))
        return True
