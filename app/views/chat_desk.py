"""Connects the side list, the transcript and the composer with the conversations: what happens to chats and messages."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.attachments import AttachError, read
from app.chat_control import ChatControl
from app.chats.records import Attached, Draft
from app.engine_control import EngineControl
from app.state import ANSWERING, Phase
from app.transcript.document import Turn
from app.transcript.view import TranscriptView
from app.views.chat_files import ChatFiles
from app.views.chat_options import ChatOptionsDialog
from app.views.composer import Composer
from app.views.context_bar import ContextBar
from app.views.context_choice import ContextChoice
from app.views.notice import Notice
from app.views.sidebar import Sidebar


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
        self.choice = ContextChoice(self, engine, chats, composer, context_bar, notice)
        self.count = self.choice.count
        self.dialog: ChatOptionsDialog | None = None
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
        view.action_asked.connect(self._act)
        view.branch_asked.connect(self._show_version)
        view.all_asked.connect(lambda: chats.set_start(None))
        view.copied.connect(lambda: self.notice.note(self.tr("Copied.")))
        self.engine.changed.connect(self._on_engine)

    def _connect_composer(self) -> None:
        box, chats, count = self.composer, self.chats, self.count
        box.sent.connect(self.send)
        box.refused.connect(self._say_why_not)
        box.stopped.connect(self.engine.stop_answer)
        box.draft_changed.connect(chats.set_draft)
        box.content_changed.connect(lambda: count.change(box.files))
        box.files_asked.connect(self.ask_files)
        box.last_edit_asked.connect(self._edit_last)
        box.thinking_asked.connect(lambda on: chats.set_options(replace(chats.options, thinking=on)))
        box.options_asked.connect(self.show_options)
        chats.draft_shown.connect(box.show_draft)
        chats.options_changed.connect(self._show_options)
        self.context_bar.new_asked.connect(self._move_to_new)
        self._read.connect(self._on_read)

    def retranslate(self) -> None:
        """Say chats, messages and options in the language of the window."""
        self.transcript.retranslate(self.chats.turns())
        self.show_list()
        self._show_thinking()
        if self.dialog is not None:
            place = self.dialog.geometry()
            self.show_options()
            self.dialog.setGeometry(place)

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
        self.choice.hide()

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
        self.notice.clear()
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
            self.choice.hide()
            self.composer.setFocus()

    @Slot()
    def _on_engine(self) -> None:
        self.transcript.message_actions.set_free(self.engine.state.phase not in ANSWERING)
        self._show_thinking()

    # The composer

    @Slot(str, tuple, object)
    def send(self, text: str, files: tuple[Attached, ...] = (), replaces: int | None = None) -> None:
        """Send a message."""
        self.notice.clear()
        if self.engine.state.phase is Phase.READY:
            self.choice.hide()
        if self.chats.send(text, files, replaces):
            self.composer.clear()
        self.composer.setFocus()

    @Slot()
    def _say_why_not(self) -> None:
        engine = self.engine
        if engine.state.phase in ANSWERING:
            self.notice.note(self.tr("The answer is still being written. Send the message after it, or stop it with Esc."))
        elif engine.state.phase is not Phase.IDLE:
            self.notice.note(self.tr("The model is getting ready. The message can be sent in a moment."))
        elif self.notice.offers_help:  # which is more than to try the same again
            return
        elif engine.chosen is not None:
            self.notice.note(self.tr("A model has to be loaded before it can answer."), self.tr("Load"), engine.load)
        else:
            text = self.tr("There is no model yet that could answer.")
            self.notice.note(text, self.tr("Set up the starter model"), engine.set_up_starter)

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

    @Slot()
    def _move_to_new(self) -> None:
        draft = replace(self.composer.draft, replaces=None)
        self.choice.hide()
        self.composer.show_draft(Draft())
        self.new_chat()
        self.composer.show_draft(draft)
        self.composer.save_draft()
