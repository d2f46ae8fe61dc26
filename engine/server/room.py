"""What the requests of programs may take of memory, all together, from a body's first byte to the end of its answer."""

import sys
from dataclasses import fields, is_dataclass
from typing import Any

from engine.events import Drawn, Event
from engine.openai.refusals import Refused
from engine.server.replies import Busy

# A text with one letter beyond 16 bits takes 4 bytes a letter, twice while it is read; an empty object between commas takes 230.
OF_BYTE, OF_VALUE = 9, 120
OF_DRAWN, OF_LIKELY = 800, 1200  # an event, and a token in it, until the answer's JSON is made of them, measured
AGAIN_S = 5  # after which another try makes sense


class Room:
    """So many bytes; `taken` of them are."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes, self.taken = nbytes, 0


class Lease:
    """What one request takes of a room."""

    def __init__(self, room: Room) -> None:
        self._room, self._nbytes = room, 0

    def set(self, nbytes: int) -> None:
        """Take so much from now on. Raises Busy where others have the rest, Refused where it is more than there is at all."""
        if nbytes > self._room.nbytes:
            told = "The body is too large, or made of too many values, for the memory that is kept for requests. Ask for less at once."
            raise Refused(told, code="body_too_large", status=413)
        if self._room.taken - self._nbytes + nbytes > self._room.nbytes:
            raise Busy(AGAIN_S)
        self._room.taken += nbytes - self._nbytes
        self._nbytes = nbytes

    def read(self, body: bytes) -> None:
        """Take what a body may take while it is read."""
        self.set(OF_BYTE * len(body) + OF_VALUE * sum(map(body.count, (b",", b"[", b"{"))))

    def hold(self, event: Event) -> None:
        """Take what is kept of an event until its answer is whole: tokens with their probabilities; texts are small. Raises as `set`."""
        if isinstance(event, Drawn):
            self.set(self._nbytes + OF_DRAWN + OF_LIKELY * (1 + len(event.top)))

    def close(self) -> None:
        """Give all of it back; idempotent."""
        self.set(0)


def size_of(value: Any) -> int:
    """Bytes of a value and of all that it holds, as often as it is held."""
    total, left = 0, [value]
    while left:
        one = left.pop()
        total += sys.getsizeof(one)
        if isinstance(one, dict):
            left += [*one, *one.values()]
        elif isinstance(one, list | tuple):
            left += one
        elif is_dataclass(one):
            left += [getattr(one, f.name) for f in fields(one)]
    return total
