"""The fetcher and its events as a Qt signal, on the GUI thread."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.late import Late
from engine.offers import KeptPull
from engine.requests import FetchRequest, PullModel

if TYPE_CHECKING:
    from engine.worker.fetcher import Fetcher

DRAIN_MS = 50


class Fetching(QObject):
    """Requests down, events up: looks at sources and fetches models while the engine answers.

    The fetcher notes on disk what it is asked for, so that asking it is not for the GUI thread either.
    """

    happened = Signal(object)
    _woken = Signal()

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home, self._started = home, False
        self._fetcher = Late(self._new_fetcher)
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="asking")
        self._drain = QTimer(self, singleShot=True, interval=DRAIN_MS)
        self._drain.timeout.connect(self.drain)
        self._woken.connect(self._on_woken)
        self._numbers = count(1)

    def _new_fetcher(self) -> "Fetcher":
        from engine.worker.fetcher import Fetcher  # noqa: PLC0415  it takes long to import: the window is shown first

        return Fetcher(self._woken.emit, self._home, apart=True)

    def start(self) -> None:
        """Start the fetcher's threads."""
        self._started = True
        self._fetcher.call(lambda fetcher: fetcher.start())
        self._asking.submit(self._fetcher.make)

    def stop(self) -> None:
        """End what is under way; what was fetched is kept."""
        self._asking.shutdown(wait=False)
        self._fetcher.call(lambda fetcher: fetcher.stop())

    def wait(self, seconds: float) -> bool:
        """Whether the fetcher's threads ended within that time."""
        if not self._started:
            return True
        end = monotonic() + seconds
        fetcher = self._fetcher.wait(seconds)
        return fetcher is not None and fetcher.join(max(end - monotonic(), 0.0))

    def take_up(self) -> tuple[tuple[KeptPull, ...], tuple[PullModel, ...]]:
        """What earlier runs left, and what of it goes on; not on the GUI thread."""
        fetcher = self._fetcher.wait()
        if fetcher is None:
            return (), ()
        left = fetcher.unfinished()
        return left, fetcher.take_up(self.next_id)

    def next_id(self) -> int:
        """A number for the next request; any thread."""
        return next(self._numbers)

    def post(self, request: FetchRequest) -> None:
        """Hand a request over; returns at once."""
        with suppress(RuntimeError):  # the window closes
            self._asking.submit(self._fetcher.call, lambda fetcher: fetcher.post(request))

    def cancel(self, request: int) -> None:
        """Stop a survey or a look-up; returns at once."""
        with suppress(RuntimeError):
            self._asking.submit(self._fetcher.call, lambda fetcher: fetcher.cancel(request))

    @Slot()
    def _on_woken(self) -> None:
        if not self._drain.isActive():
            self._drain.start()

    @Slot()
    def drain(self) -> None:
        """Emit what has come up."""
        fetcher = self._fetcher.made
        for event in fetcher.events() if fetcher is not None else ():
            self.happened.emit(event)
