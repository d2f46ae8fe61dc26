"""The models that are being fetched: what a person asks of them becomes requests, events become the list."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.wizard import pulls
from app.wizard.awake import Awake
from app.wizard.fetching import Fetching
from app.wizard.pulls import LIVE, Item, Items, Stage
from engine.events import Event
from engine.offers import KeptPull
from engine.requests import PullModel, StopPull


class PullControl(QObject):
    """Lives as long as the main window, so that pulls go on while the wizard is closed."""

    changed = Signal()
    ended = Signal(object)  # Item: ready or failed
    startable = Signal(object)  # Item

    def __init__(self, fetching: Fetching, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fetching, self.items = fetching, Items()
        self._closed = False
        self._early: list[Event] | None = []  # what came before it was known which pulls go on
        self.awake = Awake(self)
        self.awake.changed.connect(self.changed)
        fetching.happened.connect(self._on_event)

    def take_up(self, kept: tuple[tuple[KeptPull, ...], tuple[PullModel, ...]]) -> None:
        """Show what an earlier run left; the second are those of it that go on."""
        found = pulls.kept(*kept)
        known = {i.target for i in self.items}
        self._become((*(i for i in found if i.target not in known), *self.items))
        early, self._early = self._early, None
        for event in early or ():
            self._on_event(event)

    def item(self, target: Path) -> Item | None:
        """The pull into `target`."""
        return next((i for i in self.items if i.target == target), None)

    def begin(self, request: PullModel) -> None:
        """Start a pull; its id is given here."""
        asked = PullModel(
            self._fetching.next_id(), request.source, request.target, request.experts, request.trunk, request.revision, request.start_now
        )
        self._fetching.post(asked)
        self._become(pulls.asked(self.items, asked))

    def pause(self, target: Path) -> None:
        """Stop for now; what was fetched stays."""
        self._stop(target, discard=False)

    def resume(self, target: Path) -> None:
        """Go on."""
        if (item := self.item(target)) is not None and item.stage in (Stage.PAUSED, Stage.FAILED):
            self.begin(item.request)

    def discard(self, target: Path) -> None:
        """Remove everything of it."""
        self._stop(target, discard=True)

    def forget(self, target: Path) -> None:
        """Take a ready one off the list."""
        if (item := self.item(target)) is not None and item.stage is Stage.READY:
            self._become(pulls.without(self.items, target))

    def close(self) -> None:
        """Let the computer sleep again; what still happens is the next run's."""
        self._closed = True
        self.awake.close()

    def _stop(self, target: Path, discard: bool) -> None:
        number = self._fetching.next_id()
        self._fetching.post(StopPull(number, target, discard))
        self._become(pulls.asked_stop(self.items, target, number, discard))

    def _become(self, items: Items) -> None:
        if items != self.items:
            self.items = items
            self.awake.want(any(i.stage in LIVE for i in items))
            self.changed.emit()

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        if self._closed:
            return
        if self._early is not None and all(i.request.id != getattr(event, "id", 0) for i in self.items):
            self._early.append(event)
        before = {i.target: i for i in self.items}
        self._become(pulls.happened(self.items, event))
        for item in self.items:
            old = before.get(item.target)
            if old is None or old == item:
                continue
            if item.stage is not old.stage and item.stage in (Stage.READY, Stage.FAILED):
                self.ended.emit(item)
            if item.startable and not old.startable:
                self.startable.emit(item)
