"""Which way a paragraph is written: by its first letter that has a direction, as in Unicode's annex 9 (rules P2 and P3)."""

import unicodedata

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlockFormat


def right_to_left(text: str) -> bool:
    """Whether a paragraph of this text runs from right to left."""
    for c in text[:2000]:
        kind = unicodedata.bidirectional(c)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False


def turned(form: QTextBlockFormat, text: str) -> QTextBlockFormat:
    """The format for this text: mirrored where it runs from right to left."""
    if right_to_left(text):
        form.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        left, right = form.leftMargin(), form.rightMargin()
        form.setLeftMargin(right)
        form.setRightMargin(left)
    return form
