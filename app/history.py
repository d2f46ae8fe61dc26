"""What a gauge showed over the last minutes, by the clock: work that paused leaves a gap, and what is older than SPAN goes."""

from collections import deque

SPAN = 180.0  # seconds
GAP = 2.0  # seconds between two samples, beyond which the line is broken: nothing was measured


class History:
    """Samples of one gauge. Times in seconds of one clock, rising; a value of None was not measured."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float | None]] = deque()

    def add(self, time: float, value: float | None) -> None:
        """Take the newest sample."""
        self._samples.append((time, value))
        while time - self._samples[0][0] > SPAN:
            self._samples.popleft()

    def clear(self) -> None:
        """Forget everything."""
        self._samples.clear()

    @property
    def values(self) -> list[float]:
        """All values that were measured, oldest first."""
        return [v for _, v in self._samples if v is not None]

    def lines(self) -> list[list[tuple[float, float]]]:
        """Unbroken pieces of (place, value): place 1 is the newest sample, 0 lies SPAN before it."""
        pieces: list[list[tuple[float, float]]] = []
        newest, last = self._samples[-1][0] if self._samples else 0.0, float("-inf")
        for time, value in self._samples:
            if value is None:
                last = float("-inf")
                continue
            if time - last > GAP:
                pieces.append([])
            pieces[-1].append((1 - (newest - time) / SPAN, value))
            last = time
        return pieces

    @property
    def extent(self) -> tuple[float, float] | None:
        """The least and the greatest value; None where there are not two."""
        values = self.values
        return (min(values), max(values)) if len(values) > 1 else None
