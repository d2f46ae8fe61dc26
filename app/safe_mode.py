"""Notes what the window is doing, so that the next start knows how this run ended, and offers a careful one where that was a crash.

What is offered depends on what was going on. Opening a model is the risky part: a run that ended in it is doubtful, also where the
computer itself went down with it. While an answer was written, only an end of this program alone is: a computer that lost its power, or
ran out of battery asleep, is no reason to distrust the model. A run that was killed at rest is none either.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget

from app.engine_control import EngineControl
from app.settings import Settings
from app.state import RESTING, Phase
from app.views.fitting import widen

MARK = "running.json"
# The settings that a model is opened with.
ENGINE = ("budget_bytes", "context", "threads", "exact", "draft", "draft_model", "kv", "parallel")
SAME_BOOT_S = 120  # the system's own time of its start moves with its clock


@dataclass(frozen=True, slots=True)
class Earlier:
    """A run that did not end by itself. doing: "starting", "opening", "working" or "resting"."""

    doing: str
    model: str = ""
    same_boot: bool = True


def doubtful(earlier: Earlier | None, crashed: bool) -> bool:
    """Whether the next start should be a careful one."""
    if earlier is None:
        return crashed
    return crashed or earlier.doing in ("starting", "opening") or (earlier.doing == "working" and earlier.same_boot)


class RunMark:
    """The note in the home folder; a folder that cannot be written has none."""

    def __init__(self, home: Path) -> None:
        self._path = home / MARK
        self._last = ""

    def earlier(self) -> Earlier | None:
        """What an earlier run left; None where it ended by itself."""
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            return Earlier(str(found["doing"]), str(found["model"]), _same_boot(found["boot"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            return Earlier("resting")  # half-written: the power went off

    def note(self, doing: str, model: str = "") -> None:
        """Write down what begins now. Not on the GUI thread: it waits for the drive."""
        text = json.dumps({"doing": doing, "model": model, "boot": _boot(), "process": os.getpid()})
        if text == self._last:
            return
        self._last = text
        draft = self._path.with_name(f"{MARK}.new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._path)
        except OSError:
            return

    def clear(self) -> None:
        """The run has ended by itself."""
        self._last = ""
        try:
            self._path.unlink(missing_ok=True)
        except OSError:
            return


class Watch(QObject):
    """Keeps the mark true while the window is open."""

    def __init__(
        self, engine: EngineControl, mark: RunMark, parent: QObject | None = None, engaged: Callable[[], bool] = lambda: False
    ) -> None:
        """engaged: whether the engine works for something that is not the chat."""
        super().__init__(parent)
        self._engine, self._mark, self._engaged = engine, mark, engaged
        self._doing: tuple[str, str] = "", ""
        engine.changed.connect(self.look)

    @Slot()
    def look(self) -> None:
        """Note what is being done, where that is something else than before."""
        state = self._engine.state
        if state.phase in (Phase.CLOSING, Phase.UNLOADING):
            return
        doing = "opening" if state.phase is Phase.LOADING else "working"
        if doing == "working" and state.phase in RESTING and not self._engaged():
            doing = "resting"
        name = state.model.name if state.model is not None else ""
        if (doing, name) != self._doing:
            self._doing = doing, name
            self._engine.background.run(lambda: self._mark.note(doing, name))


class CarefulStart(QObject):
    """The question at the start after a crash."""

    def __init__(self, main: QWidget, engine: EngineControl) -> None:
        super().__init__(main)
        self._main, self._engine = main, engine
        self.box: QMessageBox | None = None

    def ask(self, earlier: Earlier | None) -> None:
        """Ask whether the last model is opened, and how; nothing is opened before."""
        name = earlier.model.removesuffix(".ouzel") if earlier is not None else ""
        doing = earlier.doing if earlier is not None else ""
        if doing == "opening" and name:
            what = self.tr("Ouzel did not end properly last time: it was opening {0}.").format(name)
        elif doing == "working" and name:
            what = self.tr("Ouzel did not end properly last time: it was working with {0}.").format(name)
        else:
            what = self.tr("Ouzel did not end properly last time.")
        self.box = box = QMessageBox(self._main)
        box.setWindowTitle(self.tr("Start carefully?"))
        box.setText(what)
        advice = self.tr("Your chats are saved. If it happens again, open no model, or open it with the usual engine settings.")
        box.setInformativeText(advice)
        usual = box.addButton(self.tr("Open the model"), QMessageBox.ButtonRole.AcceptRole)
        none = box.addButton(self.tr("Open no model"), QMessageBox.ButtonRole.RejectRole)
        reset = box.addButton(self.tr("Open no model, usual settings"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(none)
        box.setEscapeButton(none)
        widen(box)
        for button in (usual, none, reset):
            button.setAccessibleName(button.text())
        box.finished.connect(lambda _: self._on_answer(box.clickedButton(), usual, reset))
        box.open()

    def _on_answer(self, clicked: QAbstractButton | None, usual: QAbstractButton, reset: QAbstractButton) -> None:
        if self.box is not None:
            self.box.deleteLater()
            self.box = None
        if clicked is reset:
            usual_engine(self._engine)
        elif clicked is usual:
            self._engine.load()


def usual_engine(engine: EngineControl) -> None:
    """Open models from now on as a new installation would."""
    fresh = Settings()
    engine.change_settings(replace(engine.settings, **{name: getattr(fresh, name) for name in ENGINE}))


def _boot() -> str | float:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return psutil.boot_time()


def _same_boot(noted: object) -> bool:
    now = _boot()
    if isinstance(now, float) and isinstance(noted, int | float):
        return abs(now - noted) < SAME_BOOT_S
    return now == noted
