"""Formats of the transcript: fonts, margins and colours of each kind of text, derived from one theme and one font."""

from dataclasses import dataclass
from secrets import token_hex

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontDatabase, QFontMetricsF, QTextBlockFormat, QTextCharFormat, QTextFormat

from app.looks.icons import text_scale
from app.looks.theme import Theme

KIND = QTextFormat.Property.UserProperty + 1  # of a block: which ground the view paints behind it and its neighbours of that kind
DEPTH = QTextFormat.Property.UserProperty + 2  # of a block: depth of quotation; the view paints a bar for each
RULE = QTextFormat.Property.UserProperty + 3  # of a block: a line across is painted in its middle
ROW = QTextFormat.Property.UserProperty + 4  # of the block under a message: the message's number plus 1; its actions are shown there
FOLD = QTextFormat.Property.UserProperty + 5  # of the line that folds a thought: the message's number plus 1
THOUGHT = QTextFormat.Property.UserProperty + 6  # of a block of an unfolded thought
BUBBLE, SHORT_BUBBLE, CODE_HEAD, CODE = 1, 2, 3, 4  # each code block begins with a head
PAD = 10  # pixels between a ground's edge and its text
BUBBLE_PAD = 14  # and within a bubble, whose corners are round
BUBBLE_SIDE = 56  # pixels at the left of what the user wrote
OWN = f"ouzel-{token_hex(8)}:"  # begins the targets of our own links; no answer can know it
QUOTE_STEP = 18
ROW_HEIGHT = 26  # at the usual text size
LIST_STEP = 24
HEADINGS = {1: 1.4, 2: 1.22, 3: 1.1}
LINE_HEIGHT = 132  # percent


def pad(kind: int) -> int:
    """Pixels between the sides of a ground and its text."""
    return BUBBLE_PAD if kind in (BUBBLE, SHORT_BUBBLE) else PAD


def row_height() -> int:
    """The height of the line under a message."""
    return round(ROW_HEIGHT * text_scale())


@dataclass(frozen=True)
class Formats:
    """What is written how. `font` is the font of plain text."""

    theme: Theme
    font: QFont

    def text(self, colour: str = "", scale: float = 1.0, bold: bool = False) -> QTextCharFormat:
        """Running text."""
        result = QTextCharFormat()
        result.setFont(self._sized(self.font, scale))
        result.setForeground(QColor(colour or self.theme.text))
        if bold:
            result.setFontWeight(QFont.Weight.DemiBold)
        return result

    def mono(self, colour: str = "", scale: float = 0.94) -> QTextCharFormat:
        """Code."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font.pointSizeF() * scale)
        result = QTextCharFormat()
        result.setFont(font)
        result.setForeground(QColor(colour or self.theme.text))
        return result

    def own_link(self, base: QTextCharFormat, target: str, tip: str = "") -> QTextCharFormat:
        """A link that does something in the window."""
        return self.link(base, OWN + target, tip)

    def link(self, base: QTextCharFormat, target: str, tip: str = "") -> QTextCharFormat:
        """A link on top of another format."""
        result = QTextCharFormat(base)
        result.setAnchor(True)
        result.setAnchorHref(target)
        result.setForeground(QColor(self.theme.link))
        if tip:
            result.setToolTip(tip)
        return result

    @staticmethod
    def paragraph(top: float = 5, bottom: float = 5, left: float = 0, line_height: float = LINE_HEIGHT) -> QTextBlockFormat:
        """A block of running text."""
        result = QTextBlockFormat()
        result.setTopMargin(top)
        result.setBottomMargin(bottom)
        result.setLeftMargin(left)
        result.setLineHeight(line_height, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        return result

    @staticmethod
    def gap(height: float = 6) -> QTextBlockFormat:
        """The empty block that a document has behind each frame and table: no more than a gap."""
        result = QTextBlockFormat()
        result.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        return result

    @staticmethod
    def row(number: int, right: bool) -> QTextBlockFormat:
        """The line under a message that has room for its actions."""
        result = QTextBlockFormat()
        result.setLineHeight(row_height(), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        result.setAlignment(Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft)
        result.setProperty(ROW, number + 1)
        return result

    @staticmethod
    def grounded(kind: int, left: float = 0, top: float = 0, bottom: float = 0, line_height: float = 118) -> QTextBlockFormat:
        """A block on a ground; top and bottom are its distance to other blocks of the ground or to the ground's edge."""
        result = Formats.paragraph(top, bottom, left + pad(kind), line_height)
        result.setRightMargin(pad(kind))
        result.setProperty(KIND, kind)
        return result

    def code_head(self, left: float) -> QTextBlockFormat:
        """The first line of code. The room over it belongs to the line: margins of neighbours are not added up, and one behind a table
        does not count.
        """
        result = Formats.grounded(CODE_HEAD, left, 8, 4)
        height = QFontMetricsF(self._sized(self.font, 0.82)).height() + PAD - 2
        result.setLineHeight(height, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        return result

    def ground(self, base: QTextCharFormat, colour: str) -> QTextCharFormat:
        """A format with a coloured ground."""
        result = QTextCharFormat(base)
        result.setBackground(QBrush(QColor(colour)))
        return result

    @staticmethod
    def _sized(font: QFont, scale: float) -> QFont:
        if scale == 1.0:
            return font
        result = QFont(font)
        result.setPointSizeF(font.pointSizeF() * scale)
        return result
