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
_DATE = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_URI = r"(?:[A-Za-z0-9._~:\/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})"
FORMATS = {  # RFC 3339, 5321, 1123, 2673, 4122 and 3986: part of what they allow, and nothing that they do not
    "date": _DATE,
    "time": _TIME,
    "date-time": f"{_DATE}T{_TIME}",
    "email": rf"[A-Za-z0-9_+-]{{1,30}}(?:\.[A-Za-z0-9_+-]{{1,30}})?@{_HOST}",
    "hostname": _HOST,
    "ipv4": rf"{_BYTE}(?:\.{_BYTE}){{3}}",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "uri": rf"[A-Za-z][A-Za-z0-9+.-]*:{_URI}+(?:#{_URI}*)?",
}
# What may stand beside "type": "string" and says nothing of the text, or is looked at here.
_KNOWN = {
    "type", "enum", "const", "minLength", "maxLength", "pattern", "format", "title", "description", "default", "examples", "deprecated",
    "readOnly", "writeOnly", "nullable", "$comment", "$schema", "contentEncoding", "contentMediaType",
}  # fmt: skip
_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_"}
_PLAIN = {"t", "n", "r", "f", "v", "s", "S", "D", "W", "p", "P"}  # letters behind a backslash that mean the same there


def terminal(schema: Mapping[str, Any], lenient: bool) -> list[str]:
    """Regular expressions that all match a text of this schema; none for any text. Raises BadRequest where there is no such expression,
    unless `lenient`: then what cannot be said is passed over.
    """
    out = []
    least, most = (schema.get(k) if _is_whole(schema.get(k)) else None for k in ("minLength", "maxLength"))
    if least or most is not None:
        out.append(f"(?s:.{{{least or 0},{'' if most is None else most}}})")
    try:
        if isinstance(pattern := schema.get("pattern"), str):
            out += [found] if (found := searched(pattern)) else []
        if (name := schema.get("format")) is not None:
            if name not in FORMATS:
                raise _impossible(say("the format {format} of a text is not known here", format=repr(name)))
            out.append(FORMATS[name])
        if unknown := sorted(schema.keys() - _KNOWN):
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


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


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
                core += sign
        return [*found, (core, first, last)]

    def _unreadable(self) -> BadRequest:
        told = say("the pattern {pattern} has signs that no grammar can follow, as those that look ahead", pattern=repr(self._pattern))
        return _impossible(told)

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
            case "/":
                made = r"\/"
            case "\n" | "\r" | "\t":
                made = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}[sign]
            case _:
                made = sign
        if made in ("^", "$", "|"):
            return made
        while found := re.compile(r"[*+?]|\{\d+(?:,\d*)?\}").match(self._pattern, self._at):
            made += self._take(len(found[0]))
            if self._pattern[self._at : self._at + 1] == "?":  # the same texts, found in another order
                self._take()
        return made

    def _group(self) -> str:
        """The beginning of a group; its name says nothing here."""
        if self._pattern[self._at : self._at + 1] != "?":
            return "(?:"
        found = re.compile(r"\?(?::|P?<[A-Za-z_]\w*>)").match(self._pattern, self._at)
        if found is None:
            raise self._unreadable()
        self._take(len(found[0]))
        return "(?:"

    def _escaped(self, inside: bool = False) -> str:
        """What stands behind a backslash, inside a set or not."""
        sign = self._take()
        if sign in _CLASSES:
            return _CLASSES[sign] if inside else f"[{_CLASSES[sign]}]"
        if sign in ("D", "W") and not inside:
            return f"[^{_CLASSES[sign.lower()]}]"
        if sign == "u" and self._pattern[self._at : self._at + 1] == "{":
            return r"\u" + self._take(self._pattern.find("}", self._at) + 1 - self._at)
        if sign in ("u", "x"):
            return rf"\{sign}" + self._take(4 if sign == "u" else 2)
        if sign == "0" and not self._pattern[self._at : self._at + 1].isdigit():
            return r"\x00"
        if sign == "b" and inside:
            return r"\x08"
        if sign in _PLAIN:
            return rf"\{sign}"
        if not sign or (sign.isascii() and sign.isalnum()):
            raise self._unreadable()
        return re.escape(sign).replace("/", r"\/")

    def _set(self) -> str:
        made = "["
        if self._pattern[self._at : self._at + 1] == "^":
            made += self._take()
        if self._pattern[self._at : self._at + 1] == "]":
            raise self._unreadable()  # JavaScript's sets of nothing
        while (sign := self._take()) != "]":
            if not sign:
                raise self._unreadable()
            if sign == "\\":
                made += self._escaped(inside=True)
            else:
                made += f"\\{sign}" if sign in "[&~/" else {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(sign, sign)
        return made + "]"
