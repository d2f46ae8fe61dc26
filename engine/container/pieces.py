"""Files of known sizes that are filled piece by piece in any order, and survive a kill at any moment.

The journal has a line for each piece that is durable: its data were flushed before the line was written. A line that a kill cut short,
and all after it, are ignored. Beside pieces it keeps notes of whoever fills the files, under the same rule: a note is durable after all
that was written before it. A drive that refuses to flush may have dropped what it was given, and a second flush would not say so:
the pieces of that file since its last flush are missing then.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from engine.container.files import forget

U8 = npt.NDArray[np.uint8]
SYNC_BYTES, SYNC_S = 32 * 2**20, 2.0
READ_BYTES = 2**22


class PieceFile:
    """One file of nbytes bytes and where its pieces lie: offsets and sizes, ascending. Gaps between pieces are zeros."""

    def __init__(self, path: Path, nbytes: int, offsets: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> None:
        self.path, self.nbytes, self.offsets, self.sizes = path, nbytes, offsets, sizes
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("r+b" if path.exists() else "w+b", buffering=0)
        if self._file.seek(0, os.SEEK_END) != nbytes:
            self._file.truncate(nbytes)
        self._seeking = threading.Lock()
        self._counting = threading.Lock()
        self.dirty = 0

    def write(self, index: int, data: U8) -> None:
        """The bytes u8 of a piece. Raises ValueError for a wrong size, OSError."""
        if data.nbytes != self.sizes[index]:
            raise ValueError(f"piece {index} of {self.path.name} has {data.nbytes} bytes instead of {self.sizes[index]}")
        view, at, done = np.ascontiguousarray(data).reshape(-1).data, int(self.offsets[index]), 0
        while done < len(view):
            done += self._write_at(view[done:], at + done)
        with self._counting:
            self.dirty += len(view)

    def _write_at(self, view: memoryview, at: int) -> int:
        if sys.platform != "win32":
            return os.pwrite(self._file.fileno(), view, at)
        with self._seeking:
            self._file.seek(at)
            return self._file.write(view) or 0

    def read_whole(self, at: int, nbytes: int) -> memoryview:
        """Bytes at..at+nbytes; zeros where the file is shorter. Raises OSError."""
        out = np.empty(nbytes, np.uint8)
        view, got = out.data, 0
        while got < nbytes and (n := self._read_at(view[got : got + READ_BYTES], at + got)):
            got += n
        out[got:] = 0
        forget(self._file, at, nbytes)
        return view

    def _read_at(self, into: memoryview, at: int) -> int:
        if sys.platform != "win32":
            return os.preadv(self._file.fileno(), [into], at)
        with self._seeking:
            self._file.seek(at)
            return self._file.readinto(into) or 0

    def sync(self) -> None:
        """Make everything that was written before the call durable, and let the system forget it. Raises OSError."""
        with self._counting:
            before, self.dirty = self.dirty, 0  # first: what is written meanwhile is for the next call
        if before:
            os.fsync(self._file.fileno())
            forget(self._file, 0, self.nbytes)

    def close(self) -> None:
        """Idempotent."""
        self._file.close()


class PieceStore:
    """The files of a container in the making, their journal, and notes by name. One writer a journal; threads may call at once.

    done[file][piece]: xxh3_64 of the piece, 0 where it is missing. on_void(file, piece): told of each piece that was there and is
    missing again. Raises OSError where the drive refuses.
    """

    on_void: Callable[[int, int], None] | None = None

    def __init__(self, files: Sequence[PieceFile], journal: Path) -> None:
        self.files = tuple(files)
        self.done = [np.zeros(len(f.offsets), np.uint64) for f in self.files]
        self.notes: dict[str, str] = {}
        self._lock = threading.RLock()
        self._new: list[tuple[str, tuple[int, int] | None]] = []  # lines, and the piece that a line vouches for
        self._voided: set[tuple[int, int]] = set()  # whose void lines are not durable
        self._refused = 0  # flushes that failed
        self._written = time.monotonic()
        self._good = self._take_up(journal)  # bytes of the journal that are whole lines
        self._journal = journal.open("r+b" if journal.exists() else "w+b", buffering=0)
        self._journal.truncate(self._good)

    def _take_up(self, journal: Path) -> int:
        """Read the journal; how many of its bytes are good."""
        journal.parent.mkdir(parents=True, exist_ok=True)
        if not journal.exists():
            return 0
        good = 0
        with journal.open("rb") as file:
            for line in file:
                text, _, check = line.rstrip(b"\n").rpartition(b" ")
                if not line.endswith(b"\n") or check != _check(text) or not self._apply(text.decode()):
                    break
                good += len(line)
        return good

    def _apply(self, text: str) -> bool:
        kind, _, rest = text.partition(" ")
        if kind == "note":
            name, _, value = rest.partition(" ")
            self.notes[name] = value
            return True
        try:
            file, piece, value = rest.split(" ")
            self.done[int(file)][int(piece)] = int(value, 16)
        except (ValueError, IndexError, OverflowError):
            return False
        return kind in ("piece", "void")

    def has(self, file: int, piece: int) -> bool:
        """Whether the piece is written."""
        return bool(self.done[file][piece])

    def write(self, file: int, piece: int, data: U8) -> None:
        """Write a piece; it is durable some seconds later, or after `sync`."""
        if (file, piece) in self._voided:
            self.sync()  # an earlier line of this piece must not vouch for other bytes
        mark = _mark(np.ascontiguousarray(data).reshape(-1).data)
        while True:
            seen = self._refused
            self.files[file].write(piece, data)
            with self._lock:
                if seen != self._refused:
                    continue  # a flush failed meanwhile, and may have dropped these bytes too
                self.done[file][piece] = mark
                self._line(f"piece {file} {piece} {mark:x}", (file, piece))
                if sum(f.dirty for f in self.files) >= SYNC_BYTES or time.monotonic() - self._written > SYNC_S:
                    self.sync()
                return

    def void(self, file: int, piece: int) -> None:
        """The piece is not what it should be: it is missing again."""
        with self._lock:
            self._voided.add((file, piece))
            self._line(f"void {file} {piece} 0")
            self._lose(file, piece)

    def _lose(self, file: int, piece: int) -> None:
        self.done[file][piece] = 0
        if self.on_void is not None:
            self.on_void(file, piece)

    def note(self, name: str, value: str) -> None:
        """Keep a value without line breaks under a name without spaces."""
        with self._lock:
            if self.notes.get(name) != value:
                self.notes[name] = value
                self._line(f"note {name} {value}")

    def _line(self, text: str, vouches: tuple[int, int] | None = None) -> None:
        self._new.append((f"{text} {_check(text.encode()).decode()}\n", vouches))

    def sync(self) -> None:
        """Make everything so far durable, the data before the journal. What fails here is tried again by the next call, but pieces of
        a file that could not be flushed are missing."""
        with self._lock:
            self._written = time.monotonic()
            if not self._new:
                return
            for i, file in enumerate(self.files):
                try:
                    file.sync()
                except OSError:
                    self._doubt(i)
                    raise
            n = len(self._new)
            self._append("".join(text for text, _ in self._new).encode())
            del self._new[:n]
            self._voided.clear()

    def _doubt(self, file: int) -> None:
        """Take back what was written to a file since its last flush."""
        self._refused += 1
        lost = {v for _, v in self._new if v is not None and v[0] == file}
        self._new = [(text, v) for text, v in self._new if v not in lost]
        for piece in lost:
            self._lose(*piece)

    def _append(self, data: bytes) -> None:
        """Write lines behind the last good one, over what an earlier call may have left there, and flush them."""
        view, at = memoryview(data), 0
        self._journal.truncate(self._good)
        self._journal.seek(self._good)
        while at < len(view):
            at += self._journal.write(view[at:]) or 0
        os.fsync(self._journal.fileno())
        self._good += at

    def missing(self, file: int) -> Iterator[int]:
        """The pieces of a file that are not there."""
        yield from np.flatnonzero(self.done[file] == 0).tolist()

    @property
    def bytes_in_all(self) -> int:
        """Bytes of all pieces."""
        return int(sum(f.sizes.sum() for f in self.files))

    @property
    def bytes_done(self) -> int:
        """Bytes of all pieces that are there."""
        return int(sum(f.sizes[d != 0].sum() for f, d in zip(self.files, self.done, strict=True)))

    def matches(self, file: int, piece: int, data: memoryview) -> bool:
        """Whether `data` are the bytes that were written."""
        return int(self.done[file][piece]) == _mark(data)

    def close(self) -> None:
        """End; what the drive does not take now is made again by the next run. Idempotent."""
        if not self._journal.closed:
            with suppress(OSError):
                self.sync()
        for file in self.files:
            file.close()
        self._journal.close()


def _mark(data: memoryview) -> int:
    return xxhash.xxh3_64_intdigest(data) or 1  # 0 says that a piece is missing


def _check(text: bytes) -> bytes:
    return b"%08x" % (xxhash.xxh3_64_intdigest(text) & 0xFFFFFFFF)
