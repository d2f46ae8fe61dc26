"""Tensors under a family's names, each made of rows of tensors that are stored under other names, in another order or apart."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.setup.repack import HEAD, NotHeld
from engine.setup.source import TensorInfo

F32 = npt.NDArray[np.float32]
I64 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint8]
NEAR = 8  # rows that are read for one that is wanted, at most


class Store(Protocol):
    """Stored tensors as rows of `cols` numbers, numbered from 0 over the whole tensor."""

    def decoded(self, name: str, first: int, count: int, cols: int) -> F32:
        """Rows first..first+count, f32 [count, cols]. Raises BadCheckpoint, StorageError."""

    def blocks(self, fmt: str, name: str, first: int, count: int, cols: int) -> U8:
        """The same in blocks of `fmt`. Raises NotHeld, BadCheckpoint, StorageError."""


class View(Protocol):
    """A tensor: dtype and shape as the family has it, in rows of `cols` numbers."""

    @property
    def dtype(self) -> str:
        """Of what is stored."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows first."""

    @property
    def cols(self) -> int:
        """Numbers of a row."""

    def read(self, store: Store, wanted: I64) -> F32:
        """The rows with these numbers, f32 [n, cols]."""

    def read_blocks(self, store: Store, fmt: str, wanted: I64) -> U8:
        """The same in blocks. Raises NotHeld."""

    def parts(self) -> tuple[str, ...]:
        """The stored tensors that it is made of."""


@dataclass(frozen=True)
class RowView:
    """Rows of stored tensors. stored: (name, rows) of each; rows: numbers of rows of this tensor to those of stored ones, counted over all.

    columns: the stored column of each, None for all in order. then: what is done to the values.
    """

    dtype: str
    shape: tuple[int, ...]
    cols: int
    stored: tuple[tuple[str, int], ...]
    rows: Callable[[I64], I64] = lambda wanted: wanted
    columns: I64 | None = None
    then: Callable[[F32], F32] | None = None

    def read(self, store: Store, wanted: I64) -> F32:
        """As View."""
        parts = [store.decoded(name, first, count, self.cols)[at] for name, first, count, at in self._runs(wanted)]
        out = np.concatenate(parts) if len(parts) != 1 else parts[0]
        out = out if self.columns is None else out[:, self.columns]
        return out if self.then is None else self.then(out)

    def read_blocks(self, store: Store, fmt: str, wanted: I64) -> U8:
        """As View."""
        if self.columns is not None or self.then is not None:
            raise NotHeld
        return np.concatenate([store.blocks(fmt, name, first, count, self.cols)[at] for name, first, count, at in self._runs(wanted)])

    def parts(self) -> tuple[str, ...]:
        """As View."""
        return tuple(name for name, _ in self.stored)

    def _runs(self, wanted: I64) -> Iterator[tuple[str, int, int, I64]]:
        """(stored tensor, first row, rows to read, which of these), in the order of `wanted`."""
        ids = self.rows(wanted)
        ends = np.cumsum([n for _, n in self.stored])
        owner = np.searchsorted(ends, ids, side="right")
        for a, b in _spans(owner):
            name, n = self.stored[owner[a]]
            mine = ids[a:b] - (ends[owner[a]] - n)
            for c, d in _close(mine):
                first = int(mine[c:d].min())
                yield name, first, int(mine[c:d].max()) + 1 - first, mine[c:d] - first


def _spans(values: npt.NDArray[np.integer]) -> Iterator[tuple[int, int]]:
    """Where equal neighbours begin and end."""
    return itertools.pairwise([0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)])


def _close(rows: I64) -> Iterator[tuple[int, int]]:
    """The rows cut where reading on would bring too many that are not wanted."""
    if int(rows.max()) - int(rows.min()) < NEAR * len(rows):
        yield 0, len(rows)
        return
    cuts = [0, *(np.flatnonzero(np.abs(np.diff(rows)) > NEAR) + 1).tolist(), len(rows)]
    for a, b in itertools.pairwise(cuts):
        yield from ((a, b),) if int(rows[a:b].max()) - int(rows[a:b].min()) < NEAR * (b - a) else ((i, i + 1) for i in range(a, b))


class Views:
    """Views over a store, as engine.setup.source.Tensors and engine.setup.blocks.InBlocks."""

    def __init__(self, store: Store, views: Mapping[str, View]) -> None:
        self._store, self.views = store, views
        self.tensors: Mapping[str, TensorInfo] = {name: TensorInfo(v.dtype, v.shape) for name, v in views.items()}

    def parts(self, name: str) -> tuple[str, ...]:
        """The stored tensors that `name` is made of."""
        return self.views[name].parts()

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> F32:
        """As Tensors.rows."""
        v = self.views[name]
        shape = v.shape if index is None else v.shape[1:]
        return np.ascontiguousarray(v.read(self._store, _wanted(v, start, count, step, index)).reshape(count, *shape[1:]))

    def raw(self, name: str, index: int | None = None) -> U8:
        """As Tensors.raw: there are no U8 tensors among them."""
        raise TypeError(f"{name} is no tensor of bytes")

    def block_rows(self, fmt: str, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> U8:
        """As InBlocks.block_rows."""
        if fmt not in HEAD:
            raise NotHeld
        v = self.views[name]
        return v.read_blocks(self._store, fmt, _wanted(v, start, count, step, index))


def _wanted(v: View, start: int, count: int, step: int, index: int | None) -> I64:
    """Numbers of the rows that entries start, start + step, ... of the first axis, or of that of entry `index`, are made of."""
    shape = v.shape if index is None else v.shape[1:]
    inside = math.prod(shape[1:]) // v.cols
    first = ((index or 0) * shape[0] + start) * inside
    entries = first + step * inside * np.arange(count, dtype=np.int64)
    return entries if inside == 1 else (entries[:, None] + np.arange(inside)).reshape(-1)
