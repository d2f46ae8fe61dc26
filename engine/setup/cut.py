"""A wanted tensor cut out of a stored one, as its Source says: rows of equal blocks, blocks transposed, axes of length 1 left out."""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Source
from engine.setup.source import Tensors

F32 = npt.NDArray[np.float32]
Shape = tuple[int, ...]


def _bare(shape: Shape) -> Shape:
    return tuple(n for n in shape if n != 1) or (1,)


def _whole(s: Source, stored: Shape, wanted: Shape) -> bool:
    return _bare(stored) == _bare(wanted) and not s.transpose and s.start == 0 and s.step == 1 and s.groups == 1


def _per_block(s: Source, wanted: Shape) -> int:
    """Stored rows that are taken from each block."""
    return wanted[1] if s.transpose else wanted[0] // s.groups


def fits(s: Source, stored: Shape, wanted: Shape) -> bool:
    """Whether a tensor of shape `stored` (of one entry, where it is stacked) has what `wanted` needs."""
    if _whole(s, stored, wanted):
        return True
    bare = _bare(stored)
    if len(bare) != len(wanted) or bare[0] % s.groups or wanted[0] % s.groups:
        return False
    if (wanted[0] != s.groups * bare[1]) if s.transpose else (bare[1:] != wanted[1:]):
        return False
    return s.start + (_per_block(s, wanted) - 1) * s.step < bare[0] // s.groups


def rows_taken(s: Source, stored: Shape, wanted: Shape) -> tuple[int, int]:
    """(rows that `wanted` takes, rows that are stored); what fits."""
    bare = _bare(stored)
    return (bare[0] if _whole(s, stored, wanted) else s.groups * _per_block(s, wanted)), bare[0]


def cut(source: Tensors, s: Source, wanted: Shape, start: int, count: int) -> F32:
    """Rows start..start+count of the wanted tensor, f32 [count, *wanted[1:]]. Raises as TensorSource.rows."""
    stored = source.tensors[s.name].shape
    stored = stored if s.index is None else stored[1:]
    if _whole(s, stored, wanted):
        if stored[0] == wanted[0]:
            return source.rows(s.name, start, count, 1, s.index).reshape(count, *wanted[1:])
        return source.rows(s.name, 0, stored[0], 1, s.index).reshape(wanted)[start : start + count]
    return np.concatenate(list(_pieces(source, s, stored, wanted, start, count))).reshape(count, *wanted[1:])


def _pieces(source: Tensors, s: Source, stored: Shape, wanted: Shape, start: int, count: int) -> Iterator[F32]:
    """The same rows, block by block."""
    bare = _bare(stored)
    stride, per = bare[0] // s.groups, _per_block(s, wanted)
    size = math.prod(bare[1:]) if s.transpose else per  # wanted rows of a block
    for block in range(start // size, -(-(start + count) // size)):
        a, b = max(start - block * size, 0), min(start + count - block * size, size)
        first = block * stride + s.start
        if s.transpose:
            yield _rows(source, s, stored, first, per).reshape(per, size).T[a:b]
        else:
            yield _rows(source, s, stored, first + a * s.step, b - a)


def _rows(source: Tensors, s: Source, stored: Shape, first: int, count: int) -> F32:
    bare = _bare(stored)
    if stored[0] == bare[0]:
        return source.rows(s.name, first, count, s.step, s.index).reshape(count, *bare[1:])
    # A leading axis of length 1 hides the rows; such tensors are small.
    every = source.rows(s.name, 0, stored[0], 1, s.index).reshape(bare)
    return every[first : first + (count - 1) * s.step + 1 : s.step]
