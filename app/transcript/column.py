"""A column of text in the middle of the window: its geometry, its painting, and where in it messages lie."""

from typing import Any

from PySide6.QtCore import QMimeData, QPoint, QRectF, Qt, QTimer, QUrl, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from app.looks.theme import Theme
from app.transcript import tables
from app.transcript.document import ChatDocument
from app.transcript.formats import Formats
from app.transcript.ground import paint_grounds
from app.transcript.selection import plain

WIDEST = 760  # logical pixels of text
EDGE = 24
LONG = 60_000  # characters from which a new width waits until the window's edge rests: all is laid out anew
REST_MS = 120


class Column(QTextBrowser):
    """Shows a ChatDocument. Nothing is ever opened or loaded by itself."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)  # so that we say when the width changes
        self._theme = theme
        self._resting = QTimer(self, singleShot=True, interval=REST_MS)
        self._resting.timeout.connect(self.fit)
        self._chat = ChatDocument(self.document(), Formats(theme, self.font()))
        self._name_column()

    def _name_column(self) -> None:
        self.setAccessibleName(self.tr("Conversation"))

    def row_rect(self, number: int) -> QRectF | None:
        """Where the line under a message lies in the viewport, None where it is not there."""
        block = self._chat.row(number)
        if not block.isValid():
            return None
        rect = self.document().documentLayout().blockBoundingRect(block)
        return rect.translated(0, -self.verticalScrollBar().value())

    def row_text_width(self, number: int) -> float:
        """How much of that line is written on."""
        lines = self._chat.row(number).layout()
        return lines.lineAt(0).naturalTextWidth() if lines.lineCount() else 0.0

    def message_at(self, y: int) -> int | None:
        """The number of the message at a height of the viewport."""
        at = self.cursorForPosition(QPoint(self.viewport().width() // 2, y)).block().position()
        rows = [(cursor.position(), number) for number, cursor in self._chat.rows.items() if cursor.position() >= at]
        return min(rows)[1] if rows else None

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802
        """What is selected as text: formulas as they were written, nothing of what belongs to the window."""
        data, cursor = QMimeData(), self.textCursor()
        data.setText(plain(self.document(), cursor.selectionStart(), cursor.selectionEnd()))
        return data

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:  # noqa: N802
        """Nothing: what an answer refers to is never loaded."""
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep the text in a column in the middle."""
        side = max(EDGE, (self.width() - WIDEST) // 2)
        self.setViewportMargins(side, 8, max(side - self.verticalScrollBar().sizeHint().width(), 8), 8)
        super().resizeEvent(event)
        if self.document().characterCount() < LONG or not self.isVisible():
            self.fit()
        elif self._new_width():
            self._resting.start()

    def _new_width(self) -> int:
        """The width that the text should have, 0 if it has it."""
        width = min(self.viewport().width(), WIDEST)
        return width if width != self.lineWrapColumnOrWidth() else 0

    @Slot()
    def fit(self) -> None:
        """Lay the text out for the window's width; what is at the window's upper edge stays there."""
        width = self._new_width()
        if not width:
            return
        bar, first = self.verticalScrollBar(), self.cursorForPosition(QPoint(0, 0))
        was = self.cursorRect(first).top()
        self.setLineWrapColumnOrWidth(width)
        tables.fit_all(self.document().rootFrame(), width)
        if bar.value() < bar.maximum():
            bar.setValue(bar.value() + self.cursorRect(first).top() - was)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint the grounds of bubbles and code, then the text."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), QColor(self._theme.window))
        top = self.verticalScrollBar().value()
        painter.translate(0, -top)
        paint_grounds(painter, self.document(), QRectF(event.rect()).translated(0, top), self._theme)
        painter.end()
        super().paintEvent(event)
