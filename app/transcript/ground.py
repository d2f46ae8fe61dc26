"""Rounded grounds behind messages and code, and bars beside quotations: what a text document cannot draw by itself."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QPainter, QPen, QTextBlock, QTextDocument

from app.looks.theme import Theme
from app.transcript.code import LINE
from app.transcript.formats import BUBBLE, CODE, CODE_HEAD, DEPTH, KIND, PAD, QUOTE_STEP, RULE, SHORT_BUBBLE, pad

ROUND = {BUBBLE: 14.0, SHORT_BUBBLE: 14.0, CODE_HEAD: 9.0}


def paint_grounds(painter: QPainter, document: QTextDocument, visible: QRectF, theme: Theme) -> None:
    """Paint in document coordinates whatever meets `visible`."""
    layout = document.documentLayout()
    block = first_of(block_at(document, layout, visible.top()))
    while block.isValid():
        rect = layout.blockBoundingRect(block)
        if rect.top() - 2 * PAD > visible.bottom():
            return
        form = block.blockFormat()
        if kind := form.intProperty(KIND):
            last = last_of(block)
            _paint_ground(painter, ground(document, block, last), kind, theme)
            if kind == CODE_HEAD:
                _paint_turns(painter, layout, block.next(), last, visible, theme)
            block = last.next()
            continue
        if form.boolProperty(RULE):
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(QPointF(rect.left(), rect.center().y()), QPointF(rect.right(), rect.center().y()))
        right = form.layoutDirection() == Qt.LayoutDirection.RightToLeft
        for n in range(form.intProperty(DEPTH)):
            x = 4.0 + n * QUOTE_STEP
            x = document.textWidth() - x if right else x
            painter.setPen(QPen(QColor(theme.border), 3))
            painter.drawLine(QPointF(x, rect.top() + 2), QPointF(x, rect.bottom() - 2))
        block = block.next()


def _paint_turns(
    painter: QPainter, layout: QAbstractTextDocumentLayout, block: QTextBlock, last: QTextBlock, visible: QRectF, theme: Theme
) -> None:
    """Mark where a line of code goes on in the next row, which no line number or indentation tells."""
    painter.setPen(QPen(QColor(theme.dim), 1))
    while block.isValid():
        area, text, lines = layout.blockBoundingRect(block), block.text(), block.layout()
        if area.bottom() >= visible.top() and area.top() <= visible.bottom():
            for n in wrapped(text, [lines.lineAt(n).textStart() for n in range(lines.lineCount())]):
                y = lines.position().y() + lines.lineAt(n).rect().center().y()
                painter.drawPolyline(turn_mark(area.left() + block.blockFormat().leftMargin() - PAD, y))
        if block == last:
            return
        block = block.next()


def wrapped(text: str, starts: list[int]) -> list[int]:
    """Which rows of a block go on with the line of the row before; starts: where in the text each row begins."""
    return [n for n, at in enumerate(starts) if at and text[at - 1] != LINE]


def turn_mark(x: float, y: float) -> list[QPointF]:
    """A small hook at the left of a row."""
    return [QPointF(x + dx, y + dy) for dx, dy in ((2, -4), (2, 0), (7, 0), (5, -2), (7, 0), (5, 2))]


def _paint_ground(painter: QPainter, rect: QRectF, kind: int, theme: Theme) -> None:
    if kind == CODE_HEAD:
        painter.setPen(QPen(QColor(theme.code_border), 1))
        painter.setBrush(QColor(theme.code))
        rect = rect.adjusted(0.5, 0.5, -0.5, -0.5)
    else:
        painter.setPen(QColor(theme.bubble))
        painter.setBrush(QColor(theme.bubble))
    painter.drawRoundedRect(rect, ROUND[kind], ROUND[kind])


def first_of(block: QTextBlock) -> QTextBlock:
    """The first block on the same ground."""
    kind = block.blockFormat().intProperty(KIND)
    before = block.previous()
    while kind and kind != CODE_HEAD and before.isValid() and (other := before.blockFormat().intProperty(KIND)):
        if other != kind and not (kind == CODE and other == CODE_HEAD):
            break
        block, kind, before = before, other, before.previous()
    return block


def last_of(block: QTextBlock) -> QTextBlock:
    """The last block on the ground that begins with `block`."""
    kind = block.blockFormat().intProperty(KIND)
    wanted = CODE if kind == CODE_HEAD else kind
    while block.next().isValid() and block.next().blockFormat().intProperty(KIND) == wanted:
        block = block.next()
    return block


def ground(document: QTextDocument, first: QTextBlock, last: QTextBlock) -> QRectF:
    """The ground from one block to another; a short message's is as wide as its text."""
    layout, form = document.documentLayout(), first.blockFormat()
    rect, bottom = layout.blockBoundingRect(first), layout.blockBoundingRect(last).bottom() + PAD
    top = rect.bottom() - form.lineHeight() + 4 if form.intProperty(KIND) == CODE_HEAD else rect.top() - PAD
    side = pad(form.intProperty(KIND))
    left, right = form.leftMargin() - side, document.textWidth() - form.rightMargin() + side
    if form.intProperty(KIND) == SHORT_BUBBLE:
        lines = first.layout()
        width = max((lines.lineAt(n).naturalTextWidth() for n in range(lines.lineCount())), default=0.0)
        left = max(left, right - width - 2 * side)
    return QRectF(left, top, right - left, bottom - top)


def block_at(document: QTextDocument, layout: QAbstractTextDocumentLayout, y: float) -> QTextBlock:
    """A block at `y`, or one shortly before it, by bisection over block numbers."""
    low, high = 0, max(document.blockCount() - 1, 0)
    while low < high:
        middle = (low + high) // 2
        if layout.blockBoundingRect(document.findBlockByNumber(middle)).bottom() + 2 * PAD < y:
            low = middle + 1
        else:
            high = middle
    return document.findBlockByNumber(low)
