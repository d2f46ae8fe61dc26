"""The wizard's doing: what a person does becomes the next state and requests; answers become the next state."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.background import Background
from app.wizard import place as stored
from app.wizard.errands import Errands
from app.wizard.fetching import Fetching
from app.wizard.pull_control import PullControl
from app.wizard.state import Page, Place, WizardState, moved
from app.wizard.volumes import Volume, volume_of, volumes
from engine import paths
from engine.errors import Cancelled, EngineError
from engine.events import Event, Failed, Looked, Surveyed, Surveying
from engine.requests import LookUp, PullModel, Survey
from engine.setup import network, token

FILE = "wizard.json"
SAVE_MS = 300


class WizardControl(QObject):
    """Lives as long as the main window, so that the wizard comes back where it was."""

    changed = Signal()
    volumes_changed = Signal()

    def __init__(self, fetching: Fetching, pulls: PullControl, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fetching, self.pulls, self._background = fetching, pulls, background
        self.errands = Errands(self)
        self._file = paths.home() / FILE
        self.state = WizardState(stored.load(self._file, paths.models_dir()))
        self.volumes: tuple[Volume, ...] = ()
        self.volume: Volume | None = None  # of the chosen folder
        self.has_keyring = False
        self.hub, self.hub_fixed = "", False  # the hub's address, and whether the environment sets it
        self._hub_changing = self._look_after = False
        self._saver = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._saver.timeout.connect(self._save)
        fetching.happened.connect(self._on_event)

    @property
    def place(self) -> Place:
        """What is chosen so far."""
        return self.state.place

    def change(self, **what: Any) -> None:
        """Take what a person chose: fields of Place."""
        place = replace(self.place, **what)
        if place != self.place:
            before = self.place.folder
            self._become(moved(self.state, place))
            self._saver.start()
            if place.folder != before:
                self.look_at_folder()

    def go(self, page: Page) -> None:
        """Turn to a page."""
        if page is Page.MODEL:
            self.survey()
        self.change(page=page)
        if page is Page.OPTIONS and self.state.looked is None:
            self.look_up()

    def resume(self) -> None:
        """Bring back what the page needs that is not kept, as after a restart."""
        self.look_at_volumes()
        self.errands.run(token.has_keyring, self._on_keyring)
        self.errands.run(lambda: (network.endpoint(), "endpoint" in network.from_environment()), self._on_hub)
        page = self.place.page
        if page is Page.PROGRESS and not self.pulls.items:
            page = Page.MODEL
        if page is Page.CHAT and self.ready() is None:
            page = Page.PROGRESS if self.pulls.items else Page.MODEL
        if page is Page.OPTIONS:
            self.survey()
        self.go(page)

    def ready(self) -> Path | None:
        """The model that a first chat can begin with."""
        return next((i.target for i in reversed(self.pulls.items) if i.stage is i.stage.READY or i.startable), None)

    def look_at_volumes(self) -> None:
        """Ask the system for the drives and what is free there."""
        self.errands.run(lambda: volumes(paths.models_dir()), self._on_volumes)
        self.look_at_folder()

    def look_at_folder(self) -> None:
        """Ask what is free in the chosen folder."""
        folder = self.place.folder
        self.errands.run(lambda: volume_of(folder), self._on_volume, lambda error: self._on_volume(None))

    def survey(self, again: bool = False) -> None:
        """Measure the drive and judge the catalogue, unless that is known."""
        if self.state.surveying or (self.state.survey is not None and not again):
            return
        number = self._fetching.next_id()
        self._become(replace(self.state, surveying=number, fraction=0.0, problem=None))
        self._fetching.post(Survey(number, self.place.folder, again))

    def stop_survey(self) -> None:
        """End the test of the drive."""
        if self.state.surveying:
            self._fetching.cancel(self.state.surveying)

    def look_up(self) -> None:
        """Ask the source what it is."""
        if not self.place.source or self.place.is_starter or self.state.looking:
            return
        if self._hub_changing:
            self._look_after = True
            return
        number = self._fetching.next_id()
        p = self.place
        self._become(replace(self.state, looking=number, looked=None, problem=None))
        self._fetching.post(LookUp(number, p.source, p.folder, p.revision.strip() or None))

    def pull(self) -> None:
        """Begin to fetch what is chosen, and show how far it is."""
        chosen, p = self.state.precision, self.place
        if chosen is None or self.state.looked is None:
            return
        start_now = p.start_now and self.state.looked.kind == "hub"
        self.pulls.begin(
            PullModel(0, p.source, self.state.target, chosen.experts, chosen.trunk, p.revision.strip() or None, start_now)
        )
        self.go(Page.PROGRESS)

    def set_hub(self, address: str) -> None:
        """Take another hub, the usual one where the address is empty."""
        wanted = address.strip()
        if wanted.rstrip("/") == self.hub or self.hub_fixed or self._hub_changing:
            return

        def change() -> tuple[str, bool]:
            network.change(replace(network.settings(), endpoint=wanted or None))
            return network.endpoint(), False

        self._hub_changing = True
        self.errands.run(change, self._on_hub, self._on_no_hub)

    def give_token(self, value: str, place: token.Place) -> None:
        """Keep an access token where a person said, then look at the source again."""
        self.errands.run(lambda: token.store(value, place), lambda _: self.look_up(), self.fail)

    def fail(self, error: EngineError) -> None:
        """Show what went wrong on this page."""
        self._become(replace(self.state, problem=error))

    def forgive(self) -> None:
        """Take the message away."""
        self._become(replace(self.state, problem=None))

    def close(self) -> None:
        """Keep the place; nothing follows."""
        if self._saver.isActive():
            self._save()
        self.errands.close()
        self._fetching.happened.disconnect(self._on_event)

    def _become(self, state: WizardState) -> None:
        if state != self.state:
            self.state = state
            self.changed.emit()

    @Slot()
    def _save(self) -> None:
        self._saver.stop()
        path, place = self._file, self.place
        self._background.run(lambda: stored.save(path, place))

    def _on_hub(self, found: tuple[str, bool]) -> None:
        if self._hub_changing or self.hub not in ("", found[0]):
            self._become(replace(self.state, looking=0, looked=None))
        self.hub, self.hub_fixed = found
        self._after_hub()

    def _on_no_hub(self, error: EngineError) -> None:
        self._look_after = False
        self._after_hub()
        self.go(Page.MODEL)
        self.fail(error)

    def _after_hub(self) -> None:
        self._hub_changing, wanted, self._look_after = False, self._look_after, False
        self.changed.emit()
        if wanted:
            self.look_up()

    def _on_keyring(self, found: bool) -> None:
        self.has_keyring = found
        self.changed.emit()

    def _on_volumes(self, found: tuple[Volume, ...]) -> None:
        self.volumes = found
        self.volumes_changed.emit()

    def _on_volume(self, found: Volume | None) -> None:
        if found is None or found.folder == self.place.folder:
            self.volume = found
            self.volumes_changed.emit()

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        s = self.state
        match event:
            case Surveying(id, fraction) if id == s.surveying:
                self._become(replace(s, fraction=fraction))
            case Surveyed(id) if id == s.surveying:
                self._become(replace(s, surveying=0, survey=event))
                if not s.place.picked and event.offers:
                    self.change(picked=event.offers[0].repo)
            case Looked(id) if id == s.looking:
                self._become(replace(s, looking=0, looked=event))
            case Failed(id, error) if id and id == s.surveying:
                self._become(replace(s, surveying=0, problem=None if isinstance(error, Cancelled) else error))
            case Failed(id, error) if id and id == s.looking:
                self._become(replace(s, looking=0, problem=None if isinstance(error, Cancelled) else error))
