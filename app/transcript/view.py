"""The transcript: shows a ChatDocument, follows it while it grows, and lets people select, copy and open links."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QToolButton, QWidget

from app.looks import icons
from app.looks.theme import Theme
from app.transcript.actions import MessageActions, MessageBar
from app.transcript.column import Column
from app.transcript.document import Turn
from app.transcript.formats import OWN, Formats

NEAR = 4  # pixels from the bottom that still count as being there
SLICE = 0.012  # seconds of building a long conversation per turn of the event loop
SLOW = 0.015  # an update that takes longer makes the next one wait


@dataclass
class Writing:
    """The answer that is being written."""

    number: int
    name: str
    pieces: list[str] = field(default_factory=list)
    thought: str = ""
    seconds: float = 0.0


class TranscriptView(Column):
    """One conversation. `link_asked` carries a target that a person clicked; nothing is ever opened or loaded by itself."""

    link_asked = Signal(QUrl)
    copied = Signal()
    action_asked = Signal(str, int)  # what to do with a message: see app.transcript.actions
    branch_asked = Signal(int, int)  # number of a message, -1 for the version before it or 1 for the next
    all_asked = Signal()  # give the model the whole conversation again

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._turns: list[Turn] = []
        self._writing: Writing | None = None
        self._find: int | None = None  # the message to go to when all is built
        self._building: Iterator[None] | None = None
        self._builder = QTimer(self, interval=0)
        self._builder.timeout.connect(self._build_some)
        self._held = ""
        self._flush = QTimer(self, singleShot=True)
        self._flush.timeout.connect(self._write_held)
        self._pinned, self._editing = True, False
        self._latest = self._make_latest()
        self.bar = MessageBar(theme, self)
        self.message_actions = MessageActions(self, self.bar)
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._on_range)
        bar.valueChanged.connect(self._on_scrolled)
        self.anchorClicked.connect(self._on_anchor)

    def _make_latest(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("latest")
        button.setText(self.tr("Latest"))
        button.setAccessibleName(self.tr("Jump to the latest text"))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIcon(icons.icon("latest", self._theme.text))
        button.setIconSize(QSize(16, 16))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(self.jump_to_latest)
        button.hide()
        return button

    # What is shown

    def show_turns(self, turns: Sequence[Turn], found: int | None = None) -> None:
        """Replace the conversation; a long one is built over several turns of the event loop.

        What is the same as before stays in its place. found: the message to go to.
        """
        new, same = list(turns), 0
        if self._writing is None and self._building is None:
            while same < min(len(new), len(self._turns)) and new[same] == self._turns[same]:
                same += 1
        self._writing, self._held, self._find = None, "", found
        self._flush.stop()
        self._turns = new
        kept = same > 0 and self._kept(new[same - 1].number)
        self._start_build(same if kept else 0)

    def add_user(self, turn: Turn) -> None:
        """Append what the user wrote and go to the bottom."""
        self._complete_build()
        self._turns.append(turn)
        self._pinned = True
        self._edit(lambda: self._chat.add(turn))
        self.message_actions.place()

    def begin_answer(self, number: int, name: str) -> None:
        """Start an answer under a model's name."""
        self._complete_build()
        self._writing = Writing(number, name)
        self._edit(lambda: self._chat.begin(name))
        self.message_actions.place()

    def think(self, piece: str, seconds: float) -> None:
        """Add to what is thought before the answer, for so many seconds by now."""
        if self._writing is None:
            return
        self._complete_build()
        w = self._writing
        w.thought, w.seconds = w.thought + piece, seconds
        self._edit(lambda: self._chat.thoughts.grow(w.number, w.thought, piece, seconds, not w.pieces))

    def append(self, piece: str) -> None:
        """Add to the answer that is being written."""
        if self._writing is None or not piece:
            return
        self._complete_build()
        w = self._writing
        w.pieces.append(piece)
        if len(w.pieces) == 1 and w.thought:
            self._edit(lambda: self._chat.thoughts.grow(w.number, w.thought, "", w.seconds, False))
        self._held += piece
        if not self._flush.isActive():
            self._write_held()

    def finish_answer(self, turn: Turn) -> None:
        """End the answer that is being written, as `turn`, whose text is what was appended."""
        if self._writing is None:
            return
        self._complete_build()
        self._flush.stop()
        self._write_held()
        w, self._writing = self._writing, None
        self._turns.append(turn)
        if w.thought:
            self._edit(lambda: self._chat.thoughts.grow(w.number, w.thought, "", turn.seconds, False))
        self._edit(lambda: self._chat.finish(turn))
        self.message_actions.place()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The complete turns that are shown."""
        return tuple(self._turns)

    @property
    def settled(self) -> bool:
        """Whether the document holds everything that was given to the view."""
        return self._building is None and not self._held

    @property
    def writing(self) -> bool:
        """Whether an answer is being written."""
        return self._writing is not None

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
        self._latest.setIcon(icons.icon("latest", theme.text))
        self._chat.formats = Formats(theme, self.font())
        self.bar.set_theme(theme)
        self._held = ""
        self._start_build(0)

    # Building and editing

    def _kept(self, number: int) -> bool:
        self._editing = True
        kept = self._chat.keep(number)
        self._editing = False
        return kept

    def _start_build(self, at: int) -> None:
        """Build the document anew from the turn at `at`."""
        self._building = None
        if at == 0:
            self._editing = True
            self._chat.clear()
            self._editing = False
            self._pinned = self._find is None
        self._building = self._steps(at)
        self._build_some()

    def _steps(self, at: int) -> Iterator[None]:
        for turn in self._turns[at:]:
            yield from self._chat.build(turn)
            yield
        w = self._writing
        if w is not None:
            self._chat.begin(w.name)
            yield
            if w.thought:
                self._chat.thoughts.write(w.number, w.thought, w.seconds, not w.pieces)
                yield
            if w.pieces:
                self._chat.append("".join(w.pieces))
    @Slot()
    def _build_some(self) -> None:
        end = perf_counter() + SLICE
        while self._building is not None and perf_counter() < end:
            self._edit(self._build_step)
        if self._building is None:
            self._builder.stop()
            found, self._find = self._find, None
            if found is not None:
                self._go_to(found)
            self.message_actions.place()
        elif not self._builder.isActive():
            self._builder.start()

    def _build_step(self) -> None:
        if self._building is not None and next(self._building, "end") == "end":
            self._building = None

    def _complete_build(self) -> None:
        while self._building is not None:
            self._edit(self._build_step)
        self._builder.stop()

    @Slot()
    def _write_held(self) -> None:
        if not self._held:
            return
        held, self._held = self._held, ""
        start = perf_counter()
        self._edit(lambda: self._chat.append(held))
        seconds = perf_counter() - start
        if seconds > SLOW:
            self._flush.start(min(round(seconds * 4000), 500))

    def _edit(self, change: Any) -> None:
        """Change the document, keep the selection, and follow the end if it was in sight."""
        bar, chosen = self.verticalScrollBar(), self.textCursor()
        anchor, position, value = chosen.anchor(), chosen.position(), bar.value()
        touched = anchor != position and max(anchor, position) >= self._chat.tail_at
        self._editing = True
        change()
        if touched:
            last = self.document().characterCount() - 1
            chosen.setPosition(min(anchor, last))
            chosen.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(chosen)
        bar.setValue(bar.maximum() if self._pinned else min(value, bar.maximum()))
        self._editing = False
        self._show_latest()

    # Scrolling

    @Slot()
    def jump_to_latest(self) -> None:
        """Go to the end and follow it again."""
        self._pinned = True
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._show_latest()

    def _on_range(self, _low: int, high: int) -> None:
        if self._pinned:
            self.verticalScrollBar().setValue(high)
        self._show_latest()

    def _on_scrolled(self, value: int) -> None:
        self.message_actions.place()
        if not self._editing:
            self._pinned = value >= self.verticalScrollBar().maximum() - NEAR
            self._show_latest()

    def _show_latest(self) -> None:
        self._latest.setVisible(not self._pinned and self.verticalScrollBar().maximum() > 0)

    # Links

    @Slot(QUrl)
    def _on_anchor(self, target: QUrl) -> None:
        text = target.toString()
        kind, _, number = text.removeprefix(OWN).partition(":")
        if not text.startswith(OWN):
            self.link_asked.emit(target)
        elif kind == "copy" and number.isdigit() and int(number) < len(self._chat.codes):
            self._copy(self._chat.codes[int(number)])
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
        self._pinned = at_end and self.verticalScrollBar().value() >= self.verticalScrollBar().maximum() - NEAR

    def copy_message(self, number: int) -> None:
        """Copy a message as Markdown."""
        self._copy(next((t.text for t in self._turns if t.number == number), ""))

    def go_to(self, number: int) -> None:
        """Bring the line under a message into sight."""
        self._complete_build()
        self._go_to(number)

    def _go_to(self, number: int) -> None:
        rect = self.row_rect(number)
        if rect is not None and not (rect.top() >= 0 and rect.bottom() <= self.viewport().height()):
            bar = self.verticalScrollBar()
            bar.setValue(round(bar.value() + rect.bottom() - self.viewport().height() * 2 / 3))

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit()

    # Mouse and keyboard

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Show the actions of the message under the mouse."""
        super().mouseMoveEvent(event)
        if not event.buttons():
            self.message_actions.hover(self.message_at(round(event.position().y())))

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """No message is under the mouse."""
        super().leaveEvent(event)
        self.message_actions.hover(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Text and message."""
        self.message_actions.show_menu(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Alt with the arrow keys goes from message to message."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.message_actions.step(step)
        else:
            super().keyPressEvent(event)

    # Geometry

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep what floats over the text in its place."""
        super().resizeEvent(event)
        self._place_latest()
        self.message_actions.place()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Follow another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_chat"):
            self.set_theme(self._theme)

    def _place_latest(self) -> None:
        size = self._latest.sizeHint()
        self._latest.resize(size)
        self._latest.move((self.width() - size.width()) // 2, self.height() - size.height() - 12)
