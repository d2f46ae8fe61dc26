"""Whole files read in small pieces: hashed, cancelled between pieces, and not left in the page cache."""

import os
import sys
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path

import xxhash

from engine.cancel import CancelToken

PIECE = 2**20  # one piece keeps Stop within 100 ms down to 10 MB/s


def forget(file: FileIO, start: int, nbytes: int) -> None:
    """Tell the system that these bytes will not be read again, where it can be told."""
    if sys.platform == "linux":
        os.posix_fadvise(file.fileno(), start, nbytes, os.POSIX_FADV_DONTNEED)


def open_once(path: Path) -> FileIO:
    """A file opened for one pass, without a buffer."""
    file = FileIO(path)
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415

        fcntl.fcntl(file.fileno(), fcntl.F_NOCACHE, 1)
    return file


def pieces(path: Path, nbytes: int, cancel: CancelToken, start: int = 0, into: memoryview | None = None) -> Iterator[memoryview]:
    """Bytes start..start+nbytes of a file piece by piece, each valid until the next; fewer where the file ends early.

    into: where all of them come to lie, else one buffer is used again and again. Raises OSError, Cancelled.
    """
    own = None if into is not None else memoryview(bytearray(min(PIECE, max(nbytes, 1))))
    with open_once(path) as file:
        file.seek(start)
        done = 0
        while done < nbytes:
            cancel.check()
            size = min(PIECE, nbytes - done)
            piece = into[done : done + size] if into is not None else own[:size] if own is not None else memoryview(b"")
            if (n := file.readinto(piece) or 0) == 0:
                return
            forget(file, start + done, n)
            done += n
            yield piece[:n]


def hash_file(path: Path, nbytes: int, cancel: CancelToken, start: int = 0, on_piece: Callable[[int], None] = lambda n: None) -> str:
    """xxh3_128 (hex) of nbytes bytes from start; on_piece(n) after each piece. Raises OSError, Cancelled."""
    h = xxhash.xxh3_128()
    for piece in pieces(path, nbytes, cancel, start):
        h.update(piece)
        on_piece(len(piece))
    return h.hexdigest()
