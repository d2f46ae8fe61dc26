"""Sources whose matrices are already in blocks: their rows cut as `engine.setup.cut` does, and packed as they are."""

import math
from collections.abc import Mapping
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Source
from engine.setup import repack
from engine.setup.cut import cut
from engine.setup.source import FLOATS, TensorInfo, Tensors

U8 = npt.NDArray[np.uint8]
U16 = npt.NDArray[np.uint16]


class InBlocks(Protocol):
    """A source that can give rows in blocks, as `engine.setup.repack` writes them, or bits of bf16, as "bf16"."""

    def block_rows(self, fmt: str, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> U8:
        """Rows as Tensors.rows, bytes u8 [count, bytes of a row]. Raises NotHeld where `fmt` does not hold them exactly, BadCheckpoint,
        StorageError."""


class _BlockRows:
    """One matrix of a source, its rows as bytes."""

    def __init__(self, source: InBlocks, fmt: str, name: str, info: TensorInfo, width: int) -> None:
        self._source, self._fmt = source, fmt
        self.tensors: Mapping[str, TensorInfo] = {name: TensorInfo("U8", (*info.shape[:-1], width))}

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.float32]:
        """As Tensors.rows, but bytes: `cut` moves rows, whatever they are made of."""
        return cast("npt.NDArray[np.float32]", self._source.block_rows(self._fmt, name, start, count, step, index))

    def raw(self, name: str, index: int | None = None) -> U8:
        """Never asked for."""
        raise TypeError("rows in blocks have no other bytes")


def kept(source: Tensors, s: Source, fmt: str, shape: tuple[int, ...], start: int, count: int) -> U8 | None:
    """Rows start..start+count of the wanted matrix [rows, cols], packed; None where its blocks are not those of `fmt`.

    Raises BadCheckpoint, StorageError, ValueError (a scale that is no number).
    """
    if fmt not in repack.HEAD or shape[-1] % repack.BLOCK or source.tensors[s.name].dtype in FLOATS:
        return None
    try:
        data = _bytes_of(source, s, fmt, repack.width(fmt, shape[-1]), shape, start, count)
        return None if data is None else repack.panels(fmt, data, shape[-1])
    except repack.NotHeld:
        return None


def halves(source: Tensors, s: Source, shape: tuple[int, ...], start: int, count: int) -> U16 | None:
    """Rows start..start+count of the wanted matrix [rows, cols] as bits of bf16; None where it is not stored so.

    Raises BadCheckpoint, StorageError.
    """
    if source.tensors[s.name].dtype != "BF16":
        return None
    data = _bytes_of(source, s, "bf16", 2 * shape[-1], shape, start, count)
    return None if data is None else data.view("<u2").astype(np.uint16, copy=False)


def _bytes_of(source: Tensors, s: Source, fmt: str, width: int, shape: tuple[int, ...], start: int, count: int) -> U8 | None:
    """Rows as `block_rows` gives them; None where they cannot be moved as they are."""
    if not hasattr(source, "block_rows") or len(shape) != 2 or s.transpose:
        return None
    info = source.tensors[s.name]
    inner = info.shape if s.index is None else info.shape[1:]
    if len(inner) != 2 or inner[1] != shape[1] or math.prod(inner) == 0:
        return None
    rows = _BlockRows(cast("InBlocks", source), fmt, s.name, info, width)
    try:
        return cast("U8", cut(rows, s, (shape[0], width), start, count))
    except repack.NotHeld:
        return None
