"""Whether something in this process works that a measurement of drive or memory would suffer from."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_running = _begun = 0


@contextmanager
def at_work() -> Iterator[None]:
    """While the engine computes or reads, or a model is fetched or made."""
    global _running, _begun
    with _lock:
        _running, _begun = _running + 1, _begun + 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1


def mark() -> tuple[int, int]:
    """A moment, for `disturbed`."""
    with _lock:
        return _running, _begun


def disturbed(since: tuple[int, int]) -> bool:
    """Whether there was work at any time since that moment."""
    return since[0] > 0 or mark()[1] != since[1]
