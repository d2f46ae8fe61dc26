"""Models that are being pulled by this process, opened while they come: what a pull has written so far as a container in the making.

Each is known by its target. It outlives a pull that is paused or fails, as long as its model is open, and the next pull goes on with it.
"""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np

from engine.cancel import CancelToken
from engine.container.making import Unfinished
from engine.container.pieces import PieceStore
from engine.container.reader import Container
from engine.errors import BadRequest, Cancelled, EngineError, StorageError
from engine.setup.pieces import Pieces
from engine.setup.seal import manifest_of, trunk_of
from engine.setup.source import TensorSource
from engine.words import say

WAIT_S = 0.05
_lives: dict[Path, "Live"] = {}
_lock = threading.Lock()


class AtWork(Protocol):
    """A pull that goes on, see `engine.setup.pull.Pull`."""

    @property
    def pieces(self) -> Pieces:
        """What is written."""

    @property
    def store(self) -> PieceStore:
        """How much of it is there."""

    @property
    def source(self) -> TensorSource:
        """Where it comes from."""

    @property
    def memory_bytes(self) -> int:
        """What it may take."""

    @property
    def waits(self) -> str:
        """As Making.waits."""

    def bring(self, ordinal: int, experts: Sequence[int], cancel: CancelToken) -> None:
        """As Making.bring."""


class Live:
    """A target's container in the making; it is a `Making`. key: equal keys mean equal bytes."""

    def __init__(self, target: Path, key: str, work: AtWork) -> None:
        self.target, self.key = target, key
        self.finished = self.spoiled = False
        self._changed = threading.Condition()
        self._open: set[int] = set()
        self._back: list[tuple[int, int]] = []
        self.take_up(work)

    def take_up(self, work: AtWork) -> None:
        """This pull goes on with it."""
        with self._changed:
            self._work: AtWork | None = work
            self._why: BaseException | None = None
            self._pieces, self._store = work.pieces, work.store
            self._store.on_void = self._void
            self._changed.notify_all()

    def left(self, why: BaseException) -> None:
        """The pull ends before all is there."""
        with self._changed:
            self._work, self._why = None, why
            self._changed.notify_all()
        self._forget_unused()

    def end(self) -> None:
        """The container has its name."""
        self.finished = True
        with self._changed:
            self._work = None
        with _lock:
            if _lives.get(self.target) is self:
                del _lives[self.target]

    def let_go(self, cancel: CancelToken) -> None:
        """Wait until its folder can be renamed, where the system renames no folder with open files in it. Raises Cancelled."""
        with self._changed:
            while sys.platform == "win32" and self._open:
                cancel.check()
                self._changed.wait(WAIT_S)

    def open(self) -> Unfinished:
        """The model as far as it is there. Raises BadRequest before the trunk is, StorageError."""
        with self._changed:
            work, pieces, store = self._work, self._pieces, self._store
        if work is None or not all(store.has(*p) for p in pieces.of_trunk()):
            raise BadRequest(
                say("{target} is not there yet: its download has not come far enough. Wait until it can be opened.", target=self.target)
            )
        source, layout = work.source, pieces.layout
        counts = sum(e.n_experts for e in layout.entries) + (layout.embed.n_panels if layout.embed else 0)
        manifest = manifest_of(source, layout, trunk_of(layout, ""), bytes(8 * counts))
        panels = store.done[1].copy() if layout.embed is not None else np.zeros(0, np.uint64)
        self.spoiled = False
        out = Unfinished(self.target, store.files[0].path.parent, manifest, panels, self, work.memory_bytes)
        with self._changed:
            self._open.add(id(out))
        return out

    # What the open model asks, as engine.container.making says.

    def there(self, ordinal: int, expert: int) -> bool:
        """Whether its record can be read."""
        return all(self._store.has(*p) for p in self._pieces.of_expert(ordinal, expert))

    def bring(self, ordinal: int, experts: list[int], cancel: CancelToken) -> None:
        """Have the pull fetch them."""
        while True:
            with self._changed:
                work, why = self._work, self._why
            if all(self.there(ordinal, e) for e in experts):
                return
            cancel.check()
            if work is None:
                raise self._nobody(why)
            try:
                work.bring(ordinal, experts, cancel)
            except Cancelled:
                cancel.check()
                with self._changed:  # the pull ends, and says in a moment why
                    self._changed.wait_for(lambda work=work: self._work is not work, WAIT_S)  # type: ignore[misc]

    def _nobody(self, why: BaseException | None) -> EngineError:
        paused = say(
            "The download of {name} is paused, and this answer needs a part that is not here yet. Let it go on, then ask again.",
            name=self.target.name,
        )
        if why is None or isinstance(why, Cancelled):
            return StorageError(paused)
        ended = say(
            "The download of {name} has ended, and this answer needs a part that is not here yet. Let it go on, then ask again. {why}",
            name=self.target.name,
            why=why,
        )
        return StorageError(ended)

    def right(self, ordinal: int, expert: int, record: memoryview) -> bool:
        """Whether each piece is what was written."""
        pieces = self._pieces.of_expert(ordinal, expert)
        file = self._store.files[pieces[0][0]]
        start = int(file.offsets[pieces[0][1]])
        for f, p in pieces:
            at = int(file.offsets[p]) - start
            if not self._store.matches(f, p, record[at : at + int(file.sizes[p])]):
                return False
        return True

    def trunk_is_right(self, data: memoryview, cancel: CancelToken) -> bool:
        """Whether each strip is what was written."""
        file = self._store.files[0]
        start = int(file.offsets[1]) if len(file.offsets) > 1 else 0
        for p in range(1, len(file.offsets)):
            cancel.check()
            at = int(file.offsets[p]) - start
            if not self._store.matches(0, p, data[at : at + int(file.sizes[p])]):
                return False
        return True

    def taken_back(self) -> list[tuple[int, int]]:
        """Since the last call."""
        if not self._back:
            return []
        with self._changed:
            out, self._back = self._back, []
        return out

    def _void(self, file: int, piece: int) -> None:
        ordinal = file - self._pieces.first_layer
        with self._changed:
            if ordinal < 0:
                self.spoiled = True
            else:
                per_expert = len(self._pieces.of_expert(ordinal, 0))
                self._back.append((ordinal, piece // per_expert))

    @property
    def waits(self) -> str:
        """What the pull says."""
        work = self._work
        return work.waits if work is not None else ""

    def closed(self, by: Unfinished) -> None:
        """Somebody may wait for it."""
        with self._changed:
            self._open.discard(id(by))
            self._changed.notify_all()
        self._forget_unused()

    def _forget_unused(self) -> None:
        with _lock:
            if self._work is None and not self._open and _lives.get(self.target) is self:
                del _lives[self.target]


@contextmanager
def at_work(target: Path, key: str, work: AtWork) -> Iterator[Live]:
    """While the body runs, `work` writes the container `target`, which has its name afterwards."""
    with _lock:
        live = _lives.get(target)
        if live is None or live.key != key:
            live = _lives[target] = Live(target, key, work)
        else:
            live.take_up(work)
    try:
        yield live
    except BaseException as e:
        live.left(e)
        raise
    live.end()


def open_container(path: Path) -> Container:
    """The container at `path`, or what is there of it while this process pulls it. Raises as Container.open, and BadRequest."""
    path = path.expanduser().absolute()
    with _lock:
        live = _lives.get(path)
    return live.open() if live is not None and not path.exists() else Container.open(path)
