"""How much of the context the conversation and the message take: a number and a thin line."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language import number
from app.looks.theme import Theme
from engine.events import Counted

NEARLY = 0.9
LINE = 44  # pixels of the line


class ContextMeter(QWidget):
    """Shows the newest count; hidden while nothing is known."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._counted: Counted | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.retranslate()

    def show_count(self, counted: Counted | None) -> None:
        """Show a count."""
        self._counted = counted
        self.setVisible(counted is not None)
        if counted is not None:
            told = self.tr("The prompt has {0} tokens; the context holds {1}, the answer included.")
            self.setToolTip(told.format(number(counted.tokens), number(counted.context)))
            self.setAccessibleDescription(self.toolTip())
            self.updateGeometry()
            self.update()

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.setAccessibleName(self.tr("Context"))
        self.show_count(self._counted)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    @property
    def text(self) -> str:
        """What it says."""
        c = self._counted
        return self.tr("{0} of {1} tokens").format(number(c.tokens), number(c.context)) if c else ""

    @property
    def full(self) -> bool:
        """Whether no answer fits any more."""
        return self._counted is not None and self._counted.tokens >= self._counted.context

    def sizeHint(self) -> QSize:  # noqa: N802
        """Text and line."""
        return QSize(self.fontMetrics().horizontalAdvance(self.text) + LINE + 10, self.fontMetrics().height() + 6)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """All of it."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the text, then the line."""
        c = self._counted
        if c is None:
            return
        painter, t = QPainter(self), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        share = min(c.tokens / c.context, 1.0)
        painter.setPen(QColor(t.on_alarm if self.full else t.dim))
        room = self.rect().adjusted(0, 0, -LINE - 8, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.text)
        line = QRectF(self.width() - LINE, self.height() / 2 - 2, LINE, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.hover))
        painter.drawRoundedRect(line, 2, 2)
        painter.setBrush(QColor(t.on_alarm if share >= NEARLY else t.accent))
        painter.drawRoundedRect(QRectF(line.left(), line.top(), max(line.width() * share, 3), line.height()), 2, 2)
