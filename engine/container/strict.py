"""JSON that is not trusted: sizes are limited, names occur once, every value is asked for by type and range."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.unread import why_unread
from engine.words import say

MOST_VALUES = 4_000_000  # a large model's index has half a million; each takes some hundred bytes of memory
_HASH = re.compile(r"[0-9a-f]{32}\Z")


class Malformed(ValueError):
    """What is wrong, as a phrase that follows the name of the file: "has no 'version'"."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise Malformed(say("has a name twice"))
    return out


def parse_object(data: bytes) -> dict[str, Any]:
    """The JSON object that `data` is. Raises Malformed."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MOST_VALUES:  # before they take memory
        raise Malformed(say("holds more than {most} values", most=MOST_VALUES))
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_pairs)
    except Malformed:
        raise
    except (ValueError, RecursionError) as e:
        raise Malformed(say("is no valid JSON ({why})", why=why_unread(e))) from None
    if not isinstance(value, dict):
        raise Malformed(say("is no JSON object"))
    return value


def read_limited(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes. Raises Malformed, OSError."""
    if not path.is_file():
        raise Malformed(say("is missing") if not path.exists() else say("is no ordinary file"))
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise Malformed(say("is longer than {limit} bytes", limit=limit))
    return data


class Fields:
    """A JSON object that is read key by key, and must hold no other keys when `done` is called. Raises Malformed."""

    def __init__(self, value: object, where: str = "") -> None:
        if not isinstance(value, dict):
            raise Malformed(say("has no object at '{where}'", where=where))
        self._value, self._where, self._seen = value, where, set[str]()

    def get(self, key: str) -> Any:
        """The value of `key`, whatever it is."""
        self._seen.add(key)
        if key not in self._value:
            raise Malformed(say("has no '{key}'", key=self._name(key)))
        return self._value[key]

    def whole(self, key: str, low: int = 0, high: int = 2**62) -> int:
        """An integer of low..high."""
        return integer(self.get(key), self._name(key), low, high)

    def text(self, key: str, check: Callable[[str], str] = lambda s: s) -> str:
        """A string, passed through `check`, whose ValueError is told."""
        value = self.get(key)
        if not isinstance(value, str):
            raise self._wrong(key, say("text"))
        try:
            return check(value)
        except ValueError as e:
            raise Malformed(say("has a bad '{key}': {why}", key=self._name(key), why=e)) from None

    def text_or_none(self, key: str) -> str | None:
        """A string or null."""
        return None if self.get(key) is None else self.text(key)

    def hash(self, key: str) -> str:
        """32 hex digits."""
        value = self.text(key)
        if not _HASH.match(value):
            raise self._wrong(key, say("a checksum of 32 hex digits"))
        return value

    def array(self, key: str) -> list[Any]:
        """A list."""
        value = self.get(key)
        if not isinstance(value, list):
            raise self._wrong(key, say("a list"))
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        """An object."""
        value = self.get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, say("an object"))
        return value

    def sub(self, key: str) -> "Fields":
        """A reader of the object at `key`."""
        return Fields(self.mapping(key), self._name(key))

    def done(self) -> None:
        """Refuse keys that nobody asked for."""
        if extra := sorted(set(self._value) - self._seen):
            raise Malformed(say("has unknown keys: {extra}", extra=", ".join(self._name(k) for k in extra[:5])))

    def _name(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where else key

    def _wrong(self, key: str, wanted: str) -> Malformed:
        return Malformed(
            say(
                "has {value} at '{key}', where {wanted} is expected",
                value=f"{self._value[key]!r:.60}",
                key=self._name(key),
                wanted=wanted,
            )
        )


def integer(value: object, where: str, low: int = 0, high: int = 2**62) -> int:
    """`value` where it is an integer of low..high. Raises Malformed."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise Malformed(
            say(
                "has {value} at '{where}', where a whole number of {low} to {high} is expected",
                value=f"{value!r:.60}",
                where=where,
                low=low,
                high=high,
            )
        )
    return value
