"""What the engine does beside the chat, for the status line: a job of the person's, or requests of other programs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from app.jobs.control import FIRST_JOB, JobsControl
from app.jobs.shown import Shown
from app.jobs.words import state_words
from app.serving import CLOSING
from app.views.main_window import MainWindow
from engine.events import Event
from engine.requests import Request
from engine.server import FIRST_ID


@dataclass(frozen=True, slots=True)
class OtherWork:
    """text: what is done; label: of the button that leads to it; fraction: how much is done, negative where that is not known."""

    text: str
    label: str
    fraction: float
    place: Literal["jobs", "programs"]


def other_work(jobs: Iterable[Shown], served: int) -> OtherWork | None:
    """The job that runs, else the `served` requests that are being answered or wait."""
    for shown in jobs:
        if shown.running and not shown.finished:
            text = _tr("Job “{0}”: {1}").format(shown.job.name, state_words(shown))
            return OtherWork(text, _tr("Show jobs"), shown.done / max(shown.total, 1), "jobs")
    if served:
        text = QCoreApplication.translate("OtherWork", "Answering %n request(s) of other programs", "", served)
        return OtherWork(text, _tr("Show programs"), -1.0, "programs")
    return None


class OtherWorkLine(QObject):
    """Has the model bar say it, and leads there."""

    _posted = Signal(object)  # a request's number, which is larger than a signal's int

    def __init__(self, main: MainWindow, jobs: JobsControl) -> None:
        super().__init__(main)
        self._main, self._jobs = main, jobs
        self._served: set[int] = set()
        self._posted.connect(self._on_served)
        main.engine.bridge.taps.append(self._tap)
        main.engine.bridge.posting.append(self._on_posted)
        jobs.changed.connect(self._show)
        main.retranslated.connect(self._show)
        main.model_bar.work_asked.connect(self._lead)

    def _on_posted(self, request: Request) -> None:
        """Also called by the server's thread."""
        if FIRST_ID <= request.id < FIRST_JOB:
            self._posted.emit(request.id)

    @Slot(object)
    def _on_served(self, id: int) -> None:
        self._served.add(id)
        self._show()

    def _tap(self, event: Event) -> bool:
        if isinstance(event, CLOSING) and event.id in self._served:
            self._served.discard(event.id)
            self._show()
        return False

    @Slot()
    def _show(self) -> None:
        work = other_work(self._jobs.jobs.values(), len(self._served))
        self._main.model_bar.show_work(*((work.text, work.label, work.fraction, work.place) if work else ("", "", 0.0, "")))

    @Slot(str)
    def _lead(self, place: str) -> None:
        if place == "jobs":
            self._main.jobs_asked.emit()
            return
        self._main.show_settings()
        if (dialog := self._main.dialog) is not None:
            dialog.tabs.setCurrentWidget(dialog.programs)


def _tr(text: str) -> str:
    return QCoreApplication.translate("OtherWork", text)
