"""Tensors as a checkpoint stores them, read as numbers: whatever brings their bytes, this makes rows of f32 of them."""

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from engine.setup import repack
from engine.setup.coded import Coded, find, shown
from engine.setup.mlx import Affine, Entry, Latent, Mlx
from engine.setup.source import FLOATS, TensorInfo


class StoredTensors:
    """listed: the stored tensors by name, as the headers of their files say; mlx: who quantized them. A subclass brings the bytes."""

    def __init__(self, listed: Mapping[str, TensorInfo], mlx: Mlx | None = None) -> None:
        self.listed, self._mlx = listed, mlx
        self._coded: dict[str, Coded | Affine | Latent] = {}
        self._entries: dict[str, Entry] = {}
        if mlx is None:
            coded = find(listed)
            self._coded.update(coded)
            self.tensors: Mapping[str, TensorInfo] = shown(listed, coded)
            return
        found, hidden = mlx.find(listed)
        tensors = {name: info for name, info in listed.items() if name not in hidden}
        for name, one in found.items():
            if isinstance(one, Entry):
                self._entries[name] = one
                tensors[name] = TensorInfo(listed[one.name].dtype, listed[one.name].shape[1:])
            else:
                self._coded[name] = one
                tensors[name] = TensorInfo(one.dtype, one.shape)
        self.tensors = tensors

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """Bytes u8 [nbytes] of the stored tensor `name` from its byte `start`. Raises BadCheckpoint, StorageError."""
        raise TypeError("a subclass reads")

    def parts(self, name: str) -> tuple[str, ...]:
        """The stored tensors that `name` is made of: itself, or the codes and scales of a coded matrix."""
        if (entry := self._entries.get(name)) is not None:
            return (entry.name,)
        coded = self._coded.get(name)
        return (name,) if coded is None else coded.parts

    def block_rows(self, fmt: str, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As engine.setup.blocks.InBlocks.block_rows."""
        if fmt == "bf16":
            if self.tensors[name].dtype != "BF16" or (self._mlx is not None and self._mlx.is_shifted(name)):
                raise repack.NotHeld
            return self._bytes(name, start, count, step, index)[0]
        coded = self._coded.get(name)
        if not isinstance(coded, Affine) or index is not None:
            raise repack.NotHeld
        return coded.blocks(self.read, fmt, start, (count - 1) * step + 1)[::step]

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.float32]:
        """As TensorSource.rows."""
        if (coded := self._coded.get(name)) is not None:
            return coded.rows(self.read, start, (count - 1) * step + 1)[::step]
        data, info = self._bytes(name, start, count, step, index)
        out = to_f32(data.reshape(-1), info.dtype).reshape(count, *info.shape[1:])
        return out - np.float32(1) if self._mlx is not None and self._mlx.is_shifted(name) else out

    def _bytes(self, name: str, start: int, count: int, step: int, index: int | None) -> tuple[npt.NDArray[np.uint8], TensorInfo]:
        """Rows as they are stored, u8 [count, bytes of a row], and how that is, without the axis of entries."""
        stored, at = self._where(name, index)
        info = self.listed[stored]
        info = info if at is None else TensorInfo(info.dtype, info.shape[1:])
        row = FLOATS[info.dtype] * math.prod(info.shape[1:])
        first = (0 if at is None else at * info.shape[0] * row) + start * row
        data = self.read(stored, first, ((count - 1) * step + 1) * row)
        if step > 1:
            data = np.concatenate([data[i * step * row : (i * step + 1) * row] for i in range(count)])
        return data.reshape(count, row), info

    def _where(self, name: str, index: int | None) -> tuple[str, int | None]:
        """The stored tensor, and its entry where `name` is one of several or `index` says so."""
        entry = self._entries.get(name)
        return (name, index) if entry is None else (entry.name, entry.index)

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As TensorSource.raw."""
        shape = self.tensors[name].shape if index is None else self.tensors[name].shape[1:]
        size = int(np.prod(shape, dtype=np.int64))
        return self.read(name, (index or 0) * size, size).reshape(shape)


class Tracer(StoredTensors):
    """Notes which bytes are read, and brings none: its tensors are zeros that take no memory."""

    def __init__(self, listed: Mapping[str, TensorInfo], mlx: Mlx | None = None) -> None:
        super().__init__(listed, mlx)
        self.seen: list[tuple[str, int, int]] = []

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """Note (name, start, end)."""
        self.seen.append((name, start, start + nbytes))
        return np.empty(0, np.uint8)

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.float32]:
        """As TensorSource.rows, all zeros."""
        if (coded := self._coded.get(name)) is not None:
            self.seen += coded.spans(start, (count - 1) * step + 1)
        else:
            stored, at = self._where(name, index)
            shape = self.listed[stored].shape if at is None else self.listed[stored].shape[1:]
            row = FLOATS[self.listed[stored].dtype] * int(np.prod(shape[1:], dtype=np.int64))
            self.read(stored, ((at or 0) * shape[0] + start) * row, ((count - 1) * step + 1) * row)
        shape = self.tensors[name].shape if index is None else self.tensors[name].shape[1:]
        return np.broadcast_to(np.zeros((), np.float32), (count, *shape[1:]))

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As TensorSource.raw, without a byte."""
        shape = self.tensors[name].shape if index is None else self.tensors[name].shape[1:]
        size = int(np.prod(shape, dtype=np.int64))
        return self.read(name, (index or 0) * size, size)


def to_f32(data: npt.NDArray[np.uint8], dtype: str) -> npt.NDArray[np.float32]:
    """Bytes of F32, F16 or BF16 numbers as f32, exactly."""
    if dtype == "F32":
        return data.view("<f4").astype(np.float32, copy=False)
    if dtype == "F16":
        return data.view("<f2").astype(np.float32)
    wide = data.view("<u2").astype(np.uint32)
    return (wide << np.uint32(16)).view(np.float32)
