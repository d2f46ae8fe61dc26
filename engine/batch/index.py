"""Where the requests of a file are, which have a result, and in which order the others are answered: on disk, however many they are."""

import hashlib
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from engine.container.storage import DriveFull, writing
from engine.errors import StorageError
from engine.words import say

CACHE_KB = 1024  # that SQLite keeps in memory, also to sort
PREFIX = "batch_req_"
SCHEMA = """
create table requests (n integer primary key, at integer, size integer, line integer, name blob unique, id blob, status integer, turn blob,
  short integer);
create index turns on requests (turn, n) where turn is not null;
create index unanswered on requests (n) where status is null;
"""


class Index:
    """A table of requests by their numbers from 0, in a file of its own in `folder`, which goes with it. Raises StorageError.

    Ids are results' ids as in Line. A name is a request's custom id, kept as a hash.
    """

    def __init__(self, folder: Path) -> None:
        with writing(folder):
            fd, path = tempfile.mkstemp(".index", "requests-", next(p for p in (folder, *folder.parents) if p.is_dir()))
            os.close(fd)
        self._path = Path(path)
        self._count = 0
        with ExitStack() as undo, self._storing():
            undo.callback(self._path.unlink, missing_ok=True)
            self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            undo.callback(self._base.close)
            # Nothing outlives this process, so nothing is written twice or flushed.
            for key, value in (("journal_mode", "off"), ("synchronous", "off"), ("locking_mode", "exclusive"), ("temp_store", "file")):
                self._base.execute(f"pragma {key} = {value}")
            self._base.execute(f"pragma cache_size = -{CACHE_KB}")
            self._base.executescript(SCHEMA)
            undo.pop_all()
        if sys.platform != "win32":  # there a name goes when the file is closed
            self._path.unlink()

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as e:
            full = getattr(e, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
            folder = self._path.parent
            if full:
                raise DriveFull(say("There is no space left in {folder}. Free some space there, then start again.", folder=folder)) from e
            raise StorageError(
                say(
                    "The list of requests cannot be written ({why}) in {folder}. Check the drive, then start again.",
                    why=e,
                    folder=folder,
                )
            ) from e

    def __len__(self) -> int:
        return self._count

    def add(self, name: str, id: str, at: int, size: int, line: int) -> int:
        """The next request: `size` bytes at `at` of its file, in that line; the line of one that has its name, which stays, or 0."""
        key = _key(name)
        with self._storing():
            try:
                self._base.execute(
                    "insert into requests values (?, ?, ?, ?, ?, ?, null, null, null)", (self._count, at, size, line, key, _short(id))
                )
            except sqlite3.IntegrityError:
                return int(self._base.execute("select line from requests where name = ?", (key,)).fetchone()[0])
        self._count += 1
        return 0

    def place(self, n: int) -> tuple[int, int, str]:
        """(first byte, bytes, id) of a request."""
        with self._storing():
            at, size, id = self._base.execute("select at, size, id from requests where n = ?", (n,)).fetchone()
        return at, size, PREFIX + id.hex()

    def answer(self, name: str, id: str, status: int, short: int | None = None) -> bool:
        """Note a result; False where no request is called so, it is not of this id, or has one. short: the context that it did not fit."""
        with self._storing():
            found = self._base.execute("select n, id, status from requests where name = ?", (_key(name),)).fetchone()
            if found is None or found[1] != _short(id) or found[2] is not None:
                return False
            self._base.execute("update requests set status = ?, turn = null, short = ? where n = ?", (status, short, found[0]))
        return True

    def short_of(self, context: int) -> int:
        """How many results say that a context was too short which is shorter than this one."""
        with self._storing():
            return int(self._base.execute("select count(*) from requests where short < ?", (context,)).fetchone()[0])

    def is_short(self, name: str, context: int) -> bool:
        """Whether the result of the request called so is one of those."""
        with self._storing():
            return self._base.execute("select n from requests where name = ? and short < ?", (_key(name), context)).fetchone() is not None

    def ask_again(self, context: int) -> None:
        """Forget these results."""
        with self._storing():
            self._base.execute("update requests set status = null, short = null where short < ?", (context,))

    def unanswered(self) -> Iterator[int]:
        """Numbers of the requests without a result, in the file's order; results may come meanwhile."""
        n = -1
        while True:
            with self._storing():
                found = self._base.execute("select n from requests where status is null and n > ? order by n limit 1", (n,)).fetchone()
            if found is None:
                return
            n = found[0]
            yield n

    def wait(self, n: int, turn: bytes) -> None:
        """Let a request wait; those with the least bytes go first."""
        with self._storing():
            self._base.execute("update requests set turn = ? where n = ?", (turn, n))

    def pop(self) -> int | None:
        """The request whose turn it is, which waits no longer."""
        with self._storing():
            found = self._base.execute("select n from requests where turn is not null order by turn, n limit 1").fetchone()
            if found is None:
                return None
            self._base.execute("update requests set turn = null where n = ?", found)
        return int(found[0])

    def close(self) -> None:
        """Remove it; idempotent."""
        self._base.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def _key(name: str) -> bytes:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:16]


def _short(id: str) -> bytes:
    try:
        return bytes.fromhex(id.removeprefix(PREFIX))
    except ValueError:
        return b""
