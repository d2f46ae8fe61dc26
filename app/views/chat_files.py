"""Export and import of conversations: asks for the file, reads and writes it in the background, says what became of it."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.background import Background
from app.chat_control import ChatControl
from app.chats.exchange import read_file, store_all, to_json
from app.chats.records import StoreError
from app.language import told

UNFIT = '<>:"/\\|?*'  # in file names of one system or another


class ChatFiles(QObject):
    """`noted` and `failed` carry sentences."""

    noted = Signal(str)
    failed = Signal(str)
    _arrived = Signal(object)

    def __init__(self, window: QWidget, chats: ChatControl, background: Background) -> None:
        super().__init__(window)
        self._window, self._chats, self._background = window, chats, background
        self._arrived.connect(self._store)

    @Slot(object, str)
    def ask_export(self, conversation: int | None, kind: str) -> None:
        """Let a person pick the file; None: all conversations."""
        title = next((c.title for c in self._chats.conversations() if c.id == conversation), self.tr("chats"))
        suggested = "".join(" " if c in UNFIT or not c.isprintable() else c for c in title).strip(" .")[:60] or self.tr("chat")
        kinds = {"md": self.tr("Markdown (*.md)"), "json": self.tr("JSON (*.json)")}
        name, _ = QFileDialog.getSaveFileName(self._window, self.tr("Export"), f"{suggested}.{kind}", kinds[kind])
        if name:
            self.export(Path(name), conversation, kind)

    def export(self, path: Path, conversation: int | None, kind: str) -> None:
        """Write a file whole or not at all."""
        numbers = [c.id for c in self._chats.conversations()] if conversation is None else [conversation]
        try:
            text = self._chats.markdown(numbers[0]) if kind == "md" else to_json(self._chats.store, numbers)
        except StoreError as e:
            self.failed.emit(told(e))
            return
        self._background.run(lambda: self._write(path, text))

    def _write(self, path: Path, text: str) -> None:
        draft = path.with_name(path.name + ".new")
        try:
            draft.write_text(text, encoding="utf-8")
            draft.replace(path)
        except OSError as e:
            draft.unlink(missing_ok=True)
            self.failed.emit(self.tr("{0} could not be written ({1}). Choose another place.").format(path, e.strerror))
        else:
            self.noted.emit(self.tr("Exported to {0}.").format(path))

    @Slot()
    def ask_import(self) -> None:
        """Let a person pick the file."""
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Import chats"), "", self.tr("JSON (*.json)"))
        if name:
            self.take_in(Path(name))

    def take_in(self, path: Path) -> None:
        """Read a file in."""
        self._background.run(lambda: self._read(path))

    def _read(self, path: Path) -> None:
        try:
            self._arrived.emit(read_file(path))
        except StoreError as e:
            self.failed.emit(told(e))

    @Slot(object)
    def _store(self, conversations: list[dict[str, object]]) -> None:
        try:
            numbers = store_all(self._chats.store, conversations)
        except StoreError as e:
            self.failed.emit(told(e))
            return
        self._chats.list_changed.emit()
        one, more = self.tr("One chat was imported."), self.tr("{0} chats were imported.")
        self.noted.emit(one if len(numbers) == 1 else more.format(len(numbers)))
