"""The list of conversations as model, delegate and view: no widget per row, so that thousands cost nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.looks import icons
from app.looks.theme import Theme

ROW = Qt.ItemDataRole.UserRole
DOTS = 30  # pixels at the end of the row under the mouse, which open its menu
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Row:
    """A conversation, or the name of a group where id is None. message, excerpt: where a search found it."""

    id: int | None
    text: str
    pinned: bool = False
    message: int | None = None
    excerpt: str = ""


class ChatModel(QAbstractListModel):
    """Rows as they are shown; `renamed` carries what a person typed."""

    renamed = Signal(int, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: list[Row] = []
        self.editable = True

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace all."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 (Qt's own signature)
        """How many."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A row's text and what lies behind it."""
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return row.text
            case Qt.ItemDataRole.ToolTipRole:
                return row.text if row.id is not None else None
            case Qt.ItemDataRole.AccessibleTextRole:
                return ". ".join(part for part in (row.text, self.tr("Pinned") if row.pinned else "", row.excerpt) if part)
            case _ if role == ROW:
                return row
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:  # noqa: N802
        """Take a new name."""
        row = self.rows[index.row()]
        if role != Qt.ItemDataRole.EditRole or row.id is None or not isinstance(value, str):
            return False
        if value.strip() and value.strip() != row.text:
            self.renamed.emit(row.id, value.strip())
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Names of groups cannot be chosen."""
        if not index.isValid() or self.rows[index.row()].id is None:
            return Qt.ItemFlag.NoItemFlags
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual | Qt.ItemFlag.ItemIsEditable if self.editable else usual

    def place(self, id: int | None) -> QModelIndex:
        """Where a conversation is; invalid where it is not shown."""
        at = next((n for n, row in enumerate(self.rows) if row.id == id and id is not None), None)
        return self.index(at) if at is not None else QModelIndex()


class ChatDelegate(QStyledItemDelegate):
    """Draws rows in the theme's colours."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        """One line, two where a search found words, and a name of a group with air above it."""
        row: Row = index.data(ROW)
        line = option.fontMetrics.height()
        if row.id is None:
            return QSize(0, line + (12 if index.row() else 4))
        return QSize(0, line + 16 + (line if row.excerpt else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One row."""
        row: Row = index.data(ROW)
        t, rect, small = self.theme, option.rect, QFont(option.font)
        small.setPointSizeF(small.pointSizeF() * 0.86)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.id is None:
            small.setWeight(QFont.Weight.DemiBold)
            painter.setFont(small)
            self._text(painter, rect.adjusted(10, 0, -10, -2), row.text, t.dim, Qt.AlignmentFlag.AlignBottom)
            painter.restore()
            return
        chosen, hovered = (bool(option.state & s) for s in (QStyle.StateFlag.State_Selected, QStyle.StateFlag.State_MouseOver))
        if chosen or hovered:
            painter.setPen(QColor(t.accent) if chosen and option.state & QStyle.StateFlag.State_HasFocus else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.selected if chosen else t.hover))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 8, 8)
        inner = rect.adjusted(10, 7, -10, -7)
        if hovered:
            painter.drawPixmap(inner.right() - 15, inner.top(), icons.pixmap("dots", t.text, 16))
        elif row.pinned:
            painter.drawPixmap(inner.right() - 13, inner.top() + 2, icons.pixmap("pin", t.dim, 13))
        painter.setFont(option.font)
        title = QRect(inner.left(), inner.top(), inner.width() - (20 if hovered else 18 if row.pinned else 0), option.fontMetrics.height())
        self._text(painter, title, row.text, t.text, Qt.AlignmentFlag.AlignVCenter)
        if row.excerpt:
            painter.setFont(small)
            below = QRect(inner.left(), title.bottom(), inner.width(), option.fontMetrics.height())
            self._text(painter, below, row.excerpt, t.dim, Qt.AlignmentFlag.AlignVCenter)
        painter.restore()

    @staticmethod
    def _text(painter: QPainter, rect: QRect, text: str, colour: str, vertical: Qt.AlignmentFlag) -> None:
        painter.setPen(QColor(colour))
        mirrored = QApplication.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if mirrored else Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, vertical | side, painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width()))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:  # noqa: N802
        """A field for the name."""
        editor = QLineEdit(parent)
        editor.setAccessibleName(self.tr("Name of the conversation"))
        editor.setMaxLength(200)
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802
        """Over the row."""
        editor.setGeometry(option.rect.adjusted(2, 2, -2, -2))


class ChatView(QListView):
    """The list. `chosen` carries a row that a person went to; Delete asks to delete it."""

    chosen = Signal(object)  # Row
    delete_asked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.chats = ChatModel(self)
        self.delegate = ChatDelegate(theme, self)
        self.setModel(self.chats)
        self.setItemDelegate(self.delegate)
        self.retranslate()
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._showing = False

    def retranslate(self) -> None:
        """Say all but the rows in the language of the window."""
        self.setAccessibleName(self.tr("Conversations"))

    def show_rows(self, rows: Sequence[Row], current: int | None) -> None:
        """Show these, with one of them, or none, chosen."""
        if list(rows) != self.chats.rows:
            if self.state() == QAbstractItemView.State.EditingState:
                self.closeEditor(self.indexWidget(self.currentIndex()) or self.viewport(), QAbstractItemDelegate.EndEditHint.NoHint)
            top = self.verticalScrollBar().value()
            self._showing = True
            self.chats.show_rows(rows)
            self._showing = False
            self.verticalScrollBar().setValue(top)
        self.choose(current)

    def choose(self, id: int | None) -> None:
        """Mark a conversation as the one that is shown, without opening it."""
        self._showing = True
        self.setCurrentIndex(self.chats.place(id))
        if not self.currentIndex().isValid():
            self.clearSelection()
        self._showing = False

    def row(self, index: Index) -> Row | None:
        """What is there; None for nothing or a name of a group."""
        found = index.data(ROW) if index.isValid() else None
        return found if isinstance(found, Row) and found.id is not None else None

    def row_at(self, at: QPoint) -> Row | None:
        """What is at a place of the viewport."""
        return self.row(self.indexAt(at))

    def currentChanged(self, current: Index, previous: Index) -> None:  # noqa: N802
        """Open what a person went to."""
        super().currentChanged(current, previous)
        row = self.row(current)
        if row is not None and not self._showing:
            self.chosen.emit(row)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """The dots open the row's menu, as the right button does anywhere on it, and leave the chat that is shown."""
        at = event.position().toPoint()
        dots = self.visualRect(self.indexAt(at)).right() - DOTS
        if event.button() == Qt.MouseButton.LeftButton and self.row_at(at) is not None and at.x() > dots:
            self.customContextMenuRequested.emit(at)
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Delete asks to delete; nothing else does."""
        row = self.row(self.currentIndex())
        if event.key() == Qt.Key.Key_Delete and row is not None and row.id is not None:
            self.delete_asked.emit(row.id)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None and self.state() != QListView.State.EditingState:
            self.chosen.emit(row)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another text size makes other heights."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.scheduleDelayedItemsLayout()
