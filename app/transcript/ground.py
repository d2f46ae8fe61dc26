"""Rounded grounds behind messages and code, and bars beside quotations: what a text document cannot draw by itself."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QPainter, QPen, QTextBlock, QTextDocument, QTextFrame

from app.looks.theme import Theme
from app.transcript.formats import BUBBLE, CODE, DEPTH, KIND, QUOTE_STEP, RULE, SHORT_BUBBLE

ROUND = {BUBBLE: 14.0, SHORT_BUBBLE: 14.0, CODE: 9.0}


def paint_grounds(painter: QPainter, document: QTextDocument, visible: QRectF, theme: Theme) -> None:
    """Paint in document coordinates whatever meets `visible`."""
    layout = document.documentLayout()
    for frame in document.rootFrame().childFrames():
        kind = frame.frameFormat().intProperty(KIND)
        if not kind:
            continue
        rect = ground(layout, frame, kind)
        if rect.bottom() < visible.top():
            continue
        if rect.top() > visible.bottom():
            break
        if kind == CODE:
            painter.setPen(QPen(QColor(theme.code_border), 1))
            painter.setBrush(QColor(theme.code))
            rect = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        else:
            painter.setPen(QColor(theme.bubble))
            painter.setBrush(QColor(theme.bubble))
        painter.drawRoundedRect(rect, ROUND[kind], ROUND[kind])
    _paint_lines(painter, document, layout, visible, theme)


def ground(layout: QAbstractTextDocumentLayout, frame: QTextFrame, kind: int) -> QRectF:
    """The frame without its margins; a short message's ground is as wide as its text."""
    form = frame.frameFormat()
    outer = layout.frameBoundingRect(frame)
    rect = outer.adjusted(form.leftMargin(), form.topMargin(), -form.rightMargin(), -form.bottomMargin())
    if kind == SHORT_BUBBLE:
        lines = frame.firstCursorPosition().block().layout()
        width = lines.lineAt(0).naturalTextWidth() if lines.lineCount() else 0.0
        rect.setLeft(max(rect.left(), rect.right() - width - 2 * form.padding() - 8))
    return rect


def _paint_lines(painter: QPainter, document: QTextDocument, layout: QAbstractTextDocumentLayout, visible: QRectF, theme: Theme) -> None:
    block = _block_at(document, layout, visible.top())
    while block.isValid():
        rect = layout.blockBoundingRect(block)
        if rect.top() > visible.bottom():
            return
        if block.blockFormat().boolProperty(RULE):
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(QPointF(rect.left(), rect.center().y()), QPointF(rect.right(), rect.center().y()))
        for n in range(block.blockFormat().intProperty(DEPTH)):
            x = 4.0 + n * QUOTE_STEP
            painter.setPen(QPen(QColor(theme.border), 3))
            painter.drawLine(QPointF(x, rect.top() + 2), QPointF(x, rect.bottom() - 2))
        block = block.next()


def _block_at(document: QTextDocument, layout: QAbstractTextDocumentLayout, y: float) -> QTextBlock:
    """The first block that reaches down to `y`, by bisection over block numbers."""
    low, high = 0, max(document.blockCount() - 1, 0)
    while low < high:
        middle = (low + high) // 2
        if layout.blockBoundingRect(document.findBlockByNumber(middle)).bottom() < y:
            low = middle + 1
        else:
            high = middle
    return document.findBlockByNumber(low)
