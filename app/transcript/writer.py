"""Markdown tokens written into a text document at a cursor, anywhere in it.

Invariant: a document holds no empty text block but the ones around a table, and the one behind it is used up by the next block.
So an empty block under the cursor is always free to be written into.
"""

from collections.abc import Sequence

from markdown_it.token import Token
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextTableFormat,
)

from app.transcript import code as code_block
from app.transcript import formulas, tables
from app.transcript.direction import turned
from app.transcript.formats import CODE, DEPTH, HEADINGS, LIST_STEP, PAD, QUOTE_STEP, RULE, Formats

ALIGNMENTS = {"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}
BULLETS = ("•", "◦", "▪")
BLANK = "\u200b"  # an empty block would be written into by the next one
LINES = 80  # of code in one text block: an open one is laid out anew with each piece of text


class Writer:
    """Writes at `cursor`. codes: by the targets of their copy links, the texts of complete code blocks. message: names the targets;
    numbered: how many code blocks of the message came before.
    """

    def __init__(self, cursor: QTextCursor, formats: Formats, codes: dict[str, str], message: int = 0, numbered: int = 0) -> None:
        self.cursor, self.formats, self._codes = cursor, formats, codes
        self._message, self.numbered = message, numbered
        self._lists: list[int | None] = []  # the next number of each open list; None: bullets
        self._quotes = 0
        self._marker = ""  # what the next paragraph of a list item starts with

    def block(self, form: QTextBlockFormat, text: QTextCharFormat) -> None:
        """Begin a text block, in the free empty one if there is one."""
        if self.cursor.block().length() > 1:
            self.cursor.insertBlock(form, text)
        else:
            self.cursor.setBlockFormat(form)
            self.cursor.setBlockCharFormat(text)
            self.cursor.setCharFormat(text)

    def write(self, tokens: Sequence[Token], complete: bool) -> None:
        """Write blocks. Code is coloured and gets its copy link only when complete."""
        at = 0
        while at < len(tokens):
            token = tokens[at]
            match token.type:
                case "bullet_list_open":
                    self._lists.append(None)
                case "ordered_list_open":
                    self._lists.append(int(token.attrGet("start") or 1) if token.attrGet("start") != 0 else 0)
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                case "list_item_open":
                    self._start_item()
                case "list_item_close":
                    self._flush_marker()
                case "blockquote_open":
                    self._quotes += 1
                case "blockquote_close":
                    self._quotes -= 1
                case "heading_open":
                    self._heading(int(token.tag[1]), tokens[at + 1].children or [])
                    at += 1
                case "paragraph_open":
                    self._paragraph(tokens[at + 1].children or [])
                    at += 1
                case "formula_block" | "formula_open":
                    self._formula(token)
                case "fence" | "code_block":
                    self.code(token, complete)
                case "hr":
                    self._rule()
                case "table_open":
                    end = next(n for n in range(at, len(tokens)) if tokens[n].type == "table_close")
                    self._table(tokens[at:end])
                    at = end
            at += 1

    def _start_item(self) -> None:
        number = self._lists[-1]
        if number is None:
            self._marker = BULLETS[(len(self._lists) - 1) % len(BULLETS)] + "\u2002"
        else:
            self._marker = f"{number}.\u2002"
            self._lists[-1] = number + 1

    def _flush_marker(self) -> None:
        if self._marker:
            self._paragraph([])

    def _indent(self) -> float:
        return LIST_STEP * len(self._lists) + QUOTE_STEP * self._quotes

    def _body(self) -> QTextCharFormat:
        return self.formats.text(self.formats.theme.dim if self._quotes else "")

    def _paragraph(self, children: Sequence[Token]) -> None:
        gap = 2 if self._lists else 5
        form = self.formats.paragraph(gap, gap, self._indent())
        text = self._body()
        self._marked(form, text, children)

    def _heading(self, level: int, children: Sequence[Token]) -> None:
        form = self.formats.paragraph(12, 4, self._indent())
        form.setHeadingLevel(level)
        self._marked(form, self.formats.text(scale=HEADINGS.get(level, 1.0), bold=True), children)

    def _marked(self, form: QTextBlockFormat, text: QTextCharFormat, children: Sequence[Token]) -> None:
        marker, self._marker = self._marker, ""
        turned(form, "".join(c.content for c in children))
        if marker:
            form.setTextIndent(-QFontMetricsF(text.font()).horizontalAdvance(marker))
        if self._quotes:
            form.setProperty(DEPTH, self._quotes)
        self.block(form, text)
        if marker:
            self.cursor.insertText(marker, text)
        self.inline(children, text)

    def inline(self, children: Sequence[Token], base: QTextCharFormat) -> None:
        """Write text with emphasis, code and links. Pictures are never loaded: their description stands for them."""
        stack = [base]
        for child in children:
            if child.type == "text":
                self.cursor.insertText(child.content, stack[-1])
            elif child.type == "softbreak":
                self.cursor.insertText(" ", stack[-1])
            elif child.type == "hardbreak":
                self.cursor.insertText(code_block.LINE, stack[-1])
            elif child.type == "formula":
                if not formulas.write(self.cursor, child, stack[-1]):
                    self.cursor.insertText(child.meta["source"].replace("\n", " "), stack[-1])
            elif child.type == "code_inline":
                self.cursor.insertText(child.content, self._inline_code(stack[-1]))
            elif child.type == "image":
                target = str(child.attrGet("src") or "")
                self.cursor.insertText(child.content or target, self.formats.link(stack[-1], target))
            elif child.nesting == 1:
                stack.append(self._emphasis(child, stack[-1]))
            elif child.nesting == -1 and len(stack) > 1:
                stack.pop()

    def _emphasis(self, token: Token, base: QTextCharFormat) -> QTextCharFormat:
        if token.tag == "a":
            target = str(token.attrGet("href") or "")
            return self.formats.link(base, target, tip=target)
        result = QTextCharFormat(base)
        if token.tag == "strong":
            result.setFontWeight(QFont.Weight.Bold)
        elif token.tag == "em":
            result.setFontItalic(True)
        elif token.tag == "s":
            result.setFontStrikeOut(True)
        return result

    def _inline_code(self, base: QTextCharFormat) -> QTextCharFormat:
        result = QTextCharFormat(base)
        result.setFontFamilies(self.formats.mono().fontFamilies())
        result.setFontFixedPitch(True)
        return self.formats.ground(result, self.formats.theme.code)

    def _formula(self, token: Token) -> None:
        """A formula with lines of its own: in the middle, or as it was written where it cannot be drawn."""
        self._flush_marker()
        base = self._body()
        form = self.formats.paragraph(7, 7, self._indent(), line_height=100)
        form.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        if self._quotes:
            form.setProperty(DEPTH, self._quotes)
        self.block(form, base)
        if token.type == "formula_block" and formulas.write(self.cursor, token, base):
            self.cursor.insertText(token.meta["after"], base)
            return
        form.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self.cursor.setBlockFormat(form)
        text = token.meta["source"] + token.meta["after"]
        self.cursor.insertText(text.replace("\n", code_block.LINE), self.formats.mono(base.foreground().color().name()))

    def code(self, token: Token, complete: bool) -> None:
        """Write a code block; while it is open it can be grown by `grow_code`."""
        self._flush_marker()
        theme = self.formats.theme
        language = (token.info or "").strip().split(" ")[0]
        text = token.content.removesuffix("\n")
        small = self.formats.text(theme.dim, scale=0.82)
        head = self.formats.code_head(self._indent())
        head.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.block(head, small)
        self.cursor.insertText(language or BLANK, small)
        if complete:
            target = f"copy:{self._message}.{self.numbered}"
            self._codes[target] = text
            self.numbered += 1
            if language:
                self.cursor.insertText("\u2003", small)
            self.cursor.insertText(_tr("Copy"), self.formats.own_link(small, target, _tr("Copy this code")))
        mono = self.formats.mono()
        pieces = code_block.runs(text, language.lower(), theme, mono) if complete else [(text, mono)]
        body = self._code_format()
        self.cursor.insertBlock(body, mono)
        count = 0
        for piece, form in pieces:
            count = self._code_lines(piece, form, body, count)
        self._end_code(body)

    def _code_format(self) -> QTextBlockFormat:
        form = self.formats.grounded(CODE, self._indent())
        form.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        return form

    def _code_lines(self, text: str, form: QTextCharFormat, body: QTextBlockFormat, count: int) -> int:
        """Write a part of code, with a new text block now and then; `count` lines are in the block by now."""
        while (lines := text.count("\n")) + count >= LINES:
            at = -1
            for _ in range(LINES - count):
                at = text.index("\n", at + 1)
            self.cursor.insertText(text[:at].replace("\n", code_block.LINE), form)
            if self.cursor.block().length() == 1:
                self.cursor.insertText(BLANK, form)
            self.cursor.insertBlock(body, self.formats.mono())
            text, count = text[at + 1 :], 0
        self.cursor.insertText(text.replace("\n", code_block.LINE), form)
        return count + lines

    def _end_code(self, body: QTextBlockFormat) -> None:
        if self.cursor.block().length() == 1:
            self.cursor.insertText(BLANK, self.formats.mono())
        last = QTextBlockFormat(body)
        last.setBottomMargin(PAD + 8)
        self.cursor.setBlockFormat(last)

    def grow_code(self, text: str) -> None:
        """Write more into the open code block that ends at the cursor."""
        block = self.cursor.block()
        body = QTextBlockFormat(block.blockFormat())
        body.setBottomMargin(0)
        if block.text() == BLANK:
            self.cursor.deletePreviousChar()
        self.cursor.setBlockFormat(body)
        self._code_lines(text, self.formats.mono(), body, block.text().count(code_block.LINE))
        self._end_code(body)

    def _rule(self) -> None:
        form = self.formats.paragraph(4, 4, self._indent(), line_height=100)
        form.setProperty(RULE, True)
        self.block(form, self.formats.text())
        self.cursor.insertText(BLANK, self.formats.text())

    def _table(self, tokens: Sequence[Token]) -> None:
        rows: list[list[tuple[bool, str, Sequence[Token]]]] = []
        for at, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                rows[-1].append((token.type == "th_open", str(token.attrGet("style") or ""), tokens[at + 1].children or []))
        if not rows:
            return
        self._flush_marker()
        if self.cursor.block().length() == 1:
            self.cursor.setBlockFormat(self.formats.gap(2))
        table = self.cursor.insertTable(len(rows), max(map(len, rows)), self._table_format())
        for r, row in enumerate(rows):
            for c, (head, style, children) in enumerate(row):
                cell = table.cellAt(r, c)
                self.cursor = cell.firstCursorPosition()
                form = self.formats.paragraph(0, 0, line_height=115)
                form.setAlignment(next((flag for word, flag in ALIGNMENTS.items() if word in style), Qt.AlignmentFlag.AlignLeft))
                self.cursor.setBlockFormat(turned(form, "".join(t.content for t in children)))
                if head:
                    shade = cell.format()
                    shade.setBackground(QColor(self.formats.theme.code))
                    cell.setFormat(shade)
                self.inline(children, self.formats.text(bold=head))
        tables.measure(table, self.cursor.document().textWidth())
        # Behind a table a document has an empty block: no more than a gap until something is written into it.
        self.cursor.setPosition(table.lastPosition() + 1)
        self.cursor.setBlockFormat(self.formats.gap())

    def _table_format(self) -> QTextTableFormat:
        form = QTextTableFormat()
        form.setBorder(1)
        form.setBorderBrush(QColor(self.formats.theme.border))
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderCollapse(True)
        form.setCellPadding(6)
        form.setCellSpacing(0)
        form.setHeaderRowCount(1)
        form.setTopMargin(12)
        form.setBottomMargin(8)
        form.setLeftMargin(self._indent())
        return form


def _tr(text: str) -> str:
    return QCoreApplication.translate("Transcript", text)
