"""What stands inside one call of a tool, read as it comes. See tool_calls for the formats.

A body's push(text) gives pieces (id, name, arguments): the name with the first piece of a call, arguments as pieces of JSON's text. `rest`
is what follows the call once it has ended; `begun` tells whether a call was found; left() is what was given, for where none was.
"""

from typing import Any, Protocol

Piece = tuple[str, str, str]


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


class Held:
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


def no_constant(name: str) -> Any:
    """For json.loads: NaN and the infinities are no numbers of JSON."""
    raise ValueError(f"{name} is no number of JSON")
