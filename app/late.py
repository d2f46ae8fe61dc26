"""What takes long to import is made on a thread of its own, so that the window is there first; calls to it wait in line."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Late(Generic[T]):
    """One T that `make` brings. All methods may be called from any thread."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: T | None = None
        self._line: list[Callable[[T], object]] = []
        self._lock = threading.RLock()
        self._there = threading.Event()

    def call(self, work: Callable[[T], object]) -> None:
        """Do `work`, which must not block, with it: now, or as soon as it is there, in the order of the calls."""
        with self._lock:
            if self._made is None:
                self._line.append(work)
            else:
                work(self._made)

    @property
    def made(self) -> T | None:
        """It, where it is there."""
        return self._made

    def make(self) -> T:
        """Bring it, on this thread, and do what was called for; once."""
        made = self._make()
        with self._lock:
            for work in self._line:
                work(made)
            self._line.clear()
            self._made = made
        self._there.set()
        return made

    def wait(self, seconds: float | None = None) -> T | None:
        """It, as soon as it is there; None where that took longer. Not on a thread that must not wait."""
        return self._made if self._there.wait(seconds) else None
