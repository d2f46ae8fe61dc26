"""The expert cache: which slot of memory holds which expert. It decides and never reads.

One pool of slots of equal size serves all layers. A slot is empty, loading (its bytes are being overwritten, nobody may use
them) or ready. Invariants: a key has at most one slot; a key is forgotten before its slot is given to another read; a held key
stays; a failed read leaves its slot empty.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from engine.experts.policy import slot_table

PASSING = 16
"""Slots that the experts of a prompt may take from better ones while they pass through: reads enough to keep a drive busy."""

ONE_PASSING = 48
"""So many slots let one pass in decode: on traces more cost hits where a cache holds less than a token uses, and nothing above."""

BUSY_BYTES, BUSY_AHEAD = 5 << 18, 1 << 19
"""Bytes of reads that keep a drive busy, without and with reads ahead beside them: small experts pass through more slots at once, though
each of them costs hits."""

FEW = 8
"""So many slots may all let experts pass: what they could keep is worth less than reads beside each other."""


class ExpertCache:
    """Slots and policy over n_layers * width experts; key = ordinal * width + expert, slots are known by address in bytes.

    hits, misses: expert accesses that found a ready slot, and those that did not. evictions: keys that lost their slot.
    """

    def __init__(self, n_layers: int, width: int, base: int, n_slots: int, slot_bytes: int) -> None:
        self.hits = self.misses = self.evictions = 0
        some, half = n_slots // ONE_PASSING, max(n_slots // 2, 1)
        alone, beside = (-(-busy // max(slot_bytes, 1)) for busy in (BUSY_BYTES, BUSY_AHEAD))
        self._passing = min(max(some, alone), PASSING, max(half, min(n_slots, FEW))), min(max(some, beside), PASSING, half)
        self._table = slot_table(n_layers, width)
        self._loading: dict[int, int] = {}
        self._empty = [base + i * slot_bytes for i in reversed(range(n_slots))]

    def access(
        self, ordinal: int, experts: npt.NDArray[np.int32], rows: int = 1, uses: npt.NDArray[np.int32] | None = None
    ) -> tuple[npt.NDArray[np.int64], int]:
        """Count the uses of the distinct experts [m]; addresses [m], 0 where not ready, and how many are ready.

        uses [m]: by how many of the `rows` tokens that run together; None: by all. A layer that does not come after the last one
        begins a step.
        """
        addresses, ready = self._table.visit(ordinal, experts, rows, uses)
        self.hits += ready
        self.misses += len(experts) - ready
        return addresses, ready

    def take_up(self, counts: npt.NDArray[np.float64]) -> None:
        """Judge by the usage counts of earlier sessions [n_layers * width] too; before the first access only."""
        self._table.take_up(counts)

    def usage(self) -> npt.NDArray[np.float64]:
        """Usage counts [n_layers * width], those that were taken up included; they decay with policy.HABIT."""
        return self._table.habits()

    @property
    def step(self) -> int:
        """Tokens whose use of experts was counted so far."""
        return self._table.step

    def ready(self) -> npt.NDArray[np.bool_]:
        """Which keys [n_layers * width] lie in a slot; for showing, any thread: milliseconds where experts are many."""
        address, width, out = self._table.address, self._table.width, np.zeros(self._table.n_groups * self._table.width, np.bool_)
        for first in range(0, len(out), max(width, 1)):  # layer by layer, between which other threads run
            out[first : first + width] = np.fromiter(map(address, range(first, first + width)), np.int64, width) != 0
        return out

    @property
    def n_empty(self) -> int:
        """Slots that nothing is in."""
        return len(self._empty)

    def address(self, key: int) -> int:
        """Address of a ready key, else 0."""
        return self._table.address(key)

    def loading(self, key: int) -> bool:
        """Whether a read into this key's slot has not ended."""
        return key in self._loading

    def least(self, n_missing: int, ahead: bool = False) -> int:
        """Slots that so many missing experts of a layer may take whatever they hold: more for a prompt's than for a token's; few where
        slots are few, since each of them keeps nothing, and fewer where the next layer's are read ahead.
        """
        return self._passing[ahead] if n_missing <= PASSING else PASSING

    def in_order(self, keys: Iterable[int]) -> list[int]:
        """Missing keys of a layer in the order in which to read them: as they lie in the file, or, where a token's few have to pass
        through few slots, those first that are needed last, since what comes last stays."""
        ordered = sorted(keys)
        if len(self._empty) < len(ordered) <= PASSING:
            ordered.sort(key=self._table.forecast, reverse=True)
        return ordered

    def reserve(self, keys: list[int], least: int, soon: bool = False) -> list[int]:
        """Slots for the first of `keys`, as many as can be had: empty ones, then those of victims; they are loading now.

        Up to `least` slots are taken whatever they hold, more only from experts that are needed later than the newcomers. soon: than
        the newcomers will be after a use in this step.
        """
        lacking = len(keys) - len(self._empty)
        if lacking > 0:
            slots = self._table.evict(lacking, keys, max(least - len(self._empty), 0), soon)
            self.evictions += len(slots)
            self._empty += slots
        n = min(len(keys), len(self._empty))
        slots = [self._empty.pop() for _ in range(n)]
        for key, slot in zip(keys, slots, strict=False):
            if key in self._loading or self._table.address(key):
                raise ValueError(f"Expert {key} already has a slot.")
            self._loading[key] = slot
        return slots

    def loaded(self, key: int) -> int:
        """The read of `key` brought its bytes: ready; returns the address."""
        slot = self._loading.pop(key)
        self._table.admit(key, slot)
        return slot

    def failed(self, key: int) -> None:
        """The read of `key` brought nothing usable: its slot is empty."""
        self._empty.append(self._loading.pop(key))

    def forget(self, key: int) -> None:
        """What lies in the slot of a ready key is wrong: the slot is empty."""
        if slot := self._table.forget(key):
            self._empty.append(slot)

    def spare(self, key: int) -> int:
        """Another slot for a loading key whose read is stuck, empty or a victim's, 0 where there is none; see `returned`."""
        if not self._empty:
            self._empty = self._table.evict(1, [key], 1)
            self.evictions += len(self._empty)
        if not self._empty:
            return 0
        self._loading[key] = self._empty.pop()
        return self._loading[key]

    def returned(self, address: int) -> None:
        """The read that was stuck in this slot ended: it is empty."""
        self._empty.append(address)

    def hold(self, keys: Iterable[int]) -> None:
        """Keep ready keys until `release`."""
        self._table.hold(keys)

    def release(self, keys: Iterable[int]) -> None:
        """Let held keys be victims again."""
        self._table.release(keys)
