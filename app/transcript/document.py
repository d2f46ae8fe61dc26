"""The conversation's document: messages appended one after the other; of a growing answer only the open tail is replaced."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QFontMetricsF, QTextBlockFormat, QTextCursor, QTextDocument

from app.transcript import markdown
from app.transcript.code import LINE
from app.transcript.formats import BUBBLE, SHORT_BUBBLE, Formats
from app.transcript.writer import Writer

SHORT = 300.0  # logical pixels: a message of one line up to this width sits at the right


@dataclass(frozen=True, slots=True)
class Turn:
    """A message as it is shown. note: the small line under it, such as an answer's statistics; number names it in its links."""

    number: int
    user: bool
    text: str
    name: str = ""
    note: str = ""


class ChatDocument:
    """Writes turns into a QTextDocument. The document's width is the view's business."""

    def __init__(self, document: QTextDocument, formats: Formats) -> None:
        self.document, self.formats = document, formats
        self.codes: list[str] = []
        self._tail = ""  # Markdown behind tail_at
        self.tail_at = 0
        self._tail_block = QTextBlockFormat()
        self._fence = ""  # the open code block's text that is shown, where the tail is one open fence
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        self.clear()

    def clear(self) -> None:
        """Empty the document."""
        self.document.clear()
        self.document.setDefaultFont(self.formats.font)
        self.codes.clear()
        self._tail, self._fence, self.tail_at = "", "", 0

    def add(self, turn: Turn) -> None:
        """Append a whole turn at once."""
        for _ in self.build(turn):
            pass

    def build(self, turn: Turn) -> Iterator[None]:
        """Append a whole turn in small steps, for one that is long."""
        if turn.user:
            self.add_user(turn.text)
            return
        self.begin(turn.name)
        rest = turn.text
        while rest:
            # A piece of some thousand characters at a paragraph's border keeps each step short.
            cut = rest.find("\n\n", 4000)
            piece, rest = (rest, "") if cut < 0 else (rest[: cut + 2], rest[cut + 2 :])
            self.append(piece)
            yield
        self.finish(turn.number, turn.note)

    def add_user(self, text: str) -> None:
        """Append what the user wrote, as it is."""
        cursor = self._end()
        cursor.beginEditBlock()
        form = self.formats.text()
        short = "\n" not in text and QFontMetricsF(self.formats.font).horizontalAdvance(text) <= SHORT
        frame = self.formats.frame(SHORT_BUBBLE if short else BUBBLE, left=56, padding=10, top=14, bottom=8)
        writer = self._writer(cursor)
        writer.frame(frame)
        block = self.formats.paragraph(0, 0, line_height=100 if short else 118)
        block.setAlignment(Qt.AlignmentFlag.AlignRight if short else Qt.AlignmentFlag.AlignLeft)
        writer.block(block, form)
        cursor.insertText(text.strip("\n").replace("\n", LINE), form)
        writer.leave()
        cursor.endEditBlock()

    def begin(self, name: str) -> None:
        """Start an answer."""
        cursor = self._end()
        cursor.beginEditBlock()
        small = self.formats.text(self.formats.theme.dim, scale=0.86, bold=True)
        self._writer(cursor).block(self.formats.paragraph(6, 2, line_height=100), small)
        cursor.insertText(name or " ", small)
        self._mark_tail(cursor, "")
        waiting = self._writer(cursor)
        waiting.block(self.formats.paragraph(), self.formats.text(self.formats.theme.dim))
        cursor.insertText("…", self.formats.text(self.formats.theme.dim))
        cursor.endEditBlock()

    def append(self, piece: str) -> None:
        """Add text to the answer that is being written."""
        self._tail += piece
        cursor = self._end()
        cursor.beginEditBlock()
        if not self._extend_fence(cursor):
            self._take_tail_out(cursor)
            closed, rest = markdown.split(self._tail)
            if closed:
                writer = self._writer(cursor)
                writer.write(markdown.parse(closed), True)
                self._mark_tail(writer.cursor, rest)
            self._write_open()
        cursor.endEditBlock()

    def finish(self, number: int, note: str) -> None:
        """End the answer: its tail becomes final, and the note goes under it."""
        cursor = self._end()
        cursor.beginEditBlock()
        self._take_tail_out(cursor)
        writer = self._writer(cursor)
        writer.write(markdown.parse(self._tail), True)
        self._mark_tail(writer.cursor, "")
        self._note(number, note)
        cursor.endEditBlock()

    def _note(self, number: int, note: str) -> None:
        small = self.formats.text(self.formats.theme.dim, scale=0.82)
        writer = self._writer(self._end())
        writer.block(self.formats.paragraph(4, 10, line_height=110), small)
        if note:
            writer.cursor.insertText(note + "\u2003", small)
        writer.cursor.insertText(_tr("Copy"), self.formats.link(small, f"answer:{number}", _tr("Copy this answer as Markdown")))
        self._mark_tail(writer.cursor, "")

    def _extend_fence(self, cursor: QTextCursor) -> bool:
        """Add to an open code block without touching what is there; False where the tail is anything else."""
        if not self._fence:
            return False
        token = markdown.only_fence(markdown.parse(markdown.settled(self._tail)))
        if token is None:
            return False
        text = token.content.removesuffix("\n")
        closes = len(markdown.settled(self._tail).rstrip().splitlines()) > token.content.count("\n") + 1
        if closes or not text.startswith(self._fence):
            return False
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        cursor.insertText(text[len(self._fence) :].replace("\n", LINE), self.formats.mono())
        self._fence = text
        return True

    def _write_open(self) -> None:
        tokens = markdown.parse(markdown.settled(self._tail))
        self._writer(self._end()).write(tokens, False)
        fence = markdown.only_fence(tokens)
        self._fence = fence.content.removesuffix("\n") if fence else ""

    def _take_tail_out(self, cursor: QTextCursor) -> None:
        cursor.setPosition(self.tail_at)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        # Removing over a block's border leaves the later block's format.
        if cursor.blockFormat() != self._tail_block:
            cursor.setBlockFormat(self._tail_block)
        self._fence = ""

    def _mark_tail(self, cursor: QTextCursor, rest: str) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self.tail_at, self._tail, self._tail_block = cursor.position(), rest, cursor.blockFormat()

    def _end(self) -> QTextCursor:
        cursor = QTextCursor(self.document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def _writer(self, cursor: QTextCursor) -> Writer:
        return Writer(cursor, self.formats, self.codes, _tr("Copy"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Transcript", text)
