"""The worker: takes requests from a queue, on one thread, and answers with events; answers together where asked."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self

from engine import paths
from engine.activity import at_work
from engine.cancel import CancelToken
from engine.errors import BadRequest, Cancelled, EngineError
from engine.events import (
    Converted,
    Converting,
    Counted,
    Counters,
    Event,
    Failed,
    Loaded,
    Loading,
    Unloaded,
)
from engine.machine import trim_heap
from engine.requests import BuildStarter, CountTokens, Generate, LoadModel, MapExperts, Request, UnloadModel
from engine.setup.starter import build_starter
from engine.words import say
from engine.worker.answers import Answers
from engine.worker.box import EventBox
from engine.worker.counting import counted
from engine.worker.failures import as_engine_error
from engine.worker.map import Mapper
from engine.worker.opened import OpenModel

TICK_S = 0.25  # counters come at 4 Hz


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    request: Request
    cancel: CancelToken = field(default_factory=CancelToken)


class Worker:
    """One engine. `run` is its loop, on a thread of the face's choice; all other methods may be called from any thread.

    wake: called by a thread of the engine each time events come to lie in an empty box; it must return at once. apart: the starter is
    converted in a process of its own.
    Each request is answered by one closing event (Loaded, Unloaded, Finished, Counted, Converted, ExpertMap or Failed) with its id.
    """

    def __init__(self, wake: Callable[[], None] | None = None, apart: bool = False) -> None:
        self._box, self._apart = EventBox(wake), apart
        self._changed = threading.Condition()
        self._jobs: deque[_Job] = deque()
        self._current: list[_Job] = []
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._opened: OpenModel | None = None
        self._counted = threading.Lock()  # held while counters are read and while the open model changes
        self._mapper: Mapper | None = None
        self._maps: deque[MapExperts] = deque()
        self._busy, self._ended = threading.Event(), threading.Event()
        self._looked = threading.Event()  # set when the counters' thread has something to do

    # The face's side.

    def post(self, request: Request) -> None:
        """Queue a request; after `stop` it fails as stopped."""
        with self._changed:
            if not self._stopping:
                if isinstance(request, MapExperts):
                    self._maps.append(request)
                    self._looked.set()
                    return
                self._jobs.append(_Job(request))
                self._changed.notify_all()
                return
        self._box.put(Failed(request.id, Cancelled(say("The engine has ended."))))

    def events(self) -> list[Event]:
        """What happened since the last call."""
        return self._box.drain()

    def cancel(self, id: int | None = None) -> None:
        """Stop the request of this id, or everything posted so far, queued or under way; returns at once."""
        with self._changed:
            jobs = [*self._current, *self._jobs]
            tokens = [job.cancel for job in jobs if id is None or job.request.id == id]
        for token in tokens:
            token.cancel()

    def stop(self) -> None:
        """Cancel everything and let `run` end; idempotent, returns at once."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self.cancel()

    def start(self) -> None:
        """Run on a thread of our own; ended by `stop` and `join`."""
        self._thread = threading.Thread(target=self.run, name="engine")
        self._thread.start()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the thread of `start`; whether it has ended."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        self.join()

    # The engine's side.

    def run(self) -> None:
        """Carry out requests until `stop`, then close the model; call it once."""
        ticker = threading.Thread(target=self._tick, name="counters")
        ticker.start()
        try:
            while (job := self._next()) is not None:
                with at_work():
                    self._carry_out(job)
        finally:
            self._ended.set()
            self._looked.set()
            ticker.join()
            self._close()

    def _next(self) -> _Job | None:
        with at_work():
            while not self._wanted() and self._opened is not None and self._opened.idle(self._wanted):
                pass
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._stopping)
            while self._stopping and self._jobs:
                self._box.put(Failed(self._jobs.popleft().request.id, Cancelled(say("The engine has ended."))))
            self._current = [self._jobs.popleft()] if self._jobs else []
            return self._current[0] if self._current else None

    def _wanted(self) -> bool:
        """Whether there is something else to do than what idle time is used for."""
        return bool(self._jobs) or self._stopping

    def _carry_out(self, job: _Job) -> None:
        request, cancel = job.request, job.cancel
        self._busy.set()
        self._looked.set()
        try:
            match request:
                case LoadModel():
                    self._load(request, cancel)
                case UnloadModel():
                    self._close()
                    self._box.put(Unloaded(request.id))
                case Generate():
                    self._generate(job)
                case CountTokens():
                    self._box.put(self._counted_tokens(request, cancel))
                case BuildStarter():
                    self._convert(request.id, request.target, cancel, lambda p: build_starter(request.target, p, cancel, self._apart))
        except Exception as error:
            self._failed(job, error)
        finally:
            self._busy.clear()
            with self._changed:
                self._current = []

    def _load(self, request: LoadModel, cancel: CancelToken) -> None:
        self._close()
        cancel.check()
        was_there = request.config.model.exists()

        def open_model() -> OpenModel:
            return OpenModel(request.config, lambda phase, fraction: self._box.put(Loading(request.id, phase, fraction)), cancel)

        try:
            opened = open_model()
        except EngineError:
            if was_there or not request.config.model.exists():
                raise
            opened = open_model()  # its download ended meanwhile, and its files have other names
        with self._counted:
            self._opened = opened
        if opened.container.making is None:
            paths.remember_model(request.config.model)
        self._box.put(Loaded(request.id, opened.info))
        self._count()

    def _generate(self, job: _Job) -> None:
        """Carry out an answer, and others that come meanwhile beside it, as far as the model was opened for that."""
        opened = self._opened
        if opened is None:
            raise BadRequest(say("No model is open. Choose a model first."))
        answers = Answers(opened, self._box.put)
        running = {job.request.id: job}
        try:
            self._begin(answers, job)
            while answers:
                for id, how in answers.step():
                    self._count()
                    if isinstance(how, Exception):
                        self._failed(running[id], how)
                    else:
                        self._box.put(how)
                    self._end(running.pop(id))
                    opened.keep_usage()
                self._join(answers, running)
        except Exception as error:
            answers.give_up(error)
            for left in running.values():
                self._failed(left, error)
                self._end(left)

    def _join(self, answers: Answers, running: dict[int, _Job]) -> None:
        """Begin what can be carried out beside the answers under way."""
        while (more := self._joining(answers)) is not None:
            try:
                if isinstance(more.request, CountTokens):
                    self._box.put(self._counted_tokens(more.request, more.cancel))
                    self._end(more)
                else:
                    self._begin(answers, more)
                    running[more.request.id] = more
            except Exception as error:
                self._failed(more, error)
                self._end(more)

    def _begin(self, answers: Answers, job: _Job) -> None:
        assert isinstance(job.request, Generate)
        try:
            answers.begin(job.request, job.cancel)
        except Exception:
            self._count()
            raise

    def _joining(self, answers: Answers) -> _Job | None:
        """The next request, where it can be carried out beside those under way: an answer, or, where there may be several, a count."""
        with self._changed:
            if self._stopping or not answers or not self._jobs:
                return None
            request = self._jobs[0].request
            if not (isinstance(request, Generate) and answers.room) and not (isinstance(request, CountTokens) and answers.several):
                return None
            job = self._jobs.popleft()
            self._current.append(job)
            return job

    def _end(self, job: _Job) -> None:
        with self._changed:
            self._current.remove(job)

    def _failed(self, job: _Job, error: Exception) -> None:
        told = as_engine_error(error).with_traceback(None)  # frames would keep what a failed load had opened alive
        told.__context__ = told.__cause__ = error.__traceback__ = None
        self._box.put(Failed(job.request.id, told))

    def _counted_tokens(self, request: CountTokens, cancel: CancelToken) -> Counted:
        if self._opened is None:
            raise BadRequest(say("No model is open. Choose a model first."))
        cancel.check()
        return counted(self._opened.session, request, cancel)

    def _convert(self, id: int, target: Path, cancel: CancelToken, work: Callable[[Callable[[str, int, int], None]], None]) -> None:
        cancel.check()
        work(lambda phase, done, total: self._box.put(Converting(id, phase, done, total)))
        self._box.put(Converted(id, str(target)))

    def _close(self) -> None:
        with self._counted:
            opened, self._opened = self._opened, None
            self._mapper = None
        if opened is not None:
            opened.close()
            del opened
            trim_heap()

    def _count(self) -> None:
        with self._counted:
            if self._opened is not None:
                streamer = self._opened.model.streamer
                self._box.put(Counters(self._opened.session.snapshot(), streamer.counters().volumes, streamer.waits))

    def _tick(self) -> None:
        """Counters while work is done, from a thread of its own, so that a stall shows as one; and maps, when they are asked for."""
        due = monotonic()
        while not self._ended.is_set():
            if self._looked.wait(max(due - monotonic(), 0.0) if self._busy.is_set() else None):
                self._looked.clear()
                due = max(due, monotonic() + (0.0 if self._maps else TICK_S))
                self._answer_maps()
            elif self._busy.is_set():
                self._count()
                due = monotonic() + TICK_S
        self._answer_maps()

    def _answer_maps(self) -> None:
        while self._maps:
            request = self._maps.popleft()
            with self._counted:
                if self._opened is None:
                    self._box.put(Failed(request.id, BadRequest(say("No model is open. Choose a model first."))))
                    continue
                if self._mapper is None or self._mapper.opened is not self._opened:
                    self._mapper = Mapper(self._opened)
                self._box.put(self._mapper.map(request.id))
