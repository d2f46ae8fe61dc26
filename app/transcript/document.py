"""The conversation's document: messages appended one after the other; of a growing answer only the open tail is replaced."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QFontMetricsF, QTextBlock, QTextBlockFormat, QTextCursor, QTextDocument

from app.transcript import markdown
from app.transcript.code import LINE
from app.transcript.formats import BUBBLE, ROW, SHORT_BUBBLE, Formats
from app.transcript.thoughts import Thoughts
from app.transcript.writer import Writer

SHORT = 300.0  # logical pixels: a message of one line up to this width sits at the right
BLANK = "\u200b"  # an empty block would be written into by the next one


@dataclass(frozen=True, slots=True)
class Turn:
    """A message as it is shown. note: the small line under it, such as an answer's statistics; number names it in its links.

    thought: what was thought before an answer, for `seconds`. branch: (which, of how many) messages in this place. files: a line for each
    file that goes with it. cut: the answer can be gone on with. first: the first message that the model is given, others before it.
    """

    number: int
    user: bool
    text: str
    name: str = ""
    note: str = ""
    thought: str = ""
    seconds: float = 0.0
    branch: tuple[int, int] = (1, 1)
    files: tuple[str, ...] = ()
    cut: bool = False
    first: bool = False


class ChatDocument:
    """Writes turns into a QTextDocument. The document's width is the view's business. unfolded: numbers whose thought is shown."""

    def __init__(self, document: QTextDocument, formats: Formats) -> None:
        self.document, self.formats = document, formats
        self.codes: list[str] = []
        self.unfolded: set[int] = set()
        self.thoughts = Thoughts(self)
        self._tail = ""  # Markdown behind tail_at
        self._tail_cursor = QTextCursor(document)
        self._tail_cursor.setKeepPositionOnInsert(True)
        self._tail_block = QTextBlockFormat()
        self._row_cursor = QTextCursor(document)
        self._fence = ""  # the open code block's text that is shown, where the tail is one open fence
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        self.clear()

    @property
    def tail_at(self) -> int:
        """Where the part begins that may still change."""
        return self._tail_cursor.position()

    def move_tail(self, cursor: QTextCursor) -> None:
        """What may still change begins at `cursor` now: something was put before it."""
        self._tail_cursor.setPosition(cursor.position())
        self._tail_block = cursor.blockFormat()

    def clear(self) -> None:
        """Empty the document."""
        self.document.clear()
        self.document.setDefaultFont(self.formats.font)
        self.codes.clear()
        self._tail, self._fence = "", ""
        self._tail_cursor.setPosition(0)

    def keep(self, number: int) -> bool:
        """Take out everything behind a message; False where it is not there."""
        block = self.row(number)
        if not block.isValid():
            return False
        cursor = QTextCursor(block)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        form = block.blockFormat()
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(form)
        cursor.endEditBlock()
        self._mark_tail(cursor, "")
        return True

    def row(self, number: int) -> QTextBlock:
        """The line under a message; invalid where it is not there."""
        block = self._row_cursor.block()  # most often the one that was asked for last
        if block.isValid() and block.blockFormat().intProperty(ROW) == number + 1:
            return block
        block = self.document.lastBlock()
        while block.isValid() and block.blockFormat().intProperty(ROW) != number + 1:
            block = block.previous()
        if block.isValid():
            self._row_cursor.setPosition(block.position())
        return block

    def add(self, turn: Turn) -> None:
        """Append a whole turn at once."""
        for _ in self.build(turn):
            pass

    def build(self, turn: Turn) -> Iterator[None]:
        """Append a whole turn in small steps, for one that is long."""
        if turn.first:
            self._mark_first()
        if turn.user:
            self.add_user(turn)
            return
        self.begin(turn.name)
        if turn.thought:
            self.thoughts.write(turn.number, turn.thought, turn.seconds)
            yield
        rest = turn.text
        while rest:
            # A piece of some thousand characters at a paragraph's border keeps each step short.
            cut = rest.find("\n\n", 4000)
            piece, rest = (rest, "") if cut < 0 else (rest[: cut + 2], rest[cut + 2 :])
            self.append(piece)
            yield
        self.finish(turn)

    def add_user(self, turn: Turn) -> None:
        """Append what the user wrote, as it is."""
        text, cursor = turn.text, self._end()
        cursor.beginEditBlock()
        form = self.formats.text()
        fits = "\n" not in text and QFontMetricsF(self.formats.font).horizontalAdvance(text) <= SHORT
        short = fits and not turn.files
        frame = self.formats.frame(SHORT_BUBBLE if short else BUBBLE, left=56, padding=10, top=14, bottom=2)
        writer = self._writer(cursor)
        writer.frame(frame)
        for n, file in enumerate(turn.files):
            small = self.formats.text(self.formats.theme.dim, scale=0.9, bold=True)
            writer.block(self.formats.paragraph(0, 6 if n + 1 == len(turn.files) else 0, line_height=112), small)
            cursor.insertText(file, small)
        block = self.formats.paragraph(0, 0, line_height=100 if short else 118)
        block.setAlignment(Qt.AlignmentFlag.AlignRight if short else Qt.AlignmentFlag.AlignLeft)
        writer.block(block, form)
        cursor.insertText(text.strip("\n").replace("\n", LINE) or BLANK, form)
        writer.leave()
        self._row(turn)
        cursor.endEditBlock()

    def begin(self, name: str) -> None:
        """Start an answer."""
        cursor = self._end()
        cursor.beginEditBlock()
        small = self.formats.text(self.formats.theme.dim, scale=0.86, bold=True)
        self._writer(cursor).block(self.formats.paragraph(4, 2, line_height=100), small)
        cursor.insertText(name or BLANK, small)
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

    def finish(self, turn: Turn) -> None:
        """End the answer: its tail becomes final, and its note and actions go under it."""
        cursor = self._end()
        cursor.beginEditBlock()
        self._take_tail_out(cursor)
        writer = self._writer(cursor)
        writer.write(markdown.parse(self._tail), True)
        self._mark_tail(writer.cursor, "")
        if turn.note:
            small = self.formats.text(self.formats.theme.dim, scale=0.82)
            writer = self._writer(self._end())
            writer.block(self.formats.paragraph(4, 0, line_height=110), small)
            writer.cursor.insertText(turn.note, small)
        self._row(turn)
        cursor.endEditBlock()

    def _row(self, turn: Turn) -> None:
        small = self.formats.text(self.formats.theme.dim, scale=0.86)
        writer = self._writer(self._end())
        writer.block(self.formats.row(turn.number, turn.user), small)
        which, count = turn.branch
        writer.cursor.insertText(BLANK, small)
        if count > 1:
            earlier = self.formats.own_link(small, f"branch:{turn.number}:-1", _tr("The version before"))
            later = self.formats.own_link(small, f"branch:{turn.number}:1", _tr("The next version"))
            writer.cursor.insertText("‹", earlier if which > 1 else small)
            writer.cursor.insertText("\u2002" + _tr("{0} of {1}").format(which, count) + "\u2002", small)
            writer.cursor.insertText("›", later if which < count else small)
        self._mark_tail(writer.cursor, "")

    def _mark_first(self) -> None:
        small = self.formats.text(self.formats.theme.dim, scale=0.86)
        writer = self._writer(self._end())
        form = self.formats.paragraph(10, 2, line_height=110)
        form.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        writer.block(form, small)
        writer.cursor.insertText(_tr("What is above is no longer given to the model.") + "\u2002", small)
        whole = self.formats.own_link(small, "all:0", _tr("Give the model the whole conversation again"))
        writer.cursor.insertText(_tr("Give it all"), whole)
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
        self._tail_cursor.setPosition(cursor.position())
        self._tail, self._tail_block = rest, cursor.blockFormat()

    def _end(self) -> QTextCursor:
        cursor = QTextCursor(self.document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def _writer(self, cursor: QTextCursor) -> Writer:
        return Writer(cursor, self.formats, self.codes, _tr("Copy"))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Transcript", text)
