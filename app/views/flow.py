"""A row of widgets that goes on in another line where there is no room."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle, QWidget


class Flow(QLayout):
    """Each widget has the size that it asks for; lines begin where the language begins."""

    def __init__(self, parent: QWidget | None = None, spacing: int = 8) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(QMargins())
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:  # noqa: N802
        """Put an item at the end."""
        self._items.append(item)

    def count(self) -> int:
        """How many items there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """One of them, or None."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # noqa: N802
        """Take one of them away."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:  # noqa: N802
        """None: what is left stays empty."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Fewer pixels of width, more lines."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """The height of all lines."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, area: QRect) -> None:  # noqa: N802
        """Place the widgets."""
        super().setGeometry(area)
        self._place(area, move=True)

    def sizeHint(self) -> QSize:  # noqa: N802
        """One line."""
        shown = [i.sizeHint() for i in self._items if not i.isEmpty()]
        width = sum(s.width() for s in shown) + self.spacing() * max(len(shown) - 1, 0)
        return QSize(width, max((s.height() for s in shown), default=0))

    def minimumSize(self) -> QSize:  # noqa: N802
        """The widest and the tallest of them."""
        least = QSize()
        for item in self._items:
            if not item.isEmpty():
                least = least.expandedTo(item.minimumSize())
        return least

    def _place(self, area: QRect, move: bool) -> int:
        """Put the items into lines; their height."""
        lines: list[list[QLayoutItem]] = []
        x = area.left()
        for item in self._items:
            if item.isEmpty():
                continue
            width = item.sizeHint().width()
            if not lines or x + width > area.right() + 1:
                lines.append([])
                x = area.left()
            lines[-1].append(item)
            x += width + self.spacing()
        y, parent = area.top(), self.parentWidget()
        direction = parent.layoutDirection() if parent is not None else Qt.LayoutDirection.LeftToRight
        for line in lines:
            height, x = max(i.sizeHint().height() for i in line), area.left()
            for item in line:
                size = item.sizeHint()
                size.setWidth(min(size.width(), max(area.width(), 0)))
                if move:
                    place = QRect(QPoint(x, y + (height - size.height()) // 2), size)
                    item.setGeometry(QStyle.visualRect(direction, area, place))
                x += size.width() + self.spacing()
            y += height + self.spacing()
        return max(y - self.spacing() - area.top(), 0)
