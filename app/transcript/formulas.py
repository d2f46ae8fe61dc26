"""Formulas within the text document: an object that stands in its line on the baseline, in the text's size and colour."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil

from markdown_it.token import Token
from PySide6.QtCore import QByteArray, QObject, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QFontInfo,
    QFontMetrics,
    QPainter,
    QPixmap,
    QPyTextObject,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.transcript.latex import DRAWINGS, INK, SIZE, Drawing

OBJECT = QTextFormat.ObjectTypes.UserObject + 1
LATEX = QTextFormat.Property.UserProperty + 20  # of the object's character: its LaTeX
DISPLAY = QTextFormat.Property.UserProperty + 21  # whether it is set large
SOURCE = QTextFormat.Property.UserProperty + 22  # how it was written, with its delimiters
CHARACTER = "\ufffc"
GROWN = 1.1  # the formulas' font looks smaller than the text's
LEAST = 0.4  # a formula that is wider than the column is made smaller, down to this


def of(tokens: Iterable[Token]) -> list[tuple[str, bool]]:
    """(LaTeX, whether it is set large) of all formulas in these tokens."""
    found = []
    for token in tokens:
        if token.type in ("formula", "formula_block"):
            found.append((token.content, bool(token.meta["display"])))
        found += of(token.children or ())
    return found


def known(tokens: Sequence[Token]) -> bool:
    """Whether all drawings for these tokens are there; those that are not are being made."""
    missing = [key for key in of(tokens) if not DRAWINGS.known(*key)]
    return not missing


def draw(tokens: Iterable[Token]) -> None:
    """Draw now what these tokens need."""
    for latex, display in of(tokens):
        DRAWINGS.get(latex, display)


def write(cursor: QTextCursor, token: Token, base: QTextCharFormat) -> bool:
    """Put a formula at the cursor; False where it cannot be drawn (yet), so that its source has to stand for it."""
    latex, display = token.content, bool(token.meta["display"])
    if not DRAWINGS.known(latex, display) or DRAWINGS.get(latex, display) is None:
        return False
    form = QTextCharFormat(base)
    form.setObjectType(OBJECT)
    form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    form.setProperty(LATEX, latex)
    form.setProperty(DISPLAY, display)
    form.setProperty(SOURCE, token.meta["source"])
    cursor.insertText(CHARACTER, form)
    return True


@lru_cache(maxsize=256)
def _pixmap(drawing: Drawing, colour: str, scale: float, ratio: float) -> tuple[QPixmap, int]:
    """(The drawing in device pixels, how many of them are above its baseline)."""
    ascent, whole = drawing.ascent * scale * ratio, drawing.height * scale * ratio
    above, width = ceil(ascent), drawing.width * scale * ratio
    pixmap = QPixmap(max(ceil(width), 1), max(above + ceil(whole - ascent), 1))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    place = QRectF(0, above - ascent, width, whole)
    QSvgRenderer(QByteArray(drawing.svg.replace(INK, colour).encode())).render(painter, place)
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap, above


def width(form: QTextCharFormat) -> float:
    """Logical pixels of a formula with room enough."""
    drawing = FormulaObject._drawing(form)
    return drawing.width * FormulaObject._scale(drawing, form, 0.0) if drawing is not None else 1.0


class FormulaObject(QPyTextObject):
    """Sizes and draws the formulas of a document.

    Qt makes room for the middle of an object at a quarter of the height of an "x" over the baseline; so the object is as high as it
    must be to have room for the formula with its own baseline on the text's. Then it draws the object in the middle of the line.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)

    def intrinsicSize(self, document: QTextDocument, _at: int, form: QTextFormat) -> QSizeF:  # noqa: N802
        """Width and height in logical pixels."""
        drawing, text = self._drawing(form), form.toCharFormat()
        if drawing is None:
            return QSizeF(1, 1)
        scale = self._scale(drawing, text, document.textWidth())
        half = QFontMetrics(text.font()).xHeight() / 2
        height = max(2 * drawing.descent * scale + half, 2 * drawing.ascent * scale - half)
        return QSizeF(drawing.width * scale, height)

    def drawObject(self, painter: QPainter, rect: QRectF | QRect, document: QTextDocument, at: int, form: QTextFormat) -> None:  # noqa: N802
        """Draw it, sharp on every screen: at whole device pixels."""
        drawing, text = self._drawing(form), form.toCharFormat()
        if drawing is None:
            return
        scale = self._scale(drawing, text, document.textWidth())
        block = document.findBlock(at)
        line = block.layout().lineForTextPosition(at - block.position())
        baseline = QRectF(rect).center().y() + (line.ascent() - line.descent()) / 2
        pixmap, above = _pixmap(drawing, text.foreground().color().name(), scale, painter.device().devicePixelRatioF())
        corner = painter.deviceTransform().map(QPointF(rect.left(), baseline))
        inverse, _ = painter.deviceTransform().inverted()
        painter.drawPixmap(inverse.map(QPointF(round(corner.x()), round(corner.y()) - above)), pixmap)

    @staticmethod
    def _drawing(form: QTextFormat) -> Drawing | None:
        return DRAWINGS.get(form.stringProperty(LATEX), form.boolProperty(DISPLAY))

    @staticmethod
    def _scale(drawing: Drawing, text: QTextCharFormat, room: float) -> float:
        scale = QFontInfo(text.font()).pixelSize() / SIZE * GROWN
        return max(min(scale, room / drawing.width), scale * LEAST) if room > 0 else scale
