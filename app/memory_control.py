"""What each memory limit brings: asked of the fetcher's second thread while the panel is open and the engine rests, shown in the panel."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app import limits, measured
from app.engine_control import EngineControl
from app.language import told
from app.state import RESTING
from app.views.main_window import MainWindow
from app.wizard.fetching import Fetching
from engine import paths
from engine.config import EngineConfig
from engine.errors import Cancelled, EngineError
from engine.events import Estimated, Event, Failed, Finished, ModelInfo, Surveying
from engine.offers import LimitOffer
from engine.requests import Estimate

FILE = "measured.json"


class MemoryControl(QObject):
    """One a window. What was measured is noted with each answer, whether the panel is open or not."""

    def __init__(self, engine: EngineControl, main: MainWindow, fetching: Fetching) -> None:
        super().__init__(main)
        self._engine, self._fetching = engine, fetching
        self._bar = bar = main.model_bar
        self._path = paths.home() / FILE
        self._speeds = measured.load(self._path)
        self._newest: Estimated | None = None
        self._wanted: tuple[EngineConfig, ModelInfo | None] | None = None  # what was asked for last, and what was open then
        self._request: int | None = None
        self._progress: float | None = None
        self._problem: EngineError | None = None
        bar.memory_shown.connect(self._on_shown)
        bar.context_changed.connect(self._on_context)
        engine.changed.connect(self._on_engine)
        engine.answered.connect(self._on_answered)
        main.retranslated.connect(self._show)
        fetching.happened.connect(self._on_event)

    @property
    def estimate(self) -> Estimated | None:
        """The newest estimate of the chosen model."""
        e = self._newest
        return e if e is not None and e.config.model == self._engine.chosen else None

    @Slot()
    def _on_shown(self) -> None:
        self._wanted = None  # free memory may be another than when it was asked for last
        self._on_engine()

    @Slot()
    def _on_engine(self) -> None:
        if not self._bar.panel.isVisible():
            self._stop()
            return
        if self._engine.state.phase in RESTING:
            self._ask()
        else:
            self._stop()  # a test of the drive beside an answer would tell the truth about neither
        self._show()

    def _ask(self) -> None:
        engine = self._engine
        if engine.chosen is None:
            return
        config, info = engine.settings.engine(engine.chosen), engine.state.info
        if self._wanted is not None and self._wanted[1] is info:
            asked, e = self._wanted[0], self.estimate
            known = self._request is None and e is not None and limits.looked_at(e, config.budget_bytes)
            if asked == config or (known and replace(asked, budget_bytes=config.budget_bytes) == config):
                return
        self._stop()
        self._wanted, self._problem = (config, info), None
        self._request, self._progress = self._fetching.next_id(), -1.0
        self._fetching.post(Estimate(self._request, config, info.memory_bytes if info is not None else 0))

    def _stop(self) -> None:
        if self._request is not None:
            self._fetching.cancel(self._request)
            self._request = self._progress = self._wanted = None

    @Slot()
    def _show(self) -> None:
        engine = self._engine
        v = limits.view(self.estimate, engine.settings, self._rate, self._progress, told(self._problem) if self._problem else "")
        free = engine.state.phase in RESTING
        self._bar.panel.render_view(v, engine.settings.budget_bytes, engine.settings.context, free)

    def _rate(self, o: LimitOffer) -> float | None:
        s, model = self._engine.settings, self._engine.chosen or Path()
        return measured.rate(self._speeds, model, o.n_slots, o.n_records, s.exact, s.draft)

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        if self._request is None or getattr(event, "id", None) != self._request:
            return
        match event:
            case Surveying(_, fraction):
                self._progress = fraction if fraction < 1 else -1.0
            case Estimated():
                self._newest, self._request, self._progress = event, None, None
                self._engine.floors[event.config.model] = event.floor_bytes
                self._bar.show_budget(self._engine.settings.budget_bytes, event.floor_bytes)
            case Failed(_, error):
                self._request = self._progress = None
                self._problem = None if isinstance(error, Cancelled) else error
        self._show()

    @Slot(object)
    def _on_context(self, context: int | None) -> None:
        """Take another context, with a limit that it fits into."""
        settings, e = self._engine.settings, self.estimate
        budget = settings.budget_bytes if e is None else limits.raised(e, settings.budget_bytes, context)
        self._engine.change_settings(replace(settings, context=context, budget_bytes=budget))

    @Slot(object)
    def _on_answered(self, event: Event) -> None:
        info = self._engine.state.info
        if isinstance(event, Finished) and info is not None:
            before, self._speeds = self._speeds, measured.noted(self._speeds, info, event.stats)
            if before is not self._speeds:
                path, speeds = self._path, self._speeds
                self._engine.background.run(lambda: measured.save(path, speeds))
                self._show()
