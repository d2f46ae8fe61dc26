"""Going to messages of a conversation that is not built whole yet: what is far from what is there is built around the message."""

from collections.abc import Callable, Container
from dataclasses import dataclass, field

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from app.looks.theme import Theme
from app.transcript.actions import MessageActions
from app.transcript.filling import Filler
from app.transcript.following import Following
from app.transcript.turn import Turn

NEAR_BY = 20_000  # characters between a message that is gone to and what is there, up to which all of them are built first


@dataclass
class Writing:
    """The answer that is being written."""

    number: int
    name: str
    pieces: list[str] = field(default_factory=list)
    thought: str = ""
    seconds: float = 0.0


class Leaping(Following):
    """A column of turns with a Filler. While something is missing behind what is seen (`Filler.gap`), nothing can be added there: whoever
    does closes the gap first. Only an answer that is being written goes on meanwhile, and is put there when all before it is.
    """

    message_actions: MessageActions
    _build: Callable[[], None]  # of the whole view: write the document anew

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._turns: list[Turn] = []
        self._writing: Writing | None = None
        self._find: int | None = None  # the message to go to when there is room for it
        self._filler = Filler(self._chat, self._fill_before, self._fill_behind, self.verticalScrollBar().isSliderDown, self)
        self._filler.done.connect(self._on_filled)
        self._filler.met.connect(self._write_answer)
        self._later: list[Turn] = []  # what the filler puts behind what is seen

    @property
    def writing(self) -> bool:
        """Whether an answer is being written, at the document's end."""
        return self._writing is not None

    def go_to(self, number: int) -> None:
        """Bring the line under a message into sight."""
        if not self._has_room(number) and self._far(number, self._chat.rows):
            self._build_around(number)
            return
        self._filler.complete(lambda: self._has_room(number))
        self._go_to(number)

    def _has_room(self, number: int) -> bool:
        """Whether a message is in the document, with as much before it as the window shows."""
        rect = self.row_rect(number)
        return rect is not None and rect.top() + self.verticalScrollBar().value() > self.viewport().height()

    def _go_to(self, number: int) -> None:
        rect = self.row_rect(number)
        if rect is not None and not (rect.top() >= 0 and rect.bottom() <= self.viewport().height()):
            bar = self.verticalScrollBar()
            bar.setValue(round(bar.value() + rect.bottom() - self.viewport().height() * 2 / 3))

    def _fill_before(self, change: Callable[[], None]) -> None:
        self._edit_before(change)
        if self._find is not None:
            self._on_filled()

    def _fill_behind(self, change: Callable[[], None]) -> None:
        self._edit(change)
        if self._all_chosen and self._filler.gap:
            self.selectAll()

    @property
    def at_end(self) -> bool:
        """Whether the conversation's end is in sight."""
        return super().at_end and not self._filler.gap

    @Slot()
    def jump_to_latest(self) -> None:
        """Go to the end and follow it again."""
        self._close_gap()
        super().jump_to_latest()

    def _empty(self) -> None:
        self._filler.stop()
        self._editing = True
        self._chat.clear()
        self._editing = False
        self._to_top = self._all_chosen = False

    def _build_in_place(self) -> None:
        """Build the document anew; what is read stays where it is in the window."""
        number = None if self._pinned or self._find is not None else self._read_now()
        rect = self.row_rect(number) if number is not None else None
        self._build()
        if number is None or rect is None:
            return
        self._pinned = False
        self.go_to(number)
        now = self.row_rect(number)
        if now is not None:
            self._stay_at(round(self.verticalScrollBar().value() + now.top() - rect.top()))
        self.message_actions.place()

    def _read_now(self) -> int | None:
        """The message in the window's middle, or where that is being written the one before."""
        here = self.message_at(self.viewport().height() // 2)
        return here if here is not None else next((t.number for t in reversed(self._turns) if t.number in self._chat.rows), None)

    def _build_around(self, number: int) -> None:
        """Build the document anew from a message in its middle, and go there."""
        at, height = next(n for n, t in enumerate(self._turns) if t.number == number), self.viewport().height()
        self._empty()
        self._pinned, self._find = False, None

        def enough() -> bool:
            rect = self.row_rect(number)
            return rect is not None and self.document().size().height() > rect.bottom() + self.verticalScrollBar().value() + height

        self._later = self._turns[at:]
        self._filler.around(self._turns[:at], self._later, enough, lambda: self._has_room(number))
        self._stay_at(self.verticalScrollBar().value())
        self._go_to(number)
        self.message_actions.place()

    @Slot()
    def _write_answer(self) -> None:
        """Write what is there by now of the answer that is being written."""
        w = self._writing
        if w is None:
            return
        self._edit(lambda: self._chat.begin(w.number, w.name))
        if w.thought:
            self._edit(lambda: self._chat.thoughts.write(w.number, w.thought, w.seconds, not w.pieces))
        for _ in self._chat.grow("".join(w.pieces)):
            pass

    def _close_gap(self) -> None:
        """Build from the end what was built from its middle and is not whole yet: something comes there."""
        if self._filler.gap:
            self._find = None
            self._build()

    def _before_key(self, event: QKeyEvent) -> None:
        """Build the beginning, or the end, that a key leads to."""
        if self._filler.busy and self._turns and event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            if self._far(first := self._turns[0].number, self._chat.rows):
                self._build_around(first)
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self._close_gap()

    def _on_filled(self) -> None:
        found = self._find
        if found is not None and (self._has_room(found) or not self._filler.busy):
            self._find = None
            self._go_to(found)
        self.message_actions.place()

    def _far(self, number: int, there: Container[int]) -> bool:
        """Whether much is missing from a message on up to the next one that is there."""
        size = 0
        for turn in reversed(self._turns):
            size = 0 if turn.number in there else size + len(turn.text)
            if turn.number == number:
                return size > NEAR_BY
        return False
