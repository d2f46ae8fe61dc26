"""Calls of tools whose parameters stand between tags, each with its value as text."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from engine.text.call_bodies import Held, Piece, no_constant
from engine.text.xtml import CLOSE, OPEN, SEP, unescaped

_OPEN, _CLOSE, _SEP = map(re.escape, (OPEN, CLOSE, SEP))


class TaggedBody(Held):
    """A head with the name, then parameters between tags, each given out when it is whole."""

    def __init__(self, schema: Callable[[str, str], dict[str, Any]], head: str, start: str, end: str, close: str) -> None:
        """schema(tool, key): of a parameter; head, start: patterns with the groups `name` and `key`; end: what follows a value."""
        super().__init__()
        self._schema, self._head, self._end = schema, re.compile(head), end
        self._next = re.compile(rf"\s*(?:{start}|(?P<close>{close}))", re.DOTALL)
        self._close = re.compile(close)
        self._name = ""
        self._parameters = 0

    def push(self, text: str) -> list[Piece]:
        """See Body."""
        self._add(text)
        out: list[Piece] = []
        if not self.begun and (head := self._head.match(self._held)):
            self._name = self._plain(head["name"].strip())
            self.begun, self._held = True, self._held[head.end() :]
            out.append(("", self._name, ""))
        while self.begun and self.rest is None and (found := self._next.match(self._held)):
            if found["close"] is not None:
                self.rest = self._held[found.end() :]
                out.append(("", "", "}" if self._parameters else "{}"))
            else:
                key = self._plain(found["key"].strip())
                schema = self._schema_of(key, found.groupdict())
                end = self._value_end(found.end(), schema)
                if end < 0:
                    break
                value = json.dumps(typed_value(self._held[found.end() : end], schema), ensure_ascii=False)
                self._held = self._held[end + len(self._end) :]
                start = ", " if self._parameters else "{"
                out.append(("", "", f"{start}{json.dumps(key, ensure_ascii=False)}: {value}"))
                self._parameters += 1
        if not self.begun and (over := self._close.search(self._held)):
            self.rest, self._all = self._held[over.end() :], self._held[: over.end()]
        return out

    def _plain(self, name: str) -> str:
        """A name as it was meant."""
        return name

    def _schema_of(self, key: str, groups: dict[str, Any]) -> dict[str, Any]:
        """A parameter's schema; groups: what was found of its start."""
        return self._schema(self._name, key)

    def _value_end(self, at: int, schema: dict[str, Any]) -> int:
        """Where the value that begins at `at` ends, -1 where that is not known yet. What ends a value may stand in a text of JSON."""
        first = end = self._held.find(self._end, at)
        while end >= 0 and "string" not in kinds_of(schema) and self._held[at:end].lstrip()[:1] in ("{", "[", '"'):
            try:
                json.loads(self._held[at:end])
                break
            except (ValueError, RecursionError):
                end = self._held.find(self._end, end + 1)
        if end < 0 and first >= 0 and self._close.search(self._held, first):
            return first  # it is no JSON
        return end


class XtmlBody(TaggedBody):
    """A call in the tags of XTML, whose parameters tell their own types; arguments may also come as one JSON object."""

    def __init__(self) -> None:
        start = rf'{_OPEN}argument key="(?P<key>[^"]*)" type="(?P<type>[^"]*)"{_SEP}'
        end = f"{CLOSE}argument{SEP}"
        super().__init__(lambda tool, key: {}, rf'\s*tool="(?P<name>[^"]*)"[^<]*{_SEP}', start, end, rf"{_CLOSE}call{_SEP}")
        self._block = re.compile(rf"\s*{_OPEN}json[^<]*{_SEP}(.*?){_CLOSE}json{_SEP}\s*{_CLOSE}call{_SEP}", re.DOTALL)

    def push(self, text: str) -> list[Piece]:
        """See Body."""
        out = super().push(text)
        if self.begun and self.rest is None and (block := self._block.match(self._held)):
            self.rest = self._held[block.end() :]
            out.append(("", "", block[1].strip()))
        return out

    def _plain(self, name: str) -> str:
        return unescaped(name)

    def _schema_of(self, key: str, groups: dict[str, Any]) -> dict[str, Any]:
        return {"type": groups["type"]}


def typed_value(raw: str, schema: dict[str, Any]) -> Any:
    """A parameter's value that was written as text: as its schema has it, else as JSON where it is some, else as text."""
    text = raw.removeprefix("\n").removesuffix("\n")
    kinds = kinds_of(schema)
    if kinds == {"string"}:
        return text
    if "string" in kinds and text.strip() != "null":
        return text
    try:
        return json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        low = text.strip().lower()
        if kinds & {"boolean", "null"} and low in ("true", "false", "none"):
            return {"true": True, "false": False, "none": None}[low]
        return text


def kinds_of(schema: Mapping[str, Any]) -> set[str]:
    """The types that a value of a schema may have, as far as it says."""
    kind = schema.get("type")
    found = set(kind) if isinstance(kind, list) else {kind} if isinstance(kind, str) else set()
    for key in ("anyOf", "oneOf"):
        for part in schema.get(key, []) if isinstance(schema.get(key), list) else []:
            found |= kinds_of(part) if isinstance(part, dict) else set()
    if not found and (values := schema.get("enum")):
        found = {"string"} if all(isinstance(v, str) for v in values) else set()
    return found
