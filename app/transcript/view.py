"""The transcript: shows a ChatDocument, follows it while it grows, and lets people select, copy and open links."""

import re
from collections.abc import Sequence
from time import perf_counter

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from app.looks.theme import Theme
from app.transcript.actions import MessageActions, MessageBar
from app.transcript.copy_button import CopyButton
from app.transcript.formats import OWN, Formats
from app.transcript.leaping import Leaping, Writing
from app.transcript.turn import Turn

SCREENS = 1.5  # of text that are there before the window is painted
AGAIN_MS = 30  # until it is looked again whether formulas are drawn
SLOW = 0.015  # an update that takes longer makes the next one wait


class TranscriptView(Leaping):
    """One conversation. `link_asked` carries a target that a person clicked; nothing is ever opened or loaded by itself."""

    link_asked = Signal(QUrl)
    copied = Signal()
    action_asked = Signal(str, int)  # what to do with a message: see app.transcript.actions
    branch_asked = Signal(int, int)  # number of a message, -1 for the version before it or 1 for the next
    all_asked = Signal()  # give the model the whole conversation again

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._held = ""
        self._flush = QTimer(self, singleShot=True)
        self._flush.timeout.connect(self._write_held)
        self.bar = MessageBar(theme, self)
        self.message_actions = MessageActions(self, self.bar)
        self.copy_button = CopyButton(theme, self)
        self.copy_button.asked.connect(lambda target: self._on_anchor(QUrl(OWN + target)))
        self.anchorClicked.connect(self._on_anchor)
        self.verticalScrollBar().valueChanged.connect(self._on_moved)

    # What is shown

    def show_turns(self, turns: Sequence[Turn], found: int | None = None) -> None:
        """Replace the conversation; of a long one what comes before is filled in later.

        What is the same as before stays in its place. found: the message to go to.
        """
        new, same = list(turns), 0
        if self._writing is None:
            while same < min(len(new), len(self._turns)) and new[same] == self._turns[same]:
                same += 1
            if self._chat.waiting:  # for formulas of its last answer, which is written anew
                same = min(same, len(self._turns) - 1)
        if self._filler.gap and same == len(new) == len(self._turns) and found is None:
            return
        self._writing, self._held, self._find = None, "", found
        self._flush.stop()
        if self._filler.gap:  # then the end is not there to be kept or changed
            self._turns = new
            here = self.message_at(self.viewport().height() // 2) if found is None else found
            self._find = here if any(t.number == here for t in new) else None
            self._build()
            return
        self._filler.complete_end()
        self._turns = new
        value = self.verticalScrollBar().value()
        if same > 0 and self._kept(new[same - 1].number):
            self._filler.append(new[same:])
            self._stay_at(value)
            if found is not None:
                self._find = None
                self.go_to(found)
            self._on_filled()
        else:
            self._build()

    def add_user(self, turn: Turn) -> None:
        """Append what the user wrote and go to the bottom."""
        self._close_gap()
        self._complete_end()
        self._turns.append(turn)
        self._pinned = True
        self._edit(lambda: self._chat.add(turn))
        self.message_actions.place()

    def begin_answer(self, number: int, name: str) -> None:
        """Start an answer under a model's name."""
        if self._filler.gap:  # it is put there when all before it is
            self._writing = Writing(number, name)
            return
        self._complete_end()
        self._writing = Writing(number, name)
        self._pinned = self._pinned or self.at_end
        self._edit(lambda: self._chat.begin(number, name))
        self.message_actions.place()

    def think(self, piece: str, seconds: float) -> None:
        """Add to what is thought before the answer, for so many seconds by now."""
        w = self._writing
        if w is None:
            return
        w.thought, w.seconds = w.thought + piece, seconds
        if self._filler.gap:
            return
        self._edit(lambda: self._chat.thoughts.grow(w.number, w.thought, piece, seconds, not w.pieces))

    def append(self, piece: str) -> None:
        """Add to the answer that is being written."""
        w = self._writing
        if w is None or not piece:
            return
        w.pieces.append(piece)
        if self._filler.gap:
            return
        if len(w.pieces) == 1 and w.thought:
            self._edit(lambda: self._chat.thoughts.grow(w.number, w.thought, "", w.seconds, False))
        self._held += piece
        if not self._flush.isActive():
            self._write_held()

    def finish_answer(self, turn: Turn) -> None:
        """End the answer that is being written, as `turn`, whose text is what was appended."""
        if self._writing is None:
            return
        self._flush.stop()
        self._write_held()
        w, self._writing = self._writing, None
        self._turns.append(turn)
        if self._filler.gap:
            self._later.append(turn)
            self.message_actions.place()
            return
        if w.thought:
            self._edit(lambda: self._chat.thoughts.grow(w.number, w.thought, "", turn.seconds, False))
        self._edit(lambda: self._chat.finish(turn))
        if self._chat.waiting:
            self._flush.start(AGAIN_MS)
        self.message_actions.place()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The complete turns that are shown."""
        return tuple(self._turns)

    @property
    def settled(self) -> bool:
        """Whether the document holds everything that was given to the view."""
        return not (self._filler.busy or self._held or self._chat.waiting)

    @property
    def answer(self) -> str:
        """The answer that is being written, so far."""
        return "".join(self._writing.pieces) if self._writing else ""

    def markdown(self) -> str:
        """The whole conversation as Markdown."""
        parts = [f"**{self.tr('You') if t.user else t.name or self.tr('Answer')}**\n\n{t.text.strip()}\n" for t in self._turns]
        return "\n".join(parts)

    def set_theme(self, theme: Theme) -> None:
        """Show the same conversation in other colours or another text size."""
        self._theme = theme
        self.set_latest_icon(theme)
        self._chat.formats = Formats(theme, self.font())
        self.bar.set_theme(theme)
        self.copy_button.set_theme(theme)
        self._build_in_place()

    def retranslate(self, turns: Sequence[Turn]) -> None:
        """Say the same conversation in the language of the window; `turns` are its complete turns, said anew."""
        self._name_column()
        self._name_latest()
        self.bar.retranslate()
        self.copy_button.retranslate()
        self._turns = list(turns)
        self._build_in_place()

    # Building and editing

    def _kept(self, number: int) -> bool:
        self._editing = True
        kept = self._chat.keep(number)
        self._editing = False
        return kept

    def _build(self) -> None:
        """Build the document anew, from its end, or from a message to go to that is far from it."""
        found = self._find
        if found is not None and self._far(found, ()):
            self._build_around(found)
            return
        self._empty()
        self._pinned = found is None
        self._write_answer()
        self._filler.fill(self._turns, self._is_full)
        self.message_actions.place()

    def _empty(self) -> None:
        super()._empty()
        self._flush.stop()
        self._held = ""

    def _is_full(self) -> bool:
        return self.document().size().height() > SCREENS * self.viewport().height()

    def _draw_last(self) -> None:
        """Show the last answer with the formulas that were still being drawn when it ended."""
        if len(self._turns) > 1:
            turn, before = self._turns[-1], self._turns[-2].number
            self._edit(lambda: self._chat.replace_last(before, turn))
            self.message_actions.place()
        else:
            self._build()

    def _complete_end(self) -> None:
        self._filler.complete_end()
        if self._chat.waiting and self._writing is None:
            self._draw_last()

    @Slot(int)
    def _on_moved(self, value: int) -> None:
        self.message_actions.place()
        self.copy_button.hide()
        # While somebody scrolls filling gives way, but not where it is waited for.
        if not self._editing and value > 2 * self.viewport().height():
            self._filler.pause()

    @Slot()
    def _write_held(self) -> None:
        if not self._held and not self._chat.waiting:
            return
        if self._writing is None:
            if self._chat.drawn:
                self._draw_last()
            else:
                self._flush.start(AGAIN_MS)
            return
        held, self._held = self._held, ""
        start = perf_counter()
        self._edit(lambda: self._chat.append(held))
        seconds = perf_counter() - start
        if seconds > SLOW:
            self._flush.start(min(round(seconds * 4000), 500))
        elif self._chat.waiting:
            self._flush.start(AGAIN_MS)

    # Links

    @Slot(QUrl)
    def _on_anchor(self, target: QUrl) -> None:
        text = target.toString()
        kind, _, number = text.removeprefix(OWN).partition(":")
        if not text.startswith(OWN):
            self.link_asked.emit(target)
        elif kind == "copy" and (code := self._chat.codes.get(f"{kind}:{number}")) is not None:
            self._copy(code)
        elif kind == "think" and number.isdigit():
            self.toggle_thought(int(number))
        elif kind == "branch" and (found := re.fullmatch(r"(\d+):(-?1)", number)):
            self.branch_asked.emit(int(found[1]), int(found[2]))
        elif kind == "all":
            self.all_asked.emit()

    def toggle_thought(self, number: int) -> None:
        """Show what was thought before an answer, or no longer."""
        w = self._writing
        if w is not None and w.number == number:
            thought, seconds, going_on = w.thought, w.seconds, not w.pieces
        else:
            found = next((t for t in self._turns if t.number == number), None)
            thought, seconds, going_on = (found.thought, found.seconds, False) if found else ("", 0.0, False)
        at_end, self._pinned = self._pinned, False  # what is unfolded stays where it was clicked
        self._edit(lambda: self._chat.thoughts.toggle(number, thought, seconds, going_on))
        self.message_actions.place()
        self._pinned = at_end and self.at_end

    def copy_message(self, number: int) -> None:
        """Copy a message as Markdown."""
        self._copy(next((t.text for t in self._turns if t.number == number), ""))

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit()

    # Mouse and keyboard

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Show the actions of the message under the mouse."""
        super().mouseMoveEvent(event)
        if not event.buttons():
            self.message_actions.hover(self.message_at(round(event.position().y())))
            self.copy_button.hover(event.position().toPoint())

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """No message is under the mouse."""
        super().leaveEvent(event)
        self.message_actions.hover(None)
        if not self.copy_button.underMouse():
            self.copy_button.hide()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Text and message."""
        self.message_actions.show_menu(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Alt with the arrow keys goes from message to message."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.message_actions.step(step)
            return
        self._before_key(event)
        super().keyPressEvent(event)
        if self._filler.busy:  # what is still to come belongs to it
            self._to_top = event.matches(QKeySequence.StandardKey.MoveToStartOfDocument)
            self._all_chosen = event.matches(QKeySequence.StandardKey.SelectAll)

    # Geometry

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep what floats over the text in its place."""
        super().resizeEvent(event)
        self.message_actions.place()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_chat"):
            self.set_theme(self._theme)
