"""Calls of tools in JSON: an object after a head with the name, or a list of objects."""

import json
import re

from engine.text.call_bodies import Held, Piece


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


class JsonBody(Held):
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


class ListBody(Held):
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


def _unquoted(quoted: str | None) -> str:
    try:
        return str(json.loads(quoted or '""'))
    except ValueError:
        return ""
