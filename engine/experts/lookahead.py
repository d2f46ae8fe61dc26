"""Whether to look ahead: reads of what the next layer likely needs are worth their while only where steps get shorter by them.

Decode steps run in windows with and without looking ahead, side by side, and the seconds of neighbouring windows are compared.
"""

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from statistics import median

MODES = ("auto", "on", "off")

ROWS = 8
"""Steps of more rows are prompts, which use most experts anyway."""
READS = 2
"""Likeliest misses of the next layer that are read; a third is right too seldom (benchmarks/NOTES.md)."""

_STEPS = 4  # of a window
_TRIALS = (4, 12)  # pairs of windows until a verdict: at least, at most
_KEPT = 9  # comparisons that decide whether it goes on
_RUNS = (8, 16)  # windows between two comparisons while on: at first, at most
_PAUSES = (64, 512)  # windows until the next trial while off: at first, at most
_WAITING = 0.08  # share of a step spent waiting for reads under which naming costs what can be saved, about half of the waiting
_SPREAD = 0.05  # of comparisons, at least; a few that agree by chance decide nothing
_WORTH = 0.01  # share of a step that must be gained to begin; as much may be lost before it ends


@dataclass(frozen=True, slots=True)
class _Window:
    """Mean seconds of a step without the slowest one, and the share of all spent waiting for reads."""

    seconds: float
    waited: float

    @property
    def hopeless(self) -> bool:
        return self.waited < _WAITING


class Lookahead:
    """Decides from the seconds of decode steps whether the next ones look ahead.

    active: whether they do. settled: whether it was found to pay ("auto"), or was asked for ("on"); never while it is tried.
    seconds_saved: against not looking ahead, estimated from the compared windows; below 0 where it lost.
    """

    def __init__(self, mode: str) -> None:
        if mode not in MODES:
            raise ValueError(f"lookahead is {', '.join(MODES)}, not {mode!r}")
        self.active = self.settled = mode == "on"
        self.seconds_saved = 0.0
        self._auto = mode == "auto"
        self._gains: deque[float] = deque(maxlen=_KEPT)
        self._seconds: list[float] = []
        self._waited = 0.0
        self._course = self._decide()
        if self._auto:
            next(self._course)

    def stepped(self, rows: int, seconds: float, waited: float) -> None:
        """A step over so many rows took `seconds`, `waited` of them for reads. Only steps of one row can be compared."""
        if not self._auto or rows != 1:
            return
        self._seconds.append(seconds)
        self._waited += waited
        if len(self._seconds) < _STEPS:
            return
        whole = sum(self._seconds)
        window = _Window((whole - max(self._seconds)) / (_STEPS - 1), self._waited / whole)
        if self.active and self._gains:
            gain = min(median(self._gains), 0.9)
            self.seconds_saved += _STEPS * window.seconds * gain / (1 - gain)
        self._seconds.clear()
        self._waited = 0.0
        self.active = self._course.send(window)

    def _decide(self) -> Generator[bool, _Window, None]:
        """Yields whether the next window looks ahead, and is sent how that window went."""
        pause = _PAUSES[0]
        while True:
            while (yield False).hopeless:
                pass
            if (yield from self._tried()):
                pause = _PAUSES[0]
                self.settled = True
                yield from self._kept_up()
                self.settled = False
            else:
                for _ in range(pause):
                    yield False
                pause = min(2 * pause, _PAUSES[1])

    def _tried(self) -> Generator[bool, _Window, bool]:
        """Pairs of windows in changing order until it is clear whether looking ahead gains."""
        self._gains.clear()
        gains: list[float] = []
        while len(gains) < _TRIALS[1] and not _clear(gains):
            pair = {}
            for ahead in (False, True) if len(gains) % 2 else (True, False):
                pair[ahead] = yield ahead
            gains.append(_gain(pair[True], pair[False]))
            self._gains.append(gains[-1])
        return median(gains) > _WORTH

    def _kept_up(self) -> Generator[bool, _Window, None]:
        """Look ahead as long as a window without it, now and then, shows that it gains."""
        run = _RUNS[0]
        while median(self._gains) > -_WORTH:
            for _ in range(run):
                ahead = yield True
            without = yield False
            if without.hopeless:
                return
            self._gains.append(_gain(ahead, without))
            run = min(2 * run, _RUNS[1])


def _gain(ahead: _Window, without: _Window) -> float:
    """Share of a step's seconds that looking ahead saves."""
    return 1 - ahead.seconds / without.seconds


def _clear(gains: Sequence[float]) -> bool:
    """Whether the median is away from zero by twice its error, as the deviations from it tell."""
    if len(gains) < _TRIALS[0]:
        return False
    middle = median(gains)
    spread = max(1.4826 * median(abs(g - middle) for g in gains), _SPREAD)  # the standard deviation, if they are normal
    error: float = 1.2533 * spread / len(gains) ** 0.5
    return abs(middle) > max(2 * error, _WORTH)
