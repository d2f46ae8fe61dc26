"""A file of tensors whose places are known, read with plain reads from several threads; nothing of it stays mapped."""

import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.container.files import forget, open_once
from engine.errors import BadCheckpoint, StorageError
from engine.setup.source import TensorInfo
from engine.words import say


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """Where a tensor lies in its file."""

    info: TensorInfo
    offset: int
    nbytes: int


class TensorFile:
    """A subclass knows `tensors` and calls `open_at`; the file is open until `close`."""

    path: Path
    tensors: Mapping[str, StoredTensor]

    def open_at(self, path: Path) -> None:
        """Open the file. Raises OSError."""
        self.path = path
        self._file, self._seeking = open_once(path), threading.Lock()

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """nbytes bytes of a tensor from its byte `start`, u8. Raises StorageError, BadCheckpoint (the file became shorter)."""
        out = np.empty(nbytes, np.uint8)
        self.read_into(name, start, out)
        return out

    def read_into(self, name: str, start: int, out: npt.NDArray[np.uint8], keep: bool = False) -> None:
        """As `read`, into u8 [nbytes]; keep: the system may hold the bytes for another read."""
        t, nbytes = self.tensors[name], len(out)
        if not 0 <= start <= start + nbytes <= t.nbytes:
            raise ValueError(f"bytes {start}..{start + nbytes} are not in {name} of {t.nbytes} bytes")
        view, done, at = out.data, 0, t.offset + start
        try:
            while done < nbytes:
                n = self._read_at(view[done:], at + done)
                if n == 0:
                    raise BadCheckpoint(say("{path} became shorter while it was read. Fetch it again.", path=self.path))
                done += n
            if not keep:
                forget(self._file, at, nbytes)
        except OSError as e:
            raise StorageError(
                say("{path} cannot be read ({why}). Check its drive and try again.", path=self.path, why=e.strerror or e), repr(e)
            ) from e

    def _read_at(self, into: memoryview, offset: int) -> int:
        if sys.platform != "win32":
            return os.preadv(self._file.fileno(), [into[: 2**30]], offset)
        with self._seeking:
            self._file.seek(offset)
            return self._file.readinto(into[: 2**30]) or 0

    def close(self) -> None:
        """Close the file; idempotent."""
        self._file.close()
