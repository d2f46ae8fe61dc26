"""The jobs' folder and the files of the one that runs, on a thread of their own, so that no drive holds the window up."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language import told
from engine.errors import Cancelled, EngineError

if TYPE_CHECKING:
    from app.jobs.work import JobWork
    from engine.batch.jobs import Job, JobStore, Order
    from engine.events import Event, ModelInfo

SHOWN = 8  # files that were left out, told at once


class JobFiles(QObject):
    """What is asked is done in order, and nothing after `close`; what comes of it is told by signals. One job is under way at a time.

    turn: a number of the asker's, which comes back with what came of it. What fails is told, of the job `id` where one is named.
    """

    listed = Signal(object)  # [(Job, done, refused, total)]
    left_out = Signal(str)  # which files a job that was added does without, and why; "" for none
    asked = Signal(object, object, int)  # Generate or None, Progress, the turn
    took = Signal(object, int)  # Progress, the turn
    failed = Signal(str, str)  # a job's id or "", sentence

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="jobs")
        self._work: JobWork | None = None  # of the pool's thread
        self._closed = False

    def scan(self) -> None:
        """Tell which jobs there are."""
        self._do(self._list)

    def add(self, job: "Job", order: "Order", files: tuple[Path, ...]) -> None:
        """Keep a new job over the texts of files, then tell which jobs there are."""

        def keep() -> None:
            from app.attachments import AttachError, read  # noqa: PLC0415  only for jobs with files

            texts, left_out = list[tuple[str, str]](), list[str]()
            for path in files:
                try:
                    found = read(path)
                    texts.append((found.name, found.text))
                except AttachError as error:
                    left_out.append(str(error))
            self.left_out.emit("\n".join(left_out[:SHOWN]))
            if texts or not files:
                self._store().add(job, replace(order, files=tuple(texts)))
                self._list()

        self._do(keep)

    def change(self, job: "Job", id: str = "") -> None:
        """Keep what a person chose."""
        self._do(lambda: self._store().change(job), id)

    def remove(self, job: "Job") -> None:
        """Take its folder away."""
        self._do(lambda: self._store().remove(job))

    def begin(self, job: "Job", info: "ModelInfo", request: int, turn: int) -> None:
        """Take a job up; its next request, of number `request`, is told as `asked`."""

        def start() -> None:
            from app.jobs.work import JobWork  # noqa: PLC0415  it takes long to import

            self._work = JobWork(self._store(), job, info)
            self.asked.emit(self._work.next(request), self._work.progress, turn)

        self._do(start, job.id)

    def go_on(self, request: int, turn: int, id: str) -> None:
        """A further request beside those that are under way is told as `asked`; None where there is none for now."""

        def ask() -> None:
            if (work := self._work) is not None:
                self.asked.emit(work.next(request), work.progress, turn)

        self._do(ask, id)

    def take(self, event: "Event", again: int, turn: int, id: str) -> None:
        """An event of a request under way. again: the number of the next request, 0 for none yet."""

        def take() -> None:
            if (work := self._work) is not None:
                work.take(event)
                if again:
                    self.asked.emit(work.next(again), work.progress, turn)
                else:
                    self.took.emit(work.progress, turn)

        self._do(take, id)

    def end(self) -> None:
        """Keep what is half done of the job under way, and let it go."""

        def end() -> None:
            work, self._work = self._work, None
            if work is not None:
                work.close()

        self._pool.submit(end)

    def close(self) -> None:
        """Take no further work; what was asked is done."""
        self._closed = True
        self._last = self._pool.submit(lambda: None)
        self._pool.shutdown(wait=False)

    def join(self, seconds: float) -> bool:
        """After `close`: whether everything is done within that time."""
        return not wait_for([self._last], seconds).not_done

    def _store(self) -> "JobStore":
        from engine.batch.jobs import JobStore  # noqa: PLC0415  it takes long to import

        return JobStore(self._folder)

    def _list(self) -> None:
        store = self._store()
        self.listed.emit([(job, *store.finished(job)) for job in store.jobs()])

    def _do(self, work: Callable[[], object], id: str = "") -> None:
        def guarded() -> None:
            try:
                work()
            except Cancelled:  # by us, before there was anything to keep
                pass
            except Exception as error:
                if not isinstance(error, EngineError):
                    logging.getLogger(__name__).exception("A job failed")
                self.failed.emit(id, told(error))

        if not self._closed:
            self._pool.submit(guarded)
