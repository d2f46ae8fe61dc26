"""The side list: conversations, the latest first; rename in place, delete with a way back."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.chats.store import Conversation
from app.looks import icons
from app.looks.theme import Theme

WIDTH = 216
NUMBER = Qt.ItemDataRole.UserRole


class Sidebar(QFrame):
    """Emits what is asked; shows what it is told."""

    new_asked = Signal()
    chosen = Signal(int)
    renamed = Signal(int, str)
    delete_asked = Signal(int)
    copy_asked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setFixedWidth(WIDTH)
        self._updating = False
        brand = QLabel(self.tr("Ouzel"), self)
        brand.setObjectName("brand")
        self._bird = QLabel(self)
        self._bird.setPixmap(icons.pixmap("ouzel", theme.text, 24))
        self._bird.setAccessibleName(self.tr("Ouzel"))
        self.new_button = QPushButton(self.tr("New chat"), self)
        self.new_button.setAccessibleName(self.tr("New chat"))
        self.new_button.setShortcut(QKeySequence.StandardKey.New)
        self.new_button.setToolTip(self.tr("New chat ({0})").format(QKeySequence(QKeySequence.StandardKey.New).toString()))
        self.new_button.setIconSize(QSize(16, 16))
        self.list = QListWidget(self)
        self.list.setAccessibleName(self.tr("Conversations"))
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._lay_out(brand)
        self.new_button.clicked.connect(self.new_asked)
        self.list.currentItemChanged.connect(self._on_current)
        self.list.itemChanged.connect(self._on_edited)
        self.list.customContextMenuRequested.connect(self._on_menu)
        self._theme = theme
        self.set_theme(theme)

    def _lay_out(self, brand: QLabel) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._bird)
        head.addWidget(brand, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 12, 10, 10)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.new_button)
        column.addWidget(self.list, 1)

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in other colours."""
        self._theme = theme
        self.new_button.setIcon(icons.icon("plus", theme.text, theme.dim))

    def show_list(self, conversations: Sequence[Conversation], current: int | None) -> None:
        """Show these conversations with one of them, or none, chosen."""
        self._updating = True
        self.list.clear()
        for conversation in conversations:
            item = QListWidgetItem(conversation.title or self.tr("Untitled"), self.list)
            item.setData(NUMBER, conversation.id)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            item.setToolTip(conversation.title)
            if conversation.id == current:
                self.list.setCurrentItem(item)
        if current is None:
            self.list.setCurrentRow(-1)
        self._updating = False

    def menu(self, item: QListWidgetItem) -> QMenu:
        """What can be done with one conversation."""
        number = int(item.data(NUMBER))
        menu = QMenu(self)
        entries = (
            ("pencil", self.tr("Rename"), lambda: self.list.editItem(item)),
            ("copy", self.tr("Copy as Markdown"), lambda: self.copy_asked.emit(number)),
            ("trash", self.tr("Delete"), lambda: self.delete_asked.emit(number)),
        )
        for name, label, act in entries:
            action = QAction(icons.icon(name, self._theme.text), label, menu)
            action.triggered.connect(act)
            menu.addAction(action)
        return menu

    @Slot(QListWidgetItem, QListWidgetItem)
    def _on_current(self, item: QListWidgetItem | None, _previous: QListWidgetItem | None) -> None:
        if item is not None and not self._updating:
            self.chosen.emit(int(item.data(NUMBER)))

    @Slot(QListWidgetItem)
    def _on_edited(self, item: QListWidgetItem) -> None:
        if not self._updating:
            self.renamed.emit(int(item.data(NUMBER)), item.text().strip())

    @Slot(QPoint)
    def _on_menu(self, at: QPoint) -> None:
        item = self.list.itemAt(at) or self.list.currentItem()
        if item is not None:
            menu = self.menu(item)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.list.viewport().mapToGlobal(at))
