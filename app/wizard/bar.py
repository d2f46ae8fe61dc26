"""The small bar in the main window while something is fetched; pressing it brings the wizard back."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.looks.theme import Theme
from app.views.parts import ElidedLabel, Progress
from app.wizard import pulls
from app.wizard.looks import sheet
from app.wizard.pull_control import PullControl
from app.wizard.words import tr


class PullBar(QFrame):
    """Hidden while nothing is fetched."""

    asked = Signal()

    def __init__(self, control: PullControl, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pullbar")
        self._control = control
        self.label: QLabel = ElidedLabel(parent=self)
        self.progress = Progress("", self)
        self.progress.setMaximumWidth(160)
        self.button = QPushButton(self)
        self.button.setProperty("flat", True)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 3, 12, 3)
        row.setSpacing(12)
        row.addWidget(self.label, 4)
        row.addWidget(self.progress, 1)
        row.addWidget(self.button)
        self.button.clicked.connect(self.asked)
        control.changed.connect(self.show_pulls)
        self.set_theme(theme)
        self.retranslate()

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.label.setAccessibleName(tr("Download"))
        self.progress.setAccessibleName(tr("Progress of the download"))
        self.button.setText(tr("Show"))
        self.button.setAccessibleName(tr("Show the download"))
        self.show_pulls()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.setStyleSheet(sheet(theme))

    @Slot()
    def show_pulls(self) -> None:
        """Follow the control."""
        v = pulls.bar(self._control.items)
        self.setVisible(bool(v.text))
        self.label.setText(v.text)
        self.progress.show_fraction(v.fraction if v.text else None)
        if self.property("tone") != v.tone:
            self.setProperty("tone", v.tone)
            for part in (self, self.label):
                part.style().unpolish(part)
                part.style().polish(part)
