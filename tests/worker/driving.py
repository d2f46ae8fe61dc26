"""Drive a real worker from a test: post a request, collect its events up to the closing one."""

import threading
import time
from collections.abc import Callable
from itertools import count
from types import TracebackType

from engine.events import Converted, Counted, Event, ExpertMap, Failed, Finished, Loaded, Unloaded
from engine.requests import Request
from engine.worker.worker import Worker

CLOSING = (Loaded, Unloaded, Finished, Counted, Converted, ExpertMap, Failed)


class Driver:
    """A worker on its own thread for the length of a `with` block."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        self.worker = Worker(self.woken.set)
        self.ids = count(1)
        self.waiting: list[Event] = []

    def __enter__(self) -> "Driver":
        self.worker.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.worker.stop()
        assert self.worker.join(30)

    def events(self, end: Callable[[Event], bool], seconds: float = 60) -> list[Event]:
        """All events up to the first that `end` holds for."""
        got: list[Event] = []
        deadline = time.monotonic() + seconds
        while True:
            self.waiting += self.worker.events()
            while self.waiting:
                got.append(self.waiting.pop(0))
                if end(got[-1]):
                    return got
            assert time.monotonic() < deadline, f"no end after {seconds} s, only {got}"
            self.woken.wait(0.1)
            self.woken.clear()

    def until_closed(self, request: int) -> list[Event]:
        """All events up to the closing one of this request."""
        return self.events(lambda e: isinstance(e, CLOSING) and e.id == request)

    def do(self, request: Request) -> list[Event]:
        """Post and wait."""
        self.worker.post(request)
        return self.until_closed(request.id)
