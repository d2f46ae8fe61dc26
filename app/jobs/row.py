"""One job in the list: how it stands, and what can be done with it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from app.jobs.shown import Shown
from app.jobs.when import Wait
from app.jobs.words import state_words, tr
from app.views.flow import Flow
from app.views.parts import ElidedLabel, Progress


class JobRow(QFrame):
    """asked: "pause", "resume", "now", "open" or "remove"."""

    asked = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.title = ElidedLabel(name, self)
        self.title.setObjectName("heading")
        self.state = QLabel(self)
        self.state.setWordWrap(True)
        self.progress = Progress(tr("Progress of {0}").format(name), self)
        self.pause = self._button(tr("Pause"), "pause", name)
        self.resume = self._button(tr("Go on"), "resume", name)
        self.now = self._button(tr("Run now"), "now", name)
        self.open = self._button(tr("Open the documents"), "open", name)
        self.remove = self._button(tr("Remove…"), "remove", name)
        buttons = Flow()
        for button in (self.open, self.now, self.pause, self.resume, self.remove):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        for part in (self.title, self.progress, self.state):
            column.addWidget(part)
        column.addLayout(buttons)

    _shown: Shown | None = None

    def _button(self, text: str, action: str, name: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(f"{text} {name}")
        button.setAutoDefault(False)
        button.clicked.connect(lambda _=False: self.asked.emit(action))
        return button

    def present(self, shown: Shown) -> None:
        """Show how the job stands; called with every token of another job."""
        if shown == self._shown:
            return
        self._shown = shown
        self.state.setText(state_words(shown))
        self.progress.show_fraction(None if shown.finished else shown.done / max(shown.total, 1))
        self.progress.setAccessibleDescription(self.state.text())
        at = self.pause.hasFocus() or self.resume.hasFocus()
        held = shown.job.paused or bool(shown.trouble)
        self.pause.setVisible(not shown.finished and not held)
        self.resume.setVisible(not shown.finished and held)
        if at and not shown.finished:  # the next press is not to do something else
            (self.resume if held else self.pause).setFocus()
        self.now.setVisible(not shown.finished and not held and shown.wait in (Wait.TIME, Wait.IDLE, Wait.AWAY, Wait.MAINS))
        self.open.setVisible(shown.done > shown.refused)
