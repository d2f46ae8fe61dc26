"""The side list: search, conversations in groups by date, and what can be done with them; or the trash in its place."""

from collections.abc import Callable, Sequence
from datetime import date

from PySide6.QtCore import QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.chats.groups import grouped
from app.chats.records import Conversation, Found
from app.looks import icons
from app.looks.theme import Theme
from app.views.chat_list import ChatView, Row

WIDTH = 228
SEARCH_MS = 120  # after the last key


class SearchField(QLineEdit):
    """Escape empties it and gives the keyboard back, Down goes to the list."""

    left = Signal()
    down = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """See the class."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
        elif event.key() == Qt.Key.Key_Down:
            self.down.emit()
        else:
            super().keyPressEvent(event)


class Sidebar(QFrame):
    """Emits what is asked; shows what it is told."""

    new_asked = Signal()
    chosen = Signal(int, object)  # conversation, the message that a search found or None
    renamed = Signal(int, str)
    pin_asked = Signal(int, bool)
    delete_asked = Signal(int)
    copy_asked = Signal(int)
    export_asked = Signal(object, str)  # conversation or None for all, "md" or "json"
    import_asked = Signal()
    jobs_asked = Signal()
    help_asked = Signal(int)  # a page of the help
    restore_asked = Signal(int)
    erase_asked = Signal(int)
    search_left = Signal()
    refresh_asked = Signal()  # the search or the trash was chosen: show what `query` and `in_trash` say

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setFixedWidth(WIDTH)
        self.in_trash = False
        self._brand = QLabel(self)
        self._brand.setObjectName("brand")
        self._bird = QLabel(self)
        self._bird.setPixmap(icons.pixmap("ouzel", theme.text, 24))
        self.new_button = QPushButton(self)
        icons.fit(self.new_button, 16)
        self.more_button = QToolButton(self)
        icons.fit(self.more_button, 18)
        self.search = SearchField(self)
        self.search.setClearButtonEnabled(True)
        self._clear = self.search.findChild(QToolButton)
        self.list = ChatView(theme, self)
        self.empty = QLabel(self)
        self.empty.setObjectName("dim")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._searcher = QTimer(self, singleShot=True, interval=SEARCH_MS)
        self._lay_out()
        self._connect()
        self._theme = theme
        self.set_theme(theme)
        self.retranslate()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._bird)
        head.addWidget(self._brand, 1)
        head.addWidget(self.more_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 12, 10, 10)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self.new_button)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(self.empty, 1)
        self.empty.hide()

    def _connect(self) -> None:
        self.new_button.clicked.connect(self._on_new)
        self.more_button.clicked.connect(self._on_more)
        self.search.textChanged.connect(self._on_typed)
        self.search.left.connect(self.search_left)
        self.search.down.connect(self._to_list)
        self._searcher.timeout.connect(self.refresh_asked)
        self.list.chosen.connect(self._on_chosen)
        self.list.delete_asked.connect(self._on_delete)
        self.list.chats.renamed.connect(self.renamed)
        self.list.customContextMenuRequested.connect(self._on_menu)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._theme = self.list.delegate.theme = theme
        self.more_button.setIcon(icons.icon("dots", theme.text))
        for old in self.search.actions():
            if old.objectName() == "glass":
                self.search.removeAction(old)
        glass = self.search.addAction(icons.icon("search", theme.dim), QLineEdit.ActionPosition.LeadingPosition)
        glass.setObjectName("glass")
        self._name_parts()
        self.list.viewport().update()

    def retranslate(self) -> None:
        """Say all but the rows in the language of the window."""
        self._brand.setText(self.tr("Ouzel"))
        self._bird.setAccessibleName(self.tr("Ouzel"))
        self.more_button.setAccessibleName(self.tr("More about conversations"))
        self.more_button.setToolTip(self.tr("Import, export, trash and help"))
        self.search.setAccessibleName(self.tr("Search all conversations"))
        self.search.setPlaceholderText(self.tr("Search"))
        self.list.retranslate()
        self._name_parts()

    def _name_parts(self) -> None:
        for button in self.search.findChildren(QToolButton):
            button.setAccessibleName(self.tr("Clear the search") if button is self._clear else self.tr("Search"))
        self._name_button()

    def _name_button(self) -> None:
        label = self.tr("Back to the chats") if self.in_trash else self.tr("New chat")
        keys = QKeySequence(QKeySequence.StandardKey.New).toString(QKeySequence.SequenceFormat.NativeText)
        self.new_button.setText(label)
        self.new_button.setAccessibleName(label)
        self.new_button.setToolTip("" if self.in_trash else self.tr("New chat ({0})").format(keys))
        self.new_button.setIcon(icons.icon("back" if self.in_trash else "plus", self._theme.text, self._theme.dim))
        self.search.setVisible(not self.in_trash)

    # Showing

    @property
    def query(self) -> str:
        """What is searched for; "" for nothing."""
        return "" if self.in_trash else self.search.text().strip()

    def show_list(self, conversations: Sequence[Conversation], current: int | None, today: date | None = None) -> None:
        """Show these conversations in groups."""
        rows = []
        for name, group in grouped(conversations, today or date.today()):
            rows += [Row(None, name), *(Row(c.id, c.title or self.tr("Untitled"), c.pinned) for c in group)]
        self._show(rows, current, self.tr("Your chats appear here."))

    def show_found(self, found: Sequence[Found], current: int | None) -> None:
        """Show what a search found."""
        rows = [Row(f.conversation.id, f.conversation.title or self.tr("Untitled"), False, f.message, f.excerpt) for f in found]
        self._show(rows, current, self.tr("Nothing was found."))

    def show_trash(self, conversations: Sequence[Conversation]) -> None:
        """Show what can be restored."""
        head = [Row(None, self.tr("Trash: kept for 30 days"))] if conversations else []
        rows = [*head, *(Row(c.id, c.title or self.tr("Untitled")) for c in conversations)]
        self._show(rows, None, self.tr("The trash is empty."))

    def _show(self, rows: list[Row], current: int | None, nothing: str) -> None:
        self.list.chats.editable = not self.in_trash
        self.list.show_rows(rows, current)
        self.empty.setText(nothing)
        self.empty.setVisible(not rows)
        self.list.setVisible(bool(rows))

    def show_trash_mode(self, on: bool) -> None:
        """Go to the trash, or back."""
        self.in_trash = on
        self._name_button()
        self.refresh_asked.emit()

    # Doing

    @Slot()
    def focus_search(self) -> None:
        """Go to the search field."""
        if self.in_trash:
            self.show_trash_mode(False)
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def menu(self, row: Row) -> QMenu:
        """What can be done with one conversation."""
        menu, id = QMenu(self), row.id or 0
        if self.in_trash:
            self._add(menu, "again", self.tr("Restore"), lambda: self.restore_asked.emit(id))
            self._add(menu, "trash", self.tr("Delete for good…"), lambda: self.erase_asked.emit(id))
            return menu
        self._add(menu, "pencil", self.tr("Rename"), lambda: self.list.edit(self.list.chats.place(id)))
        pin = self.tr("No longer pin") if row.pinned else self.tr("Pin")
        self._add(menu, "pin", pin, lambda: self.pin_asked.emit(id, not row.pinned))
        menu.addSeparator()
        self._add(menu, "copy", self.tr("Copy as Markdown"), lambda: self.copy_asked.emit(id))
        self._add(menu, "file", self.tr("Export as Markdown…"), lambda: self.export_asked.emit(id, "md"))
        self._add(menu, "file", self.tr("Export as JSON…"), lambda: self.export_asked.emit(id, "json"))
        menu.addSeparator()
        self._add(menu, "trash", self.tr("Delete"), lambda: self.delete_asked.emit(id))
        return menu

    def more_menu(self) -> QMenu:
        """What concerns all of them."""
        menu = QMenu(self)
        self._add(menu, "folder", self.tr("Import chats…"), self.import_asked.emit)
        self._add(menu, "file", self.tr("Export all as JSON…"), lambda: self.export_asked.emit(None, "json"))
        menu.addSeparator()
        label = self.tr("Back to the chats") if self.in_trash else self.tr("Trash")
        self._add(menu, "trash", label, lambda: self.show_trash_mode(not self.in_trash))
        menu.addSeparator()
        self._add(menu, "tasks", self.tr("Jobs…"), self.jobs_asked.emit)
        menu.addSeparator()
        self._add(menu, "help", self.tr("Keys"), lambda: self.help_asked.emit(0))
        self._add(menu, "help", self.tr("About Ouzel"), lambda: self.help_asked.emit(1))
        self._add(menu, "help", self.tr("Log, and report a problem…"), lambda: self.help_asked.emit(2))
        return menu

    def _add(self, menu: QMenu, icon: str, label: str, act: Callable[[], object]) -> None:
        action = QAction(icons.icon(icon, self._theme.text), label, menu)
        action.triggered.connect(lambda _=False: act())
        menu.addAction(action)

    @Slot()
    def _on_new(self) -> None:
        if self.in_trash:
            self.show_trash_mode(False)
        else:
            self.new_asked.emit()

    @Slot()
    def _on_more(self) -> None:
        menu = self.more_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.more_button.mapToGlobal(self.more_button.rect().bottomLeft()))

    @Slot()
    def _on_typed(self) -> None:
        self._searcher.start()

    @Slot()
    def _to_list(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
        first = next((n for n, row in enumerate(self.list.chats.rows) if row.id is not None), None)
        if first is not None and not self.list.currentIndex().isValid():
            self.list.setCurrentIndex(self.list.chats.index(first))

    @Slot(object)
    def _on_chosen(self, row: Row) -> None:
        if not self.in_trash:
            self.chosen.emit(row.id, row.message)

    @Slot(int)
    def _on_delete(self, id: int) -> None:
        if self.in_trash:
            self.erase_asked.emit(id)
        else:
            self.delete_asked.emit(id)

    @Slot(QPoint)
    def _on_menu(self, at: QPoint) -> None:
        row = self.list.row_at(at) or self.list.row(self.list.currentIndex())
        if row is not None:
            menu = self.menu(row)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.list.viewport().mapToGlobal(at))
