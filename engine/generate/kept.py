"""States of several conversations on disk, so that none is read a second time: found by their text, least recently used out.

A file that another model, engine or setting wrote, or that is damaged, is passed over and replaced: the conversation is then computed
again. A conversation with a key stays for the next start; one without is gone when the model is closed.
"""

import contextlib
import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xxhash

from engine.errors import Cancelled
from engine.generate.kept_files import SUFFIX, named, remove
from engine.model import saved, state_file
from engine.model.model import Model
from engine.model.state import State

CUTS = 8  # places of a conversation, the last ones, at which a prompt may part from it
PASSING = "passing-"  # begins the names of files without a key


@dataclass(slots=True)
class _Entry:
    path: Path
    mark: str
    cuts: list[tuple[int, int]]  # (characters, hash of so many), ascending
    nbytes: int
    used: float


class KeptStates:
    """The states of one model in `folder`, at most `limit` bytes of all models' files there. One thread."""

    def __init__(self, folder: Path, limit: int, model: Model) -> None:
        """Raises OSError where the folder cannot be made."""
        self._folder, self._limit, self._model = folder, limit, model
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        for left in [*folder.glob(f"{PASSING}*"), *folder.glob("*.new")]:  # of a process that was killed
            remove(left)
        self._entries: list[_Entry] = []
        for path in folder.glob(f"*{SUFFIX}"):
            head = state_file.read_head(path)
            if head is not None and dict(head.identity) == state_file.identity(model):
                self._note(path, head.extra)

    def best(self, rendered: str, mark: str) -> tuple[Path | None, int]:
        """The file whose conversation goes furthest along `rendered`, and how many characters that is."""
        path, most = None, 0
        for e in self._entries:
            for chars, sum_ in reversed(e.cuts if e.mark == mark else []):
                if most < chars <= len(rendered) and _hash(rendered[:chars]) == sum_:
                    path, most = e.path, chars
                    break
        return path, most

    def save(self, key: str, state: State, ids: list[int], memory: dict[str, Any], stop: Callable[[], bool]) -> Path | None:
        """Write a state, for the next start under a key; None where there is no room for it, or stop() came first."""
        if saved.nbytes(state) > self._limit:
            return None
        path = self._folder / f"{named(key) if key else PASSING + uuid.uuid4().hex}{SUFFIX}"
        try:
            state_file.write(path, self._model, state, ids, memory, stop)
        except (OSError, Cancelled):
            return None
        self._entries = [e for e in self._entries if e.path != path]
        self._note(path, memory)
        self._make_room(path)
        return path

    def load(self, path: Path, state: State) -> state_file.Head | None:
        """Bring a state back; None, with an empty state, where its file is not what it should be, which is then removed."""
        head = state_file.read_head(path)
        if head is not None and state_file.restore(path, head, self._model, state):
            if path.name.startswith(PASSING):  # written anew when another conversation takes its place
                self.forget(path)
            with contextlib.suppress(OSError):
                os.utime(path)
            return head
        state.clear()
        self.forget(path)
        return None

    def forget(self, path: Path) -> None:
        """Remove a file."""
        self._entries = [e for e in self._entries if e.path != path]
        remove(path)

    def close(self) -> None:
        """Remove what has no key."""
        for e in self._entries:
            if e.path.name.startswith(PASSING):
                remove(e.path)
        self._entries = []

    def _note(self, path: Path, memory: Any) -> None:
        try:
            text = str(memory["text"])
            ends = sorted({int(memory["prompt"]), *(int(chars) for chars, _ in memory["cuts"][-CUTS:])})
            cuts = [(chars, _hash(text[:chars])) for chars in ends]
            info = path.stat()
            self._entries.append(_Entry(path, str(memory["mark"]), cuts, info.st_size, info.st_mtime))
        except (OSError, KeyError, TypeError, ValueError):
            remove(path)

    def _make_room(self, newest: Path) -> None:
        """Remove the files that were used least recently, other models' among them, until all fit the limit."""
        files = []
        for path in self._folder.glob(f"*{SUFFIX}"):
            with contextlib.suppress(OSError):
                info = path.stat()
                files.append((info.st_mtime, info.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self._limit:
                return
            if path != newest:
                self.forget(path)
                total -= size


def _hash(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
