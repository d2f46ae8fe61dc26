"""Reads a JSON body key by key: a wrong type or value is refused with the parameter's name, and so is a key that nobody asked for."""

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from engine.openai.refusals import Refused

T = TypeVar("T")
DEEPEST = 64  # levels of objects and lists in a body
LARGEST = 4 << 20  # bytes of a body: a million tokens of text


class Fields:
    """The keys of an object; null counts as left out. `at`: its place in the body, for messages."""

    def __init__(self, value: Any, at: str = "") -> None:
        if not isinstance(value, dict):
            raise Refused(f"{at or 'The body'} has to be a JSON object.", at or None)
        self._value: Mapping[str, Any] = value
        self._at = f"{at}." if at else ""
        self._read: set[str] = set()

    def name(self, key: str) -> str:
        """A key's place in the body."""
        return self._at + key

    def has(self, key: str) -> bool:
        """Whether a key is given."""
        return self._value.get(key) is not None

    def any(self, key: str) -> Any:
        """The value of a key, None where it is left out."""
        self._read.add(key)
        return self._value.get(key)

    def text(self, key: str) -> str | None:
        """A string."""
        return self._of(key, str, "a string")

    def flag(self, key: str) -> bool | None:
        """True or false."""
        return self._of(key, bool, "true or false")

    def list(self, key: str) -> "list[Any] | None":
        """A list."""
        return self._of(key, list, "a list")

    def object(self, key: str) -> dict[str, Any] | None:
        """An object."""
        return self._of(key, dict, "an object")

    def number(self, key: str, least: float, most: float) -> float | None:
        """A number in a range."""
        value = self.any(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:  # no NaN is between
            raise Refused(f"{self.name(key)} has to be a number from {least:g} to {most:g}.", self.name(key))
        return float(value)

    def whole(self, key: str, least: int, most: int) -> int | None:
        """A whole number in a range."""
        value = self.any(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Refused(f"{self.name(key)} has to be a whole number from {least} to {most}.", self.name(key))
        return value

    def one_of(self, key: str, *words: str) -> str | None:
        """One of some words."""
        value = self.text(key)
        if value is not None and value not in words:
            raise Refused(f"{self.name(key)} has to be one of {', '.join(words)}.", self.name(key))
        return value

    def ignore(self, *keys: str) -> None:
        """Keys that do not change an answer."""
        self._read.update(keys)

    def only(self, key: str, *values: Any) -> None:
        """A key of which we can only do some values, which change nothing."""
        value = self.any(key)
        if value is not None and value not in values:
            raise Refused(f"{self.name(key)} is not supported here. Leave it out.", self.name(key), "unsupported_parameter")

    def end(self) -> None:
        """Refuse what has not been read."""
        for key, value in self._value.items():
            if key not in self._read and value is not None:
                raise Refused(f"{self.name(key)} is not a parameter that is known here. Leave it out.", self.name(key), "unknown_parameter")

    def _of(self, key: str, kind: type[T], named: str) -> T | None:
        value = self.any(key)
        if value is None or isinstance(value, kind):
            return value
        raise Refused(f"{self.name(key)} has to be {named}.", self.name(key))


def read_body(data: bytes, what: str = "The body") -> dict[str, Any]:
    """A body's JSON object; what: as it is called in messages. Raises Refused."""
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as e:
        raise Refused(f"{what} is no JSON object: {e}.", code="invalid_json") from e
    if not isinstance(value, dict):
        raise Refused(f"{what} is no JSON object.", code="invalid_json")
    if _depth(value) > DEEPEST:
        raise Refused(f"{what} is nested more than {DEEPEST} levels deep.", code="invalid_json")
    return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name[:40]} is no number of JSON, or too large")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level and depth <= DEEPEST:
        depth += 1
        level = [v for held in level for v in (held.values() if isinstance(held, dict) else held) if isinstance(v, dict | list)]
    return depth
