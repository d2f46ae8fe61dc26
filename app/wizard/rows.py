"""Lists whose rows have a title, a line below it, words at the right and perhaps a bar."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.looks.theme import Theme
from app.wizard.looks import tone_colour

ROW = Qt.ItemDataRole.UserRole
SIDE, ABOVE, GAP, BAR, APART = 12.0, 8.0, 3.0, 5.0, 14.0


@dataclass(frozen=True, slots=True)
class Row:
    """key: what the row stands for; share: of a bar below, None for no bar; tone: of the words at the right."""

    key: str
    title: str
    below: str
    right: str = ""
    tone: str = "plain"
    share: float | None = None

    @property
    def spoken(self) -> str:
        """What a screen reader says."""
        return ", ".join(t for t in (self.title, self.right, self.below) if t)


class Rows(QListWidget):
    """Emits the key of the row that is current, and of one that is opened by a double click."""

    picked = Signal(str)
    opened = Signal(str)

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rows")
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)
        self._delegate = _Delegate(theme, self)
        self.setItemDelegate(self._delegate)
        self._rows: tuple[Row, ...] = ()
        self._filling = False
        self.currentItemChanged.connect(self._on_current)
        self.itemDoubleClicked.connect(lambda item: self.opened.emit(item.data(ROW).key))

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._delegate.theme = theme
        self.viewport().update()

    def show_rows(self, rows: Sequence[Row], current: str) -> None:
        """Show these rows, with the one of that key current."""
        self._filling = True
        if tuple(rows) != self._rows:
            self._rows = tuple(rows)
            self._fit()
            self.updateGeometry()
            self.clear()
            for row in rows:
                item = QListWidgetItem(row.spoken, self)
                item.setData(ROW, row)
                item.setToolTip("\n".join(t for t in (row.title, row.right, row.below) if t))
        keys = [r.key for r in rows]
        at = keys.index(current) if current in keys else -1
        if self.currentRow() != at:
            self.setCurrentRow(at)
        self._filling = False

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """See _fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where a title has no room beside the words at the right, those go below it, in all rows."""
        if (tight := self._delegate.tight(self.font(), self._rows, self.viewport().width())) != self._delegate.split:
            self._delegate.split = tight
            self.scheduleDelayedItemsLayout()
            self.updateGeometry()

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is shown."""
        return self._rows

    def full_height(self) -> int:
        """Room for all rows, at least one."""
        bar = any(r.share is not None for r in self._rows)
        return round(max(len(self._rows), 1) * self._delegate.height(self.font(), bar)) + 14

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Room for two rows, or one."""
        bar = any(r.share is not None for r in self._rows)
        return QSize(200, round(min(max(len(self._rows), 1), 2) * self._delegate.height(self.font(), bar)) + 14)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Room for four rows, or for as many as there are."""
        bar = any(r.share is not None for r in self._rows)
        return QSize(320, round(min(max(len(self._rows), 1), 4) * self._delegate.height(self.font(), bar)) + 14)

    @Slot(QListWidgetItem, QListWidgetItem)
    def _on_current(self, item: QListWidgetItem | None, _before: QListWidgetItem | None) -> None:
        if item is not None and not self._filling:
            self.picked.emit(item.data(ROW).key)


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.split = False  # the words at the right have a line of their own

    def tight(self, font: QFont, rows: Sequence[Row], width: int) -> bool:
        """Whether a row lacks room for title and words side by side."""
        plain, bold = QFontMetricsF(font), QFontMetricsF(_bold(font))
        room = width - 2 * SIDE - 2
        return any(r.right and bold.horizontalAdvance(r.title) + APART + plain.horizontalAdvance(r.right) > room for r in rows)

    def height(self, font: QFont, bar: bool) -> float:
        line = QFontMetricsF(font).height()
        return 2 * ABOVE + line * (2 if self.split else 1) + GAP + line * 0.9 + (GAP + BAR + 2 if bar else 0)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: N802
        return QSize(120, round(self.height(option.font, index.data(ROW).share is not None)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        row, theme = index.data(ROW), self.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(option.rect).adjusted(1, 1, -1, -1)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.selected if chosen else theme.hover))
            painter.drawRoundedRect(area, 8, 8)
        area.adjust(SIDE, ABOVE, -SIDE, -ABOVE)
        title, small = _bold(option.font), QFont(option.font)
        small.setPointSizeF(option.font.pointSizeF() * 0.9)
        top = QFontMetricsF(title).height()
        painter.setFont(option.font)
        painter.setPen(QColor(tone_colour(theme, row.tone)))
        share = 1.0 if self.split else 0.62
        words = painter.fontMetrics().elidedText(row.right, Qt.TextElideMode.ElideRight, round(area.width() * share))
        taken = 0 if self.split else painter.fontMetrics().horizontalAdvance(words)
        line = QRectF(area.left(), area.top(), area.width(), top)
        side = Qt.AlignmentFlag.AlignLeft if self.split else Qt.AlignmentFlag.AlignRight
        painter.drawText(line.translated(0, top if self.split else 0), side | Qt.AlignmentFlag.AlignVCenter, words)
        painter.setFont(title)
        painter.setPen(QColor(theme.text))
        room = area.width() - taken - (APART if taken else 0)
        self._write(painter, line, row.title, room)
        painter.setFont(small)
        painter.setPen(QColor(theme.dim))
        above = top * (2 if self.split else 1) + GAP
        line = QRectF(area.left(), area.top() + above, area.width(), painter.fontMetrics().height())
        self._write(painter, line, row.below, area.width())
        if row.share is not None:
            bar = QRectF(area.left(), area.bottom() - BAR + 2, area.width(), BAR)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.border))
            painter.drawRoundedRect(bar, BAR / 2, BAR / 2)
            bar.setWidth(max(BAR, bar.width() * min(row.share, 1.0)))
            painter.setBrush(QColor(theme.accent))
            painter.drawRoundedRect(bar, BAR / 2, BAR / 2)
        painter.restore()

    @staticmethod
    def _write(painter: QPainter, line: QRectF, text: str, room: float) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, round(room))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, shown)


def _bold(font: QFont) -> QFont:
    title = QFont(font)
    title.setWeight(QFont.Weight.DemiBold)
    return title
