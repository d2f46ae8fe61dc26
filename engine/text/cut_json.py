"""The arguments of a call that was cut, which are no whole JSON: as they were written, and what of an object is there."""

import json
import re
from typing import Any

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{},:]', re.DOTALL)
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u[0-9a-fA-F]{0,3}$")
_CLOSED = {"{": "}", "[": "]"}


class Written(str):
    """Such arguments, which templates write as they stand, also where they would write JSON."""

    __slots__ = ()


def begun_object(text: str) -> dict[str, Any]:
    """What the beginning of a JSON object holds; {} where it is none. A text that was cut is there as far as it goes."""
    closers: list[str] = []
    whole = "", 0  # a beginning that only its closers lack: what it ends with instead of what follows
    is_value = False
    for found in _PIECE.finditer(text):
        piece, end = found[0], found.end()
        if piece in _CLOSED:
            closers.append(_CLOSED[piece])
            whole, is_value = ("", end), piece == "["
        elif piece in ("}", "]"):
            if not closers or closers.pop() != piece:
                return {}
            whole, is_value = ("", end), False
            if not closers:
                break
        elif piece == ":":
            is_value = True
        elif piece == ",":
            whole, is_value = ("", found.start()), closers[-1:] == ["]"]
        elif is_value:
            closed = len(piece) > 1 and piece.endswith('"')
            whole = ("", end) if closed else ('"', end)
    cut = text[: whole[1]]
    if whole[0]:
        cut = _ESCAPE.sub(r"\1", cut)
    try:
        value = json.loads(cut + whole[0] + "".join(reversed(closers)), strict=False)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
