"""The fetcher: surveys, look-ups and pulls, beside the engine, so that a chat goes on while a model comes.

Pulls are carried out one after the other on one thread, everything else on another. What has not ended is kept in the home folder: it goes
on after a restart or a kill, unless the user paused it.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from engine import paths
from engine.activity import at_work
from engine.cancel import CancelToken
from engine.container.draft import discard
from engine.container.format import MANIFEST
from engine.container.storage import InUse
from engine.errors import BadRequest, Cancelled, EngineError, StorageError
from engine.events import Event, Failed, Pulled, Pulling, PullStopped, Startable, Surveying
from engine.offers import KeptPull
from engine.requests import Estimate, FetchRequest, LookUp, PullModel, StopPull, Survey
from engine.setup.hub import HubError
from engine.setup.installed import DRAFT, is_busy
from engine.setup.limits import estimate
from engine.setup.lookup import look_up, survey
from engine.setup.make import make
from engine.setup.transfer import Progress
from engine.words import say, sentence
from engine.worker.box import EventBox
from engine.worker.failures import as_engine_error
from engine.worker.kept import KeptPulls
from engine.worker.lane import Job, Lane


@dataclass(eq=False, slots=True)
class _Pull:
    """A pull, queued or under way. stops: what asked to end it so far, answered when it has ended: (id of a StopPull or None, discard)."""

    request: PullModel
    job: Job
    stops: list[tuple[int | None, bool]] = field(default_factory=list)


class Fetcher:
    """Any face's side of downloads. All methods may be called from any thread.

    wake: called by a thread of ours each time events come to lie in an empty box; it must return at once. home: where pulls are kept.
    apart: see make.
    Each request is answered by one closing event (Surveyed, Looked, Estimated, Pulled, PullStopped or Failed) with its id.
    """

    def __init__(self, wake: Callable[[], None] | None = None, home: Path | None = None, apart: bool = False) -> None:
        self._box, self._apart = EventBox(wake), apart
        self._kept = KeptPulls(home or paths.home())
        self._pulls, self._looks = Lane("fetcher", self._box.put), Lane("surveys", self._box.put)
        self._active: dict[Path, _Pull] = {}
        self._lock = threading.RLock()

    def post(self, request: FetchRequest) -> None:
        """Queue a request; after `stop` it fails as stopped."""
        match request:
            case Survey():
                self._looks.put(Job(request.id, lambda c: self._survey(request, c)))
            case LookUp():
                self._looks.put(Job(request.id, lambda c: look_up(request, c)))
            case Estimate():
                self._looks.put(Job(request.id, lambda c: estimate(request, c, lambda f: self._box.put(Surveying(request.id, f)))))
            case PullModel():
                self._begin(replace(request, target=request.target.expanduser().absolute()))
            case StopPull():
                self._end(request.target.expanduser().absolute(), request.id, request.discard)

    def events(self) -> list[Event]:
        """What happened since the last call."""
        return self._box.drain()

    def unfinished(self) -> tuple[KeptPull, ...]:
        """The pulls that have not ended, those under way included, also of earlier runs."""
        for kept in self._kept.all():
            draft = kept.target.with_name(kept.target.name + DRAFT)
            if kept.target not in self._active and (kept.target / MANIFEST).is_file() and not draft.exists():
                self._kept.drop(kept.target)  # it ended, and a kill came before that was noted
        return self._kept.all()

    def take_up(self, new_id: Callable[[], int]) -> tuple[PullModel, ...]:
        """Post what earlier runs left, but for what the user paused, what failed, and what another process works on; the requests."""
        out = []
        for kept in self.unfinished():
            busy = is_busy(kept.target.with_name(kept.target.name + DRAFT))
            if kept.paused or kept.problem or busy or kept.target in self._active:
                continue
            out.append(
                PullModel(new_id(), kept.source, kept.target, kept.experts, kept.trunk, kept.revision, kept.start_now, kept.mtp)
            )
            self.post(out[-1])
        return tuple(out)

    def cancel(self, id: int | None = None) -> None:
        """Stop the request of this id, or all; a pull is paused. Returns at once."""
        with self._lock:
            pulls = [p for p in self._active.values() if id is None or p.request.id == id]
        for pull in pulls:
            self._end(pull.request.target, None, False)
        self._looks.cancel(id)

    def start(self) -> None:
        """Run on threads of our own; ended by `stop` and `join`."""
        self._pulls.start()
        self._looks.start()

    def stop(self) -> None:
        """End everything; what is under way goes on after the next start. Idempotent, returns at once."""
        self._pulls.stop()
        self._looks.stop()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for both threads; whether they have ended."""
        return all([self._pulls.join(timeout), self._looks.join(timeout)])

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        self.join()

    # On the threads of the lanes, but for _begin and _end.

    def _survey(self, request: Survey, cancel: CancelToken) -> Event:
        return survey(request, cancel, lambda fraction: self._box.put(Surveying(request.id, fraction)))

    def _at_work(self, pull: _Pull, cancel: CancelToken) -> Event:
        with at_work():
            return self._run(pull, cancel)

    def _begin(self, request: PullModel) -> None:
        with self._lock:
            if request.target in self._active:
                words = say("{target} is being pulled already. Wait until it is whole, or choose another name.", target=request.target)
                self._box.put(Failed(request.id, BadRequest(words)))
                return
            pull = _Pull(request, Job(request.id, lambda cancel: self._at_work(pull, cancel)))
            if not self._pulls.stopping:
                self._active[request.target] = pull
                self._kept.put(_kept(request))
                self._box.put(Pulling(request.id, request.target, "queued"))
            self._pulls.put(pull.job)

    def _end(self, target: Path, stop_id: int | None, discarding: bool) -> None:
        with self._lock:
            pull = self._active.get(target)
            if pull is not None and self._pulls.take_back(pull.job):
                del self._active[target]
                self._kept.put(_kept(pull.request, paused=True))
                self._box.put(PullStopped(pull.request.id, target, discarding))
                pull = None
            elif pull is not None:
                pull.stops.append((stop_id, discarding))
        if pull is not None:
            pull.job.cancel.cancel()
        elif stop_id is not None and discarding:
            self._looks.put(Job(stop_id, lambda cancel: self._discard(stop_id, target)))
        elif stop_id is not None:
            self._box.put(self._paused(stop_id, target))

    def _paused(self, stop_id: int, target: Path) -> Event:
        """What pausing a pull that is not under way comes to."""
        if (kept := self._kept.get(target)) is not None:
            self._kept.put(replace(kept, paused=True))
        elif not target.with_name(target.name + DRAFT).is_dir():
            return Failed(stop_id, _unknown(target))
        return PullStopped(stop_id, target, False)

    def _discard(self, stop_id: int, target: Path) -> Event:
        known = self._kept.get(target) is not None
        if not discard(target) and not known:
            raise _unknown(target)
        self._kept.drop(target)
        return PullStopped(stop_id, target, True)

    def _run(self, pull: _Pull, cancel: CancelToken) -> Event:
        r = pull.request

        def report(p: Progress) -> None:
            self._box.put(Pulling(r.id, r.target, p.state, p.done, p.total, p.rate, p.eta, p.text))

        problem: Exception | None = None
        try:
            cancel.check()
            self._box.put(Pulling(r.id, r.target, "looking"))
            make(r, report, cancel, lambda: self._box.put(Startable(r.id, r.target)), self._apart)
        except Exception as error:
            problem = error
        with self._lock:
            del self._active[r.target]
        if problem is None:
            self._kept.drop(r.target)
            self._answer(pull, Failed(0, BadRequest(say("{target} is whole already. Remove it where models are listed.", target=r.target))))
            return Pulled(r.id, r.target)
        discarding = any(wanted for _, wanted in pull.stops)
        if not discarding and not (pull.stops and isinstance(problem, Cancelled)):
            self._note(r, as_engine_error(problem))
            self._answer(pull, PullStopped(0, r.target, False))
            raise problem
        self._kept.put(_kept(r, paused=True))
        closing: Failed | PullStopped = PullStopped(r.id, r.target, discarding)
        if discarding:
            try:
                discard(r.target)
                self._kept.drop(r.target)
            except EngineError as error:  # perhaps its model is open: it is paused then
                closing = Failed(0, error)
        self._answer(pull, closing)
        return PullStopped(r.id, r.target, discarding and isinstance(closing, PullStopped))

    def _answer(self, pull: _Pull, closing: Failed | PullStopped) -> None:
        """Tell all who asked to end this pull how that went."""
        for stop_id, _ in pull.stops:
            if stop_id is not None:
                self._box.put(replace(closing, id=stop_id))

    def _note(self, request: PullModel, error: EngineError) -> None:
        """Keep a pull that failed, where trying again may help; one that ends with us, or is another's, stays as it is."""
        if isinstance(error, Cancelled | InUse):
            return
        if isinstance(error, HubError | StorageError) or request.target.with_name(request.target.name + DRAFT).is_dir():
            self._kept.put(_kept(request, problem=sentence(error)))
        else:
            self._kept.drop(request.target)


def _kept(r: PullModel, paused: bool = False, problem: str = "") -> KeptPull:
    return KeptPull(r.source, r.target, r.experts, r.trunk, r.revision, r.start_now, paused, problem, r.mtp)


def _unknown(target: Path) -> BadRequest:
    return BadRequest(say("There is no unfinished download or conversion of {target}.", target=target))
