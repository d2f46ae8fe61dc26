"""The conversation that is shown and the answer that is being written: between store, transcript and engine.

An answer belongs to its conversation: another one may be shown while it is written. It is saved once a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import answers
from app.chats.store import ChatStore, Conversation, MessageState, StoredMessage, StoreError, checkpoint, title_of
from app.engine_control import EngineControl
from app.state import Phase
from app.transcript.document import Turn
from engine.errors import Cancelled
from engine.events import Event, Failed, Finished
from engine.requests import Message

SAVE_EVERY_MS = 1000


@dataclass
class Answer:
    """An answer under way. user: number of the message that it answers."""

    request: int
    conversation: int
    user: int
    number: int
    model: str
    pieces: list[str] = field(default_factory=list)
    saved: int = 0  # pieces that the store has

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self.pieces)


class ChatControl(QObject):
    """Emits what the transcript has to show."""

    shown = Signal(list)  # turns of another conversation
    user_added = Signal(str)
    answer_begun = Signal(str)  # the model's name
    answer_grew = Signal(str)
    answer_ended = Signal(int, str)  # number, note
    message_returned = Signal(str)  # a message that could not be answered, for the composer
    list_changed = Signal()
    trouble = Signal(str, str, object)
    noted = Signal(str, str, object)

    def __init__(self, engine: EngineControl, store: ChatStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine, self._store = engine, store
        self.current: int | None = None
        self._answer: Answer | None = None
        self.closed = False
        self._saver = QTimer(self, interval=SAVE_EVERY_MS)
        self._saver.timeout.connect(self.save_answer)
        engine.bridge.text.connect(self._on_text)
        engine.answered.connect(self._on_answered)

    def conversations(self) -> list[Conversation]:
        """The side list."""
        return self._store.conversations()

    # What is asked

    def new_chat(self) -> None:
        """Show an empty conversation; it is stored with its first message."""
        self.current = None
        self.shown.emit([])
        self.list_changed.emit()

    def open_chat(self, conversation: int) -> None:
        """Show a stored conversation."""
        self.current = conversation
        answer = self._answer if self._answer and self._answer.conversation == conversation else None
        stored = self._store.messages(conversation)
        self.shown.emit([turn(m) for m in stored if answer is None or m.id != answer.number])
        if answer is not None:
            self.answer_begun.emit(answer.model)
            self.answer_grew.emit(answer.text)

    def send(self, text: str) -> bool:
        """Store a message and ask for its answer; whether that was possible."""
        info = self._engine.state.info
        if self._engine.state.phase is not Phase.READY or info is None or not text.strip():
            return False
        try:
            if self.current is None:
                self.current = self._store.create(title_of(text))
            user = self._store.add(self.current, "user", text)
            number = self._store.add(self.current, "assistant", "", "writing")
        except StoreError as e:
            self.trouble.emit(str(e), "", None)
            return False
        messages = self._messages(self._store.messages(self.current)[:-1])
        self.user_added.emit(text)
        self.answer_begun.emit(info.name)
        request = self._engine.generate(messages)
        self._answer = Answer(request, self.current, user, number, info.name)
        self._saver.start()
        self.list_changed.emit()
        return True

    def _messages(self, stored: Sequence[StoredMessage]) -> tuple[Message, ...]:
        prompt = self._engine.settings.system_prompt.strip()
        system = (Message("system", prompt),) if prompt else ()
        return system + tuple(Message(m.role, m.content) for m in stored)

    def rename(self, conversation: int, title: str) -> None:
        """Give a conversation another title; an empty one changes nothing."""
        if title:
            self._try(lambda: self._store.rename(conversation, title))
        self.list_changed.emit()

    def delete(self, conversation: int) -> None:
        """Take a conversation off the list, with a way back."""
        if self._answer is not None and self._answer.conversation == conversation:
            self._engine.stop_answer()
        if self._try(lambda: self._store.delete(conversation)):
            if conversation == self.current:
                self.new_chat()
            self.noted.emit(self.tr("The chat was deleted."), self.tr("Undo"), lambda: self._restore(conversation))
        self.list_changed.emit()

    def _restore(self, conversation: int) -> None:
        if self._try(lambda: self._store.restore(conversation)):
            self.open_chat(conversation)
        self.list_changed.emit()

    def markdown(self, conversation: int) -> str:
        """A conversation as Markdown."""
        names = {"user": self.tr("You"), "assistant": self.tr("Answer")}
        return "\n".join(f"**{names[m.role]}**\n\n{m.content.strip()}\n" for m in self._store.messages(conversation))

    def close(self) -> None:
        """Save what is there and close the store; idempotent."""
        if self.closed:
            return
        self.closed = True
        self._saver.stop()
        if self._answer is not None:
            self._record(self._answer, "stopped", {"model": self._answer.model, "reason": "cancelled"})
            self._answer = None
        path = self._store.path
        self._store.close()
        self._engine.background.run(lambda: checkpoint(path))

    # What happens

    @Slot(int, str)
    def _on_text(self, request: int, piece: str) -> None:
        answer = self._answer
        if answer is not None and request == answer.request:
            answer.pieces.append(piece)
            if answer.conversation == self.current:
                self.answer_grew.emit(piece)

    @Slot()
    def save_answer(self) -> None:
        """Store the answer so far, if it has grown."""
        answer = self._answer
        if answer is not None and len(answer.pieces) > answer.saved:
            answer.saved = len(answer.pieces)
            self._record(answer, "writing", None)

    @Slot(object)
    def _on_answered(self, event: Event) -> None:
        answer, self._answer = self._answer, None
        self._saver.stop()
        if answer is None:
            return
        match event:
            case Finished(_, stats):
                numbers = answers.numbers(stats, answer.model)
                self._record(answer, "stopped" if stats.reason == "cancelled" else "complete", numbers)
                self._end(answer, numbers)
            case Failed(_, error):
                self._on_failed(answer, error)
        path = self._store.path
        self._engine.background.run(lambda: checkpoint(path))

    def _on_failed(self, answer: Answer, error: Exception) -> None:
        if answer.pieces or isinstance(error, Cancelled):
            numbers = {"model": answer.model, "reason": "cancelled" if isinstance(error, Cancelled) else "failed"}
            self._record(answer, "failed", numbers)
            self._end(answer, numbers)
        else:
            self._take_back(answer)
        if not isinstance(error, Cancelled):
            self.trouble.emit(str(error), "", None)

    def _take_back(self, answer: Answer) -> None:
        """A message that got no answer at all goes back to where it was written."""
        stored = self._store.messages(answer.conversation)
        text = next((m.content for m in stored if m.id == answer.user), "")
        self._try(lambda: self._store.remove(answer.number))
        self._try(lambda: self._store.remove(answer.user))
        if answer.conversation == self.current:
            if len(stored) > 2:
                self.open_chat(answer.conversation)
            else:
                self._try(lambda: self._store.delete(answer.conversation))
                self.new_chat()
            self.message_returned.emit(text)
        self.list_changed.emit()

    def _end(self, answer: Answer, numbers: dict[str, Any]) -> None:
        if answer.conversation == self.current:
            self.answer_ended.emit(answer.number, answers.note(numbers))

    def _record(self, answer: Answer, state: MessageState, numbers: dict[str, Any] | None) -> None:
        text = answer.text
        self._try(lambda: self._store.update(answer.number, text, state, numbers))

    def _try(self, work: Any) -> bool:
        try:
            work()
        except StoreError as e:
            self.trouble.emit(str(e), "", None)
            return False
        return True


def turn(message: StoredMessage) -> Turn:
    """A stored message as the transcript shows it."""
    stats = message.stats or {}
    note = answers.note(stats)
    if message.role == "assistant" and message.state == "stopped" and not stats:
        note = answers.note({"reason": "cancelled"})
    return Turn(message.id, message.role == "user", message.content, str(stats.get("model", "")), note)
