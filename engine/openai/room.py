"""What the requests of programs may take of memory, all together, from a body's first byte to the end of its answer."""

import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from time import monotonic
from typing import Any

from engine.events import Drawn, Event
from engine.openai.refusals import Busy, Refused

# A text with one letter beyond 16 bits takes 4 bytes a letter, twice while it is read; an empty object between commas takes 230.
OF_BYTE, OF_VALUE = 9, 120
OF_DRAWN, OF_LIKELY = 800, 1200  # an event, and a token in it, until the answer's JSON is made of them, measured
AGAIN_S = 5  # after which another try makes sense
SLOW_S = 2.0  # a body that has been coming for longer gives way to others


class Room:
    """So many bytes; `taken` of them are. clock: seconds."""

    def __init__(self, nbytes: int, clock: Callable[[], float] = monotonic) -> None:
        self.nbytes, self.taken, self.clock = nbytes, 0, clock
        self._coming: dict[Lease, float] = {}  # bodies that are on their way, since when

    def lacks(self, nbytes: int) -> bool:
        """Whether so many more are not free, whoever could give way."""
        for lease, since in list(self._coming.items()):  # the oldest first
            if self.taken + nbytes <= self.nbytes or self.clock() - since < SLOW_S:
                break
            lease.give_way()
        return self.taken + nbytes > self.nbytes

    def comes(self, lease: "Lease", coming: bool) -> None:
        """Note whether a lease is of a body that is on its way."""
        if coming:
            self._coming.setdefault(lease, self.clock())
        else:
            self._coming.pop(lease, None)


class Lease:
    """What one request takes of a room."""

    def __init__(self, room: Room) -> None:
        self._room, self._nbytes = room, 0
        self._drop: Callable[[], None] | None = None

    def set(self, nbytes: int) -> None:
        """Take so much from now on. Raises Busy where others have the rest, Refused where it is more than there is at all."""
        self.fits(nbytes)
        drop, self._drop = self._drop, None  # one does not give way to itself
        try:
            if nbytes > self._nbytes and self._room.lacks(nbytes - self._nbytes):
                raise Busy(AGAIN_S, _lacking(self._room, nbytes - self._nbytes), "memory_full")
        finally:
            self._drop = drop
        self._room.taken += nbytes - self._nbytes
        self._nbytes = nbytes

    def fits(self, nbytes: int) -> None:
        """Raises Refused where so much is more than there is at all."""
        if nbytes > self._room.nbytes:
            told = "The body is too large, or made of too many values, for the memory that is kept for requests. Ask for less at once."
            raise Refused(told, code="body_too_large", status=413)

    def coming(self, drop: Callable[[], None] | None) -> None:
        """The body is on its way, until this is called with None; drop: forgets what has come, where others need the memory."""
        self._drop = drop
        self._room.comes(self, drop is not None)

    def give_way(self) -> None:
        """Give all of it back to others, where the body has not come yet."""
        if (drop := self._drop) is not None:
            self.coming(None)
            drop()
            self.close()

    def read(self, body: bytes) -> None:
        """Take what a body may take while it is read."""
        self.set(to_read(body))

    def hold(self, event: Event) -> None:
        """Take what an event takes until it is told: tokens with their probabilities; texts are small. Raises as `set`."""
        if isinstance(event, Drawn):
            self.set(self._nbytes + of_drawn(len(event.top)))

    def told(self, event: Event) -> None:
        """Give back what `hold` took for an event."""
        if isinstance(event, Drawn):
            self.set(max(self._nbytes - of_drawn(len(event.top)), 0))

    def close(self) -> None:
        """Give all of it back; idempotent."""
        self.set(0)


def to_read(body: bytes) -> int:
    """What a body may take while it is read."""
    return OF_BYTE * len(body) + OF_VALUE * sum(map(body.count, (b",", b"[", b"{")))


def of_drawn(top: int) -> int:
    """What is kept of a token of an answer and the `top` likeliest ones at its place."""
    return OF_DRAWN + OF_LIKELY * (1 + top)


def _lacking(room: Room, nbytes: int) -> str:
    whole, free = (f"{n / 1e6:.1f}" for n in (room.nbytes, room.nbytes - room.taken))
    return (
        f"Memory lacks: this needs {nbytes / 1e6:.1f} MB more, and of the {whole} MB that are kept for requests {free} MB are free, until "
        "others are answered. Try again later, or send less at once."
    )


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
