"""The page that lists the keys, made from their table."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from app.help.keys import does, shown, table


class KeysPage(QWidget):
    """Two columns: what is pressed, and what it does."""

    def __init__(self, send_key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        rows = table(send_key)
        self.list = QTableWidget(len(rows), 2, self)
        self.list.setAccessibleName(self.tr("Keys"))
        self.list.setHorizontalHeaderLabels([self.tr("Keys"), self.tr("What they do")])
        self.list.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.list.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.list.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        self.list.horizontalHeader().setHighlightSections(False)
        self.list.verticalHeader().hide()
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.setTabKeyNavigation(False)
        self.list.setShowGrid(False)
        for row, keys in enumerate(rows):
            self.list.setItem(row, 0, QTableWidgetItem(shown(keys)))
            self.list.setItem(row, 1, QTableWidgetItem(does(keys)))
        self.list.setCurrentCell(0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 8)
        column.addWidget(self.list)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Longer texts take two lines where it is narrow."""
        super().resizeEvent(event)
        self.list.resizeRowsToContents()
