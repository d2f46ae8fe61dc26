"""A whole message in parts, each of which is written at one place: forwards at the document's end, or backwards at its beginning."""

from collections.abc import Callable, Iterator, Sequence

from markdown_it.token import Token
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QFontMetricsF, QTextBlock, QTextCursor

from app.transcript import markdown
from app.transcript.code import LINE
from app.transcript.direction import right_to_left
from app.transcript.formats import BUBBLE, BUBBLE_SIDE, PAD, SHORT_BUBBLE, Formats
from app.transcript.thoughts import Thoughts
from app.transcript.turn import Turn
from app.transcript.writer import BLANK, Writer

SHORT = 430.0  # logical pixels: a message of one line up to this width sits at the right
CHUNK = 2000  # characters of a long message in one text block, which is laid out as a whole

Codes = dict[str, str]


class Part:
    """Something that is written at a cursor in an empty block, or behind a block with text.

    tokens: the Markdown in it. size: about how many characters it has.
    """

    def __init__(self, write: Callable[[QTextCursor], QTextCursor], tokens: Sequence[Token] = (), size: int = 50) -> None:
        self.write, self.tokens = write, tokens
        self.size = size + sum(len(t.content) for t in tokens)


class Messages:
    """Makes the parts of messages. rows: at the line under each message that is written, by its number."""

    def __init__(self, formats: Formats, codes: Codes, rows: dict[int, QTextCursor], thoughts: Thoughts) -> None:
        self.formats, self._codes, self._rows, self._thoughts = formats, codes, rows, thoughts

    def parts(self, turn: Turn) -> Iterator[Part]:
        """The parts of a message from its beginning to its end; a long text is parsed piece by piece."""
        if turn.first:
            yield Part(self._first)
        if turn.user:
            yield Part(lambda cursor: self._user(cursor, turn), size=len(turn.text))
        else:
            yield Part(lambda cursor: self._head(cursor, turn))
            numbered = 0
            for tokens in markdown.pieces(turn.text):
                yield self._body(turn, tokens, numbered)
                numbered += sum(t.type in ("fence", "code_block") for t in tokens)
        yield Part(lambda cursor: self.foot(cursor, turn))

    def writer(self, cursor: QTextCursor, number: int = 0, numbered: int = 0) -> Writer:
        """What writes at a cursor; `numbered` code blocks of the message came before."""
        return Writer(cursor, self.formats, self._codes, number, numbered)

    def name(self, cursor: QTextCursor, name: str) -> None:
        """Who answers."""
        small = self.formats.text(self.formats.theme.dim, scale=0.86, bold=True)
        self.writer(cursor).block(self.formats.paragraph(4, 2, line_height=100), small)
        cursor.insertText(name or BLANK, small)

    def foot(self, cursor: QTextCursor, turn: Turn) -> QTextCursor:
        """The note under an answer, and the line for the message's actions."""
        writer = self.writer(cursor)
        if turn.note and not turn.user:
            small = self.formats.text(self.formats.theme.dim, scale=0.82)
            writer.block(self.formats.paragraph(4, 0, line_height=110), small)
            cursor.insertText(turn.note, small)
        small = self.formats.text(self.formats.theme.dim, scale=0.86)
        writer.block(self.formats.row(turn.number, turn.user), small)
        which, count = turn.branch
        cursor.insertText(BLANK, small)
        if count > 1:
            earlier = self.formats.own_link(small, f"branch:{turn.number}:-1", _tr("The version before"))
            later = self.formats.own_link(small, f"branch:{turn.number}:1", _tr("The next version"))
            cursor.insertText("‹", earlier if which > 1 else small)
            cursor.insertText("\u2002" + _tr("{0} of {1}").format(which, count) + "\u2002", small)
            cursor.insertText("›", later if which < count else small)
        self._mark_row(turn.number, cursor.block())
        return cursor

    def _mark_row(self, number: int, block: QTextBlock) -> None:
        """Note where the line under a message is: behind its first character, since what is put before or behind the line would move on
        what stands at its ends.
        """
        mark = QTextCursor(block)
        mark.setPosition(block.position() + 1)
        mark.setKeepPositionOnInsert(True)
        self._rows[number] = mark

    def _body(self, turn: Turn, tokens: Sequence[Token], numbered: int) -> Part:
        def write(cursor: QTextCursor) -> QTextCursor:
            writer = self.writer(cursor, turn.number, numbered)
            writer.write(tokens, True)
            return writer.cursor

        return Part(write, tokens)

    def _head(self, cursor: QTextCursor, turn: Turn) -> QTextCursor:
        self.name(cursor, turn.name)
        if turn.thought:
            self._thoughts.put(cursor, turn.number, turn.thought, turn.seconds)
        return cursor

    def _user(self, cursor: QTextCursor, turn: Turn) -> QTextCursor:
        text, form = turn.text.strip("\n"), self.formats.text()
        fits = "\n" not in text and len(text) < SHORT and QFontMetricsF(self.formats.font).horizontalAdvance(text) <= SHORT
        short = fits and not turn.files
        kind = SHORT_BUBBLE if short else BUBBLE
        writer = self.writer(cursor)
        lines = [(file, self.formats.text(self.formats.theme.dim, scale=0.9, bold=True)) for file in turn.files]
        lines += [(chunk, form) for chunk in chunks(text)] if text or not lines else []
        for n, (line, style) in enumerate(lines):
            first, last = n == 0, n + 1 == len(lines)
            top = PAD + 14 if first else (6 if n == len(turn.files) else 0)
            block = self.formats.grounded(kind, BUBBLE_SIDE, top, PAD + 2 if last else 0, 100 if short else 118)
            if short:
                block.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
            elif right_to_left(line):  # the ground stays where it is
                block.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
            writer.block(block, style)
            cursor.insertText(line.replace("\n", LINE) or BLANK, style)
        return cursor

    def _first(self, cursor: QTextCursor) -> QTextCursor:
        small = self.formats.text(self.formats.theme.dim, scale=0.86)
        form = self.formats.paragraph(10, 2, line_height=110)
        form.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.writer(cursor).block(form, small)
        cursor.insertText(_tr("What is above is no longer given to the model.") + "\u2002", small)
        cursor.insertText(_tr("Give it all"), self.formats.own_link(small, "all:0", _tr("Give the model the whole conversation again")))
        return cursor


def chunks(text: str) -> Iterator[str]:
    """The text in parts that end where lines do."""
    while len(text) > CHUNK and (at := text.find("\n", CHUNK)) >= 0:
        yield text[:at]
        text = text[at + 1 :]
    yield text


def _tr(text: str) -> str:
    return QCoreApplication.translate("Transcript", text)
