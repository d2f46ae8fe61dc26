"""What of the requests under way is answered so far, beside the output: tokens, so that a kill costs a second of them."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from engine.container.storage import append_whole, write_whole, writing

FLUSH_S = 1.0
SPARE = 1 << 20  # bytes of the file that may be about what is answered
SUFFIX = ".progress"
Key = tuple[str, int]


class Journal:
    """Tokens by (request's id, number of its answer), for one model and arithmetic, told by `state`.

    A line says that after the first `at` tokens of an answer come these; one that a kill cut off, or of another state, counts as none.
    Raises StorageError.
    """

    def __init__(self, results: Path, state: str, now: Callable[[], float] = monotonic) -> None:
        self.path, self._state, self._now = results.with_name(results.name + SUFFIX), state, now
        self._ids: dict[Key, list[int]] = {}
        self._fresh: dict[Key, int] = {}  # tokens of an answer that are on the drive, where there are more
        with suppress(OSError):
            for text in self.path.read_bytes().split(b"\n"):
                self._take(text)
        with writing(self.path):
            self._rewrite()  # a cut line never gets a tail
        self._written = now()

    def _rewrite(self) -> None:
        """A file of what is known alone."""
        data = b"".join(self._line(key, 0) for key in self._ids)
        write_whole(self.path, data)
        self._file = self.path.open("ab", buffering=0)
        self._fresh = {}
        self._size, self._most = len(data), 2 * len(data) + SPARE

    def _take(self, text: bytes) -> None:
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            entry = json.loads(text)
            at, ids = int(entry["at"]), [int(i) for i in entry["ids"]]
            key = str(entry["id"]), int(entry["answer"])
            if entry["state"] == self._state and at <= len(self._ids.get(key, [])):
                self._ids.setdefault(key, [])[at:] = ids

    def _line(self, key: Key, at: int) -> bytes:
        entry = {"state": self._state, "id": key[0], "answer": key[1], "at": at, "ids": self._ids[key][at:]}
        return json.dumps(entry).encode() + b"\n"

    def tokens(self, id: str, answer: int) -> tuple[int, ...]:
        """What is known of an answer. Its last token is left out: whether that one ends the answer is found out again."""
        return tuple(self._ids.get((id, answer), [])[:-1])

    def begin(self, id: str, answer: int, n: int) -> None:
        """An answer is computed from here on, after the first n tokens that are known of it."""
        key = id, answer
        self._ids[key] = self._ids.get(key, [])[:n]
        self._fresh[key] = min(self._fresh.get(key, n), n)

    def add(self, id: str, answer: int, ids: tuple[int, ...]) -> None:
        """The answer's next tokens; on the drive within about a second of work."""
        key = id, answer
        known = self._ids.setdefault(key, [])
        self._fresh.setdefault(key, len(known))
        known.extend(ids)
        if self._now() - self._written >= FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Bring everything to the drive."""
        data = b"".join(self._line(key, at) for key, at in self._fresh.items())
        with writing(self.path):
            append_whole(self._file, data)
        self._size += len(data)
        self._fresh, self._written = {}, self._now()

    def drop(self, id: str) -> None:
        """The request's result is written, so that nothing of it is needed."""
        for key in [key for key in self._ids if key[0] == id]:
            del self._ids[key]
            self._fresh.pop(key, None)
        with writing(self.path):
            if not self._ids:
                self._file.truncate(0)
                self._size = 0
            elif self._size > self._most:  # with several answers at once there is hardly a moment in which none is known
                self._file.close()
                self._rewrite()

    def close(self, finished: bool) -> None:
        """Write what is left, or remove the file where nothing is; idempotent."""
        if self._file.closed:
            return
        try:
            if not finished:
                self.flush()
        finally:
            self._file.close()
        if finished:
            with suppress(OSError):
                self.path.unlink()
