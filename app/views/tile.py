"""One gauge: label, value, and its last minutes as a line, drawn with QPainter. Nothing is smoothed.

It shows the live rate while the engine works, afterwards the average over the last answer in a quieter colour, and a dash where nothing
is measured yet. Name and value are its accessible name and description.
"""

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.history import History
from app.looks.theme import Theme
from app.readings import DASH, Reading

LINE, TALL_LINE = 14, 56  # height of the line, logical pixels
GAP = 4  # between a value and its unit
WIDEST = 88.8  # a value that takes as much room as most do: as a rate, "88.8"


Form = Callable[[float | None], Reading]


class Tile(QWidget):
    """One gauge. form: how a value is written; ceiling: the value at the top of the line, None: the highest sample."""

    def __init__(self, label: str, help_text: str, form: Form, ceiling: float | None, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._label, self._ceiling, self._theme, self._help = label, ceiling, theme, help_text
        self._form, self._details, self._line = form, "", LINE
        self.history = History()
        self._reading, self._live = Reading(None, DASH), False
        self.setAccessibleName(label)
        self.setToolTip(help_text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._describe()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Tall enough for two lines of text and the line below."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 15, round(metrics.height() * 2.3) + self._line + 10)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrower than this the value would be cut."""
        small, large = (QFontMetrics(f) for f in self._fonts())
        shown, widest = self._reading, self._form(WIDEST)
        values = [large.horizontalAdvance(r.text) + GAP + small.horizontalAdvance(first_part(r.unit)) for r in (shown, widest)]
        return QSize(max(small.horizontalAdvance(self._label), *values) + 1, self.sizeHint().height())

    def _fonts(self) -> tuple[QFont, QFont]:
        """Of label and unit, and of the value."""
        small, large = QFont(self.font()), QFont(self.font())
        small.setPointSizeF(self.font().pointSizeF() * 0.84)
        large.setPointSizeF(self.font().pointSizeF() * 1.3)
        large.setWeight(large.Weight.DemiBold)
        return small, large

    def set_label(self, label: str) -> None:
        """Name what is measured now."""
        if label != self._label:
            self._label = label
            self.setAccessibleName(label)
            self.update()

    def retranslate(self, label: str, help_text: str, reading: Reading) -> None:
        """Say the same in the language of the window."""
        self._help = help_text
        self.set_label(label)
        self._show(reading)

    def set_details(self, details: str) -> None:
        """Say more in the tool tip."""
        self._details = details
        self._tip()

    def set_tall(self, tall: bool) -> None:
        """Give the line more room, or less."""
        self._line = TALL_LINE if tall else LINE
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    def show_reading(self, reading: Reading, live: bool, time: float | None = None) -> None:
        """Show a value; a live one is added to the line, at `time` or now (time.monotonic)."""
        if live:
            self.history.add(monotonic() if time is None else time, reading.value)
        self._live = live
        self._show(reading)

    def _show(self, reading: Reading) -> None:
        before = self.minimumSizeHint().width()
        self._reading = reading
        if self.minimumSizeHint().width() != before:
            self.updateGeometry()
        self._describe()
        self.update()

    def clear(self) -> None:
        """Forget everything."""
        self.history.clear()
        self.show_reading(Reading(None, DASH), False)

    @property
    def reading(self) -> Reading:
        """What is shown."""
        return self._reading

    def _describe(self) -> None:
        r = self._reading
        said = self.tr("not measured yet") if r.value is None else f"{r.text} {r.unit}".strip()
        extent = self.history.extent
        if extent is not None and extent[0] != extent[1]:
            least, most = (f"{e.text} {e.unit}".strip() for e in map(self._form, extent))
            said = self.tr("{0}; in the last minutes {1} to {2}").format(said, least, most)
        self.setAccessibleDescription(said)
        self._tip()

    def _tip(self) -> None:
        """The unit may have been cut, so the tool tip has the value whole."""
        tip = "\n".join(filter(None, (self._help, self.accessibleDescription(), self._details)))
        if self.toolTip() != tip:
            self.setToolTip(tip)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Label, value, and the line or bar."""
        painter, theme, reading = QPainter(self), self._theme, self._reading
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0, 4, 0, -4)
        small, large = self._fonts()
        painter.setFont(small)
        painter.setPen(QColor(theme.dim))
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        used = painter.boundingRect(area, flags, self._label)
        painter.drawText(area, flags, painter.fontMetrics().elidedText(self._label, Qt.TextElideMode.ElideRight, round(area.width())))
        self._paint_line(painter, QRectF(area.left(), area.bottom() - self._line, area.width(), self._line))
        painter.setFont(large)
        painter.setPen(QColor(theme.text if self._live or reading.share is not None else theme.dim))
        row = QRectF(area.left(), used.bottom() + 1, area.width(), area.height())
        shown = painter.boundingRect(row, flags, reading.text)
        painter.drawText(row, flags, reading.text)
        painter.setFont(small)
        painter.setPen(QColor(theme.dim))
        drop = shown.height() - painter.fontMetrics().height()
        room = QRectF(shown.right() + GAP, row.top() + drop - 2, area.right() - shown.right() - GAP + 1, row.height())
        unit = reading.unit if painter.fontMetrics().horizontalAdvance(reading.unit) <= room.width() else first_part(reading.unit)
        unit = painter.fontMetrics().elidedText(unit, Qt.TextElideMode.ElideRight, round(room.width()))
        painter.drawText(room, flags, unit)

    def _paint_line(self, painter: QPainter, area: QRectF) -> None:
        theme, share = self._theme, self._reading.share
        if share is not None:
            bar = QRectF(area.left(), area.bottom() - 5, area.width(), 5)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.hover))
            painter.drawRoundedRect(bar, 2.5, 2.5)
            bar.setWidth(max(5.0, bar.width() * min(share, 1.0)))
            painter.setBrush(QColor(theme.accent))
            painter.drawRoundedRect(bar, 2.5, 2.5)
            return
        top = self._ceiling or max(self.history.values, default=0.0) or 1.0
        path = QPainterPath()
        for piece in self.history.lines():
            for n, (place, value) in enumerate(piece):
                height = min(value / top, 1.0) * (area.height() - 2)
                point = QPointF(area.left() + place * area.width(), area.bottom() - 1 - height)
                path.lineTo(point) if n else path.moveTo(point)
            if len(piece) == 1:
                path.lineTo(path.currentPosition() + QPointF(1, 0))
        base = QColor(theme.border)
        painter.setPen(QPen(base, 1))
        painter.drawLine(QPointF(area.left(), area.bottom()), QPointF(area.right(), area.bottom()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 1.4))
        painter.drawPath(path)


def first_part(unit: str) -> str:
    """The unit without what is only said where there is room."""
    return unit.split(" · ", 1)[0]
