"""What a model thought before an answer: one line that says for how long, and under it, when it is unfolded, the thought."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextCursor

from app.transcript.code import LINE
from app.transcript.formats import DEPTH, FOLD, QUOTE_STEP, ROW, THOUGHT

if TYPE_CHECKING:
    from app.transcript.document import ChatDocument

SECONDS_A_MINUTE = 60


class Thoughts:
    """The folded thoughts of one document. A folded one is not in the document, so that a long one costs nothing."""

    def __init__(self, chat: "ChatDocument") -> None:
        self._chat = chat

    def put(self, cursor: QTextCursor, number: int, thought: str, seconds: float, going_on: bool = False) -> None:
        """Write the line at a cursor behind the answer's name, and what is unfolded; the cursor goes to its end."""
        form = self._chat.formats.paragraph(2, 4, line_height=115)
        form.setProperty(FOLD, number + 1)
        cursor.insertBlock(form, self._small())
        block = cursor.block()
        self._label(block, number, seconds, going_on)
        if number in self._chat.unfolded:
            self._unfold(block, thought)
        cursor.setPosition(self._last(block).position())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)

    def write(self, number: int, thought: str, seconds: float, going_on: bool = False) -> None:
        """Put the line of the answer that is being written, or change it; the answer's own text has not begun."""
        block = self._line(number)
        if not block.isValid():
            # Where the tail begins the name's block ends, so the new block lies before the tail.
            cursor = QTextCursor(self._chat.document)
            cursor.setPosition(self._chat.tail_at)
            self.put(cursor, number, thought, seconds, going_on)
            self._chat.move_tail(cursor)
            return
        self._label(block, number, seconds, going_on)
        if number in self._chat.unfolded:
            self._unfold(block, thought)

    def grow(self, number: int, thought: str, piece: str, seconds: float, going_on: bool = True) -> None:
        """More was thought: `thought` is all of it, `piece` what is new."""
        block = self._line(number)
        if not block.isValid():
            self.write(number, thought, seconds, going_on)
            return
        self._label(block, number, seconds, going_on)
        last = self._last(block)
        if number in self._chat.unfolded and piece:
            if last == block:
                self._unfold(block, thought)
            else:
                self._insert(QTextCursor(last), piece, True)

    def toggle(self, number: int, thought: str, seconds: float, going_on: bool) -> None:
        """Show the thought, or no longer."""
        block = self._line(number)
        if not block.isValid():
            return
        self._chat.unfolded ^= {number}
        self._label(block, number, seconds, going_on)
        if number in self._chat.unfolded:
            self._unfold(block, thought)
        else:
            self._fold(block)

    def _line(self, number: int) -> QTextBlock:
        row = self._chat.row(number)
        block = row if row.isValid() else self._chat.document.lastBlock()
        while block.isValid() and block.blockFormat().intProperty(FOLD) != number + 1:
            block = block.previous()
            if block.blockFormat().intProperty(ROW):
                return QTextBlock()
        return block

    @staticmethod
    def _last(line: QTextBlock) -> QTextBlock:
        """The last block of the unfolded thought; the line itself where it is folded."""
        block = line
        while block.next().isValid() and block.next().blockFormat().boolProperty(THOUGHT):
            block = block.next()
        return block

    def _small(self) -> QTextCharFormat:
        return self._chat.formats.text(self._chat.formats.theme.dim, scale=0.9)

    def _label(self, block: QTextBlock, number: int, seconds: float, going_on: bool) -> None:
        shown = number in self._chat.unfolded
        text = ("▾ " if shown else "▸ ") + label(seconds, going_on)
        if block.text() == text:
            return
        cursor = QTextCursor(block)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        at_tail = cursor.position() == self._chat.tail_at
        tip = _tr("Hide what was thought") if shown else _tr("Show what was thought")
        cursor.insertText(text, self._chat.formats.own_link(self._small(), f"think:{number}", tip))
        if at_tail:
            self._chat.move_tail(cursor)

    def _unfold(self, line: QTextBlock, thought: str) -> None:
        if self._last(line) != line or not thought.strip():
            return
        cursor = QTextCursor(line)
        self._insert(cursor, thought.strip("\n"), False)

    def _insert(self, cursor: QTextCursor, text: str, goes_on: bool) -> None:
        """Write at the end of the cursor's block; a blank line begins a new block."""
        form = self._chat.formats.paragraph(2, 2, QUOTE_STEP)
        form.setProperty(THOUGHT, True)
        form.setProperty(DEPTH, 1)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        at_tail = cursor.position() == self._chat.tail_at
        small = self._small()
        for n, part in enumerate(text.split("\n\n")):
            if n or not goes_on:
                cursor.insertBlock(form, small)
            cursor.insertText(part.replace("\n", LINE) or ("\u200b" if n or not goes_on else ""), small)
        if at_tail:
            self._chat.move_tail(cursor)

    def _fold(self, line: QTextBlock) -> None:
        cursor, last, form = QTextCursor(line), QTextCursor(self._last(line)), line.blockFormat()
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        last.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        at_tail = last.position() == self._chat.tail_at
        cursor.setPosition(last.position(), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(form)
        if at_tail:
            self._chat.move_tail(cursor)


def label(seconds: float, going_on: bool) -> str:
    """What the line says."""
    whole = round(seconds)
    minutes, rest = divmod(whole, SECONDS_A_MINUTE)
    told = _tr("{0} min {1} s").format(minutes, rest) if minutes else _tr("{0} s").format(whole)
    if whole < 1:
        return _tr("Thinking…") if going_on else _tr("Thought")
    return _tr("Thinking… {0}").format(told) if going_on else _tr("Thought for {0}").format(told)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Transcript", text)
