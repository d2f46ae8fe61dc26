"""The engine from inside: where a token's time goes, which experts are in memory and used, and what the drives do."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app import gauge_details
from app.heat import Heat, whole_words
from app.looks.theme import Theme
from app.rates import Split
from app.views.heat_list import HeatList
from app.views.split_bar import SplitBar
from engine.events import ModelInfo
from engine.stats import Snapshot, VolumeCounters

SWATCH = 10


class Legend(QWidget):
    """What the colours of the map mean."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.retranslate()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.texts = (self.tr("in memory"), self.tr("on the drive"), self.tr("used just now"))
        note = self.tr("stronger: used more")
        self._note = f"({note})"
        self.setAccessibleName(self.tr("Colours: {0}").format(", ".join((*self.texts, note))))
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self.update()

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Fewer pixels of width, more lines."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """The height of all lines."""
        return round(self._places(width)[-1].bottom())

    def sizeHint(self) -> QSize:  # noqa: N802
        """One line."""
        return QSize(300, self.fontMetrics().height() + 4)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As narrow as its widest part."""
        return QSize(max(round(p.width()) for p in self._places(0)), self.fontMetrics().height() + 4)

    def _places(self, width: int) -> list[QRectF]:
        """Where each part is: the colours with their words, and the note."""
        metrics, line = self.fontMetrics(), self.fontMetrics().height() + 4
        sizes = [SWATCH + 6 + metrics.horizontalAdvance(t) for t in self.texts] + [metrics.horizontalAdvance(self._note)]
        x, y, out = 0, 0, []
        for size in sizes:
            if x and x + size > width:
                x, y = 0, y + line
            out.append(QRectF(x, y, size, line))
            x += size + 16
        return out

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Squares and words, from the left."""
        painter, t = QPainter(self), self._theme
        *places, last = self._places(self.width())
        for place, text, colour in zip(places, self.texts, (t.part_experts, t.part_rest, t.part_reads), strict=True):
            painter.fillRect(QRectF(place.left(), place.center().y() - SWATCH / 2, SWATCH, SWATCH), QColor(colour))
            painter.setPen(QColor(t.dim))
            painter.drawText(place.adjusted(SWATCH + 6, 0, 1, 0), Qt.AlignmentFlag.AlignVCenter, text)
        painter.drawText(last.adjusted(0, 0, 1, 0), Qt.AlignmentFlag.AlignVCenter, self._note)


class EnginePage(QScrollArea):
    """Shows what it is told. `looking` tells whether anybody can see it."""

    looking = Signal(bool)
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plainpage")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its parts are what can be reached
        self.split, self.legend, self.map = SplitBar(theme), Legend(theme), HeatList(theme)
        self.map.setMinimumHeight(120)
        self.whole, self.layer, self.details = self._text(), self._text("dim"), self._text("dim")
        inner = QWidget(self)
        inner.setObjectName("plainpage")
        column = QVBoxLayout(inner)
        column.setContentsMargins(18, 12, 18, 8)
        column.setSpacing(8)
        for part in (self.split, self.whole, self.legend):
            column.addWidget(part)
        column.addWidget(self.map, 1)
        column.addWidget(self.layer)
        column.addWidget(self.details)
        column.addStretch(0)  # where there is no map, what is said stays together
        self.setWidget(inner)
        self.map.selectionModel().currentChanged.connect(self._show_layer)
        self._info: ModelInfo | None = None
        self._snapshot, self._volumes = Snapshot(), tuple[VolumeCounters, ...]()
        self.setAccessibleName(self.tr("Engine page"))
        self.show_model(None)

    def _text(self, name: str = "") -> QLabel:
        label = QLabel(self)
        label.setObjectName(name)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        for part in (self.split, self.legend, self.map):
            part.set_theme(theme)

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.setAccessibleName(self.tr("Engine page"))
        for part in (self.split, self.legend, self.map):
            part.retranslate()
        self.show_heat(self.map.layers.heat)
        self._show_details()

    def show_model(self, info: ModelInfo | None) -> None:
        """Another model is open, or (None) none."""
        before, self._info = self._info, info
        if info is None:
            self._snapshot, self._volumes = Snapshot(), ()
            self.show_split(None)
            self.show_heat(None)
        elif before is not info:
            self.show_heat(None)
        self._show_details()

    def take_focus(self) -> None:
        """Let keys go here, to the map where there is one."""
        (self if self.map.isHidden() else self.map).setFocus()

    def show_split(self, split: Split | None) -> None:
        """Show where the time of a token went."""
        self.split.show_split(split)

    def show_counters(self, snapshot: Snapshot) -> None:
        """Say what drafts and reading ahead brought since the model was opened."""
        self._snapshot = snapshot
        self._show_details()

    def show_drives(self, volumes: Sequence[VolumeCounters]) -> None:
        """Say what each drive does."""
        self._volumes = tuple(volumes)
        self._show_details()

    def show_heat(self, heat: Heat | None) -> None:
        """Show the newest map of the experts."""
        self.map.show_heat(heat)
        shown = heat is not None and bool(heat.layers)
        self.map.setVisible(shown)
        self.legend.setVisible(shown)
        self.layer.setVisible(shown)
        if shown and self.window().focusWidget() is self:
            self.map.setFocus()
        if heat is not None:
            self.whole.setText(whole_words(heat))
        elif self._info is None:
            self.whole.setText(self.tr("Experts are shown while a model is open."))
        else:
            self.whole.setText(self.tr("Looking at the experts…"))
        self._show_layer()

    @Slot()
    def _show_layer(self) -> None:
        self.layer.setText(self.map.words)

    def _show_details(self) -> None:
        s = self._snapshot
        lines = [gauge_details.drafting(self._info), gauge_details.drafted(s), gauge_details.ahead(s)]
        dense = self._info is not None and not self._info.n_expert_records  # then nothing is read from drives
        lines += [gauge_details.held(self._info), "" if dense else gauge_details.drives(self._volumes)]
        self.details.setText("\n".join(filter(None, lines)))
        self.details.setVisible(bool(self.details.text()))

    # Whether it is seen

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Maps are asked for from now on."""
        super().showEvent(event)
        self.looking.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Nobody looks."""
        super().hideEvent(event)
        self.looking.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape goes back to the chat."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
