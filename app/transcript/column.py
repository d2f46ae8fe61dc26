"""A column of text in the middle of the window: its geometry, its painting, and where in it messages lie."""

from typing import Any

from PySide6.QtCore import QPoint, QRectF, Qt, QUrl
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from app.looks.theme import Theme
from app.transcript.document import ChatDocument
from app.transcript.formats import ROW, Formats
from app.transcript.ground import paint_grounds

WIDEST = 760  # logical pixels of text
EDGE = 24


class Column(QTextBrowser):
    """Shows a ChatDocument. Nothing is ever opened or loaded by itself."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")
        self.setAccessibleName(self.tr("Conversation"))
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self._theme = theme
        self._chat = ChatDocument(self.document(), Formats(theme, self.font()))

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
        block = self.cursorForPosition(QPoint(self.viewport().width() // 2, y)).block()
        while block.isValid() and not block.blockFormat().intProperty(ROW):
            block = block.next()
        return block.blockFormat().intProperty(ROW) - 1 if block.isValid() else None

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:  # noqa: N802
        """Nothing: what an answer refers to is never loaded."""
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep the text in a column in the middle."""
        side = max(EDGE, (self.width() - WIDEST) // 2)
        self.setViewportMargins(side, 8, max(side - self.verticalScrollBar().sizeHint().width(), 8), 8)
        super().resizeEvent(event)

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
