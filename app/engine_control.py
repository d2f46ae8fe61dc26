"""Which model is open and how: turns what a person asks of the model bar into requests, and events into the state."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import state as transitions
from app.background import Background, remember
from app.bridge import Bridge
from app.chats.options import ChatOptions
from app.language import told
from app.presentation import Presentation, present, size
from app.rates import Meter, Rates, over
from app.settings import Settings, save
from app.state import ANSWERING, RESTING, EngineState, Phase
from engine import paths
from engine.config import Sampling
from engine.errors import BadContainer, Cancelled, Ended, EngineError, OverBudget, StorageError
from engine.events import Converted, Event, Failed, Finished, Loaded, Unloaded
from engine.machine import memory
from engine.requests import BuildStarter, Generate, LoadModel, Message, UnloadModel
from engine.stats import Snapshot

if TYPE_CHECKING:
    from engine.setup.known import Known

GAUGE_MS = 500
SAVE_MS = 400


class EngineControl(QObject):
    """Owns the bridge, the state and the settings. `answered` carries the events of an answer other than its text."""

    changed = Signal()  # state, models, choice or settings
    settings_changed = Signal(object, object)  # old, new
    lost_asked = Signal(object)  # a model that lacks a folder is to be made whole
    damage_found = Signal(object, str)  # in a model; what was found
    models_moved = Signal()  # another models folder was chosen, or could not be
    trouble = Signal(str, str, object)  # sentence, label of a button or "", what the button does
    answered = Signal(object)
    rates_changed = Signal(object, bool, bool)  # Rates, live, the prompt is being read
    rates_cleared = Signal()

    def __init__(self, bridge: Bridge, settings: Settings, settings_path: Path, background: Background) -> None:
        super().__init__()
        self.bridge, self.settings, self._settings_path, self.background = bridge, settings, settings_path, background
        self.state = EngineState()
        self.models: tuple[Path, ...] = ()
        self.chosen: Path | None = None
        self.floors: dict[Path, int] = {}
        self.startable: set[Path] = set()  # not whole yet, but they can be opened
        self.lost: dict[Path, tuple[Path, ...]] = {}  # models that lack folders now, since a drive is missing
        self._meter = Meter()
        self._gauges = QTimer(self, interval=GAUGE_MS)
        self._gauges.timeout.connect(self._show_live)
        self._saver = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._saver.timeout.connect(self.save_settings)
        bridge.happened.connect(self._on_event)
        bridge.text.connect(self._on_text)
        bridge.counters.connect(self._on_counters)
        bridge.waits.connect(self._on_waits)
        self.refresh_models()
        self.chosen = self._first_choice()

    def _first_choice(self) -> Path | None:
        last = paths.last_model()
        if last is not None and last in self.models:
            return last
        return self.models[0] if self.models else None

    @property
    def gone(self) -> Path | None:
        """The model that was opened last, where it is no longer there; nothing takes its place unasked."""
        last = paths.last_model()
        if last is None or last in self.models or last.with_name(last.name + paths.DRAFT).exists():
            return None
        return last

    def refresh_models(self, *more: Path) -> None:
        """Look again which containers are on this disk; `more` lie elsewhere."""
        found = [p for p in paths.installed_models() if is_container(p)]
        last = paths.last_model()
        others = [*more, *([last] if last else []), *(m for m in self.models if m not in found)]
        self.models = tuple(dict.fromkeys([*found, *(p for p in others if is_container(p) or p in self.startable)]))

    def note_startable(self, model: Path) -> None:
        """A model that is still being fetched can be opened from now on."""
        self.startable.add(model)
        self.refresh_models(model)
        self.changed.emit()

    def note_known(self, found: "tuple[Known, ...]") -> None:
        """What is on this computer or was, drives that are missing included."""
        self.lost = {k.path: k.lost for k in found if k.lost}
        self.refresh_models(*(k.path for k in found if not k.lost))
        if self.chosen is None and self.models:
            self.chosen = self._first_choice()
        self.changed.emit()

    @property
    def starter_missing(self) -> bool:
        """Whether the starter model can still be set up."""
        return not is_container(paths.starter_path())

    def presentation(self) -> Presentation:
        """What the controls say now."""
        return present(self.state, self.settings, self.models, self.chosen)

    def floor(self) -> int:
        """The least memory of the chosen model; 0 where it is not known."""
        return self.floors.get(self.chosen, 0) if self.chosen else 0

    @property
    def defaults(self) -> Sampling:
        """How the open model's publisher draws tokens."""
        return self.state.info.defaults if self.state.info else Sampling()

    # What is asked

    def choose(self, model: Path) -> None:
        """Pick a model and open it."""
        self.chosen = model
        if self.state.phase in RESTING and (self.state.info is None or self.state.model != model):
            self.load()
        else:
            self.changed.emit()

    def act(self, action: str) -> None:
        """Do what the model bar's button says: Presentation.load_action."""
        match action:
            case "load" | "reload":
                self.load()
            case "unload":
                self._ask(transitions.asked_unload, UnloadModel)
            case "cancel":
                self.bridge.cancel(self.state.request)

    def load(self) -> None:
        """Open the chosen model as the settings say."""
        if self.chosen is None or self.state.phase not in RESTING:
            return
        request, model = self.bridge.next_id(), self.chosen
        self.bridge.post(LoadModel(request, replace(self.settings.engine(model), states=paths.states_dir())))
        self._meter.reset()
        self.rates_cleared.emit()
        self._become(transitions.asked_load(self.state, request, model))

    def set_up_starter(self) -> None:
        """Build the starter model and open it."""
        if self.state.phase in RESTING:
            target = paths.starter_path()
            self._ask(transitions.asked_build, lambda request: BuildStarter(request, target))

    def generate(self, messages: tuple[Message, ...], options: ChatOptions, continued: bool = False, conversation: str = "") -> int:
        """Answer the last message, or go on with the last answer; the request's number. conversation: see Generate."""
        sampling = options.sampling(self.settings, self.defaults)
        self._meter.start()
        thinking = options.thinking
        self._ask(transitions.asked_answer, lambda request: Generate(request, messages, sampling, thinking, continued, conversation))
        self._gauges.start()
        return self.state.request

    def stop_answer(self) -> None:
        """End the answer early."""
        if self.state.phase in ANSWERING:
            self.bridge.cancel(self.state.request)
            self._become(transitions.asked_stop(self.state))

    def change_settings(self, settings: Settings) -> None:
        """Take new settings; they are saved a moment later."""
        if settings != self.settings:
            old, self.settings = self.settings, settings
            self._saver.start()
            self.settings_changed.emit(old, settings)
            self.changed.emit()

    @Slot(object)
    def keep_models_in(self, folder: Path | None) -> None:
        """Take another models folder, the usual one for None; models in the one before stay known."""
        before = tuple(p for p in paths.installed_models() if is_container(p))
        try:
            paths.choose_models_dir(folder)
        except OSError as error:
            text = self.tr("The folder of models was not changed: {0}. Check the drive of {1}.")
            self.trouble.emit(text.format(error.strerror or error, paths.home()), "", None)
        else:
            self.background.run(lambda: remember_all(before))
            self.refresh_models(*before)
        self.models_moved.emit()
        self.changed.emit()

    @Slot()
    def save_settings(self) -> None:
        """Write the settings, in the background."""
        self._saver.stop()
        path, settings = self._settings_path, self.settings
        self.background.run(lambda: save(path, settings))

    def close(self) -> None:
        """End the engine; bridge.ended follows."""
        self._gauges.stop()
        if self._saver.isActive():
            self.save_settings()
        self._become(EngineState(Phase.CLOSING))
        self.bridge.stop()

    # What happens

    def _ask(
        self,
        transition: Callable[[EngineState, int], EngineState],
        make: Callable[[int], BuildStarter | Generate | UnloadModel],
    ) -> None:
        request = self.bridge.next_id()
        self.bridge.post(make(request))
        self._become(transition(self.state, request))

    def _become(self, state: EngineState) -> None:
        if state != self.state:
            self.state = state
            self.changed.emit()

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        before = self.state
        if getattr(event, "id", None) != before.request or before.phase is Phase.CLOSING:
            return
        self._become(transitions.happened(before, event))
        match event:
            case Loaded(_, info):
                self.floors[info.config.model] = info.floor_bytes
                self.background.run(lambda: remember(info.config.model))
                self.rates_changed.emit(Rates(memory=info.memory_bytes, budget=info.budget_bytes), False, False)
                self.changed.emit()
            case Unloaded():
                self._meter.reset()
                self.rates_cleared.emit()
            case Converted(_, path):
                self.refresh_models(Path(path))
                self.choose(Path(path))
            case Finished() | Failed() if before.phase in ANSWERING:
                self._end_answer(event)
            case Failed(_, error):
                self._on_failed(error, before.phase)

    def _end_answer(self, event: Finished | Failed) -> None:
        self._gauges.stop()
        if isinstance(event, Finished):
            now = self._meter.read(monotonic(), working=False)
            self.rates_changed.emit(replace(over(event.stats), memory=now.memory, budget=now.budget, split=now.split), False, False)
        self.answered.emit(event)

    def _on_failed(self, error: EngineError, during: Phase) -> None:
        self.refresh_models()
        loading = during is Phase.LOADING
        if isinstance(error, Cancelled):
            self.changed.emit()
            return
        if isinstance(error, OverBudget) and error.budget_bytes and self.chosen is not None:
            self.floors[self.chosen] = error.floor_bytes
            floor = -(-error.floor_bytes // 10_000_000) * 10_000_000
            if error.floor_bytes <= memory().available_bytes:
                self.trouble.emit(told(error), self.tr("Use {0}").format(size(floor)), lambda: self._load_with(floor))
            else:  # no limit helps before memory is free
                self.trouble.emit(told(error), self.tr("Try again"), self.load)
        elif isinstance(error, OverBudget | StorageError | Ended) and self.chosen is not None and self.chosen not in self.lost and loading:
            self.trouble.emit(told(error), self.tr("Try again"), self.load)
        elif isinstance(error, Ended) and during is Phase.BUILDING:
            self.trouble.emit(told(error), self.tr("Try again"), self.set_up_starter)
        elif (model := self.chosen) in self.lost:
            self.trouble.emit(told(error), self.tr("Locate…"), lambda: self.lost_asked.emit(model))
        else:
            self.tell_failure(error, self.chosen)
        self.changed.emit()

    def tell_failure(self, error: EngineError, model: Path | None) -> None:
        """Say what went wrong with a model, where nothing more is known to do about it than to repair what is damaged."""
        if isinstance(error, BadContainer) and model is not None and model not in self.startable and is_container(model):
            self.damage_found.emit(model, told(error))
        else:
            self.trouble.emit(told(error), "", None)

    def _load_with(self, budget: int) -> None:
        self.change_settings(replace(self.settings, budget_bytes=budget))
        self.load()

    @Slot(int, str)
    def _on_text(self, request: int, _piece: str) -> None:
        if request == self.state.request and self.state.phase is Phase.READING:
            self._become(transitions.wrote(self.state))

    @Slot(object)
    def _on_counters(self, snapshot: Snapshot) -> None:
        self._meter.add(snapshot)

    @Slot(str)
    def _on_waits(self, waits: str) -> None:
        if self.state.waits != waits:
            self._become(transitions.waiting(self.state, waits))

    @Slot()
    def _show_live(self) -> None:
        self.rates_changed.emit(self._meter.read(monotonic(), working=True), True, self.state.phase is Phase.READING)


def remember_all(models: tuple[Path, ...]) -> None:
    """Note models that lie outside the models folder."""
    for model in models:
        remember(model)


def is_container(path: Path) -> bool:
    """Whether a folder looks like a converted model: its manifest is written last."""
    return os.path.isfile(path / "manifest.json")  # noqa: PTH113  Path raises where a folder cannot be read
