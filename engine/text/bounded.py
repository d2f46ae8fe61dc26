"""Texts that stand as they are between marks, held to what a JSON schema says of them: terminals of llguidance's regular expressions.

A terminal is an intersection of regular expressions. Patterns come in JavaScript's dialect (JSON Schema, "Regular Expressions") and are
written anew in that of Rust's regex crate, without anchors and lazy signs, which llguidance has not: a text is looked at as a whole.
"""

import re
from collections.abc import Mapping
from typing import Any

from engine.errors import BadRequest
from engine.words import say

ANY = "(?s:.*)"
_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*"
_LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE = (
    "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    f"|{_LEAP}-02-29)"
)
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_URI = r"(?:[A-Za-z0-9._~:\/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})"
# Part of what RFC 3339, 5321, 1123, 2673, 4122 and 3986 allow; the length of a whole host and the parts of a URI are not looked at.
FORMATS = {
    "date": _DATE,
    "time": _TIME,
    "date-time": f"{_DATE}T{_TIME}",
    "email": rf"[A-Za-z0-9_+-]{{1,30}}(?:\.[A-Za-z0-9_+-]{{1,30}})?@{_HOST}",
    "hostname": _HOST,
    "ipv4": rf"{_BYTE}(?:\.{_BYTE}){{3}}",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "uri": rf"[A-Za-z][A-Za-z0-9+.-]*:{_URI}+(?:#{_URI}*)?",
}
ANNOTATIONS = {  # what says nothing of the values that fit a schema
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "nullable", "$comment", "$schema", "$id", "$defs",
    "definitions", "contentEncoding", "contentMediaType",
}  # fmt: skip
_KNOWN = ANNOTATIONS | {"type", "enum", "const", "minLength", "maxLength", "pattern", "format"}  # beside "type": "string"
# Rust's own mean other characters, its \d all digits of Unicode, its dot the carriage return as well.
_CLASSES = {
    "d": "0-9", "w": "A-Za-z0-9_",
    "s": r"\t\n\v\f\r\x20\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}",
}  # fmt: skip
_DOT = r"[^\n\r\u{2028}\u{2029}]"
_PLAIN = {"t", "n", "r", "f", "v"}  # letters behind a backslash that mean the same there
_CODE = re.compile(r"u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}")
_PROPERTY = re.compile(r"[pP]\{\w+(?:=\w+)?\}")
_QUANTIFIER = re.compile(r"[*+?]|\{[0-9]+(?:,[0-9]*)?\}")
_GROUP = re.compile(r"\?(?::|P?<[A-Za-z_]\w*>)")


def terminal(schema: Mapping[str, Any], lenient: bool) -> list[str]:
    """Regular expressions that all match a text of this schema; none for any text. Raises BadRequest where there is no such expression,
    unless `lenient`: then what cannot be said is passed over.
    """
    out = []
    least, most = (_whole(schema.get(k)) for k in ("minLength", "maxLength"))
    if least or most is not None:
        out.append(f"(?s:.{{{least or 0},{'' if most is None else most}}})")
    try:
        if isinstance(pattern := schema.get("pattern"), str):
            out += [found] if (found := searched(pattern)) else []
        if (name := schema.get("format")) is not None:
            if name not in FORMATS:
                raise _impossible(say("the format {format} of a text is not known here", format=repr(name)))
            out.append(FORMATS[name])
        unread = {k for k, n in (("minLength", least), ("maxLength", most)) if n is None and schema.get(k) is not None}
        if unknown := sorted((schema.keys() - _KNOWN) | unread):
            raise _impossible(say("{key} of a text cannot be kept to", key=repr(unknown[0])))
    except BadRequest:
        if not lenient:
            raise
    return out


def searched(pattern: str) -> str:
    """An expression that matches a whole text in which `pattern` is found; "" for any text. Raises BadRequest."""
    ways = []
    for core, first, last in _Reader(pattern).alternatives():
        ways.append(("" if first else ANY) + (f"(?:{core})" if core else "") + ("" if last else ANY))
    return "" if f"{ANY}{ANY}" in ways else "|".join(f"(?:{way})" for way in ways)


def _whole(value: Any) -> int | None:
    """A length; JSON Schema takes 3.0 for 3."""
    sound = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1 << 31 and value == int(value)
    return int(value) if sound else None


def _impossible(why: str) -> BadRequest:
    return BadRequest(say("The answer cannot be held to this shape: {why}.", why=why))


class _Reader:
    """Reads a pattern once, and gives its alternatives at the top in Rust's dialect, with whether each is bound to start and end."""

    def __init__(self, pattern: str) -> None:
        self._pattern, self._at = pattern, 0

    def alternatives(self) -> list[tuple[str, bool, bool]]:
        """See above. Raises BadRequest."""
        found, core, depth = list[tuple[str, bool, bool]](), "", 0
        first = last = False
        while (sign := self._next()) is not None:
            if last and sign != "|":
                raise self._unreadable()  # something behind the end
            if sign == "|" and depth == 0:
                found.append((core, first, last))
                core, first, last = "", False, False
            elif sign == "^" and depth == 0 and not core and not first:
                first = True
            elif sign == "$" and depth == 0:
                last = True
            elif sign in ("^", "$"):
                raise self._unreadable()
            else:
                depth += sign.startswith("(") - sign.startswith(")")
                if depth < 0:
                    raise self._unreadable()
                core += sign
        if depth:
            raise self._unreadable()
        return [*found, (core, first, last)]

    def _unreadable(self) -> BadRequest:
        told = say("the pattern {pattern} has signs that no grammar can follow, as those that look ahead", pattern=repr(self._pattern))
        return _impossible(told)

    def _found(self, what: re.Pattern[str]) -> str:
        """What stands here of this kind, taken; "" where something else does."""
        found = what.match(self._pattern, self._at)
        return self._take(len(found[0])) if found else ""

    def _take(self, n: int = 1) -> str:
        taken = self._pattern[self._at : self._at + n]
        self._at += n
        return taken

    def _next(self) -> str | None:
        """The next sign with its quantifier."""
        sign, made = self._take(), ""
        match sign:
            case "":
                return None
            case "^" | "$" | "|" | ")":
                made = sign
            case "\\":
                made = self._escaped()
            case "[":
                made = self._set()
            case "(":
                return self._group()
            case ".":
                made = _DOT
            case "*" | "+" | "?" | "{" if _QUANTIFIER.match(self._pattern, self._at - 1):
                raise self._unreadable()  # nothing that it could repeat
            case _:
                made = _plain(sign)
        if made in ("^", "$", "|"):
            return made
        if times := self._found(_QUANTIFIER):
            made += times
            if self._pattern[self._at : self._at + 1] == "?":  # the same texts, found in another order
                self._take()
        return made

    def _group(self) -> str:
        """The beginning of a group; its name says nothing here."""
        if self._pattern[self._at : self._at + 1] != "?":
            return "(?:"
        if not self._found(_GROUP):
            raise self._unreadable()
        return "(?:"

    def _escaped(self, inside: bool = False) -> str:
        """What stands behind a backslash, inside a set or not."""
        if (code := self._found(_CODE)) or (code := self._found(_PROPERTY)):
            return rf"\{code}"
        sign = self._take()
        if sign in _CLASSES:
            return _CLASSES[sign] if inside else f"[{_CLASSES[sign]}]"
        if sign in ("D", "W", "S"):
            return f"[^{_CLASSES[sign.lower()]}]"
        if sign == "0" and not self._pattern[self._at : self._at + 1].isdigit():
            return r"\x00"
        if sign == "b" and inside:
            return r"\x08"
        if sign in _PLAIN:
            return rf"\{sign}"
        if not sign or (sign.isascii() and sign.isalnum()):
            raise self._unreadable()
        return _plain(sign)

    def _set(self) -> str:
        made = "["
        if self._pattern[self._at : self._at + 1] == "^":
            made += self._take()
        if self._pattern[self._at : self._at + 1] == "]":
            raise self._unreadable()  # JavaScript's sets of nothing
        while (sign := self._take()) != "]":
            first, many = self._in_set(sign)
            made += first
            if self._pattern[self._at : self._at + 1] == "-" and self._pattern[self._at + 1 : self._at + 2] not in ("", "]"):
                self._take()
                last, more = self._in_set(self._take())
                if many or more:
                    raise self._unreadable()  # a range has one character at each end
                made += f"-{last}"
        return made + "]"

    def _in_set(self, sign: str) -> tuple[str, bool]:
        """One member of a set that begins with `sign`, and whether it stands for many characters."""
        if not sign:
            raise self._unreadable()
        if sign != "\\":
            return _plain(sign), False
        many = self._pattern[self._at : self._at + 1] in ("d", "D", "w", "W", "s", "S", "p", "P")
        return self._escaped(inside=True), many


def _plain(sign: str) -> str:
    """One character that stands for itself."""
    return f"\\x{ord(sign):02x}" if ord(sign) < 32 else re.escape(sign).replace("/", r"\/")
