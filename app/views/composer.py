"""Where messages are written: a field that grows with its text, and one button that sends or stops."""

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSizePolicy, QToolButton, QWidget

from app.looks import icons
from app.looks.theme import Theme
from app.presentation import Presentation

MOST_LINES = 8


class MessageField(QPlainTextEdit):
    """Return sends, Shift+Return breaks the line. While an input method composes, Return belongs to it."""

    submitted = Signal()
    escaped = Signal()
    focused = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Message"))
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def composing(self) -> bool:
        """Whether an input method shows text that is not yet part of the message."""
        return bool(self.textCursor().block().layout().preeditAreaText())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Send on Return, stop on Escape."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.composing():
            plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
            if plain:
                self.submitted.emit()
                return
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Tell the frame around."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Tell the frame around."""
        super().focusOutEvent(event)
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Another width wraps the text at other places."""
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        # The layout of a plain text document counts its height in lines.
        lines = max(1, round(self.document().documentLayout().documentSize().height()))
        scrolls = lines > MOST_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if self.verticalScrollBarPolicy() != policy:
            self.setVerticalScrollBarPolicy(policy)
        height = min(lines, MOST_LINES) * self.fontMetrics().lineSpacing() + 6
        if self.height() != height:
            self.setFixedHeight(height)


class Composer(QFrame):
    """`sent` carries the text, which stays in the field until `clear` is called, so that a refused message is not lost."""

    sent = Signal(str)
    stopped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self._shows_stop = self._can_send = False
        self.field = MessageField(self)
        self.button = QToolButton(self)
        self.button.setObjectName("send")
        self.button.setIconSize(QSize(18, 18))
        self.button.setCursor(Qt.CursorShape.PointingHandCursor)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 7, 7, 7)
        row.setSpacing(8)
        row.addWidget(self.field, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        self.setFocusProxy(self.field)
        self.field.submitted.connect(self._submit)
        self.field.escaped.connect(self._stop)
        self.field.textChanged.connect(self._update_button)
        self.field.focused.connect(self._on_focused)
        self.button.clicked.connect(self._on_button)
        self.set_theme(theme)

    def present(self, p: Presentation) -> None:
        """Show what can be done now."""
        self._shows_stop, self._can_send, self._can_stop = p.shows_stop, p.can_send, p.can_stop
        self.field.setPlaceholderText(p.composer_hint)
        self.field.setReadOnly(not p.can_write)
        self.button.setToolTip(p.send_tip)
        self.button.setAccessibleName(self.tr("Stop") if p.shows_stop else self.tr("Send"))
        self._update_button()

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in other colours."""
        self._icons = (icons.icon("send", theme.on_accent, theme.dim), icons.icon("stop", theme.on_accent, theme.dim))
        self._update_button()

    def clear(self) -> None:
        """Empty the field after its text was taken."""
        self.field.clear()

    @Slot()
    def _update_button(self) -> None:
        self.button.setIcon(self._icons[1 if self._shows_stop else 0])
        has_text = bool(self.field.toPlainText().strip())
        self.button.setEnabled(self._can_stop if self._shows_stop else self._can_send and has_text)

    _can_stop = False

    @Slot()
    def _submit(self) -> None:
        text = self.field.toPlainText()
        if self._can_send and not self._shows_stop and text.strip():
            self.sent.emit(text.strip("\n"))

    @Slot()
    def _stop(self) -> None:
        if self._shows_stop and self._can_stop:
            self.stopped.emit()

    @Slot()
    def _on_button(self) -> None:
        if self._shows_stop:
            self._stop()
        else:
            self._submit()

    @Slot(bool)
    def _on_focused(self, focused: bool) -> None:
        self.setProperty("focused", focused)
        self.style().unpolish(self)
        self.style().polish(self)
