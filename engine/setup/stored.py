"""Tensors as a checkpoint stores them, read as numbers: whatever brings their bytes, this makes rows of f32 of them."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from engine.setup.coded import find, shown
from engine.setup.source import FLOATS, TensorInfo


class StoredTensors:
    """listed: the stored tensors by name, as the headers of their files say. A subclass brings the bytes."""

    def __init__(self, listed: Mapping[str, TensorInfo]) -> None:
        self._coded = find(listed)
        self.tensors: Mapping[str, TensorInfo] = shown(listed, self._coded)

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """Bytes u8 [nbytes] of the stored tensor `name` from its byte `start`. Raises BadCheckpoint, StorageError."""
        raise TypeError("a subclass reads")

    def parts(self, name: str) -> tuple[str, ...]:
        """The stored tensors that `name` is made of: itself, or the codes and scales of a coded matrix."""
        coded = self._coded.get(name)
        return (name,) if coded is None else (coded.codes, coded.scales)

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.float32]:
        """As TensorSource.rows."""
        if (coded := self._coded.get(name)) is not None:
            return coded.rows(self.read, start, (count - 1) * step + 1)[::step]
        info = self.tensors[name]
        shape = info.shape if index is None else info.shape[1:]
        row = FLOATS[info.dtype] * int(np.prod(shape[1:], dtype=np.int64))
        first = (0 if index is None else index * shape[0] * row) + start * row
        data = self.read(name, first, ((count - 1) * step + 1) * row)
        if step > 1:
            data = np.concatenate([data[i * step * row : (i * step + 1) * row] for i in range(count)])
        return to_f32(data, info.dtype).reshape(count, *shape[1:])

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As TensorSource.raw."""
        shape = self.tensors[name].shape if index is None else self.tensors[name].shape[1:]
        size = int(np.prod(shape, dtype=np.int64))
        return self.read(name, (index or 0) * size, size).reshape(shape)


class Tracer(StoredTensors):
    """Notes which bytes are read, and brings none: its tensors are zeros that take no memory."""

    def __init__(self, listed: Mapping[str, TensorInfo]) -> None:
        super().__init__(listed)
        self.seen: list[tuple[str, int, int]] = []

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """Note (name, start, end)."""
        self.seen.append((name, start, start + nbytes))
        return np.empty(0, np.uint8)

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.float32]:
        """As TensorSource.rows, all zeros."""
        shape = self.tensors[name].shape if index is None else self.tensors[name].shape[1:]
        if (coded := self._coded.get(name)) is not None:
            self.seen += coded.spans(start, (count - 1) * step + 1)
        else:
            row = FLOATS[self.tensors[name].dtype] * int(np.prod(shape[1:], dtype=np.int64))
            self.read(name, ((index or 0) * shape[0] + start) * row, ((count - 1) * step + 1) * row)
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
