"""The expert store: where each record lies, reads in flight, and whether what arrived is what was written. It never decides."""

import ctypes
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np
import xxhash

from engine.container.reader import ExpertFile
from engine.errors import BadContainer, EngineError, StorageError
from kernels_pyx.aio import DEMAND, DirectFile, Reader

DROPPED = -2
_SHORT = -1


class ExpertStore:
    """Open expert files and one pool of reading threads. key = ordinal * width + expert.

    Raises StorageError where a file cannot be opened or is shorter than its records.
    """

    def __init__(self, files: Sequence[ExpertFile], width: int, direct: bool, threads: int, max_pending: int) -> None:
        self._files, self._width = tuple(files), width
        self._checked = bytearray(len(self._files) * width)
        with ExitStack() as undo:
            self._opened = [self._open(f, direct, undo) for f in self._files]
            self._reader = Reader(threads, max_pending)
            self._close = undo.pop_all()

    @staticmethod
    def _open(file: ExpertFile, direct: bool, undo: ExitStack) -> DirectFile:
        try:
            opened = DirectFile(str(file.path), direct)
        except OSError as e:
            raise StorageError(
                f"The expert file {file.path} cannot be opened ({e.strerror}). "
                "If it lies on a drive of its own, connect the drive; else fetch or convert the model again.",
                details=repr(e),
            ) from e
        undo.callback(opened.close)
        if opened.nbytes < file.n_experts * file.layout.stride:
            raise StorageError(_too_short(file))
        return opened

    @property
    def direct(self) -> bool:
        """Whether all files are read past the page cache."""
        return all(f.direct for f in self._opened)

    @property
    def why(self) -> str:
        """The system's words where it refused direct reads, else empty."""
        return next((f.why for f in self._opened if f.why), "")

    @property
    def pending(self) -> int:
        """Reads submitted and not yet reaped."""
        return self._reader.pending

    @property
    def bytes_read(self) -> int:
        """Bytes that reads delivered."""
        return self._reader.bytes_read

    @property
    def busy_seconds(self) -> float:
        """Seconds with at least one read in flight."""
        return self._reader.busy_seconds

    def stride(self, key: int) -> int:
        """Bytes of one record of the key's layer."""
        stride: int = self._files[key // self._width].layout.stride
        return stride

    def submit(self, ordinal: int, keys: list[int], addresses: list[int]) -> None:
        """Read the records of `keys`, all of layer `ordinal`, to `addresses`."""
        tags = np.array(keys, np.int64)
        stride = self._files[ordinal].layout.stride
        offsets = (tags - ordinal * self._width) * stride
        self._reader.submit(self._opened[ordinal], offsets, np.array(addresses, np.int64), stride, tags, DEMAND)

    def reap(self, timeout_ms: int) -> list[tuple[int, int]]:
        """Ended reads as (key, code), waiting up to timeout_ms for the first; code 0: bytes are there, DROPPED, or for `problem`."""
        return self._reader.reap(timeout_ms > 0, timeout_ms)

    def drop(self) -> None:
        """Forget the reads that have not begun; they end with DROPPED."""
        self._reader.drop(DEMAND)

    def problem(self, key: int, code: int, record: memoryview) -> EngineError | None:
        """What is wrong with an ended read of `key` into `record` [stride]; the checksum is compared at the first good read."""
        ordinal, expert = divmod(key, self._width)
        file = self._files[ordinal]
        if code == _SHORT:
            return StorageError(_too_short(file))
        if code:
            return StorageError(
                f"Expert {expert} in {file.path} cannot be read ({_words(code)}). "
                "Check that its drive is connected and try again; if that fails, copy the model to another drive."
            )
        if self._checked[key]:
            return None
        if xxhash.xxh3_64_intdigest(record) != int(file.checksums[expert]):
            return BadContainer(
                f"Expert {expert} in {file.path} is damaged: its checksum differs from the one in the model. "
                "Run `ouzel verify` on the model to see all damage, then fetch or convert it again."
            )
        self._checked[key] = 1
        return None

    def close(self) -> None:
        """End after the reads in flight, whose buffers must live until then; idempotent."""
        self._reader.close()
        self._close.close()


def _too_short(file: ExpertFile) -> str:
    return (
        f"The expert file {file.path} ends before its last expert: it is truncated. "
        "Run `ouzel verify` on the model to see all damage, then fetch or convert it again."
    )


def _words(code: int) -> str:
    """The system's words for an error code of a read."""
    if sys.platform == "win32":
        return ctypes.FormatError(code)
    return os.strerror(code)
