"""Pieces made as soon as the bytes that they need have come, and written; bytes are forgotten when no piece waits for them."""

import errno
import shutil
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import xxhash

from engine.cancel import CancelToken
from engine.container.pieces import PieceStore
from engine.setup.pieces import Pieces
from engine.setup.segments import Piece, Segment, Segments
from engine.setup.source import Tensors
from engine.setup.window import Window

U8 = npt.NDArray[np.uint8]
ROOM = 256 * 2**20  # bytes in memory above which whoever brings more waits
MOST = 768 * 2**20  # above which pieces that are still incomplete are put off
POLL_S = 0.01
SPACE_S = 1.0  # between looks at a full drive


class Feed:
    """Threads may call at once. on_full(bytes needed) is called while the drive is full, on_full(0) when it no longer is.

    raw(segment) of what came is noted where a piece is put off or was made of bytes of another request, so that the two can be compared.
    """

    def __init__(
        self, pieces: Pieces, store: PieceStore, segments: Segments, source: Tensors, window: Window, threads: int,
        cancel: CancelToken, on_full: Callable[[int], None],
    ) -> None:
        self._pieces, self.store, self._segments, self._source, self._window = pieces, store, segments, source, window
        self._cancel, self._on_full = cancel, on_full
        self._pool = ThreadPoolExecutor(threads, "convert")
        self._lock = threading.Lock()
        self._lacks = {p: len(s) for p, s in segments.of_piece.items() if not store.has(*p)}
        self._users = {s: n for of in segments.of_file.values() for s in of if (n := sum(p in self._lacks for p in s.pieces))}
        self._held: set[Segment] = set()
        self._jobs = 0
        self.problem: BaseException | None = None
        for file in range(len(pieces.names)):
            for piece in range(pieces.count(file)):
                if (file, piece) not in segments.of_piece and not store.has(file, piece):
                    self._submit((file, piece))  # made of no bytes of the checkpoint

    def wants(self, segment: Segment) -> bool:
        """Whether a piece waits for it."""
        return segment in self._users

    def arrive(self, segment: Segment, data: U8) -> None:
        """All bytes of a segment have come."""
        with self._lock:
            if segment in self._held or segment not in self._users:
                return
            self._window.put(segment.tensor, segment.at, data)
            self._held.add(segment)
            for piece in segment.pieces:
                if piece in self._lacks:
                    self._lacks[piece] -= 1
                    if self._lacks[piece] == 0:
                        self._submit(piece)

    def room(self, cancel: CancelToken) -> None:
        """Wait until there is room for more. Raises Cancelled, and the problem that stopped the making."""
        while True:
            cancel.check()
            if self.problem is not None:
                raise self.problem
            if self._window.nbytes < ROOM:
                return
            if self._jobs == 0:
                if self._window.nbytes < MOST:
                    return
                self._put_off()
            time.sleep(POLL_S)

    def settle(self, cancel: CancelToken) -> None:
        """Wait until everything is made that can be. Raises as `room`."""
        while self._jobs:
            cancel.check()
            if self.problem is not None:
                raise self.problem
            time.sleep(POLL_S)
        if self.problem is not None:
            raise self.problem
        self.store.sync()

    def remember(self, segments: Iterable[Segment]) -> None:
        """Note what the bytes of those are that are still waited for."""
        with self._lock:
            for segment in segments:
                if segment in self._held:
                    note_raw(self.store, segment, self._window.read(segment.tensor, segment.at, segment.end - segment.start))

    def again(self, pieces: "set[Piece]", gone: Iterable[Segment]) -> None:
        """These pieces are to be made (again) of bytes that will come (again); those of `gone` are no good."""
        with self._lock:
            for s in gone:
                if s in self._held:
                    self._held.discard(s)
                    self._window.drop(s.tensor, s.at)
            for piece in pieces:
                if self.store.has(*piece):
                    self.store.void(*piece)
                new = piece not in self._lacks
                if new:
                    for s in self._segments.of_piece[piece]:
                        self._users[s] = self._users.get(s, 0) + 1
                self._lacks[piece] = sum(s not in self._held for s in self._segments.of_piece[piece])
                if new and self._lacks[piece] == 0:
                    self._submit(piece)

    def _put_off(self) -> None:
        """Forget the bytes of incomplete pieces, the most of them first, until half of the room is free; they will be asked for again."""
        with self._lock:
            for segment in sorted(self._held, key=lambda s: s.start - s.end):
                if self._window.nbytes < ROOM // 2:
                    break
                data = self._window.read(segment.tensor, segment.at, segment.end - segment.start)
                note_raw(self.store, segment, data)
                for piece in [p for p in segment.pieces if p in self._lacks]:
                    self._leave(piece)

    def _leave(self, piece: Piece) -> None:
        """No longer wait for the bytes of a piece."""
        del self._lacks[piece]
        for s in self._segments.of_piece.get(piece, ()):
            self._users[s] -= 1
            if self._users[s] == 0:
                del self._users[s]
                self._held.discard(s)
                self._window.drop(s.tensor, s.at)

    def _submit(self, piece: Piece) -> None:
        self._jobs += 1
        self._pool.submit(self._make, piece)

    def _make(self, piece: Piece) -> None:
        try:
            if self.problem is None:
                self._cancel.check()
                self._write(piece, self._pieces.make(self._source, *piece, self._cancel))
        except BaseException as e:
            self.problem = self.problem or e
        with self._lock:
            if piece in self._lacks:
                self._leave(piece)
            self._jobs -= 1

    def _write(self, piece: Piece, data: U8) -> None:
        """Write a piece, once there is space for it."""
        full = False
        while True:
            try:
                self.store.write(*piece, data)
            except OSError as e:
                if e.errno not in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
                    raise
                full = True
                self._on_full(self.store.bytes_in_all - self.store.bytes_done)
                self._wait_for_space(data.nbytes)
                continue
            if full:
                self._on_full(0)
            return

    def _wait_for_space(self, nbytes: int) -> None:
        end = time.monotonic() + SPACE_S
        while time.monotonic() < end or shutil.disk_usage(self.store.files[0].path.parent).free < nbytes + 2**20:
            self._cancel.check()
            time.sleep(POLL_S)

    def close(self) -> None:
        """End after the jobs that run."""
        self._pool.shutdown(cancel_futures=True)


def note_raw(store: PieceStore, segment: Segment, data: U8) -> None:
    """Remember what a segment's bytes were."""
    store.note(f"raw:{segment.tensor}:{segment.at}:{segment.end - segment.start}", xxhash.xxh3_128_hexdigest(data.data))


def raw_differs(store: PieceStore, segment: Segment, data: U8) -> bool:
    """Whether a segment's bytes are others than those that were remembered."""
    known = store.notes.get(f"raw:{segment.tensor}:{segment.at}:{segment.end - segment.start}", "")
    return bool(known) and known != xxhash.xxh3_128_hexdigest(data.data)


def has_raw(store: PieceStore, segment: Segment) -> bool:
    """Whether a segment's bytes are remembered."""
    return bool(store.notes.get(f"raw:{segment.tensor}:{segment.at}:{segment.end - segment.start}"))
