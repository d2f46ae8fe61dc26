"""The expert cache: which slot of memory holds which expert. It decides and never reads.

One pool of slots of equal size serves all layers. A slot is empty, loading (its bytes are being overwritten, nobody may use
them) or ready. Invariants: a key has at most one slot; a key is forgotten before its slot is given to another read; a held key
stays; a failed read leaves its slot empty.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from engine.experts.policy import DecayedCounts

PASSING = 16
"""Slots that experts may take from better ones while they pass through: reads enough to keep a drive busy, and every model's top_k."""


class ExpertCache:
    """Slots and policy over n_layers * width experts; key = ordinal * width + expert, slots are known by address in bytes.

    hits, misses: expert accesses that found a ready slot, and those that did not. evictions: keys that lost their slot.
    """

    def __init__(self, n_layers: int, width: int, base: int, n_slots: int, slot_bytes: int, policy: DecayedCounts) -> None:
        self.hits = self.misses = self.evictions = 0
        self._width, self._policy = width, policy
        self._ready = np.zeros(n_layers * width, np.int64)  # 0: not ready
        self._layers = list(self._ready.reshape(n_layers, width))
        self._loading: dict[int, int] = {}
        self._held: set[int] = set()
        self._empty = [base + i * slot_bytes for i in reversed(range(n_slots))]

    def access(self, ordinal: int, experts: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int64], int]:
        """Count a use of each of the distinct experts [m]; addresses [m], 0 where not ready, and how many are ready."""
        index = experts.astype(np.intp)  # NumPy is four times slower with other index types
        self._policy.touch(ordinal, index)
        addresses = self._layers[ordinal][index]
        ready = int(np.count_nonzero(addresses))
        self.hits += ready
        self.misses += len(experts) - ready
        return addresses, ready

    def address(self, key: int) -> int:
        """Address of a ready key, else 0."""
        return int(self._ready[key])

    def loading(self, key: int) -> bool:
        """Whether a read into this key's slot has not ended."""
        return key in self._loading

    def reserve(self, keys: list[int], least: int) -> list[int]:
        """Slots for the first of `keys`, as many as can be had: empty ones, then those of victims; they are loading now.

        Up to `least` slots are taken whatever they hold, more only from experts with less score than the newcomers.
        """
        lacking = len(keys) - len(self._empty)
        if lacking > 0:
            spare = max(least - len(self._empty), 0)
            for victim in self._policy.victims(lacking, keys, spare, self._held):
                self._empty.append(int(self._ready[victim]))
                self._ready[victim] = 0
                self.evictions += 1
        n = min(len(keys), len(self._empty))
        slots = [self._empty.pop() for _ in range(n)]
        for key, slot in zip(keys, slots, strict=False):
            if key in self._loading or self._ready[key]:
                raise ValueError(f"Expert {key} already has a slot.")
            self._loading[key] = slot
        return slots

    def loaded(self, key: int) -> int:
        """The read of `key` brought its bytes: ready; returns the address."""
        slot = self._loading.pop(key)
        self._ready[key] = slot
        self._policy.admit(key)
        return slot

    def failed(self, key: int) -> None:
        """The read of `key` brought nothing usable: its slot is empty."""
        self._empty.append(self._loading.pop(key))

    def hold(self, keys: Iterable[int]) -> None:
        """Keep ready keys until `release`."""
        self._held.update(keys)

    def release(self, keys: Iterable[int]) -> None:
        """Let held keys be victims again."""
        self._held.difference_update(keys)
