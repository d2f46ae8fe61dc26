"""Which records were compared with their checksums since opening; of records with copies, which parts of which copy."""

from collections.abc import Sequence

import numpy as np

from engine.container.reader import ExpertFile

_ALL_PARTS = (1 << 64) - 1


class Checked:
    """key = ordinal * width + expert; lanes: volumes that were read from; parts: a bit for each part that a lane brought, () for all."""

    def __init__(self, files: Sequence[ExpertFile], width: int, n_volumes: int) -> None:
        self._once = bytearray(len(files) * width)
        copied = any(len(f.copies) > 1 and f.copies[0].nbytes == f.layout.stride for f in files)
        self._right = np.zeros((n_volumes, len(self._once)), np.uint64) if copied else None  # the parts that were right, a bit for each

    def __contains__(self, key: int) -> bool:
        return bool(self._once[key])

    def has(self, key: int, lanes: Sequence[int], parts: Sequence[int]) -> bool:
        """Whether all these parts of the record were right before."""
        if self._right is None:
            return bool(self._once[key])
        return not any(mask & ~int(self._right[lane, key]) for lane, mask in _masks(lanes, parts))

    def note(self, key: int, lanes: Sequence[int] = (), parts: Sequence[int] = ()) -> None:
        """The record was right, as these lanes brought it."""
        self._once[key] = 1
        if self._right is not None:
            for lane, mask in _masks(lanes, parts):
                self._right[lane, key] |= np.uint64(mask)

    def forget(self, key: int) -> bool:
        """Compare the record again; whether it was compared before."""
        known, self._once[key] = bool(self._once[key]), 0
        return known


def _masks(lanes: Sequence[int], parts: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(lanes, parts or [_ALL_PARTS] * len(lanes), strict=True))
