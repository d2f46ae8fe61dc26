"""The experts of a stream that are not cached: all read at once, as far as there are slots, and yielded as they arrive."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.errors import EngineError
from engine.experts.cache import PASSING, ExpertCache
from engine.experts.guesses import Guesses
from engine.experts.store import DROPPED, ExpertStore

Batch = tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]

WAIT_MS = 20  # a wait for reads looks at the cancel token this often


@dataclass(slots=True)
class _Reads:
    """Keys of one stream: reads that have not ended, and held experts that arrived and are not yielded yet."""

    waiting: set[int]
    arrived: list[int]


class Missing:
    """Joins cache, store and guesses for whoever waits for reads; key = ordinal * width + expert."""

    def __init__(self, cache: ExpertCache, store: ExpertStore, guesses: Guesses, width: int, n_slots: int) -> None:
        self._cache, self._store, self._guesses = cache, store, guesses
        self._width, self._n_slots = width, n_slots

    def stream(
        self, ordinal: int, experts: npt.NDArray[np.int32], addresses: npt.NDArray[np.int64], cancel: CancelToken, ahead: bool
    ) -> Generator[Batch, None, None]:
        """As ExpertStreamer.stream, for experts [m] of which those at address 0 (addresses [m]) are not ready.

        ahead: whether the next layer's are read ahead.
        """
        cache, store, guesses = self._cache, self._store, self._guesses
        keys = [ordinal * self._width + e for e in experts.tolist()]
        index = {key: i for i, key in enumerate(keys)}
        cached = [key for key, address in zip(keys, addresses.tolist(), strict=True) if address]
        missing = cache.in_order(set(keys).difference(cached))
        reads = _Reads({key for key in missing if cache.loading(key)}, [])
        wanted = [key for key in missing if key not in reads.waiting]
        cache.hold(cached)
        least = cache.least(len(wanted), ahead)
        try:
            while cached or wanted or reads.waiting or reads.arrived:
                cancel.check()
                store.refuse_closed()
                if wanted and (slots := cache.reserve(wanted, least - len(reads.waiting) - len(reads.arrived))):
                    store.submit(ordinal, wanted[: len(slots)], slots)
                    reads.waiting.update(wanted[: len(slots)])
                    del wanted[: len(slots)]
                if guesses.wanted and not wanted:
                    guesses.read()
                if reads.waiting and not cached:
                    wanted += self._arrive(reads, 0 if reads.arrived else WAIT_MS)
                elif wanted and not cached and not reads.arrived:
                    guesses.forget()
                    self.settle(WAIT_MS)  # every slot belongs to guesses or to reads that an earlier stream gave up; they come free
                ready = cached or reads.arrived
                # While reads are still to be submitted, half of the slots is computed and the other half is read into.
                batch = ready[: max(min(self._n_slots, PASSING) // 2, 1) if wanted else None]
                if batch:
                    del ready[: len(batch)]
                    yield np.array([index[k] for k in batch], np.int32), np.array([cache.address(k) for k in batch], np.int64)
                    cache.release(batch)
        finally:
            cache.release(keys)
            if reads.waiting and not store.closed:
                store.drop()

    def _arrive(self, reads: _Reads, timeout_ms: int) -> list[int]:
        """Move what has arrived from waiting to arrived, held; raise the first problem of an awaited read. Returns the dropped ones."""
        problem: EngineError | None = None
        dropped = []
        for key, code, wrong in self.settle(timeout_ms):
            if key not in reads.waiting:
                continue
            reads.waiting.remove(key)
            if wrong is not None:
                problem = problem or wrong
            elif code == DROPPED:
                dropped.append(key)
            else:
                self._cache.hold((key,))
                reads.arrived.append(key)
        if problem is not None:
            raise problem
        return dropped

    def settle(self, timeout_ms: int) -> list[tuple[int, int, EngineError | None]]:
        """Take note of all ended reads, those of abandoned streams included: (key, code, problem)."""
        out = []
        for key, code in self._store.reap(timeout_ms):
            if code == 0:
                self._cache.loaded(key)
            else:
                self._cache.failed(key)
            if self._guesses.ended(key, code == 0) and code:
                code = DROPPED  # whoever needs it reads it again, and is told if that fails
            out.append((key, code, None if code in (0, DROPPED) else self._store.problem(key, code)))
        return out
