"""Rates from counters: everything that a gauge shows is a difference of two engine snapshots.

A rate over an interval without the events that it counts does not exist and is None (shown as a dash), except that a silent
engine is a rate of zero: a gauge must show a stall.
"""

from dataclasses import dataclass

from engine.stats import AnswerStats, Snapshot

SILENCE = 1.2  # seconds without a new snapshot after which a working engine counts as standing still


@dataclass(frozen=True, slots=True)
class Rates:
    """tokens and prompt in tokens/s, hits and accepted as fractions, disk in bytes/s, memory and budget in bytes."""

    tokens: float | None = None
    prompt: float | None = None
    hits: float | None = None
    disk: float | None = None
    accepted: float | None = None
    memory: int | None = None
    budget: int | None = None


def between(a: Snapshot, b: Snapshot) -> Rates:
    """Rates from snapshot `a` to the later `b`."""
    seconds = b.time - a.time
    if seconds <= 0:
        return Rates(memory=b.memory_bytes, budget=b.budget_bytes)
    return _rates(
        seconds,
        b.tokens_decoded - a.tokens_decoded,
        b.tokens_prefilled - a.tokens_prefilled,
        b.expert_hits - a.expert_hits,
        b.expert_misses - a.expert_misses,
        b.bytes_read - a.bytes_read,
        b.drafts_proposed - a.drafts_proposed,
        b.drafts_accepted - a.drafts_accepted,
        b,
    )


def over(stats: AnswerStats) -> Rates:
    """Averages over a whole answer: tokens per second of decoding, prompt tokens per second of reading it."""
    c = stats.counters
    seconds = c.seconds_prefill + c.seconds_decode
    return Rates(
        tokens=stats.tokens_per_second or None,
        prompt=c.tokens_prefilled / c.seconds_prefill if c.tokens_prefilled and c.seconds_prefill > 0 else None,
        hits=_share(c.expert_hits, c.expert_misses),
        disk=c.bytes_read / seconds if seconds > 0 else None,
        accepted=c.drafts_accepted / c.drafts_proposed if c.drafts_proposed else None,
    )


def _rates(
    seconds: float, decoded: int, prefilled: int, hits: int, misses: int, nbytes: int, proposed: int, accepted: int, at: Snapshot
) -> Rates:
    return Rates(
        tokens=decoded / seconds,
        prompt=prefilled / seconds,
        hits=_share(hits, misses),
        disk=nbytes / seconds,
        accepted=accepted / proposed if proposed else None,
        memory=at.memory_bytes,
        budget=at.budget_bytes,
    )


def _share(hits: int, misses: int) -> float | None:
    return hits / (hits + misses) if hits + misses else None


class Meter:
    """The last two snapshots of one open model, and what they say at a given moment."""

    def __init__(self) -> None:
        self._before: Snapshot | None = None
        self._last: Snapshot | None = None
        self._fresh = True

    def reset(self) -> None:
        """Forget everything, as when a model is closed."""
        self._before = self._last = None
        self._fresh = True

    def start(self) -> None:
        """Begin a new piece of work: the next snapshot opens the first interval, so that idle time is not counted."""
        self._before, self._fresh = None, True

    def add(self, snapshot: Snapshot) -> None:
        """Take the newest snapshot; one that is not later than the last only replaces it."""
        if self._fresh:
            self._fresh = False
        elif self._last is not None and snapshot.time > self._last.time:
            self._before = self._last
        self._last = snapshot

    def read(self, now: float, working: bool) -> Rates:
        """Rates of the last interval at `now` (time.monotonic); zero once a working engine has been silent for SILENCE."""
        last, before = self._last, self._before
        if last is None:
            return Rates()
        if working and not self._fresh and now - last.time > SILENCE:
            return Rates(0.0, 0.0, None, 0.0, None, last.memory_bytes, last.budget_bytes)
        if not working or before is None:
            return Rates(memory=last.memory_bytes, budget=last.budget_bytes)
        return between(before, last)
