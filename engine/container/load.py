"""The trunk's way into memory: unbuffered reads in parallel, straight to where it stays, hashed in order as the pieces arrive.

What of it is not wanted in memory is read past, since the checksum is that of all of it.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import xxhash

from engine.cancel import CancelToken
from engine.container.files import forget, open_once, pieces
from engine.container.format import PAGE
from engine.container.spans import Span, whole
from kernels_pyx.aio import SHORT, DirectFile, Reader

PIECE = 2**19  # what is in flight after a cancel is waited for: 4 MB keep Stop within 100 ms down to 40 MB/s
THREADS = 8  # a thread whose read meets new pages makes them first; others keep the drive busy meanwhile
AHEAD = 24  # pieces that are in flight or wait for the hash
WAIT_MS = 20  # a wait for reads looks at the cancel token this often


def read_hashed(
    path: Path, start: int, into: memoryview, direct: bool, progress: Callable[[float], None], cancel: CancelToken
) -> str | None:
    """Fill `into` with the file's bytes from `start`; both begin at a multiple of PAGE. Returns their xxh3_128 (hex), None where
    the file ends early. Raises OSError, Cancelled; whatever is raised, no read is in flight afterwards.
    """
    return read_spans(path, start, len(into), whole(len(into)), into, direct, progress, cancel)


def read_spans(
    path: Path, start: int, nbytes: int, spans: Sequence[Span], into: memoryview, direct: bool, progress: Callable[[float], None],
    cancel: CancelToken,
) -> str | None:
    """As read_hashed of nbytes bytes, of which those of `spans` come into memory."""
    h, at = xxhash.xxh3_128(), 0
    file = DirectFile(str(path), direct)
    reader = Reader(THREADS, AHEAD)

    def passed(first: int, end: int, place: memoryview | None = None) -> bool:
        n = 0
        for piece in pieces(path, end - first, cancel, start + first, place):
            h.update(piece)
            n += len(piece)
        return n == end - first

    def filled(s: Span) -> bool:
        pages = s.nbytes // PAGE * PAGE  # an unbuffered read takes whole pages, and the last one may end the file
        place = into[s.at : s.at + s.nbytes]

        def told(fraction: float) -> None:
            progress((s.start + fraction * pages) / nbytes)

        return _read(reader, file, start + s.start, place[:pages], h, told, cancel) and passed(s.start + pages, s.end, place[pages:])

    try:
        for s in spans:
            if not passed(at, s.start) or not filled(s):
                return None
            at = s.end
        if not passed(at, nbytes):
            return None
        progress(1.0)
        return h.hexdigest()
    finally:
        reader.close()
        buffered = not file.direct
        file.close()
        if buffered:
            with open_once(path) as plain:
                forget(plain, start, nbytes)


def _read(
    reader: Reader,
    file: DirectFile,
    start: int,
    into: memoryview,
    h: xxhash.xxh3_128,
    progress: Callable[[float], None],
    cancel: CancelToken,
) -> bool:
    """Whether all of `into` was read; h takes it piece by piece."""
    ends = [*range(PIECE, len(into), PIECE), len(into)] if into else []
    base = np.frombuffer(into, np.uint8).ctypes.data
    asked = hashed = 0
    arrived: set[int] = set()
    while hashed < len(ends):
        cancel.check()
        while asked < min(len(ends), hashed + AHEAD):
            at = np.array([asked * PIECE])
            reader.submit(file, start + at, base + at, ends[asked] - asked * PIECE, np.array([asked]))
            asked += 1
        for piece, error, *_ in reader.reap(hashed not in arrived, WAIT_MS):
            if error == SHORT:
                return False
            if error:
                raise OSError(error, os.strerror(error), file.path)
            arrived.add(piece)
        if hashed in arrived:
            h.update(into[hashed * PIECE : ends[hashed]])
            progress(ends[hashed] / len(into))
            hashed += 1
    return True
