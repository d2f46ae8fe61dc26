"""The choice when the context is full: nothing is ever cut without being asked."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

from app.language import number
from app.views.flow import Flow


class ContextBar(QFrame):
    """Hidden until it is needed."""

    shorten_asked = Signal()
    new_asked = Signal()
    larger_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setProperty("kind", "note")
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.shorten, self.new = self._button(self.shorten_asked), self._button(self.new_asked)
        self.larger = self._button(self.larger_asked)
        self._offered: tuple[int, int, bool, int | None] | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 8, 8)
        column.addWidget(self.label)
        row = Flow()
        for button in (self.shorten, self.new, self.larger):
            row.addWidget(button)
        column.addLayout(row)
        self.hide()
        self.retranslate()

    def _button(self, signal: object) -> QPushButton:
        button = QPushButton(self)
        button.clicked.connect(signal)
        return button

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        names = self.tr("Leave out oldest turns"), self.tr("New chat"), self.tr("Load with a larger context")
        for button, name in zip((self.shorten, self.new, self.larger), names, strict=True):
            button.setText(name)
            button.setAccessibleName(name)
        self._say()

    def offer(self, tokens: int, context: int, turns: bool, longer: int | None) -> None:
        """Offer what there is. turns: there are older ones; longer: the context that the model can be loaded with, or None."""
        self._offered = tokens, context, turns, longer
        self._say()
        self.shorten.setVisible(turns)
        self.new.setVisible(turns)
        self.larger.setVisible(longer is not None)
        self.show()

    def _say(self) -> None:
        if self._offered is None:
            return
        tokens, context, turns, longer = self._offered
        told = self.tr("The context is full: {0} tokens, and it holds {1} with the answer. What shall be done?")
        if not turns and longer is None:
            told = self.tr("The message is too long: {0} tokens, and the context holds {1} with the answer. Shorten it.")
        self.label.setText(told.format(number(tokens), number(context)))
        if longer is not None:
            self.larger.setText(self.tr("Load with {0} tokens").format(number(longer)))
            self.larger.setAccessibleName(self.larger.text())
