"""A model that was found damaged: made whole from where it came from, at the press of a button."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from app.engine_control import EngineControl
from app.language import told
from app.state import RESTING, Phase
from app.views.main_window import MainWindow
from app.wizard.errands import Errands
from app.wizard.words import tr
from engine import paths
from engine.cancel import CancelToken
from engine.errors import BadCheckpoint, BadContainer, BadRequest, Cancelled, EngineError

STEP = 5  # percent between two messages


class Mender(QObject):
    """One model at a time; it is closed first, since a repair needs it for itself."""

    _passed = Signal(str, int)  # verify or repair, percent

    def __init__(self, engine: EngineControl, main: MainWindow, errands: Errands, parent: QObject) -> None:
        super().__init__(parent)
        self._engine, self._main, self._errands = engine, main, errands
        self._waits: Path | None = None  # until it is closed
        self._source: Path | None = None  # what it was made of, where it does not say so itself
        self._mended: Path | None = None
        self._cancel = CancelToken()
        self._shown = ("", 0)
        engine.damage_found.connect(self.offer)
        engine.changed.connect(self._go_on)
        main.closing.connect(lambda: self._cancel.cancel())
        self._passed.connect(self._show)

    @Slot(object, str)
    def offer(self, model: Path, text: str, source: Path | None = None) -> None:
        """Say what is damaged, with the way out."""
        self._main.notice.alarm(text, tr("Repair"), lambda: self.mend(model, source))

    def mend(self, model: Path, source: Path | None = None) -> None:
        """Close the model and make it whole; source: the checkpoint on this computer that it was made of."""
        if self._mended is not None or self._engine.state.phase not in RESTING:
            self.offer(model, tr("The engine is busy. Wait until the answer is written, or stop it, then try again."), source)
            return
        self._waits, self._source = model, source
        if self._engine.state.info is not None and self._engine.state.model == model:
            self._engine.act("unload")
        self._go_on()

    @Slot()
    def _go_on(self) -> None:
        model, state = self._waits, self._engine.state
        if model is None or (state.phase is not Phase.IDLE and state.model == model):
            return
        self._waits, self._mended, self._shown = None, model, ("", 0)
        self._cancel = cancel = CancelToken()
        source = self._source
        self._show("verify", 0)

        def work() -> object:
            from engine.setup.repair import repair  # noqa: PLC0415  it brings the hub along, which the start does not wait for

            return repair(model, source, self._on_progress, cancel)

        self._errands.run(work, lambda done: self._on_whole(model, done.anything), lambda error: self._on_wrong(model, error))

    def _on_progress(self, phase: str, done: int, total: int) -> None:
        at = phase, 100 * done // max(total, 1) // STEP * STEP
        if at != self._shown:
            self._shown = at
            self._passed.emit(*at)

    @Slot(str, int)
    def _show(self, phase: str, percent: int) -> None:
        if self._mended is not None:
            text = tr("Looking for what is damaged in {0}: {1}%") if phase == "verify" else tr("Repairing {0}: {1}%")
            self._main.notice.note(text.format(_name(self._mended), percent), tr("Stop"), self._cancel.cancel)

    def _on_whole(self, model: Path, anything: bool) -> None:
        self._mended = None
        text = tr("{0} is whole again.") if anything else tr("{0} is whole: all its checksums are right.")
        self._main.notice.note(text.format(_name(model)))
        if self._engine.state.phase is Phase.IDLE and self._engine.chosen == model:
            self._engine.load()

    def _on_wrong(self, model: Path, error: EngineError) -> None:
        self._mended = None
        notice, source = self._main.notice, self._source
        if isinstance(error, Cancelled):
            notice.note(tr("The repair was stopped. What is repaired by now stays so."), tr("Repair"), lambda: self.mend(model, source))
        elif isinstance(error, BadRequest) and model == paths.starter_path() and not paths.is_bundled(model):
            text = tr("The starter model is damaged. It is made again rather than repaired.")
            notice.alarm(text, tr("Make it again"), self._starter_again)
        elif isinstance(error, BadRequest) and source is None:
            text = tr("{0} does not say where it came from. Its repair needs the folder of the model that it was made of.")
            notice.alarm(text.format(_name(model)), tr("Choose the folder…"), lambda: self._ask_source(model))
        elif isinstance(error, BadCheckpoint | BadRequest) and source is not None:  # it was another folder
            notice.alarm(told(error), tr("Choose the folder…"), lambda: self._ask_source(model))
        elif isinstance(error, BadContainer | BadRequest):
            notice.alarm(told(error))
        else:  # the network, a token, a drive
            notice.alarm(told(error), tr("Try again"), lambda: self.mend(model, source))

    def _ask_source(self, model: Path) -> None:
        if found := QFileDialog.getExistingDirectory(self._main, tr("What {0} was made of").format(_name(model))):
            self.mend(model, Path(found))

    def _starter_again(self) -> None:
        def work() -> object:
            from engine.setup.installed import remove  # noqa: PLC0415  as above

            return remove(paths.starter_path())

        def removed(_: object) -> None:
            self._engine.refresh_models()
            self._engine.set_up_starter()

        self._errands.run(work, removed, lambda error: self._main.notice.alarm(told(error), tr("Try again"), self._starter_again))


def _name(model: Path) -> str:
    return model.name.removesuffix(paths.SUFFIX)
