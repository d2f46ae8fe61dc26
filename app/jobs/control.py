"""Runs jobs on the window's engine when they may run, one at a time, as many answers of it at once as the model was opened for.

The chat goes first.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.engine_control import EngineControl
from app.jobs.files import JobFiles
from app.jobs.idle import Away
from app.jobs.shown import Shown, in_turn, model_name, plugged_in
from app.jobs.when import IDLE_S, Moment, Wait, seconds_left
from app.state import RESTING, Phase
from engine import paths
from engine.events import Counted, Event, Failed, Finished, Ids
from engine.requests import CountTokens
from engine.server import FIRST_ID

if TYPE_CHECKING:
    from app.jobs.work import Progress
    from engine.batch.jobs import Job, Order
    from engine.requests import Generate, Request

LOOK_MS = 5000  # between looks at the clock, the battery and the person
CALM_MS = 3000  # after the chat, before a job goes on
USES = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.Wheel)
JOBS = "jobs"
FIRST_JOB = 1 << 60  # of the requests that jobs make


class JobsControl(QObject):
    """What is kept lies in `folder`. clock: seconds since 1970; on_mains: whether the computer is not on battery; away: see Away."""

    changed = Signal()
    finished = Signal(object)  # the Job
    noted = Signal(str)  # what is to be said of a job that was added; "" for nothing
    _program_asked = Signal(object)  # a request's number, which is larger than a signal's int

    def __init__(
        self,
        engine: EngineControl,
        folder: Path | None = None,
        clock: Callable[[], float] = time.time,
        on_mains: Callable[[], bool] | None = None,
        away: Callable[[], float | None] | None = None,
    ) -> None:
        super().__init__()
        self._engine, self._clock, self._on_mains, self._away = engine, clock, on_mains or plugged_in, away or Away()
        self.folder = folder or paths.home() / JOBS
        self._files = JobFiles(self.folder)
        self.jobs: dict[str, Shown] = {}
        self._current = ""  # the running job's id
        self._parts: dict[int, int] = {}  # requests under way in the engine, and tokens of their present answers
        self._asking, self._most = 0, 1  # requests that are asked of the files, and how many there may be at once
        self._stopping, self._closed, self._resting = False, False, True
        self._began = self._used = self._started = clock()
        self._ids = count(FIRST_JOB)
        self._turn = 0  # counts how often a job was let go, so that what comes late of its files is not taken for another's
        self._opening = ""  # the job that a model is being opened for
        self._held = ""  # why the jobs of an earlier run wait for a person, "" where they do not
        self._programs: set[int] = set()  # requests of programs, and counts for the composer, that have not ended
        self._first: int | None = None  # results that were there when the job was taken up
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self.look)
        self._calm = QTimer(self, singleShot=True, interval=CALM_MS)
        self._calm.timeout.connect(self.look)
        self._files.listed.connect(self._on_listed)
        self._files.left_out.connect(self.noted)
        self._files.asked.connect(self._on_asked)
        self._files.took.connect(self._on_took)
        self._files.failed.connect(self._on_failed)
        self._program_asked.connect(self._on_program)
        engine.bridge.taps.append(self._tap)
        engine.bridge.posting.append(self._on_posted)
        engine.changed.connect(self._on_engine)
        self._files.scan()

    # What a person asks

    def add(self, job: "Job", order: "Order", files: tuple[Path, ...] = ()) -> None:
        """Keep a new job over the texts of files; it runs when it may. `noted` says which of them were left out, and why."""
        self._files.add(replace(job, created=self._clock()), order, files)

    def pause(self, id: str, paused: bool) -> None:
        """Hold a job up, or let it go on."""
        if (shown := self.jobs.get(id)) is None:
            return
        job = replace(shown.job, paused=paused)
        self.jobs[id] = replace(shown, job=job, trouble="")
        self._files.change(job, id)
        if paused and id == self._current:
            self._stop()
        self.look()

    def run_now(self, id: str) -> None:
        """Let a job run that waits for a time or for idleness."""
        if (shown := self.jobs.get(id)) is not None:
            job = replace(shown.job, when="now", paused=False, mains=False)
            self.jobs[id] = replace(shown, job=job, trouble="")
            self._files.change(job)
            self.look()

    def remove(self, id: str) -> None:
        """Take a job away with its results, but for documents in a folder of the person's own."""
        if (shown := self.jobs.pop(id, None)) is not None:
            if id == self._current:
                self._stop()
                self._end_work()
            self._files.remove(shown.job)
            self.changed.emit()

    def hold(self) -> None:
        """Let the jobs that are there wait for a person, since the run before did not end properly."""
        self._held = self.tr("It waits, since Ouzel did not end properly last time.")
        self.jobs = {id: shown if shown.finished else replace(shown, trouble=self._held) for id, shown in self.jobs.items()}
        self.look()

    def close(self) -> None:
        """Stop, and keep what is half done; it is written with `join`."""
        if not self._closed:
            self._closed = True
            self._look.stop()
            self._calm.stop()
            self._stop()
            self._end_work()
            self._files.close()

    def join(self, seconds: float) -> bool:
        """Whether everything is written within that time; a drive that does not answer may never let it."""
        self.close()
        return self._files.join(seconds)

    @property
    def busy(self) -> bool:
        """Whether a job runs."""
        return bool(self._parts)

    @property
    def engaged(self) -> bool:
        """Whether the engine works, or has just worked, for a job or a program."""
        return self.busy or bool(self._programs)

    # When

    @Slot()
    def look(self) -> None:
        """See what may run now."""
        if self._closed:
            return
        mains = not any(s.job.mains and not s.finished for s in self.jobs.values()) or self._on_mains()
        away = self._away() if any(s.job.when == "idle" and not s.finished for s in self.jobs.values()) else None
        moment = Moment(self._clock(), self._clock() - self._used, mains, self._chatting(), away)
        waits, first = in_turn(self.jobs, moment, self._engine.state.model if self._engine.state.info is not None else None)
        for id, wait in waits.items():
            self.jobs[id] = replace(self.jobs[id], wait=wait, running=id == self._current and bool(self._parts))
        if self._current and self._current != first:
            self._stop()
        elif first and not self._current:
            self._begin(first, moment)
        pending = any(not s.finished and not s.job.paused and not s.trouble for s in self.jobs.values())
        if pending != self._look.isActive():
            (self._look.start if pending else self._look.stop)()
            app = QApplication.instance()
            if app is not None:  # whether somebody is there matters only while a job waits
                (app.installEventFilter if pending else app.removeEventFilter)(self)
        self.changed.emit()

    @property
    def _part(self) -> int:
        """Tokens of the present answers."""
        return sum(self._parts.values())

    def _chatting(self) -> bool:
        return self._engine.state.phase not in RESTING or bool(self._programs) or self._calm.isActive()

    def _begin(self, id: str, moment: Moment) -> None:
        shown, state = self.jobs[id], self._engine.state
        model = Path(shown.job.model)
        if state.info is None or state.model != model:
            # Nobody must be there to miss another model, or to wonder that one opens which was just closed.
            if model in self._engine.models and moment.unused >= IDLE_S and state.phase in RESTING:
                self._opening = id
                self._engine.choose(model)
            return
        self._current, self._stopping, info = id, False, state.info
        self._began, self._first = self._clock(), None
        self._asking, self._most = 1, info.config.parallel
        self._files.begin(shown.job, info, next(self._ids), self._turn)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Note that somebody is there."""
        if event.type() in USES:
            self._used = self._clock()
        return super().eventFilter(watched, event)

    @Slot()
    def _on_engine(self) -> None:
        if self._closed:
            return
        if self._engine.state.phase not in RESTING:
            if self._engine.state.phase not in (Phase.LOADING, Phase.UNLOADING):
                self._used = self._clock()
            if self._current:
                self._stop()
            self._resting = False
        elif not self._resting:
            self._resting = True
            opening, self._opening = self.jobs.get(self._opening), ""
            if opening is not None and self._engine.state.info is None:  # else it would be tried again and again
                text = self.tr("{0} was not opened. Open it, then let the job go on.").format(model_name(opening.job))
                self.jobs[opening.job.id] = replace(opening, trouble=text)
            if any(not s.finished for s in self.jobs.values()):
                self._calm.start()

    # The engine

    def _tap(self, event: Event) -> bool:
        """Every event of the engine; whether it is a job's."""
        if isinstance(event, Finished | Failed | Counted) and event.id in self._programs:
            self._programs.discard(event.id)
            self._calm.start()
        id = getattr(event, "id", None)
        if id not in self._parts:
            return False
        if isinstance(event, Ids):
            self._parts[id] += len(event.ids)
        ended = isinstance(event, Finished | Failed)
        if ended:
            del self._parts[id]
        again = next(self._ids) if ended and not self._stopping and not self._closed else 0
        self._asking += again > 0
        self._files.take(event, again, self._turn, self._current)
        if ended and not self._parts and not self._asking:
            self._end_work()
        return True

    def _on_posted(self, request: "Request") -> None:
        """Somebody asks the engine; also called by the server's thread."""
        if FIRST_ID <= request.id < FIRST_JOB or isinstance(request, CountTokens):
            self._program_asked.emit(request.id)

    @Slot(object)
    def _on_program(self, request: int) -> None:
        """Programs wait for their answers, and a person for the count of what is written, so a job makes way."""
        if not self._closed:
            self._programs.add(request)
            if self._current:
                self._stop()
            self.changed.emit()

    def _stop(self) -> None:
        """Let the running job pause; what it has drawn is kept."""
        self._stopping = True
        for request in self._parts:
            self._engine.bridge.cancel(request)

    def _end_work(self) -> None:
        """Let the current job go."""
        self._parts, self._asking, self._current = {}, 0, ""
        self._turn += 1
        self._files.end()

    @Slot(object, object, int)
    def _on_asked(self, request: "Generate | None", progress: "Progress", turn: int) -> None:
        """The next request of the current job is there, or (None) others have to end first, or it is done."""
        if turn != self._turn:
            return
        self._asking -= 1
        self._show(progress)
        held = self._stopping or self._closed or self._engine.state.phase not in RESTING or not self._current
        if request is not None and not held:
            self._parts[request.id] = 0
            self._engine.bridge.post(request)
            if len(self._parts) + self._asking < self._most:
                self._asking += 1
                self._files.go_on(next(self._ids), self._turn, self._current)
        elif not self._parts and not self._asking:
            shown = self.jobs.get(self._current)
            self._end_work()
            if shown is not None and request is None and progress.done == progress.total:
                self.finished.emit(shown.job)
        self.look()

    @Slot(object, int)
    def _on_took(self, progress: "Progress", turn: int) -> None:
        if turn == self._turn:
            self._show(progress)
            self.changed.emit()
        else:
            self.look()

    def _show(self, progress: "Progress") -> None:
        if (shown := self.jobs.get(self._current)) is None:
            return
        if self._first is None:
            self._first = progress.done
        answered, passed = progress.done - self._first, self._clock() - self._began
        rate = progress.tokens / passed if passed > 1 else 0.0
        left = seconds_left(answered, answered + progress.total - progress.done, progress.tokens - self._part, rate, self._part)
        self.jobs[self._current] = replace(
            shown, done=progress.done, total=progress.total, refused=progress.refused, running=bool(self._parts), rate=rate, left=left
        )

    # Its files

    @Slot(object)
    def _on_listed(self, found: "list[tuple[Job, int, int, int]]") -> None:
        for job, done, refused, total in found:
            if job.id not in self.jobs:
                held = self._held if done < total and job.created < self._started else ""
                self.jobs[job.id] = Shown(job, done, total, refused, False, Wait.NOTHING, trouble=held)
        self.look()

    @Slot(str, str)
    def _on_failed(self, id: str, text: str) -> None:
        if id and id == self._current:
            self._stop()
            self._end_work()
        if (shown := self.jobs.get(id)) is not None:
            self.jobs[id] = replace(shown, trouble=text, running=False)
        else:
            self._engine.trouble.emit(text, "", None)
        self.look()
