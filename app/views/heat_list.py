"""The heat map as a list: a row a layer, which the arrow keys go through and a screen reader reads in words."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QResizeEvent
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.heat import Heat, layer_words, pixels
from app.looks.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
LEAST_ROW = 9  # pixels; lower rows cannot be told apart


class Layers(QAbstractListModel):
    """One row a MoE layer."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.heat: Heat | None = None
        self.image = QImage()

    def show_heat(self, heat: Heat | None) -> None:
        """Take the newest map."""
        old, new = (len(h.layers) if h else 0 for h in (self.heat, heat))
        if old != new:
            self.beginResetModel()
        self.heat = heat
        self._draw()
        if old != new:
            self.endResetModel()
        elif new:
            self.dataChanged.emit(self.index(0), self.index(new - 1))

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = theme
        self._draw()

    def _draw(self) -> None:
        if self.heat is None or not self.heat.cached.size:
            self.image = QImage()
            return
        colours = pixels(self.heat, self._theme)
        layers, lines, width = colours.shape[:3]
        self.image = QImage(colours.tobytes(), width, layers * lines, 4 * width, QImage.Format.Format_RGB32).copy()

    def rowCount(self, parent: Index = ROOT) -> int:  # noqa: N802
        """Layers."""
        return 0 if parent.isValid() or self.heat is None else len(self.heat.layers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The layer's number to see, a sentence to hear."""
        if self.heat is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return str(self.heat.layers[index.row()])
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return layer_words(self.heat, index.row())
        return None


class _Rows(QStyledItemDelegate):
    """Number, experts, how many are in memory."""

    def __init__(self, layers: Layers, parent: "HeatList") -> None:
        super().__init__(parent)
        self._layers, self._list = layers, parent

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802
        """As high as there is room for all layers, down to LEAST_ROW."""
        n = max(self._layers.rowCount(), 1)
        line = self._list.fontMetrics().height()
        return QSize(100, min(max(self._list.viewport().height() // n, LEAST_ROW), line + 6))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One row."""
        heat, theme, rect = self._layers.heat, self._list.theme, option.rect
        if heat is None:
            return
        row, metrics = index.row(), self._list.fontMetrics()
        left, right = metrics.horizontalAdvance("000 "), metrics.horizontalAdvance(" 000/000")
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            painter.fillRect(rect, QColor(theme.selected))
        # Where rows are lower than text, every so many carry their number, and the chosen one.
        every = -(-metrics.height() // max(rect.height(), 1))
        if chosen or row % every == 0:
            painter.setPen(QColor(theme.text if chosen else theme.dim))
            room = rect.adjusted(0, -metrics.height(), 0, metrics.height())
            centre = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(room.adjusted(2, 0, 0, 0), centre | Qt.AlignmentFlag.AlignLeft, str(heat.layers[row]))
            n = heat.n_experts[row]
            painter.drawText(room.adjusted(0, 0, -2, 0), centre | Qt.AlignmentFlag.AlignRight, f"{int(heat.cached[row, :n].sum())}/{n}")
        strip = rect.adjusted(left, 1, -right, -1)
        image = self._layers.image
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, image.width() > strip.width())
        painter.drawImage(strip, image, QRect(0, 2 * row, image.width(), 2))


class HeatList(QListView):
    """Layers by experts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.layers = Layers(theme, self)
        self.setModel(self.layers)
        self.setItemDelegate(_Rows(self.layers, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setObjectName("heat")
        self.setUniformItemSizes(True)
        self.setMouseTracking(False)
        self.retranslate()

    def retranslate(self) -> None:
        """Say all in the language of the window; rows are said when they are asked."""
        self.setAccessibleName(self.tr("Experts of each layer"))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Rows are as high as there is room."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        self.layers.set_theme(theme)
        self.viewport().update()

    def show_heat(self, heat: Heat | None) -> None:
        """Show the newest map; the chosen layer stays chosen."""
        self.layers.show_heat(heat)
        if heat is not None and heat.layers and not self.currentIndex().isValid():
            self.setCurrentIndex(self.layers.index(0))

    @property
    def words(self) -> str:
        """The chosen layer in words."""
        heat, row = self.layers.heat, self.currentIndex().row()
        return layer_words(heat, row) if heat is not None and 0 <= row < len(heat.layers) else ""
