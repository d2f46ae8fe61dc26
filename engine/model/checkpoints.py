"""Places to which a sequence can go back where its layers cannot by themselves: copies of recurrent states and rings.

Keys and values of earlier tokens stay where they are, so a copy of what does not grow is enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kernels_pyx.recurrent import DeltaState

MOST = 8

Array = npt.NDArray[Any]
U8 = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Place:
    """A copy in slot `slot`, of a sequence of `length` tokens whose rings had been filled up to `reach`."""

    length: int
    reach: int
    slot: int


class Checkpoints:
    """Copies of `parts` in the slots of `memory` u8 [slots, bytes], ascending by length."""

    def __init__(self, parts: Sequence[Array], memory: U8) -> None:
        self._parts, self._memory = parts, memory
        self._places: list[Place] = []

    @property
    def n_slots(self) -> int:
        """Copies that there is room for; 0: `keep` does nothing."""
        return len(self._memory) if self._parts else 0

    @property
    def newest(self) -> int:
        """Tokens at the last place, 0 without one."""
        return self._places[-1].length if self._places else 0

    def keep(self, length: int, reach: int) -> None:
        """Copy what is there now. Of too many places the one that is nearest to the one before it goes."""
        if not self.n_slots or length <= self.newest:
            return
        if len(self._places) == self.n_slots:
            gaps = [b - a for a, b in zip([0, *(p.length for p in self._places)], [p.length for p in self._places], strict=False)]
            self._places.pop(gaps.index(min(gaps)))
        slot = min(set(range(self.n_slots)) - {p.slot for p in self._places})
        for part, copy in self._copies(slot):
            copy[...] = part
        self._places.append(Place(length, reach, slot))

    def back_to(self, length: int) -> Place | None:
        """Bring back the last place of at most `length` tokens, and forget those after it; None: there is none."""
        self.forget(length)
        if not self._places:
            return None
        for part, copy in self._copies(self._places[-1].slot):
            part[...] = copy
        return self._places[-1]

    def forget(self, length: int = 0) -> None:
        """Forget places of more than `length` tokens, which other tokens will be written over."""
        while self._places and self._places[-1].length > length:
            self._places.pop()

    def _copies(self, slot: int) -> list[tuple[Array, Array]]:
        out, at = [], 0
        for part in self._parts:
            out.append((part, self._memory[slot, at : at + part.nbytes].view(part.dtype).reshape(part.shape)))
            at += part.nbytes
        return out


def parts_of(state: DeltaState) -> tuple[Array, ...]:
    """What a recurrent layer keeps."""
    return state.matrices, state.ring, state.held
