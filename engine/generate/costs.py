"""What a decode step costs by its rows, learned from the steps of this model on this machine: computing, and reading what the cache lacks.

Seconds of single steps scatter widely on a computer that does other things, so medians of recent steps are used.
"""

from collections import deque
from statistics import median

RECENT = 24  # steps of a kind that are remembered
OLD = 512  # steps after which one is forgotten: the cache, the context and the machine are others by then
PRIOR = 4.0  # steps that the shares below count for
SURE = 3  # steps of a kind from which on their own median is used
# Before anything is known: a further row's share of a one-row step, a guess that four steps outweigh, and of its misses (2, 4 and 8
# tokens of a published trace need 1.66, 2.76 and 4.5 times the experts of one).
ROW_SHARE, MISS_SHARE = 0.3, 0.6


class _ByRows:
    """A quantity by the rows of a step: medians or means of recent steps, a line through them for rows that were rare."""

    def __init__(self, share: float, mean: bool) -> None:
        self._share, self._mean = share, mean
        self._seen: dict[int, deque[tuple[int, float]]] = {}

    def note(self, step: int, rows: int, value: float) -> None:
        self._seen.setdefault(rows, deque(maxlen=RECENT)).append((step, value))

    def settle(self, step: int) -> dict[int, tuple[float, int]]:
        """Rows -> (level, steps behind it), without what is old."""
        out = {}
        for rows, seen in self._seen.items():
            while seen and step - seen[0][0] > OLD:
                seen.popleft()
            if seen:
                values = [v for _, v in seen]
                out[rows] = (sum(values) / len(values) if self._mean else median(values), len(values))
        return out

    def line(self, levels: dict[int, tuple[float, int]]) -> tuple[float, float]:
        """(value at one row, what each further row adds), by weighted least squares; the prior share counts as PRIOR steps."""
        if not levels:
            return 0.0, 0.0
        total = sum(n for _, n in levels.values())
        x = sum((r - 1) * n for r, (_, n) in levels.items()) / total
        y = sum(v * n for v, n in levels.values()) / total
        one = y / (1 + self._share * x)
        sxx = sum(n * (r - 1 - x) ** 2 for r, (_, n) in levels.items()) + PRIOR
        sxy = sum(n * (r - 1 - x) * (v - y) for r, (v, n) in levels.items()) + PRIOR * self._share * one
        slope = max(sxy / sxx, 0.0)
        return max(y - slope * x, 0.0), slope


class StepCosts:
    """Expected seconds of a step with so many rows. Give each decode step to `note`."""

    def __init__(self) -> None:
        self._steps = 0
        self._compute, self._misses = _ByRows(ROW_SHARE, False), _ByRows(MISS_SHARE, True)
        self._per_miss: deque[tuple[float, int]] = deque(maxlen=RECENT)
        self._told: list[float] = []

    @property
    def known(self) -> bool:
        """Whether any step was seen."""
        return self._steps > 0

    def note(self, rows: int, seconds: float, read_wait: float, misses: int) -> None:
        """A decode step of `rows` rows took `seconds`, `read_wait` of them for `misses` experts that were not cached."""
        self._steps += 1
        self._compute.note(self._steps, rows, max(seconds - read_wait, 0.0))
        self._misses.note(self._steps, rows, float(misses))
        if misses:
            self._per_miss.append((read_wait, misses))
        self._told = []

    def seconds(self, most: int) -> list[float]:
        """Expected seconds of steps with 1, 2 ... `most` rows, never falling."""
        if len(self._told) < most:
            waited, missed = sum(w for w, _ in self._per_miss), sum(m for _, m in self._per_miss)
            each = waited / missed if missed else 0.0
            compute, misses = self._compute.settle(self._steps), self._misses.settle(self._steps)
            (c, dc), (m, dm) = self._compute.line(compute), self._misses.line(misses)
            out: list[float] = []
            for rows in range(1, most + 1):
                level, n = compute.get(rows, (0.0, 0))
                lacking, k = misses.get(rows, (0.0, 0))
                value = (level if n >= SURE else c + dc * (rows - 1)) + each * (lacking if k >= SURE else m + dm * (rows - 1))
                out.append(max(value, out[-1] if out else 0.0))
            self._told = out
        return self._told[:most]
