"""Formulas within the text document: an object that stands in its line on the baseline, in the text's size and colour."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil

from markdown_it.token import Token
from PySide6.QtCore import QByteArray, QObject, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QFont,
    QFontInfo,
    QFontMetrics,
    QFontMetricsF,
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
RATIO = QTextFormat.Property.UserProperty + 23  # how many times as large as the text's the object's font is: see FormulaObject
RATIOS = (0.25, 8.0)  # the least and the most
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
    _shift(form)
    cursor.insertText(CHARACTER, form)
    return True


def _shift(form: QTextCharFormat) -> None:
    """Give the object the font whose x-height lets Qt make as much room over and under the baseline as the formula takes."""
    drawing = FormulaObject._drawing(form)
    if drawing is None:
        return
    above, below = FormulaObject._room(drawing, form, FormulaObject._scale(drawing, form, 0.0))
    least, most = RATIOS
    ratio = min(max(2 * (above - below) / max(QFontMetricsF(form.font()).xHeight(), 1.0), least), most)
    form.setFontPointSize(form.fontPointSize() * ratio)
    form.setProperty(RATIO, ratio)


def font_of_text(form: QTextCharFormat) -> QFont:
    """The font of a character's text; of a formula, of the text that it stands in."""
    font = QFont(form.font())
    if ratio := form.doubleProperty(RATIO):
        font.setPointSizeF(font.pointSizeF() / ratio)
    return font


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

    Qt puts the middle of an object at a quarter of the height of an "x" of its font over the baseline; so the object has a font with
    which that is the formula's own middle, and is as high as it must be where no font's fits. Then Qt draws it in the middle of the line.
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
        above, below = self._room(drawing, text, scale)
        return QSizeF(drawing.width * scale, max(2 * below + half, 2 * above - half))

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
    def _room(drawing: Drawing, text: QTextCharFormat, scale: float) -> tuple[float, float]:
        """Logical pixels over and under the baseline: as for a line of text at least, so that baselines meet across a table's row."""
        metrics = QFontMetricsF(font_of_text(text))
        return max(drawing.ascent * scale, metrics.ascent()), max(drawing.descent * scale, metrics.descent())

    @staticmethod
    def _scale(drawing: Drawing, text: QTextCharFormat, room: float) -> float:
        scale = QFontInfo(font_of_text(text)).pixelSize() / SIZE * GROWN
        return max(min(scale, room / drawing.width), scale * LEAST) if room > 0 else scale
