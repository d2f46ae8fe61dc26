"""Asks before the window closes over something that works, so that one click does not end an answer of an hour."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget

from app.engine_control import EngineControl
from app.state import ANSWERING, Phase
from app.views.fitting import widen
from app.wizard.pull_control import PullControl
from app.wizard.pulls import LIVE


class Leaving(QObject):
    """`may_close` is what the window asks before it closes."""

    def __init__(self, main: QWidget, engine: EngineControl, pulls: PullControl) -> None:
        super().__init__(main)
        self._main, self._engine, self._pulls = main, engine, pulls
        self.job_runs: Callable[[], bool] = lambda: False
        self._sure = False
        self.box: QMessageBox | None = None

    def close_now(self) -> None:
        """Close without asking: the person said so, or the system ends the session."""
        self._sure = True
        if self.box is not None:
            self.box.close()
        self._main.close()

    def may_close(self) -> bool:
        """Whether the window closes now; else the question is shown, and a yes closes it."""
        text = self._at_stake()
        if self._sure or not text or not self._engine.settings.ask_quit:
            return True
        if self.box is None:
            self._ask(text)
        return False

    def _at_stake(self) -> str:
        phase = self._engine.state.phase
        if phase in ANSWERING:
            return self.tr("An answer is being written. What is there of it is kept; you can have it continued later.")
        if phase is Phase.BUILDING:
            return self.tr("A model is being made. What is done is kept; it goes on when you start it again.")
        if any(item.stage in LIVE for item in self._pulls.items):
            return self.tr("A model is being fetched. What came is kept; it goes on when Ouzel is started again.")
        if self.job_runs():
            return self.tr("A job is running. What is answered is kept; it goes on when Ouzel is started again.")
        return ""

    def _ask(self, text: str) -> None:
        self.box = box = QMessageBox(self._main)
        box.setWindowTitle(self.tr("Quit Ouzel?"))
        box.setText(self.tr("Quit Ouzel?"))
        box.setInformativeText(text)
        quit_button = box.addButton(self.tr("Quit"), QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(self.tr("Stay"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        never = QCheckBox(self.tr("Don't ask again"), box)
        box.setCheckBox(never)
        widen(box)
        for button in (quit_button, stay, never):
            button.setAccessibleName(button.text())
        box.finished.connect(lambda _: self._on_answer(box.clickedButton() is quit_button, never.isChecked()))
        box.open()

    @Slot()
    def _on_answer(self, leave: bool, never: bool) -> None:
        if self.box is not None:
            self.box.deleteLater()
            self.box = None
        if never:
            self._engine.change_settings(replace(self._engine.settings, ask_quit=False))
        if leave:
            self.close_now()
