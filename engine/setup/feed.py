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
from engine.errors import BadCheckpoint
from engine.setup.pieces import Pieces
from engine.setup.segments import Piece, Segment, Segments
from engine.setup.source import Tensors
from engine.setup.window import Window

U8 = npt.NDArray[np.uint8]
ROOM = 256 * 2**20  # bytes in memory above which whoever brings more waits
MOST = 768 * 2**20  # above which pieces that are still incomplete are put off
POLL_S = 0.01
GIVE_WAY_S = 1.0  # for a chunk: what is urgent may itself be stalled
SPACE_S = 1.0  # between looks at a full drive


class Feed:
    """Threads may call at once. on_full(bytes needed) is called while the drive is full, on_full(0) when it no longer is.

    raw(segment) of what came is noted where a piece is put off or was made of bytes of another request, so that the two can be compared.
    """

    def __init__(
        self, pieces: Pieces, store: PieceStore, segments: Segments, source: Tensors, window: Window, threads: int,
        cancel: CancelToken, on_full: Callable[[int], None], room: int | None = None, most: int | None = None,
    ) -> None:
        """room, most: of bytes in memory, in place of ROOM and MOST."""
        self._pieces, self.store, self._segments, self._source, self._window = pieces, store, segments, source, window
        self._cancel, self._on_full = cancel, on_full
        self._room, self.most = room or ROOM, most or MOST
        self.urgent = 0  # requests for which whoever brings more in the background makes way
        self._pool = ThreadPoolExecutor(threads, "convert")
        self._lock = threading.Lock()
        self._lacks = {p: len(s) for p, s in segments.of_piece.items() if not store.has(*p)}
        self._users = {s: n for of in segments.of_file.values() for s in of if (n := sum(p in self._lacks for p in s.pieces))}
        self._held: set[Segment] = set()
        self._jobs = 0
        self._in_work: set[Piece] = set()
        self._stale: set[Piece] = set()  # of them: those whose bytes were taken back meanwhile
        self.problem: BaseException | None = None
        self.bad: dict[Piece, BadCheckpoint] = {}  # could not be made of the bytes that came; whether those are right, hashes tell later
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
        """Wait until there is room for more, and a while for what is urgent. Raises Cancelled, and the problem that stopped the making."""
        end = time.monotonic() + GIVE_WAY_S
        while self.urgent and time.monotonic() < end:
            cancel.check()
            time.sleep(POLL_S)
        while True:
            cancel.check()
            if self.problem is not None:
                raise self.problem
            if self._window.nbytes < self._room:
                return
            if self._jobs == 0:
                if self._window.nbytes < self.most:
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

    def want(self, pieces: Iterable[Piece]) -> set[Segment]:
        """Wait for those of these pieces that are missing; the segments that have not come for them."""
        lacking = set()
        with self._lock:
            for piece in pieces:
                if self.store.has(*piece) or piece not in self._segments.of_piece:
                    continue
                if piece not in self._lacks:
                    self._wait_for(piece)
                lacking |= {s for s in self._segments.of_piece[piece] if s not in self._held}
        return lacking

    def waits_for(self, piece: Piece) -> bool:
        """Whether it will be made of bytes that come."""
        return piece in self._lacks

    def refuse_bad(self, segments: Iterable[Segment]) -> None:
        """These bytes are what was published. Raises BadCheckpoint where something could not be made of them."""
        known = set(segments)
        for piece, why in list(self.bad.items()):
            if known.issuperset(self._segments.of_piece[piece]):
                raise why

    def _wait_for(self, piece: Piece) -> None:
        self.bad.pop(piece, None)
        for s in self._segments.of_piece[piece]:
            self._users[s] = self._users.get(s, 0) + 1
        self._lacks[piece] = sum(s not in self._held for s in self._segments.of_piece[piece])
        if self._lacks[piece] == 0:
            self._submit(piece)

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
                if piece in self._in_work:
                    self._stale.add(piece)
                if piece not in self._lacks:
                    self._wait_for(piece)
                else:
                    self._lacks[piece] = sum(s not in self._held for s in self._segments.of_piece[piece])

    def _put_off(self) -> None:
        """Forget the bytes of incomplete pieces, the most of them first, until half of the room is free; they will be asked for again."""
        with self._lock:
            for segment in sorted(self._held, key=lambda s: s.start - s.end):
                if self._window.nbytes < self._room // 2:
                    break
                data = self._window.read(segment.tensor, segment.at, segment.end - segment.start)
                note_raw(self.store, segment, data)
                for piece in [p for p in segment.pieces if p in self._lacks and p not in self._in_work]:
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
        if piece in self._in_work:
            return  # it is stale, and its job begins it again
        self._in_work.add(piece)
        self._jobs += 1
        self._pool.submit(self._make, piece)

    def _make(self, piece: Piece) -> None:
        wrong: BaseException | None = None
        try:
            if self.problem is None:
                self._cancel.check()
                self._write(piece, self._pieces.make(self._source, *piece, self._cancel))
        except BaseException as e:
            wrong = e
        with self._lock:
            self._in_work.discard(piece)
            if piece in self._stale:
                self._stale.discard(piece)
                if self.store.has(*piece):
                    self.store.void(*piece)
                if self._lacks.get(piece) == 0 and self.problem is None and not self._cancel.cancelled:
                    self._submit(piece)
            else:
                if isinstance(wrong, BadCheckpoint):
                    self.bad[piece] = wrong
                else:
                    self.problem = self.problem or wrong
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
