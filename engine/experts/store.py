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
from kernels_pyx.aio import DEMAND, DROPPED, PREFETCH, SHORT, DirectFile, Reader

__all__ = ["DEMAND", "DROPPED", "PREFETCH", "ExpertStore"]
_DAMAGED = -3


class ExpertStore:
    """Open expert files and one pool of reading threads. key = ordinal * width + expert.

    Raises StorageError where a file cannot be opened or is shorter than its records.
    """

    def __init__(self, files: Sequence[ExpertFile], width: int, direct: bool, threads: int, max_pending: int) -> None:
        self._files, self._width = tuple(files), width
        self._checked = bytearray(len(self._files) * width)
        self._reading: dict[int, int] = {}  # addresses by key
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

    def submit(self, ordinal: int, keys: list[int], addresses: list[int], priority: int = DEMAND) -> None:
        """Read the records of `keys`, all of layer `ordinal`, to `addresses`. A key has one read at a time."""
        numbers = np.array(keys, np.int64)
        stride = self._files[ordinal].layout.stride
        offsets = (numbers - ordinal * self._width) * stride
        self._reader.submit(self._opened[ordinal], offsets, np.array(addresses, np.int64), stride, numbers, priority)
        self._reading.update(zip(keys, addresses, strict=True))

    def limit(self, volume: int, bytes_per_second: float) -> None:
        """Hold a volume to a rate by letting its reading threads sleep, for measurements and tests; 0: no limit."""
        self._reader.limit(volume, bytes_per_second)

    def promote(self, keys: Sequence[int]) -> None:
        """Make demand reads of those guesses among `keys` that still wait, or of which parts wait."""
        self._reader.promote(np.array(keys, np.int64))

    def reap(self, timeout_ms: int) -> list[tuple[int, int]]:
        """Ended reads as (key, code), waiting up to timeout_ms for the first.

        code 0: the bytes are there, and at the key's first read their checksum was compared; DROPPED; else for `problem`.
        """
        out = []
        for key, code, _ in self._reader.reap(timeout_ms > 0, timeout_ms):
            address = self._reading.pop(key)
            out.append((key, code or self._check(key, address)))
        return out

    def _check(self, key: int, address: int) -> int:
        """0, or _DAMAGED where the record at `address` is the first of its key and not the one that was written."""
        if self._checked[key]:
            return 0
        ordinal, expert = divmod(key, self._width)
        file = self._files[ordinal]
        if xxhash.xxh3_64_intdigest((ctypes.c_char * file.layout.stride).from_address(address)) != int(file.checksums[expert]):
            return _DAMAGED
        self._checked[key] = 1
        return 0

    def drop(self, priority: int = DEMAND) -> None:
        """Begin no further read of this priority; they end with DROPPED. Buffers of reads in flight stay in use until those end."""
        self._reader.drop(priority)

    def problem(self, key: int, code: int) -> EngineError:
        """What was wrong with a read that ended with `code`, neither 0 nor DROPPED."""
        ordinal, expert = divmod(key, self._width)
        file = self._files[ordinal]
        if code == SHORT:
            return StorageError(_too_short(file))
        if code == _DAMAGED:
            return BadContainer(
                f"Expert {expert} in {file.path} is damaged: its checksum differs from the one in the model. "
                "Run `ouzel verify` on the model to see all damage, then fetch or convert it again."
            )
        return StorageError(
            f"Expert {expert} in {file.path} cannot be read ({_words(code)}). "
            "Check that its drive is connected and try again; if that fails, copy the model to another drive."
        )

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
