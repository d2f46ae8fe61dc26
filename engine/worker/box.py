"""The box that events lie in until a face fetches them; a slow face gets fewer, larger events and never a backlog."""

import threading
from collections.abc import Callable
from dataclasses import replace

from engine.events import Called, Converting, Counters, Event, Ids, Loading, Prefill, Pulling, Surveying, Text

_PASSING = (Text, Called, Ids, Prefill, Loading, Converting, Counters, Pulling, Surveying)
_ASIDE = (Counters, Ids, Pulling, Surveying)  # whose order among the others tells nothing, as that of different requests


class EventBox:
    """Events in order. Text of one answer is joined; of progress and counters that nobody has fetched only the newest is kept.

    wake: called once, by the thread that puts, each time the box becomes non-empty.
    """

    def __init__(self, wake: Callable[[], None] | None = None) -> None:
        self._wake = wake
        self._lock = threading.Lock()
        self._events: list[Event] = []

    def put(self, event: Event) -> None:
        """Add an event; any thread."""
        with self._lock:
            was_empty = not self._events
            _add(self._events, event)
        if was_empty and self._wake is not None:
            self._wake()

    def drain(self) -> list[Event]:
        """All events since the last call, oldest first; any thread."""
        with self._lock:
            events, self._events = self._events, []
        return events


def _add(events: list[Event], event: Event) -> None:
    """Fold into the newest event of its kind, looking back over passing kinds only, so that what ends work keeps its place."""
    if isinstance(event, _PASSING):
        for i in range(len(events) - 1, -1, -1):
            older = events[i]
            if (joined := _joined(older, event)) is not None:
                events[i] = joined
                return
            if not isinstance(older, _PASSING) or not _pass(older, event):
                break
    events.append(event)


def _pass(older: Event, newer: Event) -> bool:
    """Whether the order of two passing events tells nothing."""
    return isinstance(older, _ASIDE) or isinstance(newer, _ASIDE) or older.id != newer.id


def _joined(older: Event, newer: Event) -> Event | None:
    """One event that says both, or None."""
    match older, newer:
        case Text(), Text() if (older.id, older.kind) == (newer.id, newer.kind):
            return replace(older, piece=older.piece + newer.piece)
        case Called(), Called() if (older.id, older.index) == (newer.id, newer.index) and not newer.name:
            return replace(older, arguments=older.arguments + newer.arguments)
        case Ids(), Ids() if older.id == newer.id:
            return replace(older, ids=older.ids + newer.ids)
        case Counters(), Counters():
            return newer
        case Prefill(), Prefill() if older.id == newer.id:
            return newer
        case Loading(), Loading() if (older.id, older.phase) == (newer.id, newer.phase):
            return newer
        case Converting(), Converting() if (older.id, older.phase) == (newer.id, newer.phase):
            return newer
        case Pulling(), Pulling() if older.id == newer.id:
            return newer
        case Surveying(), Surveying() if older.id == newer.id:
            return newer
    return None
