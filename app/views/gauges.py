"""Gauges: tiles that show the engine's rates, each with its last half minute as a line. Nothing is smoothed.

A tile shows the live rate while the engine works, afterwards the average over the last answer in a quieter colour, and a dash
where nothing is measured yet.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from app import gauge_details
from app.looks.theme import Theme
from app.presentation import size
from app.rates import Rates
from engine.events import ModelInfo
from engine.stats import Snapshot, VolumeCounters

HISTORY = 60  # samples, half a minute at 2 Hz
LINE = 14  # height of the line, logical pixels
DASH = "–"


@dataclass(frozen=True, slots=True)
class Reading:
    """value: a number for the line and None where nothing is measured; text and unit as shown; share: of a whole, 0 to 1."""

    value: float | None
    text: str
    unit: str = ""
    share: float | None = None


class Tile(QWidget):
    """One gauge. `ceiling`: the value at the top of the line, None: the highest sample."""

    def __init__(self, label: str, help_text: str, ceiling: float | None, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._label, self._ceiling, self._theme, self._help = label, ceiling, theme, help_text
        self._samples: deque[float | None] = deque(maxlen=HISTORY)
        self._reading, self._live = Reading(None, DASH), False
        self.setAccessibleName(label)
        self.setToolTip(help_text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._describe()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Tall enough for two lines of text and the line below."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 15, round(metrics.height() * 2.3) + LINE + 10)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Narrower than this the value would be cut."""
        return QSize(self.fontMetrics().averageCharWidth() * 12, self.sizeHint().height())

    def set_label(self, label: str) -> None:
        """Name what is measured now."""
        if label != self._label:
            self._label = label
            self.setAccessibleName(label)
            self.update()

    def set_details(self, details: str) -> None:
        """Say more in the tool tip."""
        self.setToolTip(f"{self._help}\n{details}" if details else self._help)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    def show_reading(self, reading: Reading, live: bool) -> None:
        """Show a value; a live one is added to the line."""
        if live:
            self._samples.append(reading.value)
        self._reading, self._live = reading, live
        self._describe()
        self.update()

    def clear(self) -> None:
        """Forget everything."""
        self._samples.clear()
        self.show_reading(Reading(None, DASH), False)

    @property
    def reading(self) -> Reading:
        """What is shown."""
        return self._reading

    def _describe(self) -> None:
        r = self._reading
        self.setAccessibleDescription(self.tr("not measured yet") if r.value is None else f"{r.text} {r.unit}".strip())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Label, value, and the line or bar."""
        painter, theme, reading = QPainter(self), self._theme, self._reading
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0, 4, 0, -4)
        small, large = self.font(), self.font()
        small.setPointSizeF(self.font().pointSizeF() * 0.84)
        large.setPointSizeF(self.font().pointSizeF() * 1.3)
        large.setWeight(large.Weight.DemiBold)
        painter.setFont(small)
        painter.setPen(QColor(theme.dim))
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        used = painter.boundingRect(area, flags, self._label)
        painter.drawText(area, flags, painter.fontMetrics().elidedText(self._label, Qt.TextElideMode.ElideRight, round(area.width())))
        self._paint_line(painter, QRectF(area.left(), area.bottom() - LINE, area.width(), LINE))
        painter.setFont(large)
        painter.setPen(QColor(theme.text if self._live or reading.share is not None else theme.dim))
        row = QRectF(area.left(), used.bottom() + 1, area.width(), area.height())
        shown = painter.boundingRect(row, flags, reading.text)
        painter.drawText(row, flags, reading.text)
        painter.setFont(small)
        painter.setPen(QColor(theme.dim))
        drop = shown.height() - painter.fontMetrics().height()
        painter.drawText(QRectF(shown.right() + 4, row.top() + drop - 2, area.right() - shown.right(), row.height()), flags, reading.unit)

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
        known = [s for s in self._samples if s is not None]
        top = self._ceiling or max(known, default=0.0) or 1.0
        step, path, drawing = area.width() / (HISTORY - 1), QPainterPath(), False
        x = area.right() - step * (len(self._samples) - 1)
        for sample in self._samples:
            if sample is None:
                drawing = False
            else:
                point = QPointF(x, area.bottom() - 1 - min(sample / top, 1.0) * (area.height() - 2))
                path.lineTo(point) if drawing else path.moveTo(point)
                drawing = True
            x += step
        base = QColor(theme.border)
        painter.setPen(QPen(base, 1))
        painter.drawLine(QPointF(area.left(), area.bottom()), QPointF(area.right(), area.bottom()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 1.4))
        painter.drawPath(path)


class GaugeStrip(QFrame):
    """Speed, cache hits, disk, memory and drafts side by side."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self.setAccessibleName(self.tr("Engine gauges"))
        make = self._tile(theme)
        self.speed = make(self.tr("Speed"), self.tr("Tokens per second: written ones, or read ones while the prompt is read"), None)
        self.hits = make(self.tr("Cache hits"), self.tr("Share of the experts that were in memory when they were needed"), 1.0)
        self.disk = make(self.tr("Disk"), self.tr("Bytes of experts read from disk per second"), None)
        self.memory = make(self.tr("Memory"), self.tr("Memory that the engine has allocated by its plan, against its limit"), None)
        self.drafts = make(self.tr("Drafts kept"), self.tr("Share of the drafted tokens that the model agreed with"), 1.0)
        self.tiles = (self.speed, self.hits, self.disk, self.memory, self.drafts)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 6, 18, 6)
        row.setSpacing(16)
        for tile in self.tiles:
            row.addWidget(tile, 5 if tile is self.memory else 4)

    def _tile(self, theme: Theme) -> Callable[[str, str, float | None], Tile]:
        return lambda label, help_text, ceiling: Tile(label, help_text, ceiling, theme, self)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        for tile in self.tiles:
            tile.set_theme(theme)

    def show_rates(self, rates: Rates, live: bool, reading_prompt: bool = False) -> None:
        """Show rates; live: they are of this moment, else averages over the last answer."""
        pace = rates.prompt if reading_prompt else rates.tokens
        self.speed.set_label(self.tr("Reading the prompt") if reading_prompt else self.tr("Speed"))
        self.speed.show_reading(speed(pace), live)
        self.hits.show_reading(percent(rates.hits), live)
        self.disk.show_reading(flow(rates.disk), live)
        self.drafts.show_reading(percent(rates.accepted), live)
        self.show_memory(rates)

    def show_counters(self, snapshot: Snapshot) -> None:
        """Say in the tool tip what reading ahead does."""
        self.hits.set_details(gauge_details.ahead(snapshot))

    def show_drives(self, volumes: Sequence[VolumeCounters]) -> None:
        """Say in the tool tip what each drive does."""
        self.disk.set_details(gauge_details.drives(volumes))

    def show_model(self, info: ModelInfo | None) -> None:
        """Say in the tool tip how memory is held."""
        self.memory.set_details(gauge_details.held(info))

    def show_memory(self, rates: Rates) -> None:
        """Show memory alone, which is also known while the engine rests."""
        if rates.memory is not None and rates.budget:
            self.memory.show_reading(memory(rates.memory, rates.budget), False)

    def clear(self) -> None:
        """A model was closed: nothing is measured."""
        for tile in self.tiles:
            tile.clear()
            tile.set_details("")


def speed(tokens_per_second: float | None) -> Reading:
    """Tokens per second."""
    if tokens_per_second is None:
        return Reading(None, DASH)
    text = f"{tokens_per_second:.1f}" if tokens_per_second < 99.95 else f"{tokens_per_second:.0f}"
    return Reading(tokens_per_second, text, _tr("tok/s"))


def percent(share: float | None) -> Reading:
    """A share as whole percents; 100% only where nothing is missing."""
    if share is None:
        return Reading(None, DASH)
    return Reading(share, f"{min(round(share * 100), 99) if share < 1 else 100}", "%")


def flow(bytes_per_second: float | None) -> Reading:
    """Bytes per second."""
    if bytes_per_second is None:
        return Reading(None, DASH)
    value, unit = _scaled(bytes_per_second)
    return Reading(bytes_per_second, value, _tr("{0}/s").format(unit))


def memory(used: int, budget: int) -> Reading:
    """Memory against the budget."""
    value, unit = _scaled(used)
    same = unit == _scaled(budget)[1]
    against = _tr("of {0}").format(size(budget)) if same else _tr("{0} of {1}").format(unit, size(budget))
    return Reading(float(used), value, against, used / budget)


def _scaled(nbytes: float) -> tuple[str, str]:
    number, unit = size(nbytes).split(" ", 1)
    return number, unit


def _tr(text: str) -> str:
    return QCoreApplication.translate("Gauges", text)
