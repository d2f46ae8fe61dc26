"""The conversation's document: messages before and behind what is there; of a growing answer only the open tail is replaced."""

from collections.abc import Iterator, Sequence

from markdown_it.token import Token
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextDocument, QTextFrameFormat

from app.transcript import formulas, markdown
from app.transcript.formats import Formats
from app.transcript.messages import Messages, Part
from app.transcript.thoughts import Thoughts
from app.transcript.turn import Turn as Turn
from app.transcript.writer import Writer

TOP = 20  # pixels over the first message, whose own margin does not count


class ChatDocument:
    """Writes turns into a QTextDocument. The document's width is the view's business.

    unfolded: numbers whose thought is shown. rows: at the line under each message, by number. waiting: what ends the answer
    that is being written has formulas that are still being drawn.
    """

    def __init__(self, document: QTextDocument, formats: Formats) -> None:
        self.document = document
        self.codes: dict[str, str] = {}  # by the target of the copy link
        self.rows: dict[int, QTextCursor] = {}
        self.unfolded: set[int] = set()
        self.thoughts = Thoughts(self)
        self.messages = Messages(formats, self.codes, self.rows, self.thoughts)
        self.waiting = False
        self._undrawn: list[Token] = []
        self._number, self._numbered = 0, 0  # of the answer that is being written, and of its final code blocks
        self._tail = ""  # Markdown behind tail_at
        self._tail_cursor = QTextCursor(document)
        self._tail_cursor.setKeepPositionOnInsert(True)
        self._tail_block = QTextBlockFormat()
        self._fence = ""  # the open code block's text that is shown, where the tail is one open fence
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        self._object = formulas.FormulaObject(document)
        document.documentLayout().registerHandler(formulas.OBJECT, self._object)
        self.clear()

    @property
    def formats(self) -> Formats:
        """How things are written."""
        return self.messages.formats

    @formats.setter
    def formats(self, formats: Formats) -> None:
        self.messages.formats = formats

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
        self.rows.clear()
        self.document.clear()
        self.document.setDefaultFont(self.formats.font)
        edge = QTextFrameFormat()
        edge.setTopMargin(TOP)
        self.document.rootFrame().setFrameFormat(edge)
        self.codes.clear()
        self._tail, self._fence, self.waiting = "", "", False
        self._undrawn.clear()
        self._tail_cursor.setPosition(0)
        self._tail_block = self._tail_cursor.blockFormat()

    def keep(self, number: int) -> bool:
        """Take out everything behind a message; False where it is not there."""
        block = self.row(number)
        if not block.isValid():
            return False
        for other in [n for n, cursor in self.rows.items() if cursor.block().position() > block.position()]:
            del self.rows[other]
        cursor = QTextCursor(block)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        form = block.blockFormat()
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(form)
        cursor.endEditBlock()
        self._mark_tail(cursor, "")
        self._undrawn, self.waiting = [], False
        return True

    def row(self, number: int) -> QTextBlock:
        """The line under a message; invalid where it is not there."""
        cursor = self.rows.get(number)
        return cursor.block() if cursor is not None else QTextBlock()

    # Whole messages

    def add(self, turn: Turn) -> None:
        """Append a whole turn at once."""
        for part in self.messages.parts(turn):
            formulas.draw(part.tokens)
            self.put_last(part)

    def put_last(self, part: Part) -> None:
        """Write a part behind everything."""
        cursor = self._end()
        cursor.beginEditBlock()
        part.write(cursor)
        cursor.endEditBlock()
        self._mark_tail(cursor, "")

    def put_first(self, parts: Sequence[Part]) -> None:
        """Write parts before everything, each before those that come earlier in the list."""
        edit = QTextCursor(self.document)
        edit.beginEditBlock()
        for part in parts:
            if self.document.isEmpty():
                self.put_last(part)
            else:
                self._put_first(part)
        edit.endEditBlock()

    def _put_first(self, part: Part) -> None:
        cursor, first = QTextCursor(self.document), self.document.firstBlock()
        cursor.insertBlock(first.blockFormat(), first.charFormat())
        cursor.setPosition(0)
        end = part.write(cursor)
        if end.block().length() == 1:  # the empty block behind a table: what was first takes its place
            form, text = end.block().next().blockFormat(), end.block().next().charFormat()
            end.deleteChar()
            end.setBlockFormat(form)
            end.setBlockCharFormat(text)
        elif end.block().next().length() == 1:  # the empty block before a table: a table needs one only where nothing else is before it
            form, text = end.blockFormat(), end.blockCharFormat()
            end.deleteChar()
            end.setBlockFormat(form)
            end.setBlockCharFormat(text)

    # The answer that is being written

    def begin(self, number: int, name: str) -> None:
        """Start an answer."""
        self._number, self._numbered = number, 0
        cursor = self._end()
        cursor.beginEditBlock()
        self.messages.name(cursor, name)
        self._mark_tail(cursor, "")
        self._writer(cursor).block(self.formats.paragraph(), self.formats.text(self.formats.theme.dim))
        cursor.insertText("…", self.formats.text(self.formats.theme.dim))
        cursor.endEditBlock()

    def grow(self, text: str) -> Iterator[None]:
        """Append text that came before, in small steps."""
        while text:
            cut = text.find("\n\n", markdown.PIECE)
            piece, text = (text, "") if cut < 0 else (text[: cut + 2], text[cut + 2 :])
            self.append(piece)
            yield

    def append(self, piece: str) -> None:
        """Add text to the answer that is being written; with no text what waited for its formulas is written."""
        self._tail += piece.replace("\r", "")  # half of a line's end may come alone
        cursor = self._end()
        cursor.beginEditBlock()
        if not self._extend_fence(cursor):
            self._take_tail_out(cursor)
            closed, open_, rest = markdown.parts(self._tail)
            # A block becomes final with its formulas drawn. Until then it stays in the tail and shows their source.
            self.waiting = not formulas.known(closed)
            if closed and not self.waiting:
                writer = self._writer(cursor)
                writer.write(closed, True)
                self._numbered = writer.numbered
                self._mark_tail(writer.cursor, rest)
            elif closed:
                open_, rest = [*closed, *open_], self._tail
            shown = markdown.settled(rest)
            if shown != rest:
                open_ = markdown.parse(shown)
            self.waiting = not formulas.known(open_)
            self._writer(self._end()).write(open_, False)
            fence = markdown.only_fence(open_)
            self._fence = fence.content.removesuffix("\n") if fence else ""
        cursor.endEditBlock()

    def finish(self, turn: Turn) -> None:
        """End the answer: its tail becomes final, and its note and actions go under it.

        Formulas in it that are not drawn yet show their source, until `replace_last`.
        """
        tokens = markdown.parse(self._tail)
        self._undrawn = [] if formulas.known(tokens) else tokens
        cursor = self._end()
        cursor.beginEditBlock()
        self._take_tail_out(cursor)
        writer = self._writer(cursor)
        writer.write(tokens, True)
        self._mark_tail(self.messages.foot(writer.cursor, turn), "")
        cursor.endEditBlock()
        self.waiting = bool(self._undrawn)

    @property
    def drawn(self) -> bool:
        """Whether what the end of the last answer waited for is drawn."""
        return formulas.known(self._undrawn)

    def replace_last(self, before: int, turn: Turn) -> None:
        """Write the last message anew, now with its formulas; `before` is the message before it."""
        formulas.draw(self._undrawn)
        edit = QTextCursor(self.document)
        edit.beginEditBlock()
        if self.keep(before):
            self.add(turn)
        edit.endEditBlock()

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
        self._writer(cursor).grow_code(text[len(self._fence) :])
        self._fence = text
        return True

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
        return self.messages.writer(cursor, self._number, self._numbered)
