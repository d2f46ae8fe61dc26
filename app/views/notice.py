"""A message across the window: what happened, what to do, and sometimes one button that does it."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from app.looks import icons
from app.looks.theme import Theme


class Notice(QFrame):
    """Hidden until there is something to say. A later message replaces an earlier one, until it is done with where that one lasts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self._theme, self._kind = theme, "note"
        self._act: Callable[[], None] | None = None
        self._lasting = ""
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action = QPushButton(self)
        self.close_button = QToolButton(self)
        icons.fit(self.close_button, 16)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(self.label, 1)
        row.addWidget(self.action)
        row.addWidget(self.close_button)
        self.action.clicked.connect(self._on_action)
        self.close_button.clicked.connect(self._on_close)
        self.retranslate()
        self.hide()

    def alarm(self, text: str, label: str = "", act: Callable[[], None] | None = None) -> None:
        """Say that something did not work."""
        self._show("alarm", text, label, act)

    def note(self, text: str, label: str = "", act: Callable[[], None] | None = None) -> None:
        """Say something that is no failure."""
        self._show("note", text, label, act)

    @property
    def offers_help(self) -> bool:
        """Whether something is shown that did not work, and a button that does something about it."""
        return self.isVisible() and self._kind == "alarm" and self._act is not None

    def last(self, text: str) -> None:
        """Say something that stays true until the end: only a person who closes it takes it away."""
        self._lasting = text
        self.alarm(text)

    @Slot()
    def clear(self) -> None:
        """Take away what was said; what lasts is said again."""
        if self._lasting and self.label.text() != self._lasting:
            self.alarm(self._lasting)
        elif not self._lasting:
            self.hide()

    def retranslate(self) -> None:
        """Say all but the message, which stays as it was said, in the language of the window."""
        self.label.setAccessibleName(self.tr("Message from Ouzel"))
        self.close_button.setAccessibleName(self.tr("Close this message"))
        if not self.action.text():
            self.action.setAccessibleName(self.tr("Do what the message offers"))

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._draw()

    def _show(self, kind: str, text: str, label: str, act: Callable[[], None] | None) -> None:
        self._kind, self._act = kind, act
        self.label.setText(text)
        self.action.setText(label)
        self.action.setAccessibleName(label)
        self.action.setVisible(act is not None)
        self._draw()
        self.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def _draw(self) -> None:
        self.setProperty("kind", self._kind)
        for part in (self, self.label):
            self.style().unpolish(part)
            self.style().polish(part)
        self.close_button.setIcon(icons.icon("close", self._theme.on_alarm if self._kind == "alarm" else self._theme.on_note))

    @Slot()
    def _on_action(self) -> None:
        act, self._act = self._act, None
        self.clear()
        if act is not None:
            act()

    @Slot()
    def _on_close(self) -> None:
        if self.label.text() == self._lasting:
            self._lasting = ""
        self.clear()
