"""The conversations on disk, as the window reads and names them; what fails is said in a sentence and changes nothing."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app import turns
from app.chats.exchange import to_markdown
from app.chats.options import ChatOptions
from app.chats.records import Conversation, Found, StoredMessage, StoreError
from app.chats.store import ChatStore
from app.engine_control import EngineControl
from app.language import told
from engine.requests import Message

T = TypeVar("T")


class ChatReader(QObject):
    """current: the conversation that is shown, None for one that has no messages yet."""

    list_changed = Signal()
    trouble = Signal(str, str, object)  # sentence, label of a button or "", what the button does
    noted = Signal(str, str, object)

    def __init__(self, engine: EngineControl, store: ChatStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine, self.store = engine, store
        self.current: int | None = None
        self._new_options = ChatOptions()  # of the conversation that is not stored yet

    def conversations(self) -> list[Conversation]:
        """The side list."""
        return self._read(self.store.conversations, [])

    def search(self, query: str) -> list[Found]:
        """What a search over all text finds."""
        return self._read(lambda: self.store.search(query), [])

    def trash(self) -> list[Conversation]:
        """What can be restored."""
        return self._read(self.store.trash, [])

    def messages(self) -> list[StoredMessage]:
        """The turns of the branch that is shown."""
        current = self.current
        return self._read(lambda: self.store.messages(current), []) if current is not None else []

    @property
    def start(self) -> int | None:
        """The first message that the model is given; None: the first of all."""
        current = self.current
        return self._read(lambda: self.store.start(current), None) if current is not None else None

    @property
    def options(self) -> ChatOptions:
        """How the answers of this conversation are made."""
        current = self.current
        return self._read(lambda: self.store.options(current), ChatOptions()) if current is not None else self._new_options

    def given(self, stored: list[StoredMessage]) -> tuple[tuple[Message, ...], tuple[int, ...]]:
        """See turns.given."""
        return turns.given(stored, self.start, self.options.prompt(self._engine.settings))

    def presets(self) -> dict[str, ChatOptions]:
        """Named options."""
        return self._read(self.store.presets, {})

    def keep_preset(self, name: str, options: ChatOptions | None) -> dict[str, ChatOptions]:
        """Keep options under a name, None: no longer; all presets."""
        self._try(lambda: self.store.set_preset(name, options))
        return self.presets()

    def rename(self, conversation: int, title: str) -> None:
        """Give a conversation another title; an empty one changes nothing."""
        if title.strip():
            self._try(lambda: self.store.rename(conversation, " ".join(title.split())))
        self.list_changed.emit()

    def pin(self, conversation: int, pinned: bool) -> None:
        """Keep a conversation at the top, or no longer."""
        self._try(lambda: self.store.pin(conversation, pinned))
        self.list_changed.emit()

    def markdown(self, conversation: int) -> str:
        """A conversation as Markdown."""
        return to_markdown(self._read(lambda: self.store.messages(conversation), []), self.tr("You"), self.tr("Answer"))

    def _read(self, work: Callable[[], T], otherwise: T) -> T:
        """What is read, or `otherwise` where that fails."""
        try:
            return work()
        except StoreError as e:
            self.trouble.emit(told(e), "", None)
            return otherwise

    def _try(self, work: Callable[[], object]) -> bool:
        """Change something; whether it worked."""
        try:
            work()
        except StoreError as e:
            self.trouble.emit(told(e), "", None)
            return False
        return True
