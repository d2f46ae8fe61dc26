"""An error in the wizard: its sentence, and the buttons that do something about it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.language import told
from app.wizard.page import plain
from app.wizard.remedies import Offered, Remedy, remedies
from engine.errors import EngineError

MOST = 2


class Trouble(QFrame):
    """Hidden while there is none."""

    asked = Signal(object)  # Remedy

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setProperty("kind", "alarm")
        self.label = plain(QLabel(self))
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.label.setAccessibleName(self.tr("What went wrong"))
        self.buttons = [QPushButton(self) for _ in range(MOST)]
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        for button in self.buttons:
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, b=button: self.asked.emit(b.property("remedy")))
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 10, 10)
        column.setSpacing(8)
        column.addWidget(self.label)
        column.addLayout(row)
        self._error: EngineError | None = None
        self.hide()

    def show_error(self, error: EngineError | None) -> None:
        """Say it with its remedies; None hides everything."""
        if error is self._error:
            return
        self._error = error
        self.setVisible(error is not None)
        if error is None:
            return
        self.label.setText(told(error))
        offered = remedies(error)
        for button, offer in zip(self.buttons, (*offered, *[None] * MOST), strict=False):
            self._fill(button, offer)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, told(error)))

    @staticmethod
    def _fill(button: QPushButton, offer: Offered | None) -> None:
        button.setVisible(offer is not None)
        if offer is not None:
            button.setText(offer.label)
            button.setAccessibleName(offer.label)
            button.setProperty("remedy", offer.remedy)

    def button(self, remedy: Remedy) -> QPushButton:
        """The button of a remedy that is offered."""
        return next(b for b in self.buttons if b.property("remedy") is remedy)
