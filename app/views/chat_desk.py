"""Connects the side list, the transcript and the composer with the conversations: what happens to chats and messages."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.attachments import AttachError, read
from app.chat_control import ChatControl
from app.chats.records import Attached, Draft, StoredMessage
from app.engine_control import EngineControl
from app.state import ANSWERING, Phase
from app.token_count import TokenCount
from app.transcript.document import Turn
from app.transcript.view import TranscriptView
from app.turns import content
from app.views.chat_files import ChatFiles
from app.views.chat_options import ChatOptionsDialog
from app.views.composer import Composer
from app.views.context_bar import ContextBar
from app.views.notice import Notice
from app.views.sidebar import Sidebar
from engine.events import Counted
from engine.requests import CountTokens


class ChatDesk(QObject):
    """One per window. `shown` tells whether the conversation has messages, `busy` whether one is being answered."""

    shown = Signal(bool)
    _read = Signal(object, object)  # files that were read, sentences about those that were not

    def __init__(
        self,
        window: QWidget,
        engine: EngineControl,
        chats: ChatControl,
        sidebar: Sidebar,
        transcript: TranscriptView,
        composer: Composer,
        context_bar: ContextBar,
        notice: Notice,
    ) -> None:
        super().__init__(window)
        self._window, self.engine, self.chats, self.notice = window, engine, chats, notice
        self.sidebar, self.transcript, self.composer, self.context_bar = sidebar, transcript, composer, context_bar
        self.files = ChatFiles(window, chats, engine.background)
        self.count = TokenCount(engine, self._wanted, self)
        self.dialog: ChatOptionsDialog | None = None
        self._asked_in: int | None = None  # the conversation that is to be shortened
        self._connect_sidebar()
        self._connect_messages()
        self._connect_composer()
        self.show_list()
        self._show_options()
        composer.show_draft(chats.store.draft(None))

    def _connect_sidebar(self) -> None:
        side, chats = self.sidebar, self.chats
        side.new_asked.connect(self.new_chat)
        side.chosen.connect(self._open)
        side.renamed.connect(chats.rename)
        side.pin_asked.connect(chats.pin)
        side.delete_asked.connect(chats.delete)
        side.restore_asked.connect(self._restore)
        side.erase_asked.connect(self._erase)
        side.copy_asked.connect(self._copy_chat)
        side.export_asked.connect(self.files.ask_export)
        side.import_asked.connect(self.files.ask_import)
        side.refresh_asked.connect(self.show_list)
        side.search_left.connect(self.composer.setFocus)
        chats.list_changed.connect(self.show_list)
        self.files.noted.connect(lambda text: self.notice.note(text))
        self.files.failed.connect(lambda text: self.notice.alarm(text))

    def _connect_messages(self) -> None:
        chats, view = self.chats, self.transcript
        chats.shown.connect(self._show_turns)
        chats.user_added.connect(self._on_user)
        chats.answer_begun.connect(self._on_begun)
        chats.answer_thought.connect(view.think)
        chats.answer_grew.connect(view.append)
        chats.answer_ended.connect(self._on_ended)
        chats.context_full.connect(lambda: self.offer(True))
        view.action_asked.connect(self._act)
        view.branch_asked.connect(self._show_version)
        view.all_asked.connect(lambda: chats.set_start(None))
        view.copied.connect(lambda: self.notice.note(self.tr("Copied.")))
        self.engine.changed.connect(self._on_engine)

    def _connect_composer(self) -> None:
        box, chats, count, bar = self.composer, self.chats, self.count, self.context_bar
        box.sent.connect(self.send)
        box.stopped.connect(self.engine.stop_answer)
        box.draft_changed.connect(chats.set_draft)
        box.content_changed.connect(lambda: count.change(box.files))
        box.files_asked.connect(self.ask_files)
        box.files_dropped.connect(self.attach)
        box.last_edit_asked.connect(self._edit_last)
        box.thinking_asked.connect(lambda on: chats.set_options(replace(chats.options, thinking=on)))
        box.options_asked.connect(self.show_options)
        chats.draft_shown.connect(box.show_draft)
        chats.options_changed.connect(self._show_options)
        count.counted.connect(self._on_counted)
        count.files_counted.connect(box.show_costs)
        count.shortened.connect(self._on_shortened)
        bar.shorten_asked.connect(self._shorten)
        bar.new_asked.connect(self._move_to_new)
        bar.larger_asked.connect(self._load_larger)
        self._read.connect(self._on_read)

    # The side list

    @Slot()
    def show_list(self) -> None:
        """Show what the search, or the trash, or neither of them asks for."""
        side, chats = self.sidebar, self.chats
        if side.in_trash:
            side.show_trash(chats.trash())
        elif side.query:
            side.show_found(chats.search(side.query), chats.current)
        else:
            side.show_list(chats.conversations(), chats.current)

    @Slot()
    def new_chat(self) -> None:
        """Show an empty conversation."""
        self._leave()
        self.chats.new_chat()
        self.composer.setFocus()

    @Slot(int, object)
    def _open(self, conversation: int, message: int | None) -> None:
        if conversation != self.chats.current or message is not None:
            self._leave()
            self.chats.open_chat(conversation, message)

    def _leave(self) -> None:
        self.composer.save_draft()
        self.context_bar.hide()

    @Slot(int)
    def _restore(self, conversation: int) -> None:
        self.chats.restore(conversation)
        self.sidebar.show_trash_mode(False)

    @Slot(int)
    def _erase(self, conversation: int) -> None:
        question = self.tr("Delete this chat for good? It cannot be brought back.")
        if QMessageBox.question(self._window, self.tr("Delete for good"), question) == QMessageBox.StandardButton.Yes:
            self.chats.erase(conversation)

    @Slot(int)
    def _copy_chat(self, conversation: int) -> None:
        QGuiApplication.clipboard().setText(self.chats.markdown(conversation))
        self.notice.note(self.tr("The chat was copied as Markdown."))

    # Messages

    @Slot(list, object)
    def _show_turns(self, turns: list[Turn], found: int | None) -> None:
        self.transcript.show_turns(turns, found)
        self.shown.emit(bool(turns))
        self.count.change(self.composer.files)

    @Slot(object)
    def _on_user(self, turn: Turn) -> None:
        self.shown.emit(True)
        self.transcript.add_user(turn)

    @Slot(int, str)
    def _on_begun(self, number: int, name: str) -> None:
        self.transcript.begin_answer(number, name)
        self.shown.emit(True)

    @Slot(object)
    def _on_ended(self, turn: Turn) -> None:
        self.transcript.finish_answer(turn)
        self.count.change(self.composer.files)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.transcript, self.tr("The answer is complete.")))

    @Slot(str, int)
    def _act(self, action: str, message: int) -> None:
        self.notice.hide()
        match action:
            case "edit":
                draft = self.chats.draft_of(message)
                if draft is not None:
                    self.composer.edit(draft)
            case "again":
                self._hide_choice(self.chats.again(message))
            case "continue":
                self._hide_choice(self.chats.go_on(message))
            case "delete":
                self.chats.delete_message(message)

    @Slot(int, int)
    def _show_version(self, message: int, step: int) -> None:
        self.chats.show_version(message, step)

    @Slot()
    def _edit_last(self) -> None:
        last = next((m for m in reversed(self.chats.messages()) if m.role == "user"), None)
        if last is not None and not self.chats.answering:
            self._act("edit", last.id)

    def _hide_choice(self, begun: bool) -> None:
        if begun:
            self.context_bar.hide()

    @Slot()
    def _on_engine(self) -> None:
        self.transcript.message_actions.set_free(self.engine.state.phase not in ANSWERING)
        self._show_thinking()

    # The composer

    @Slot(str, tuple, object)
    def send(self, text: str, files: tuple[Attached, ...] = (), replaces: int | None = None) -> None:
        """Send a message."""
        self.notice.hide()
        if self.engine.state.phase is Phase.READY:
            self.context_bar.hide()
        if self.chats.send(text, files, replaces):
            self.composer.clear()
        self.composer.setFocus()

    @Slot()
    def ask_files(self) -> None:
        """Let a person pick files."""
        names, _ = QFileDialog.getOpenFileNames(self._window, self.tr("Attach files"))
        self.attach([Path(name) for name in names])

    @Slot(list)
    def attach(self, paths: Sequence[Path]) -> None:
        """Read files in the background and add them to the message."""
        self.engine.background.run(lambda: self._read_files(list(paths)))

    def _read_files(self, paths: list[Path]) -> None:
        good: list[Attached] = []
        bad: list[str] = []
        for path in paths:
            try:
                good.append(read(path))
            except AttachError as e:
                bad.append(str(e))
        self._read.emit(good, bad)

    @Slot(object, object)
    def _on_read(self, good: list[Attached], bad: list[str]) -> None:
        if good:
            self.composer.attach_files(good)
        if bad:
            self.notice.alarm(" ".join(bad))

    @Slot()
    def show_options(self) -> None:
        """Open the options of this chat."""
        chats, info = self.chats, self.engine.state.info
        can_think = info.can_think if info else False
        settings, defaults = self.engine.settings, self.engine.defaults
        dialog = ChatOptionsDialog(chats.options, settings, defaults, can_think, chats.presets(), self._window)
        dialog.changed.connect(chats.set_options)
        dialog.preset_saved.connect(lambda name, options: dialog.show_presets(chats.keep_preset(name, options)))
        dialog.preset_removed.connect(lambda name: dialog.show_presets(chats.keep_preset(name, None)))
        dialog.finished.connect(self._forget_dialog)
        if self.dialog is not None:
            self.dialog.close()
        self.dialog = dialog
        dialog.show()

    @Slot()
    def _forget_dialog(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = None

    @Slot()
    def _show_options(self) -> None:
        self._show_thinking()
        self.count.change(self.composer.files)

    def _show_thinking(self) -> None:
        info = self.engine.state.info
        self.composer.show_thinking(info.can_think if info else False, self.chats.options.thinking)

    # Tokens and a full context

    def _stored(self, draft: Draft) -> list[StoredMessage]:
        """What would be sent, as if it were stored; without anything written, what there is."""
        stored = self.chats.messages()
        if draft.replaces is not None:
            at = next((n for n, m in enumerate(stored) if m.id == draft.replaces), len(stored))
            stored = stored[:at]
        if draft.text.strip() or draft.files:
            stored.append(StoredMessage(-1, "user", content(draft.text, draft.files), "complete", None))
        return stored

    def _wanted(self) -> CountTokens | None:
        stored = self._stored(self.composer.draft)
        if not stored:
            return None
        return CountTokens(0, self.chats.given(stored)[0], (), self.chats.options.thinking)

    @Slot(object)
    def _on_counted(self, counted: Counted | None) -> None:
        self.composer.meter.show_count(counted)
        if counted is not None and counted.tokens >= counted.context:
            self.offer(False)
        elif not self._asked:
            self.context_bar.hide()

    _asked = False  # the choice is shown because an answer met the end of the context

    def offer(self, met: bool) -> None:
        """Show the choice; met: an answer met the end of the context."""
        info, counted = self.engine.state.info, self.count.last
        if info is None:
            return
        self._asked = met
        tokens = counted.tokens if counted is not None and not met else info.context
        longer = min(2 * info.context, info.longest_context)
        given, _ = self.chats.given(self._stored(self.composer.draft))
        turns = sum(m.role == "user" for m in given) > 1
        self.context_bar.offer(max(tokens, info.context), info.context, turns, longer if longer > info.context else None)

    @Slot()
    def _shorten(self) -> None:
        self._asked_in = self.chats.current
        self.count.shorten()

    @Slot(object)
    def _on_shortened(self, left_out: int | None) -> None:
        if self._asked_in != self.chats.current or self.chats.current is None:
            return
        messages, numbers = self.chats.given(self._stored(self.composer.draft))
        head = 1 if messages and messages[0].role == "system" else 0
        if left_out is None:
            self.notice.alarm(self.tr("The last message alone is too long for the context. Shorten it, or load a larger context."))
            return
        self._asked = False
        self.context_bar.hide()
        start = numbers[head + left_out]
        if left_out and start > 0:
            self.chats.set_start(start)
        elif left_out:
            # Only what is being written is left, which has no number yet.
            self.notice.alarm(self.tr("Even without all earlier turns the context is full. Start a new chat, or load a larger context."))

    @Slot()
    def _move_to_new(self) -> None:
        draft = replace(self.composer.draft, replaces=None)
        self._asked = False
        self.composer.show_draft(Draft())
        self.new_chat()
        self.composer.show_draft(draft)
        self.composer.save_draft()

    @Slot()
    def _load_larger(self) -> None:
        info = self.engine.state.info
        if info is not None:
            self._asked = False
            self.context_bar.hide()
            self.engine.change_settings(replace(self.engine.settings, context=min(2 * info.context, info.longest_context)))
            self.engine.load()
