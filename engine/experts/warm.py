"""The experts that earlier sessions used most, read into empty slots while nothing else is to be done."""

import numpy as np
import numpy.typing as npt

from engine.experts.cache import ExpertCache
from engine.experts.store import ExpertStore

PRELOADS = 8  # reads in flight: enough for a drive, and soon over when a stream begins


class WarmStart:
    """n_experts: of each layer; key = ordinal * width + expert."""

    def __init__(self, cache: ExpertCache, store: ExpertStore, width: int, n_slots: int, n_experts: list[int]) -> None:
        self._cache, self._store, self._width = cache, store, width
        self._n_slots, self._n_experts = n_slots, n_experts
        self._usual: list[int] = []  # the most used ones last

    def take_up(self, usage: npt.NDArray[np.float64]) -> None:
        """Victims are chosen by usage [n_layers * width], and the most used experts are read, as many as there are slots.

        Before the first access only; raises ValueError else.
        """
        self._cache.take_up(usage)
        most = np.argsort(-usage, kind="stable")[: self._n_slots].tolist()
        self._usual = [k for k in reversed(most) if usage[k] > 0 and k % self._width < self._n_experts[k // self._width]]

    @property
    def wanted(self) -> bool:
        """Whether there is more to read."""
        return bool(self._usual)

    def read(self) -> None:
        """Begin a few reads; nothing is wanted any more where no slot is empty."""
        while self._usual and self._store.pending < PRELOADS:
            if not self._cache.n_empty:
                self.end()
                break
            key = self._usual.pop()
            if not self._cache.address(key) and not self._cache.loading(key) and self._store.there(key):
                self._store.submit(key // self._width, [key], self._cache.reserve([key], 0))

    def end(self) -> None:
        """Nothing is wanted any more."""
        self._usual.clear()
