"""What stands inside one call of a tool, read as it comes. See tool_calls for the formats.

A body's push(text) gives pieces (id, name, arguments): the name with the first piece of a call, arguments as pieces of JSON's text. `rest`
is what follows the call once it has ended; `begun` tells whether a call was found; left() is what was given, for where none was.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from engine.text.xtml import CLOSE, OPEN, SEP, unescaped

Piece = tuple[str, str, str]
_OPEN, _CLOSE, _SEP = map(re.escape, (OPEN, CLOSE, SEP))


class Body(Protocol):
    """See above."""

    rest: str | None
    begun: bool

    def push(self, text: str) -> list[Piece]:
        """More of the call."""

    def finish(self) -> list[Piece]:
        """The answer has ended inside the call."""

    def left(self) -> str:
        """All that was given so far."""


class _Held:
    """What every body keeps: all that was given, what of it has not been read, whether a call was found, what follows it."""

    rest: str | None

    def __init__(self) -> None:
        self._all = self._held = ""
        self.begun, self.rest = False, None

    def left(self) -> str:
        """See Body."""
        return self._all

    def finish(self) -> list[Piece]:
        """See Body."""
        return []

    def _add(self, text: str) -> None:
        self._all += text
        self._held += text


class JsonScan:
    """Finds where a JSON object or array ends: feed(text) gives the characters up to there, None while it goes on."""

    def __init__(self) -> None:
        self._depth, self._quoted, self._escaped = 0, False, False

    def feed(self, text: str) -> int | None:
        """See above."""
        for n, c in enumerate(text):
            if self._quoted:
                if self._escaped:
                    self._escaped = False
                elif c == "\\":
                    self._escaped = True
                elif c == '"':
                    self._quoted = False
            elif c == '"':
                self._quoted = True
            elif c in "{[":
                self._depth += 1
            elif c in "}]":
                self._depth -= 1
                if self._depth == 0:
                    return n + 1
        return None


class JsonBody(_Held):
    """A head with the name, a JSON object that is passed on as it comes, and a closing marker ("": none)."""

    def __init__(self, head: str, close: str) -> None:
        """head: a pattern with the group `name`, or `quoted` in JSON's quotes, perhaps `id`; it ends before the arguments."""
        super().__init__()
        self._head, self._close = re.compile(head, re.DOTALL), close
        self._scan: JsonScan | None = None
        self._done = False

    def finish(self) -> list[Piece]:
        """See Body."""
        return [] if self.begun else self._whole(self._held)

    def push(self, text: str) -> list[Piece]:
        """See Body."""
        self._add(text)
        out: list[Piece] = []
        if not self.begun and (head := self._head.match(self._held)):
            groups = head.groupdict()
            name = groups.get("name") or _unquoted(groups.get("quoted"))
            self.begun, self._scan, self._held = True, JsonScan(), self._held[head.end() :]
            out.append((groups.get("id") or "", name, ""))
        if self._scan is not None:
            end = self._scan.feed(self._held)
            passed, self._held = (self._held, "") if end is None else (self._held[:end], self._held[end:])
            if passed:
                out.append(("", "", passed))
            if end is not None:
                self._scan, self._done = None, True
        if not self.begun or self._done:
            out += self._ended()
        return out

    def _ended(self) -> list[Piece]:
        """Look for the closing marker."""
        if not self._close:
            if self._done:
                self.rest = self._held
            return []
        body, closed, rest = self._held.partition(self._close)
        if not closed:
            return []
        self.rest = rest
        if self.begun:
            return []
        found = self._whole(body)
        self._all = body + closed
        return found

    def _whole(self, body: str) -> list[Piece]:
        """A call whose object has its keys in another order, or no arguments."""
        try:
            value = json.loads(body)
            name, arguments = value["name"], value.get("arguments", value.get("parameters", {}))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return []
        if not isinstance(name, str) or not name:
            return []
        self.begun = True
        return [("", name, arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False))]


class ListBody(_Held):
    """A JSON list of calls, each an object with name and arguments; it ends with the list."""

    def __init__(self, head: str) -> None:
        super().__init__()
        self._pattern = head
        self._item: JsonBody | None = None

    def push(self, text: str) -> list[Piece]:
        """See Body."""
        self._add(text)
        out: list[Piece] = []
        while self.rest is None and self._held:
            if self._item is None:
                core = self._held.lstrip(" \t\r\n,[")
                if core.startswith("]") or (core and not core.startswith("{") and not self.begun):
                    self.rest = core.removeprefix("]") if self.begun else ""
                    break
                self._held = core
                if not core:
                    break
                if not core.startswith("{"):
                    self.rest = core
                    break
                self._item = JsonBody(self._pattern, "}")
            out += self._item.push(self._held)
            self.begun = self.begun or self._item.begun
            self._held = self._item.rest or ""
            if self._item.rest is None:
                break
            self._item = None
        return out


class TaggedBody(_Held):
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


def typed_value(raw: str, schema: dict[str, Any]) -> Any:
    """A parameter's value that was written as text: as its schema has it, else as JSON where it is some, else as text."""
    text = raw.removeprefix("\n").removesuffix("\n")
    kinds = kinds_of(schema)
    if kinds == {"string"}:
        return text
    if "string" in kinds and text.strip() != "null":
        return text
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        low = text.strip().lower()
        if kinds & {"boolean", "null"} and low in ("true", "false", "none"):
            return {"true": True, "false": False, "none": None}[low]
        return text


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


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


class GemmaBody(_Held):
    """call:NAME{...}, with keys without quotes and strings between <|"|>; given out when it is whole."""

    QUOTE = '<|"|>'

    def __init__(self, close: str) -> None:
        super().__init__()
        self._close = close

    def finish(self) -> list[Piece]:
        """See Body."""
        return self._read(self._all)

    def push(self, text: str) -> list[Piece]:
        """See Body."""
        self._all += text
        body, closed, rest = self._all.partition(self._close)
        if not closed:
            return []
        self.rest, self._all = rest, body + closed
        return self._read(body)

    def _read(self, body: str) -> list[Piece]:
        head = re.match(r"\s*call:([^{\s]+)\s*(?=\{)", body)
        if head is None:
            return []
        try:
            value, _ = self._value(body, head.end())
        except (IndexError, ValueError, RecursionError):
            return []
        self.begun = True
        return [("", head[1], json.dumps(value, ensure_ascii=False))]

    def _value(self, s: str, at: int) -> tuple[Any, int]:
        """The value that begins at `at`, and where it ends."""
        while s[at].isspace():
            at += 1
        if s.startswith(self.QUOTE, at):
            end = s.index(self.QUOTE, at + len(self.QUOTE))
            return s[at + len(self.QUOTE) : end], end + len(self.QUOTE)
        if s[at] == "{":
            return self._object(s, at + 1)
        if s[at] == "[":
            return self._list(s, at + 1)
        if s[at] == '"':
            value, end = json.JSONDecoder().raw_decode(s, at)
            return value, end
        word = re.compile(r"[^,}\]]*").match(s, at)
        text = word[0].strip() if word else ""
        try:
            return json.loads(text, parse_constant=_refuse), at + len(word[0] if word else "")
        except ValueError:
            return text, at + len(word[0] if word else "")

    def _object(self, s: str, at: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        while True:
            while s[at].isspace() or s[at] == ",":
                at += 1
            if s[at] == "}":
                return found, at + 1
            end = s.index(":", at)
            key = s[at:end].strip().removeprefix(self.QUOTE).removesuffix(self.QUOTE).strip('"')
            found[key], at = self._value(s, end + 1)

    def _list(self, s: str, at: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        while True:
            while s[at].isspace() or s[at] == ",":
                at += 1
            if s[at] == "]":
                return found, at + 1
            value, end = self._value(s, at)
            if end == at:  # a brace of something else
                raise ValueError("a list that does not end")
            found.append(value)
            at = end


def _unquoted(quoted: str | None) -> str:
    try:
        return str(json.loads(quoted or '""'))
    except ValueError:
        return ""
