"""One file of a checkpoint, streamed once from its first byte to its last: hashed, cut into segments, taken up again after a kill.

The hub's SHA-256 is of the whole file, so its bytes are taken in order, and the state of the hash is noted with the offset below which
nothing is needed any more. A restart goes on from there. Small files, of which the hub has git's hash alone, start anew.
"""

import hashlib
from collections import deque

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.pieces import PieceStore
from engine.errors import BadCheckpoint
from engine.setup.feed import Feed, note_raw, raw_differs
from engine.setup.hub import HubFile
from engine.setup.ranges import Ranges
from engine.setup.segments import Piece, Segment
from engine.words import say
from kernels_pyx.sha256 import Sha256

U8 = npt.NDArray[np.uint8]
NOTE_BYTES = 8 * 2**20
TRIES = 2
DONE = "done"


class FileStream:
    """The file `file`, number `index` of its checkpoint. position: bytes that need not be fetched any more, as they come.

    segments: what of it is needed.
    """

    def __init__(self, file: HubFile, index: int, segments: list[Segment], feed: Feed, store: PieceStore) -> None:
        self.file, self._key, self.segments, self._feed, self._store = file, f"file{index}", segments, feed, store
        offset, self._state = self._noted()
        if file.sha256 is None and offset < file.nbytes:
            offset, self._state = 0, None
        self.position = offset
        self._marks: deque[tuple[int, bytes]] = deque()  # (offset, state of the hash there), ascending
        self._low = 0  # no segment before this one is waited for
        self._noted_at = offset

    def _noted(self) -> tuple[int, bytes | None]:
        note = self._store.notes.get(self._key, "")
        if note == DONE:
            return self.file.nbytes, None
        try:
            offset, _, state = note.partition(":")
            hash_ = Sha256(bytes.fromhex(state))
            return (int(offset), hash_.state()) if hash_.nbytes == int(offset) <= self.file.nbytes else (0, None)
        except ValueError:
            return 0, None

    def run(self, ranges: Ranges, cancel: CancelToken) -> None:
        """Stream what is missing. Raises BadCheckpoint (the hash differs, twice), what Ranges and Feed raise."""
        for attempt in range(TRIES):
            if self._store.notes.get(self._key) == DONE:
                return
            if self._stream(ranges, cancel):
                self._feed.settle(cancel)
                self._feed.refuse_bad(self.segments)
                self._feed.remember(self.segments)  # what still waits for another file may have to be fetched once more
                self._store.note(self._key, DONE)
                self.position = self.file.nbytes
                return
            if attempt + 1 < TRIES:
                self._start_again(cancel)
        self._start_again(cancel)
        raise BadCheckpoint(
            say(
                "{name} differs from the checksum that the hub gives for it, twice in a row. Try again later; if it "
                "stays so, the repository is damaged.",
                name=self.file.name,
            )
        )

    def _stream(self, ranges: Ranges, cancel: CancelToken) -> bool:
        """Whether the hash is the hub's at the end."""
        hash_, git = Sha256(self._state), hashlib.sha1(b"blob %d\0" % self.file.nbytes)
        at = self.position
        todo = deque(s for s in self.segments if s.start >= at)
        buffer: U8 | None = None
        for chunk in ranges.stream(self.file, at, self.file.nbytes):
            view, used = np.frombuffer(chunk, np.uint8), 0
            while used < len(view):
                segment = todo[0] if todo else None
                edge = self.file.nbytes if segment is None else segment.end if at >= segment.start else segment.start
                part = view[used : used + edge - at]
                if segment is not None and at == segment.start:
                    self._marks.append((at, hash_.state()))
                    buffer = np.empty(segment.end - segment.start, np.uint8)
                if segment is not None and buffer is not None and at >= segment.start:
                    buffer[at - segment.start : at - segment.start + len(part)] = part
                hash_.update(part.data)
                if self.file.sha256 is None:
                    git.update(part.data)
                at += len(part)
                used += len(part)
                if segment is not None and buffer is not None and at == segment.end:
                    self._arrived(segment, buffer)
                    todo.popleft()
                    buffer = None
            self.position = at
            self._note()
            self._feed.room(cancel)
        return (git if self.file.sha256 is None else hash_).hexdigest() == (self.file.sha256 or self.file.etag)

    def _arrived(self, segment: Segment, data: U8) -> None:
        if raw_differs(self._store, segment, data):  # what was fetched ahead of the stream was something else
            note_raw(self._store, segment, data)
            self._feed.again(set(segment.pieces), [segment])
        self._feed.arrive(segment, data)

    def _note(self) -> None:
        """Note how far the file is used up, now and then."""
        if self.position - self._noted_at < NOTE_BYTES:
            return
        while self._low < len(self.segments) and not self._feed.wants(self.segments[self._low]):
            self._low += 1
        mark = self.segments[self._low].start if self._low < len(self.segments) else self.file.nbytes
        last: tuple[int, bytes] | None = None
        while self._marks and self._marks[0][0] <= mark:
            last = self._marks.popleft()
        if last is not None:
            self._marks.appendleft(last)
            if last[0] - self._noted_at >= NOTE_BYTES:
                self._noted_at = last[0]
                self._store.note(self._key, f"{last[0]}:{last[1].hex()}")

    def forget(self, cancel: CancelToken) -> None:
        """Let the whole file pass again; what was made of it stays, where it is still there."""
        self._feed.settle(cancel)
        self._store.note(self._key, "0:" + Sha256().state().hex())
        self._feed.again({p for s in self.segments for p in s.pieces if not self._store.has(*p)}, ())
        self._rewind()

    def _start_again(self, cancel: CancelToken) -> None:
        """Nothing of this file is good."""
        self._feed.settle(cancel)
        pieces: set[Piece] = {p for s in self.segments for p in s.pieces}
        self._store.note(self._key, "0:" + Sha256().state().hex())
        self._feed.again(pieces, self.segments)
        self._store.sync()
        self._rewind()

    def _rewind(self) -> None:
        self.position, self._state, self._low, self._noted_at = 0, None, 0, 0
        self._marks.clear()
