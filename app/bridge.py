"""The engine's worker on a QThread, and its events as Qt signals: the only file that knows both.

The worker wakes us at most once per batch; the box is drained 33 ms later on the GUI thread, so that a fast model costs 30
updates a second and not one per token. Counters pass at 2 Hz.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from app.language import told
from app.late import Late
from engine.events import Counters, Event, Finished, Text
from engine.requests import Request

if TYPE_CHECKING:
    from engine.worker.worker import Worker

DRAIN_MS = 33
COUNTERS_S = 0.5


class _EngineThread(QThread):
    def __init__(self, worker: "Late[Worker]", parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self.setObjectName("engine")

    def run(self) -> None:
        self._worker.make().run()


class Bridge(QObject):
    """Requests down, signals up. All signals are emitted on the thread that made the bridge."""

    happened = Signal(object)  # every event but Counters and the answer's text; the transcript does not show reasoning
    text = Signal(int, str)  # request, new characters of the answer
    counters = Signal(object)  # the newest Snapshot
    drives = Signal(object)  # the VolumeCounters that came with it
    waits = Signal(str)  # what the work waits for beyond this computer, as a phrase; empty where it does not
    ended = Signal()  # the engine thread is gone
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = Late(self._new_worker)
        self._thread = _EngineThread(self._worker, self)
        self._thread.finished.connect(self._on_ended)
        self._drain = QTimer(self, singleShot=True, interval=DRAIN_MS)
        self._drain.timeout.connect(self.drain)
        self._woken.connect(self._on_woken)
        self._held: Counters | None = None
        self._shown = float("-inf")
        self._late = QTimer(self, singleShot=True)
        self._late.timeout.connect(self._show_counters)
        self._next = 0
        self._closing = False
        self.posting: list[Callable[[Request], None]] = []  # are told of every request before the engine is
        self.taps: list[Callable[[Event], bool]] = []  # see every event first; those that one answers with true are its own

    def _new_worker(self) -> "Worker":
        from engine.worker.worker import Worker  # noqa: PLC0415  the engine takes long to import: the window is shown first

        return Worker(self._woken.emit, apart=True)

    def start(self) -> None:
        """Start the engine thread."""
        self._thread.start()

    def next_id(self) -> int:
        """A number for the next request."""
        self._next += 1
        return self._next

    def post(self, request: Request) -> None:
        """Hand a request to the worker; returns at once."""
        for tell in self.posting:
            tell(request)
        self._worker.call(lambda worker: worker.post(request))

    def cancel(self, request: int | None = None) -> None:
        """Stop this request, or the current one; returns at once."""
        self._worker.call(lambda worker: worker.cancel(request))

    def stop(self) -> None:
        """End the engine thread, cancelling what it does; `ended` follows."""
        self._closing = True
        self._worker.call(lambda worker: worker.stop())

    def wait(self, milliseconds: int) -> bool:
        """Whether the engine thread ended within that time."""
        return self._thread.wait(milliseconds)

    @property
    def running(self) -> bool:
        """Whether the engine thread lives."""
        return self._thread.isRunning()

    @Slot()
    def _on_woken(self) -> None:
        if not self._drain.isActive():
            self._drain.start()

    @Slot()
    def _on_ended(self) -> None:
        self.drain()
        self.ended.emit()

    @Slot()
    def drain(self) -> None:
        """Emit what has come up, in order, with neighbouring text joined."""
        worker = self._worker.made
        for event in joined(worker.events() if worker is not None else ()):
            taken = [tap(event) for tap in self.taps]
            if any(taken):
                continue
            match event:
                case Text(request, piece, "answer"):
                    self.text.emit(request, piece)
                case Counters():
                    self._held = event
                    self._plan_counters()
                case _:
                    if isinstance(event, Finished):
                        self._show_counters()
                    self.happened.emit(event)

    def _plan_counters(self) -> None:
        due = self._shown + COUNTERS_S - monotonic()
        if due <= 0:
            self._show_counters()
        elif not self._late.isActive():
            self._late.start(round(due * 1000) + 1)

    @Slot()
    def _show_counters(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            self._shown = monotonic()
            self.counters.emit(held.snapshot)
            self.drives.emit(held.volumes)
            self.waits.emit(told(held.waits))


def joined(events: Iterable[Event]) -> list[Event]:
    """The same events with runs of Text of one request and kind made one; counters do not part a run."""
    result: list[Event] = []
    text_at: int | None = None
    for event in events:
        if isinstance(event, Text):
            last = result[text_at] if text_at is not None else None
            if text_at is not None and isinstance(last, Text) and (last.id, last.kind) == (event.id, event.kind):
                result[text_at] = replace(last, piece=last.piece + event.piece)
                continue
            text_at = len(result)
        elif not isinstance(event, Counters):
            text_at = None
        result.append(event)
    return result
