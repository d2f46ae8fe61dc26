"""Where a token's time goes: one bar in four parts, with the milliseconds of each beside its colour."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language import number
from app.looks.theme import Theme
from app.rates import Split

BAR, SWATCH, GAP = 12, 10, 8  # pixels: height of the bar, side of a colour's square, distance between the parts


class SplitBar(QWidget):
    """Shows the newest split; its accessible description has all of it in words."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._split: Split | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.retranslate()

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.setAccessibleName(self.tr("Time of a token"))
        self.show_split(self._split)

    def show_split(self, split: Split | None) -> None:
        """Show where the time of a token went."""
        self._split = split
        said = f"{self.title}: " + ", ".join(self._legend()) if split else self.tr("not measured yet")
        if said != self.accessibleDescription():
            self.setAccessibleDescription(said)
            self.setToolTip(said)
            self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    @property
    def title(self) -> str:
        """What is split."""
        s = self._split
        if s is None:
            return self.tr("Time of a token")
        said = self.tr("Time of a token read: {0} ms") if s.prompt else self.tr("Time of a token written: {0} ms")
        return said.format(_ms(s.seconds))

    @property
    def shares(self) -> tuple[float, ...]:
        """The parts, 0 to 1, of what is shown; empty where nothing is measured."""
        s = self._split
        return tuple(p / s.seconds for p in (s.read_wait, s.experts, s.attention, s.rest)) if s and s.seconds > 0 else ()

    def _legend(self) -> tuple[str, ...]:
        s = self._split or Split(0.0, 0.0, 0.0, 0.0)
        return (
            self.tr("waiting for reads {0} ms").format(_ms(s.read_wait)),
            self.tr("experts {0} ms").format(_ms(s.experts)),
            self.tr("attention {0} ms").format(_ms(s.attention)),
            self.tr("rest {0} ms").format(_ms(s.rest)),
        )

    def sizeHint(self) -> QSize:  # noqa: N802
        """A line of text, the bar, and a legend of one line or two."""
        line = self.fontMetrics().height()
        return QSize(420, line + 4 + BAR + (line + 4) * self._rows(self.width()))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as two parts of the legend."""
        widest = max(self.fontMetrics().horizontalAdvance(text) for text in self._legend()) + SWATCH + 6 + GAP
        return QSize(2 * widest, self.sizeHint().height())

    def resizeEvent(self, _event: object) -> None:  # noqa: N802
        """The legend may need another line."""
        self.updateGeometry()

    def _rows(self, width: int) -> int:
        metrics = self.fontMetrics()
        needed = sum(metrics.horizontalAdvance(text) + SWATCH + 2 * GAP for text in self._legend())
        return 1 if needed <= width else 2

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Title, bar, legend."""
        painter, t, width = QPainter(self), self._theme, self.width()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = [QColor(c) for c in (t.part_reads, t.part_experts, t.part_attention, t.part_rest)]
        line = self.fontMetrics().height()
        painter.setPen(QColor(t.text))
        painter.drawText(QRectF(0, 0, width, line), Qt.AlignmentFlag.AlignLeft, self.title)
        bar = QRectF(0, line + 4, width, BAR)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.hover))
        painter.drawRoundedRect(bar, 3, 3)
        x = bar.left()
        for share, colour in zip(self.shares, colours, strict=False):
            painter.fillRect(QRectF(x, bar.top(), max(share * width - 1, 0), BAR), colour)
            x += share * width
        if self._split is not None:
            self._paint_legend(painter, colours, bar.bottom() + 4)

    def _paint_legend(self, painter: QPainter, colours: list[QColor], top: float) -> None:
        line, columns = self.fontMetrics().height(), 4 // self._rows(self.width())
        each = self.width() / columns
        for n, (text, colour) in enumerate(zip(self._legend(), colours, strict=True)):
            x, y = (n % columns) * each, top + (n // columns) * (line + 4)
            painter.fillRect(QRectF(x, y + (line - SWATCH) / 2, SWATCH, SWATCH), colour)
            painter.setPen(QColor(self._theme.dim))
            painter.drawText(QRectF(x + SWATCH + 6, y, each - SWATCH - 6, line), Qt.AlignmentFlag.AlignLeft, text)


def _ms(seconds: float) -> str:
    milliseconds = seconds * 1000
    return number(milliseconds, 0 if milliseconds >= 10 else 1)
