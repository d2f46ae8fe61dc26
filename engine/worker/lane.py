"""One thread that carries out jobs in the order in which they came, and says how each ended."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.events import Event, Failed
from engine.words import say
from engine.worker.failures import as_engine_error

ENDED = say("The engine has ended.")


@dataclass(eq=False, slots=True)
class Job:
    """work(cancel) returns the closing event of request `id`; what it raises becomes Failed."""

    id: int
    work: Callable[[CancelToken], Event]
    cancel: CancelToken = field(default_factory=CancelToken)


class Lane:
    """say(event): told from the lane's thread, and from that of `put` after `stop`. All methods may be called from any thread."""

    def __init__(self, name: str, say: Callable[[Event], None]) -> None:
        self._say, self._changed = say, threading.Condition()
        self._jobs: deque[Job] = deque()
        self._current: Job | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name)

    def put(self, job: Job) -> bool:
        """Queue a job; whether it has to wait. After `stop` it fails as stopped."""
        with self._changed:
            if not self._stopping:
                waits = bool(self._jobs or self._current)
                self._jobs.append(job)
                self._changed.notify_all()
                return waits
        self._say(Failed(job.id, Cancelled(ENDED)))
        return False

    def take_back(self, job: Job) -> bool:
        """Remove a job that was not begun; False where it was."""
        with self._changed:
            if job in self._jobs:
                self._jobs.remove(job)
                return True
        return False

    def cancel(self, id: int | None = None) -> None:
        """Cancel the job of this id, or all; returns at once."""
        with self._changed:
            jobs = [self._current, *self._jobs] if self._current else list(self._jobs)
        for job in jobs:
            if id is None or job.id == id:
                job.cancel.cancel()

    @property
    def stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Cancel everything and end; idempotent, returns at once."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self.cancel()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end of a lane that was started; whether it came."""
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._next()) is not None:
            try:
                closing = job.work(job.cancel)
            except Exception as error:
                told = Cancelled(ENDED) if self._stopping and isinstance(error, Cancelled) else as_engine_error(error)
                told = told.with_traceback(None)  # frames would keep alive what the job had opened
                told.__context__ = told.__cause__ = None
                closing = Failed(job.id, told)
            with self._changed:
                self._current = None
            self._say(closing)

    def _next(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._stopping)
            ended, job = list[Job](), None
            if self._stopping:
                ended, self._jobs = list(self._jobs), deque()
            elif self._jobs:
                job = self._current = self._jobs.popleft()
        for left in ended:
            self._say(Failed(left.id, Cancelled(ENDED)))
        return job
