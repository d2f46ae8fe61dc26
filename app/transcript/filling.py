"""Builds a conversation from its end, or from a message to go to: first what is seen, then, in idle slices, the rest."""

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.transcript import formulas
from app.transcript.document import ChatDocument
from app.transcript.latex import DRAWINGS
from app.transcript.messages import Part
from app.transcript.turn import Turn

SLICE = 0.012  # seconds of building per turn of the event loop
# Whatever is put at the beginning moves all that follows, which costs as much as writing some thousand characters. So several
# messages are put there together, as many as take about so many seconds.
QUICK, SLOW = 0.025, 0.04
LEAST = 3000  # characters
AT_ONCE = 0.3  # seconds after which the window is painted even if it is not full yet
PAUSE_MS = 150  # after somebody scrolled
WAIT_MS = 10  # for formulas that are being drawn

Edit = Callable[[Callable[[], None]], None]


class Filler(QObject):
    """One per transcript. `before` and `behind` change the document: at its beginning, at its end. `held` tells whether somebody holds
    the scroll bar, whose range has to stay then.
    """

    done = Signal()
    met = Signal()  # the end is there of a conversation that was built from its middle

    def __init__(self, chat: ChatDocument, before: Edit, behind: Edit, held: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._chat, self._before, self._behind, self._held = chat, before, behind, held
        self._steps: Iterator[bool] | None = None
        self._late: Iterator[bool] | None = None  # what is still to come at the end
        self.gap = False  # whether what comes there belongs to a conversation that was built from its middle
        self._upwards = False  # whether the next step of such a one goes there
        self._paused_until = 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._some)

    @property
    def busy(self) -> bool:
        """Whether messages are missing in the document."""
        return self._steps is not None or self._late is not None

    def stop(self) -> None:
        """Forget what is missing."""
        self._steps = self._late = None
        self.gap = False
        self._timer.stop()

    def fill(self, turns: Sequence[Turn], full: Callable[[], bool]) -> None:
        """Put turns before everything, the last one first; what makes the window `full` at once."""
        self._steps = self._earlier(tuple(turns))
        end = perf_counter() + AT_ONCE
        while self._steps is not None and not full() and (perf_counter() < end or self._chat.document.isEmpty()):
            self._step()
        self._go_on()

    def around(self, earlier: Sequence[Turn], later: Sequence[Turn], enough: Callable[[], bool], room: Callable[[], bool]) -> None:
        """Put turns into an empty document: later ones until that is enough, earlier ones before them until there is room, now; the rest
        of both by and by. What is added to `later` until then comes as well.
        """
        end = perf_counter() + AT_ONCE
        self._late, self.gap = self._later(later), True
        while self._late is not None and not enough():
            self._step()
        late, self._late = self._late, None
        self._steps = self._earlier(tuple(earlier))
        while self._steps is not None and not room() and perf_counter() < end:
            self._step()
        self._late, self.gap = late, late is not None
        self._go_on()

    def append(self, turns: Sequence[Turn]) -> None:
        """Put turns behind everything."""
        self._late = self._later(tuple(turns))
        self._some()

    def complete_end(self) -> None:
        """Finish what is missing at the end, now."""
        while self._late is not None:
            self._step()

    def complete(self, until: Callable[[], bool] = lambda: False) -> None:
        """Build all, or until something holds, now."""
        while self.busy and not until():
            self._step()
        self._go_on()

    def pause(self) -> None:
        """Give way for a moment: somebody scrolls."""
        self._paused_until = perf_counter() + PAUSE_MS / 1000

    def _go_on(self) -> None:
        if not self.busy:
            self._timer.stop()
            self.done.emit()
        elif not self._timer.isActive():
            self._timer.start(0)

    @Slot()
    def _some(self) -> None:
        now = perf_counter()
        if (self._late is None or self.gap) and (now < self._paused_until or self._held()):
            self._timer.start(PAUSE_MS)
            return
        waits = False
        while self.busy and not waits and perf_counter() < now + SLICE:
            waits = self._step()
        if waits:
            self._timer.start(WAIT_MS)
        else:
            self._go_on()

    def _step(self) -> bool:
        """The next step; whether it waits for formulas, which are drawn here where nobody can wait."""
        self._upwards = self.gap and not self._upwards and self._steps is not None
        if self._late is not None and not self._upwards:
            waits = next(self._late, None)
            if waits is None:
                met, self._late, self.gap = self.gap, None, False
                if met:
                    self.met.emit()
        elif self._steps is not None:
            waits = next(self._steps, None)
            if waits is None:
                self._steps = None
        else:
            waits = None
        return bool(waits)

    def _earlier(self, turns: Sequence[Turn]) -> Iterator[bool]:
        ready: list[Part] = []
        size, goal = 0, LEAST
        for turn in reversed(turns):
            parts = []
            for part in self._chat.messages.parts(turn):
                parts.append(part)
                yield False
            for part in reversed(parts):
                yield from self._drawn(part)
                ready.append(part)
                size += part.size
                if size >= goal:
                    goal = max(LEAST, round(goal * self._put(ready)))
                    size = 0
                    yield False
        if ready:
            self._put(ready)

    def _put(self, parts: list[Part]) -> float:
        """Write parts before everything and forget them; how many times as much should be written next time."""
        start, written = perf_counter(), list(parts)
        parts.clear()
        self._before(lambda: self._chat.put_first(written))
        seconds = perf_counter() - start
        return 1.5 if seconds < QUICK else 0.6 if seconds > SLOW else 1.0

    def _later(self, turns: Sequence[Turn]) -> Iterator[bool]:
        for turn in turns:
            for part in self._chat.messages.parts(turn):
                yield from self._drawn(part)
                self._behind(lambda part=part: self._chat.put_last(part))  # type: ignore[misc]
                yield False

    @staticmethod
    def _drawn(part: Part) -> Iterator[bool]:
        for latex, display in formulas.of(part.tokens):
            yield not DRAWINGS.known(latex, display)
        formulas.draw(part.tokens)
