"""Drive a real fetcher from a test against a hub on this computer."""

import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any

from engine.events import Estimated, Event, Failed, Looked, Pulled, PullStopped, Surveyed
from engine.requests import FetchRequest, PullModel, StopPull
from engine.worker.fetcher import Fetcher
from tests.hub.server import Repo

CLOSING = (Looked, Surveyed, Estimated, Pulled, PullStopped, Failed)


def served(folder: Path, **more: Any) -> Repo:
    """A checkpoint's folder as a repository, its weights sent from the other host."""
    return Repo({f.name: f.read_bytes() for f in folder.iterdir()}, lfs_from=1000, **more)


class Driver:
    """A fetcher for the length of a `with` block. seen: all events so far."""

    def __init__(self) -> None:
        self.woken = threading.Event()
        self.fetcher = Fetcher(self.woken.set)
        self.ids = count(1)
        self.seen: list[Event] = []

    def __enter__(self) -> "Driver":
        self.fetcher.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.fetcher.stop()
        assert self.fetcher.join(60)

    def until(self, end: Callable[[Event], bool], seconds: float = 100) -> Event:
        """The first event that `end` holds for, of those that came and those to come."""
        looked, deadline = 0, time.monotonic() + seconds
        while True:
            self.seen += self.fetcher.events()
            for event in self.seen[looked:]:
                if end(event):
                    return event
            looked = len(self.seen)
            assert time.monotonic() < deadline, f"it did not come in {seconds} s, only {self.seen[-20:]}"
            self.woken.wait(0.05)
            self.woken.clear()

    def closed(self, id: int) -> Event:
        """The closing event of a request."""
        return self.until(lambda e: isinstance(e, CLOSING) and e.id == id)

    def do(self, request: FetchRequest) -> Event:
        """Post and wait for the closing event."""
        self.fetcher.post(request)
        return self.closed(request.id)

    def pull(self, target: Path, **more: Any) -> int:
        """Begin to pull owner/tiny; the request's id."""
        request = PullModel(next(self.ids), **{"source": "owner/tiny", "target": target, "experts": "q8", "trunk": "q8", **more})
        self.fetcher.post(request)
        return request.id

    def stop(self, target: Path, discard: bool = False) -> Event:
        """Pause or discard; the answer."""
        return self.do(StopPull(next(self.ids), target, discard))
