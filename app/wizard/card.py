"""One pull on the progress page: how far, how fast, what it waits for, and what can be done."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.views.parts import Progress
from app.wizard.page import plain, say
from app.wizard.pulls import PullView
from app.wizard.remedies import Remedy, remedies
from app.wizard.words import tr
from engine.errors import EngineError


class Card(QFrame):
    """asked: what a button says: "pause", "resume", "discard", "start", or a Remedy; with the pull's target."""

    asked = Signal(object, object)

    def __init__(self, target: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.target = target
        self.title, self.amount = QLabel(self), plain(QLabel(self), "dim")
        self.title.setObjectName("heading")
        self.progress = Progress(tr("Progress of {0}").format(target.name), self)
        self.state = plain(QLabel(self))
        self.pause, self.resume = self._button(tr("Pause"), "pause"), self._button(tr("Resume"), "resume")
        self.discard = self._button(tr("Discard…"), "discard")
        self.start = self._button(tr("Start chatting"), "start")
        self.start.setProperty("primary", True)
        self.remedies = [self._button("", None) for _ in range(2)]
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.start, self.pause, self.resume, *self.remedies, self.discard):
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(8)
        for part in (self.title, self.progress, self.amount, self.state):
            column.addWidget(part)
        column.addLayout(row)

    def _button(self, text: str, action: str | None) -> QPushButton:
        button = QPushButton(text, self)
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        button.setProperty("action", action)
        button.clicked.connect(lambda _=False: self.asked.emit(button.property("action"), self.target))
        return button

    def present(self, v: PullView, error: EngineError | None) -> None:
        """Show one view."""
        self.title.setText(v.title)
        self.progress.show_fraction(v.fraction)
        say(self.amount, v.amount)
        say(self.state, v.state, v.tone)
        self.progress.setAccessibleDescription(", ".join(t for t in (v.amount, v.state) if t))
        self.pause.setVisible(v.can_pause)
        self.resume.setVisible(v.can_resume and error is None)
        self.discard.setVisible(v.can_discard)
        self.start.setVisible(v.can_start)
        offered = [o for o in remedies(error) if o.remedy is not Remedy.DISCARD] if error is not None else []
        for i, button in enumerate(self.remedies):
            button.setVisible(i < len(offered))
            if i < len(offered):
                button.setText(offered[i].label)
                button.setAccessibleName(tr("{0} for {1}").format(offered[i].label, v.title))
                button.setProperty("action", offered[i].remedy)
