"""What a transfer does now, for those who watch it: bytes, rate, what it waits for; and the first error of its threads."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.words import say

EVERY_S = 0.1
MOVING = ("downloading", "converting", "checking", "copying")
WINDOW_S = 5.0  # the rate is over so many seconds, so that a stall shows


@dataclass(frozen=True, slots=True)
class Progress:
    """state: "looking", "checking", "downloading", "converting", "copying", "stalled", "waiting", "no space", "verifying", "done"; text
    says more of the waiting ones.

    done, total: bytes; rate: bytes a second over the last seconds; eta: seconds, None where nobody knows.
    """

    state: str
    done: int
    total: int
    rate: float
    eta: float | None
    text: str


Report = Callable[[Progress], None]


class Transfer:
    """cancel: ends all threads of the transfer, on the caller's cancel or the first error."""

    def __init__(self, report: Report, cancel: CancelToken) -> None:
        self.state, self.text, self.cancel = "looking", "", CancelToken()
        cancel.on_cancel(self.cancel.cancel)
        self._report = report
        self._total: Callable[[], int] = int
        self._position: Callable[[], int] = int
        self._said: dict[int, str | None] = {}
        self.lacks = 0  # bytes for which the drive has no space
        self._seen: deque[tuple[float, int]] = deque()
        self._problem: BaseException | None = None
        self._lock = threading.Lock()

    def measure(self, total: int | Callable[[], int], position: Callable[[], int]) -> None:
        """Bytes in all, and a function that tells how many are done."""
        self._total, self._position = total if callable(total) else lambda: total, position
        self._seen.clear()

    def said(self, line: int, text: str | None) -> None:
        """What connection `line` waits for; "": it flows; None: it is closed."""
        with self._lock:
            if text is None:
                self._said.pop(line, None)
            else:
                self._said[line] = text

    def full(self, nbytes: int) -> None:
        """The drive is full and so many bytes are still to be written; 0: it goes on."""
        self.lacks = nbytes

    def fail(self, problem: BaseException) -> None:
        """End all threads; the first problem that is no consequence of another is told."""
        with self._lock:
            if self._problem is None or isinstance(self._problem, Cancelled):
                self._problem = problem
        self.cancel.cancel()

    def check(self) -> None:
        """Raise the problem, where there is one."""
        if self._problem is not None:
            raise self._problem

    def tell(self) -> None:
        """Report now."""
        now, done, total = time.monotonic(), self._position(), self._total()
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW_S:
            self._seen.popleft()
        first, span = self._seen[0][1], max(now - self._seen[0][0], EVERY_S)
        rate = max(done - first, 0) / span
        state, text = self.state, self.text
        with self._lock:
            texts = [t for t in self._said.values() if t is not None]
        if self.lacks and state == "downloading":
            state, text = (
                "no space",
                say("{lacks} MB are still to be written, but the drive is full", lacks=self.lacks // 1_000_000 + 1),
            )
        elif texts and all(texts) and state in ("downloading", "looking"):
            text = texts[0]
            state = "waiting" if text.startswith("trying") else "stalled"
        eta = (total - done) / rate if rate > 0 and state in MOVING else None
        self._report(Progress(state, done, total, rate, eta, text))

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Report ten times a second while the body runs."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(EVERY_S):
                self.tell()

        watcher = threading.Thread(target=watch, name="transfer", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()
