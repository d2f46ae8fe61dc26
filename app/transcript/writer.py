"""Markdown tokens written into a text document at a cursor.

Invariant: a document holds no empty text block but the one that must follow a frame or table, and that one is used up by the
next block. So an empty block under the cursor is always free to be written into.
"""

from collections.abc import Sequence

from markdown_it.token import Token
from PySide6.QtCore import Qt
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
from app.transcript.formats import CODE, DEPTH, HEADINGS, LIST_STEP, QUOTE_STEP, RULE, Formats

ALIGNMENTS = {"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}
BULLETS = ("•", "◦", "▪")


class Writer:
    """Writes at `cursor`. codes: texts of the complete code blocks; the copy link of the n-th has the target "copy:n"."""

    def __init__(self, cursor: QTextCursor, formats: Formats, codes: list[str], copy_label: str) -> None:
        self.cursor, self.formats, self._codes, self._copy_label = cursor, formats, codes, copy_label
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

    def frame(self, form: QTextFrameFormat) -> None:
        """Begin a frame; `leave` ends it."""
        if self.cursor.block().length() == 1:
            self.cursor.setBlockFormat(self.formats.gap(2))
        self.cursor.insertFrame(form)

    def leave(self) -> None:
        """Go to the free block behind the frame or table at the document's end."""
        self.cursor.movePosition(QTextCursor.MoveOperation.End)
        self.cursor.setBlockFormat(self.formats.gap())

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

    def code(self, token: Token, complete: bool) -> None:
        """Write a framed code block; while it is open its text ends at the frame's last position."""
        self._flush_marker()
        theme = self.formats.theme
        language = (token.info or "").strip().split(" ")[0]
        text = token.content.removesuffix("\n")
        self.frame(self.formats.frame(CODE, left=self._indent()))
        small = self.formats.text(theme.dim, scale=0.82)
        head = self.formats.paragraph(0, 4, line_height=100)
        self.block(head, small)
        self.cursor.insertText(language or "\u200b", small)
        if complete:
            self._codes.append(text)
            if language:
                self.cursor.insertText("\u2003", small)
            self.cursor.insertText(self._copy_label, self.formats.own_link(small, f"copy:{len(self._codes) - 1}"))
        mono = self.formats.mono()
        self.cursor.insertBlock(self.formats.paragraph(0, 0, line_height=118), mono)
        pieces = code_block.runs(text, language.lower(), theme, mono) if complete else [(text.replace("\n", code_block.LINE), mono)]
        for piece, form in pieces:
            self.cursor.insertText(piece, form)
        self.leave()

    def _rule(self) -> None:
        form = self.formats.paragraph(4, 4, self._indent(), line_height=100)
        form.setProperty(RULE, True)
        self.block(form, self.formats.text())
        self.cursor.insertText("\u200b", self.formats.text())  # an empty block would be written into by the next one

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
                self.cursor.setBlockFormat(form)
                if head:
                    shade = cell.format()
                    shade.setBackground(QColor(self.formats.theme.code))
                    cell.setFormat(shade)
                self.inline(children, self.formats.text(bold=head))
        self.leave()

    def _table_format(self) -> QTextTableFormat:
        form = QTextTableFormat()
        form.setBorder(1)
        form.setBorderBrush(QColor(self.formats.theme.border))
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderCollapse(True)
        form.setCellPadding(6)
        form.setCellSpacing(0)
        form.setHeaderRowCount(1)
        form.setTopMargin(6)
        form.setBottomMargin(4)
        form.setLeftMargin(self._indent())
        return form
