"""The conversation that is shown and the answer that is being written: between store, transcript and engine.

An answer belongs to its conversation: another one may be shown while it is written. It is saved once a second.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app import answers, turns
from app.answering import Answer, Kind, added
from app.chat_reader import ChatReader
from app.chats.opening import checkpoint, flush
from app.chats.options import ChatOptions
from app.chats.records import Attached, Draft, MessageState, StoreError, title_of
from app.chats.store import AT_TIP, ChatStore
from app.engine_control import EngineControl
from app.language import told
from app.state import Phase
from app.transcript.turn import Turn
from engine import paths
from engine.errors import Cancelled, ContextFull, EngineError
from engine.events import Event, Failed, Finished, Text
from engine.generate.kept_files import forget, only
from engine.requests import Message

SAVE_EVERY_MS = 1000


class ChatControl(ChatReader):
    """Emits what the transcript and the composer have to show."""

    shown = Signal(list, object)  # turns of another conversation or branch, the message to go to or None
    user_added = Signal(object)  # Turn
    answer_begun = Signal(int, str)  # number, the model's name
    answer_thought = Signal(str, float)  # piece, seconds by now
    answer_grew = Signal(str)
    answer_ended = Signal(object)  # Turn
    draft_shown = Signal(object)  # Draft: of another conversation, or a message that goes back
    options_changed = Signal()
    context_full = Signal()

    def __init__(self, engine: EngineControl, store: ChatStore, parent: QObject | None = None) -> None:
        super().__init__(engine, store, parent)
        self._answer: Answer | None = None
        self.closed = False
        if store.kept:  # states of conversations that are gone, deleted in a moment in which they were written
            with suppress(StoreError):
                only(paths.states_dir(), {str(c.id) for c in store.conversations()})
        self.answered: int | None = None  # the conversation of the newest answer
        self._saver = QTimer(self, interval=SAVE_EVERY_MS)
        self._saver.timeout.connect(self.save_answer)
        engine.bridge.text.connect(self._on_text)
        engine.bridge.happened.connect(self._on_event)
        engine.answered.connect(self._on_answered)

    # Conversations

    @property
    def answering(self) -> bool:
        """Whether an answer of the shown conversation is being written."""
        return self._answer is not None and self._answer.conversation == self.current

    def new_chat(self) -> None:
        """Show an empty conversation; it is stored with its first message."""
        self.current, self._new_options = None, ChatOptions()
        self.shown.emit([], None)
        self._show_rest()
        self.list_changed.emit()

    def open_chat(self, conversation: int, found: int | None = None) -> None:
        """Show a stored conversation; found: a message of it to go to."""
        if found is not None and not self.answering:
            self._try(lambda: self.store.show(found))
        self.current = conversation
        self.refresh(found)
        self._show_rest()

    def _show_rest(self) -> None:
        current = self.current
        self.options_changed.emit()
        self.draft_shown.emit(self._read(lambda: self.store.draft(current), Draft()))

    def refresh(self, found: int | None = None) -> None:
        """Show the current conversation as it is stored."""
        self.shown.emit(self.turns(), found)
        if self._answer is not None and self.answering:
            self._show_answer(self._answer)

    def turns(self) -> list[Turn]:
        """The messages of the current conversation as they are shown, without the answer that is being written."""
        answer = self._answer if self.answering else None
        return turns.shown([m for m in self.messages() if answer is None or m.id != answer.number], self.start)

    def _show_answer(self, answer: Answer) -> None:
        self.answer_begun.emit(answer.number, answer.model)
        if answer.thought:
            self.answer_thought.emit(answer.thought, answer.seconds)
        if answer.text:
            self.answer_grew.emit(answer.text)

    def delete(self, conversation: int) -> None:
        """Move a conversation to the trash, with a way back."""
        if self._answer is not None and self._answer.conversation == conversation:
            self._engine.stop_answer()
        if self._try(lambda: self.store.delete(conversation)):
            forget(paths.states_dir(), str(conversation))
            if conversation == self.current:
                self.new_chat()
            self.noted.emit(self.tr("The chat was moved to the trash."), self.tr("Undo"), lambda: self.restore(conversation))
        self.list_changed.emit()

    def restore(self, conversation: int) -> None:
        """Bring a conversation back from the trash and show it."""
        if self._try(lambda: self.store.restore(conversation)):
            self.open_chat(conversation)
        self.list_changed.emit()

    def erase(self, conversation: int) -> None:
        """Take a conversation out of the trash for good."""
        self._try(lambda: self.store.erase(conversation))
        self.list_changed.emit()

    def set_options(self, options: ChatOptions) -> None:
        """Change how the answers of this conversation are made."""
        current = self.current
        if current is None:
            self._new_options = options
        else:
            self._try(lambda: self.store.set_options(current, options))
        self.options_changed.emit()

    def set_draft(self, draft: Draft) -> None:
        """Keep what is written but not sent."""
        if not self.closed:
            self._try(lambda: self.store.set_draft(self.current, draft))

    def set_start(self, message: int | None) -> None:
        """Give the model nothing of what comes before `message`."""
        current = self.current
        if current is not None and self._try(lambda: self.store.set_start(current, message)):
            self.refresh()

    # Messages

    def send(self, text: str, files: tuple[Attached, ...] = (), replaces: int | None = None) -> bool:
        """Store a message and ask for its answer; whether that was possible. replaces: the message that it is a new version of."""
        if not self._free() or not (text.strip() or files):
            return False
        try:
            if self.current is None:
                title = title_of(text) or title_of(files[0].name)
                self.current = self.store.create(title, self._new_options)
                self.store.set_draft(None, Draft())
            parent = AT_TIP if replaces is None else self.store.parent(replaces)
            user = self.store.add(self.current, "user", text, parent=parent, files=files)
            self.store.set_draft(self.current, Draft())
        except StoreError as e:
            self.trouble.emit(told(e), "", None)
            return False
        if replaces is None:
            self.user_added.emit(turns.turn(next(m for m in reversed(self.messages()) if m.id == user)))
        return self._ask("send", user, Draft(text, files, replaces))

    def again(self, message: int) -> bool:
        """Answer once more: `message` is an answer, or a message of the user."""
        stored = self.messages()
        at = next((n for n, m in enumerate(stored) if m.id == message), None)
        if not self._free() or at is None or (stored[at].role == "assistant" and at == 0):
            return False
        return self._ask("again", message if stored[at].role == "user" else stored[at - 1].id, Draft())

    def go_on(self, message: int) -> bool:
        """Go on with the last answer, which was cut."""
        stored, info = self.messages(), self._engine.state.info
        if not self._free() or info is None or len(stored) < 2 or stored[-1].id != message or not turns.can_go_on(stored[-1]):
            return False
        last = stored[-1]
        answer = Answer(0, self.current or 0, "continue", stored[-2].id, message, info.name, begun=last.content, thought=last.reasoning)
        answer.seconds, answer.old = last.seconds, last.stats
        self.shown.emit(turns.shown(stored[:-1], self.start), None)
        self._show_answer(answer)
        return self._generate(answer, self.given(stored)[0], True)

    def _ask(self, kind: Kind, user: int, draft: Draft) -> bool:
        """Ask for an answer to a stored message of the user."""
        current, info = self.current, self._engine.state.info
        if current is None or info is None:
            return False
        try:
            number = self.store.add(current, "assistant", "", "writing", parent=user)
        except StoreError as e:
            self.trouble.emit(told(e), "", None)
            return False
        stored = self.messages()[:-1]
        if kind == "again" or draft.replaces is not None:
            self.shown.emit(turns.shown(stored, self.start), None)
        self.answer_begun.emit(number, info.name)
        return self._generate(Answer(0, current, kind, user, number, info.name, draft), self.given(stored)[0], False)

    def _generate(self, answer: Answer, messages: tuple[Message, ...], continued: bool) -> bool:
        self.answered = answer.conversation
        answer.request = self._engine.generate(messages, self.options, continued, str(answer.conversation))
        self._answer = answer
        self._saver.start()
        self.list_changed.emit()
        return True

    def show_version(self, message: int, step: int) -> None:
        """Show the version before or after a message."""
        siblings = next((m.siblings for m in self.messages() if m.id == message), ())
        at = siblings.index(message) + step if message in siblings else -1
        if 0 <= at < len(siblings) and not self.answering and self._try(lambda: self.store.show(siblings[at])):
            self.refresh()

    def delete_message(self, message: int) -> None:
        """Take a message and what follows it off the conversation, with a way back."""
        current = self.current
        if self.answering or not self._try(lambda: self.store.delete_message(message)):
            return
        self.refresh()
        self.noted.emit(self.tr("The message was deleted."), self.tr("Undo"), lambda: self._restore_message(current, message))

    def _restore_message(self, conversation: int | None, message: int) -> None:
        if conversation is not None and self._try(lambda: self.store.restore_message(message)):
            self.open_chat(conversation)
            self.list_changed.emit()

    def draft_of(self, message: int) -> Draft | None:
        """A message of the user as a draft that is to replace it."""
        found = next((m for m in self.messages() if m.id == message and m.role == "user"), None)
        return Draft(found.content, found.files, message) if found is not None else None

    def _free(self) -> bool:
        return self._engine.state.phase is Phase.READY and self._engine.state.info is not None and self._answer is None

    # What happens

    @Slot(int, str)
    def _on_text(self, request: int, piece: str) -> None:
        answer = self._answer
        if answer is not None and request == answer.request:
            answer.write(piece)
            if answer.conversation == self.current:
                self.answer_grew.emit(piece)

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        answer = self._answer
        if answer is not None and isinstance(event, Text) and event.kind == "reasoning" and event.id == answer.request:
            answer.think(event.piece)
            if answer.conversation == self.current:
                self.answer_thought.emit(event.piece, answer.seconds)

    @Slot()
    def save_answer(self) -> None:
        """Store the answer so far, if it has grown."""
        answer = self._answer
        if answer is not None and answer.came > answer.saved:
            answer.saved = answer.came
            self._record(answer, "writing", None)
            path = self.store.path
            self._engine.background.run(lambda: flush(path))

    @Slot(object)
    def _on_answered(self, event: Event) -> None:
        answer, self._answer = self._answer, None
        self._saver.stop()
        if answer is None:
            return
        match event:
            case Finished(_, stats):
                numbers = added(answer.old, answers.numbers(stats, answer.model))
                self._record(answer, "stopped" if stats.reason == "cancelled" else "complete", numbers)
                self._end(answer)
                if stats.reason == "context" and answer.conversation == self.current:
                    self.context_full.emit()
            case Failed(_, error):
                self._on_failed(answer, error)
        path = self.store.path
        self._engine.background.run(lambda: checkpoint(path))

    def _on_failed(self, answer: Answer, error: EngineError) -> None:
        stopped = isinstance(error, Cancelled)
        if answer.kind == "continue" and not answer.came:
            self._try(lambda: self.store.update(answer.number, answer.begun, "stopped", answer.old))
            self._end(answer)
        elif answer.came or stopped:
            numbers = added(answer.old, {"model": answer.model, "reason": "cancelled" if stopped else "failed"})
            self._record(answer, "failed", numbers)
            self._end(answer)
        else:
            self._take_back(answer)
        if isinstance(error, ContextFull) and answer.conversation == self.current:
            self.context_full.emit()
        if not stopped:
            self._engine.tell_failure(error, self._engine.state.model)

    def _take_back(self, answer: Answer) -> None:
        """A message that got no answer at all goes back to where it was written."""
        self._try(lambda: self.store.remove(answer.number))
        if answer.kind == "send":
            self._try(lambda: self.store.remove(answer.user))
            replaced = answer.draft.replaces
            if replaced is not None:
                self._try(lambda: self.store.show(replaced))
            unknown: int | None = answer.user
            empty = self._read(lambda: self.store.tip(answer.conversation), unknown) is None
            if empty:
                if answer.conversation == self.current:
                    self._new_options, self.current = self.options, None
                self._try(lambda: self.store.erase(answer.conversation))
            shown = answer.conversation == self.current or (empty and self.current is None)
            place = None if empty else answer.conversation
            self._try(lambda: self.store.set_draft(place, answer.draft))
            if shown:
                self.draft_shown.emit(answer.draft)
        if self.current is None or answer.conversation == self.current:
            self.refresh()
        self.list_changed.emit()

    def _end(self, answer: Answer) -> None:
        if answer.conversation == self.current:
            message = next((m for m in self.messages() if m.id == answer.number), None)
            if message is not None:
                self.answer_ended.emit(replace(turns.turn(message), text=answer.text, name=answer.model))
        self.list_changed.emit()

    def _record(self, answer: Answer, state: MessageState, numbers: dict[str, Any] | None) -> None:
        text, thought, seconds = answer.text, answer.thought, answer.seconds
        self._try(lambda: self.store.update(answer.number, text, state, numbers, thought, seconds))

    def close(self) -> None:
        """Save what is there and close the store; idempotent."""
        if self.closed:
            return
        self.closed = True
        self._saver.stop()
        if self._answer is not None:
            self._record(self._answer, "stopped", added(self._answer.old, {"model": self._answer.model, "reason": "cancelled"}))
            self._answer = None
        path = self.store.path
        self.store.close()
        self._engine.background.run(lambda: checkpoint(path))
