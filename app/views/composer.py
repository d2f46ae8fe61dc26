"""Where messages are written: a field that grows with its text, the files that go with it, and one button that sends or stops."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFocusEvent, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.chats.records import Attached, Draft
from app.looks import icons
from app.looks.theme import Theme
from app.presentation import Presentation
from app.views.attached import Chips
from app.views.meter import ContextMeter
from app.views.writing_direction import follow

MOST_LINES = 8
SAVE_MS = 500  # after the last key


class MessageField(QPlainTextEdit):
    """Return sends and Shift+Return breaks the line, or Ctrl+Return sends and Return breaks it. While an input method composes, Return
    belongs to it."""

    submitted = Signal()
    escaped = Signal()
    focused = Signal(bool)
    files_dropped = Signal(list)  # paths
    up_in_empty = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.send_key = "return"  # as in the settings
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        follow(self)
        self._fit()

    def composing(self) -> bool:
        """Whether an input method shows text that is not yet part of the message."""
        return bool(self.textCursor().block().layout().preeditAreaText())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Send on the key that is set, stop on Escape."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.composing():
                return
            held, keys = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier, Qt.KeyboardModifier
            if held == (keys.ControlModifier if self.send_key == "ctrl" else keys.NoModifier):
                self.submitted.emit()
                return
        elif event.key() == Qt.Key.Key_Escape and not self.composing():
            if not event.isAutoRepeat():  # held down over a menu or a dialog that it has closed
                self.escaped.emit()
            return
        elif event.key() == Qt.Key.Key_Up and not self.toPlainText() and not self.composing():
            self.up_in_empty.emit()
            return
        super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802
        """Text, and files that are dropped or pasted."""
        return bool(files_of(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """Files are attached, text is written."""
        if files := files_of(source):
            self.files_dropped.emit(files)
        else:
            super().insertFromMimeData(source)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Tell the frame around."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Tell the frame around."""
        super().focusOutEvent(event)
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Another width wraps the text at other places."""
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        # The layout of a plain text document counts its height in lines.
        lines = max(1, round(self.document().documentLayout().documentSize().height()))
        scrolls = lines > MOST_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if self.verticalScrollBarPolicy() != policy:
            self.setVerticalScrollBarPolicy(policy)
        height = min(lines, MOST_LINES) * self.fontMetrics().lineSpacing() + 6
        if self.height() != height:
            self.setFixedHeight(height)


class Composer(QFrame):
    """`sent` carries text, files and the message that it replaces or None. All stays until `show_draft`, so that nothing is lost."""

    sent = Signal(str, tuple, object)
    refused = Signal()  # what is written cannot be sent now
    stopped = Signal()
    files_asked = Signal()
    files_dropped = Signal(list)  # paths
    draft_changed = Signal(object)  # Draft, a moment after the last key
    content_changed = Signal()  # at once
    edit_ended = Signal()  # without sending
    last_edit_asked = Signal()
    thinking_asked = Signal(bool)
    options_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self.setAcceptDrops(True)
        self._theme, self._shows_stop, self._can_send, self._can_stop = theme, False, False, False
        self.files: tuple[Attached, ...] = ()
        self._costs: dict[Attached, int] = {}
        self.replaces: int | None = None
        self._before: Draft | None = None  # what an edit has put aside
        self._showing = False
        self.edit_label = QLabel(self)
        self.edit_label.setObjectName("dim")
        self.edit_cancel = QPushButton(self)
        self.edit_cancel.setProperty("flat", True)
        self.chips = Chips(theme, self)
        self.field = MessageField(self)
        self.attach, self.thinking, self.options = self._tool(), self._tool(), self._tool()
        self.thinking.setCheckable(True)
        self.meter = ContextMeter(theme, self)
        self.button = QToolButton(self)
        self.button.setObjectName("send")
        icons.fit(self.button, 18)
        self.button.setCursor(Qt.CursorShape.PointingHandCursor)
        self._saver = QTimer(self, singleShot=True, interval=SAVE_MS)
        self._lay_out()
        self._connect()
        self.setFocusProxy(self.field)
        self.set_theme(theme)
        self.retranslate()
        self._show_edit()

    def _tool(self) -> QToolButton:
        button = QToolButton(self)
        icons.fit(button, 18)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        return button

    def _lay_out(self) -> None:
        edit = QHBoxLayout()
        edit.addWidget(self.edit_label, 1)
        edit.addWidget(self.edit_cancel)
        tools = QHBoxLayout()
        tools.setSpacing(2)
        for button in (self.attach, self.thinking, self.options):
            tools.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        tools.addStretch(1)
        tools.addWidget(self.meter, 0, Qt.AlignmentFlag.AlignVCenter)
        tools.addSpacing(8)
        tools.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 7, 7)
        column.setSpacing(4)
        column.addLayout(edit)
        column.addWidget(self.chips)
        column.addWidget(self.field)
        column.addLayout(tools)

    def _connect(self) -> None:
        self.field.submitted.connect(self._submit)
        self.field.escaped.connect(self.escape)
        self.field.textChanged.connect(self._on_changed)
        self.field.focused.connect(self._on_focused)
        self.field.files_dropped.connect(self.files_dropped)
        self.field.up_in_empty.connect(self.last_edit_asked)
        self.button.clicked.connect(self._on_button)
        self.attach.clicked.connect(self.files_asked)
        self.options.clicked.connect(self.options_asked)
        self.thinking.clicked.connect(self.thinking_asked)
        self.edit_cancel.clicked.connect(self.cancel_edit)
        self.chips.removed.connect(self._on_removed)
        self._saver.timeout.connect(self.save_draft)

    def present(self, p: Presentation) -> None:
        """Show what can be done now."""
        self._shows_stop, self._can_send, self._can_stop = p.shows_stop, p.can_send, p.can_stop
        if p.composer_hint != self.field.placeholderText():
            self.field.setPlaceholderText(p.composer_hint)
            self.field.viewport().update()  # Qt draws another hint only when something else is drawn anew
        self.field.setReadOnly(not p.can_write)
        self.field.send_key = p.send_key
        self.button.setToolTip(p.send_tip)
        self.button.setAccessibleName(self.tr("Stop") if p.shows_stop else self.tr("Send"))
        self._update_button()

    def retranslate(self) -> None:
        """Say all in the language of the window."""
        self.field.setAccessibleName(self.tr("Message"))
        self.edit_label.setText(self.tr("A new version of a message that was sent"))
        self.edit_cancel.setText(self.tr("Cancel"))
        self.edit_cancel.setAccessibleName(self.tr("Cancel the new version"))
        tools = (
            (self.attach, self.tr("Attach files")),
            (self.thinking, self.tr("Think before answering")),
            (self.options, self.tr("Options of this chat")),
        )
        for button, label in tools:
            button.setAccessibleName(label)
            button.setToolTip(label)
        self.chips.retranslate()
        self.meter.retranslate()

    def show_thinking(self, can: bool, on: bool | None) -> None:
        """Show the switch where the model has one; None: the model does as it does by itself."""
        self.thinking.setVisible(can)
        self.thinking.setChecked(on is not False)
        label = self.tr("Thinks before answering") if on is not False else self.tr("Answers without thinking")
        self.thinking.setToolTip(label)
        self.thinking.setIcon(icons.icon("think", self._theme.accent if on is not False else self._theme.dim))

    def set_theme(self, theme: Theme) -> None:
        """Draw the icons in other colours."""
        self._theme = theme
        self._icons = (icons.icon("send", theme.on_accent, theme.dim), icons.icon("stop", theme.on_accent, theme.dim))
        self.attach.setIcon(icons.icon("attach", theme.dim))
        self.options.setIcon(icons.icon("options", theme.dim))
        self.thinking.setIcon(icons.icon("think", theme.accent if self.thinking.isChecked() else theme.dim))
        self.chips.set_theme(theme)
        self.meter.set_theme(theme)
        self._update_button()

    # What is written

    @property
    def draft(self) -> Draft:
        """What is written and not sent."""
        return Draft(self.field.toPlainText(), self.files, self.replaces)

    def show_draft(self, draft: Draft) -> None:
        """Show another draft; one that was being edited is put away."""
        self._saver.stop()
        self._showing = True
        self.files, self.replaces, self._before = draft.files, draft.replaces, None
        if self.field.toPlainText() != draft.text:
            self.field.setPlainText(draft.text)
            self.field.moveCursor(QTextCursor.MoveOperation.End)
        self._showing = False
        self._show_edit()
        self.show_costs({})
        self._update_button()
        self.content_changed.emit()

    def edit(self, draft: Draft) -> None:
        """Write a new version of a message; what was written is put aside until that is sent or cancelled."""
        before = self._before if self.replaces is not None else self.draft
        self.show_draft(draft)
        self._before = before
        self.field.setFocus()
        self.save_draft()

    def cancel_edit(self) -> None:
        """Go back to what was written before."""
        if self.replaces is not None:
            self.show_draft(self._before or Draft())
            self.save_draft()
            self.edit_ended.emit()
            self.field.setFocus()

    def clear(self) -> None:
        """The message was taken; what an edit had put aside comes back."""
        self.show_draft((self._before or Draft()) if self.replaces is not None else Draft())
        self.save_draft()

    def attach_files(self, files: Sequence[Attached]) -> None:
        """Add files to the message."""
        self.files = tuple(dict.fromkeys([*self.files, *files]))
        self._after_files()

    def _on_removed(self, file: Attached) -> None:
        self.files = tuple(f for f in self.files if f != file)
        self._after_files()

    def _after_files(self) -> None:
        self.show_costs({})
        self._on_changed()
        self.field.setFocus()

    def show_costs(self, costs: Mapping[Attached, int]) -> None:
        """Show what is known of the files' tokens."""
        self._costs = {**self._costs, **costs}
        self.chips.show_files(self.files, self._costs)

    @property
    def known_costs(self) -> dict[Attached, int]:
        """Tokens of the files of the message, as far as they were counted."""
        return {f: self._costs[f] for f in self.files if f in self._costs}

    def save_draft(self) -> None:
        """Have the draft kept now."""
        self._saver.stop()
        self.draft_changed.emit(self.draft)

    @Slot()
    def _on_changed(self) -> None:
        self._update_button()
        if not self._showing:
            self._saver.start()
            self.content_changed.emit()

    def _show_edit(self) -> None:
        self.edit_label.setVisible(self.replaces is not None)
        self.edit_cancel.setVisible(self.replaces is not None)

    @Slot()
    def _update_button(self) -> None:
        self.button.setIcon(self._icons[1 if self._shows_stop else 0])
        has_text = bool(self.field.toPlainText().strip() or self.files)
        self.button.setEnabled(self._can_stop if self._shows_stop else self._can_send and has_text)

    @Slot()
    def _submit(self) -> None:
        text = self.field.toPlainText()
        if not (text.strip() or self.files):
            return
        if self._can_send and not self._shows_stop:
            self.sent.emit(text.strip("\n"), self.files, self.replaces)
        else:
            self.refused.emit()

    @Slot()
    def escape(self) -> None:
        """Stop the answer; without one, leave the edit."""
        if self._shows_stop:
            self._stop()
        else:
            self.cancel_edit()

    def _stop(self) -> None:
        if self._shows_stop and self._can_stop:
            self.stopped.emit()

    @Slot()
    def _on_button(self) -> None:
        if self._shows_stop:
            self._stop()
        else:
            self._submit()

    def show_dragged(self, over: bool) -> None:
        """Show that what is dragged over the window can be let go."""
        self._mark("dragged", over)

    @Slot(bool)
    def _on_focused(self, focused: bool) -> None:
        self._mark("focused", focused)

    def _mark(self, name: str, on: bool) -> None:
        self.setProperty(name, on)
        self.style().unpolish(self)
        self.style().polish(self)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Take files."""
        if files_of(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Attach them."""
        event.acceptProposedAction()
        self.files_dropped.emit(files_of(event.mimeData()))


def files_of(source: QMimeData) -> list[Path]:
    """The files that are dropped or pasted."""
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
