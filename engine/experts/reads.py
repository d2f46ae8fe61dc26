"""A read of one record, begun again where it fails, and the slots that reads go to."""

from dataclasses import dataclass, field
from typing import Protocol


class Slots(Protocol):
    """Who owns the memory that is read into. A stuck read keeps its slot until it ends, so reading elsewhere takes another one."""

    def spare(self, key: int) -> int:
        """Another address for the record of `key`, whose slot is lost to a stuck read for now; 0 where there is none."""

    def returned(self, address: int) -> None:
        """The stuck read into this slot ended: it is empty."""


@dataclass(slots=True)
class Read:
    """One read of a record. lanes: those that it was given to, a piece each or all together (`pieces` false).

    tried: lanes that failed it; suspects: of them one at least brought damage when they read it together, so that they are asked one
    at a time. tags: of its reads in flight; code, lane: the first that went wrong.
    """

    key: int
    address: int
    priority: int
    tried: set[int] = field(default_factory=set)
    suspects: frozenset[int] = frozenset()
    lanes: tuple[int, ...] = ()
    pieces: bool = False
    tags: set[int] = field(default_factory=set)
    code: int = 0
    lane: int = -1
    given_up: bool = False
