"""Code in an answer: coloured by Pygments once it is complete."""

from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.styles import get_style_by_name
from pygments.token import Token as PygmentsToken
from pygments.util import ClassNotFound
from PySide6.QtGui import QColor, QFont, QTextCharFormat

from app.looks.theme import Theme, readable

COLOURED = 12_000  # characters; colouring more would hold up the window for longer than a tenth of a second
LINE = "\u2028"  # a line break inside one text block

Runs = list[tuple[str, QTextCharFormat]]


@lru_cache(maxsize=32)
def lexer(language: str) -> Lexer | None:
    """The lexer of a language's name as written after the fence, or None."""
    try:
        found: Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return found


@lru_cache(maxsize=4096)
def _style(theme: Theme, kind: Any) -> tuple[str, bool, bool]:
    found = get_style_by_name(theme.pygments).style_for_token(kind)
    colour = readable("#" + found["color"], theme.code) if found["color"] else theme.text
    return colour, bool(found["bold"]), bool(found["italic"])


def runs(code: str, language: str, theme: Theme, base: QTextCharFormat) -> Runs:
    """`code` as pieces of text with their formats; plain where the language is not known, and beyond COLOURED characters."""
    found = lexer(language) if language else None
    if found is None:
        return [(code, base)]
    formats: dict[object, QTextCharFormat] = {PygmentsToken.Text: base}
    result: Runs = []
    for kind, text in found.get_tokens(code[:COLOURED]):
        if result and text.isspace():  # blanks have no colour of their own: fewer pieces
            result[-1] = (result[-1][0] + text, result[-1][1])
            continue
        if kind not in formats:
            colour, bold, italic = _style(theme, kind)
            made = QTextCharFormat(base)
            made.setForeground(QColor(colour))
            made.setFontItalic(italic)
            made.setFontWeight(QFont.Weight.Bold if bold else QFont.Weight.Normal)
            formats[kind] = made
        result.append((text, formats[kind]))
    if len(code) > COLOURED:
        result.append((code[COLOURED:], base))
    return result
