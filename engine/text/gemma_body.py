"""Gemma's calls of tools. Source: Gemma 4's chat template."""

import json
import re
from typing import Any

from engine.text.call_bodies import Held, Piece, no_constant


class GemmaBody(Held):
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
            return json.loads(text, parse_constant=no_constant), at + len(word[0] if word else "")
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
