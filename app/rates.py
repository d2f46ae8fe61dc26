"""Rates from counters: everything that a gauge shows is a difference of two engine snapshots.

A rate over an interval without the events that it counts does not exist and is None (shown as a dash), except that a silent
engine is a rate of zero: a gauge must show a stall.
"""

from collections import deque
from dataclasses import dataclass, replace

from engine.stats import AnswerStats, Snapshot

WINDOW = 5.0  # seconds that a token's time split is an average over: a step of a large model may take a second
PARTS = ("seconds_read_wait", "seconds_experts", "seconds_attention", "seconds_rest")
SILENCE = 1.2  # seconds without a new snapshot after which a working engine counts as standing still


@dataclass(frozen=True, slots=True)
class Split:
    """Seconds of a token, by what the engine's thread did. prompt: a token that was read, else one that was written."""

    read_wait: float
    experts: float
    attention: float
    rest: float
    prompt: bool = False

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.read_wait + self.experts + self.attention + self.rest


@dataclass(frozen=True, slots=True)
class Rates:
    """tokens and prompt in tokens/s, hits and accepted as fractions, disk in bytes/s, memory and budget in bytes.

    gain: seconds that drafts saved over seconds taken, as the engine estimates; below 0 where they lost.
    """

    tokens: float | None = None
    prompt: float | None = None
    hits: float | None = None
    disk: float | None = None
    accepted: float | None = None
    memory: int | None = None
    budget: int | None = None
    gain: float | None = None
    split: Split | None = None


def split(a: Snapshot, b: Snapshot) -> Split | None:
    """The time split of a token from snapshot `a` to the later `b`: of those written, or where there are none of those read."""
    written, read = b.tokens_decoded - a.tokens_decoded, b.tokens_prefilled - a.tokens_prefilled
    n = written or read
    parts = [max(getattr(b, name) - getattr(a, name), 0.0) for name in PARTS]
    if n <= 0 or sum(parts) <= 0:
        return None
    parts[-1] += max(b.seconds_drafting - a.seconds_drafting, 0.0)
    waited, experts, attention, rest = (p / n for p in parts)
    return Split(waited, experts, attention, rest, prompt=not written)


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
        b.drafts_seconds_saved - a.drafts_seconds_saved,
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
        gain=c.drafts_seconds_saved / c.seconds_decode if c.drafts_proposed and c.seconds_decode > 0 else None,
    )


def _rates(
    seconds: float,
    decoded: int,
    prefilled: int,
    hits: int,
    misses: int,
    nbytes: int,
    proposed: int,
    accepted: int,
    saved: float,
    at: Snapshot,
) -> Rates:
    return Rates(
        tokens=decoded / seconds,
        prompt=prefilled / seconds,
        hits=_share(hits, misses),
        disk=nbytes / seconds,
        accepted=accepted / proposed if proposed else None,
        memory=at.memory_bytes,
        budget=at.budget_bytes,
        gain=saved / seconds if proposed else None,
    )


def _share(hits: int, misses: int) -> float | None:
    return hits / (hits + misses) if hits + misses else None


class Meter:
    """The newest snapshots of one open model, and what they say at a given moment."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything, as when a model is closed."""
        self._before: Snapshot | None = None
        self._last: Snapshot | None = None
        self.start()

    def start(self) -> None:
        """Begin a new piece of work: the next snapshot opens the first interval, so that idle time is not counted."""
        self._before, self._fresh = None, True
        self._decoded = self._last.tokens_decoded if self._last else 0
        self._window: deque[Snapshot] = deque()
        self._writing: Snapshot | None = None  # the first one with a written token

    def add(self, snapshot: Snapshot) -> None:
        """Take the newest snapshot; one that is not later than the last only replaces it."""
        if self._fresh:
            self._fresh = False
        elif self._last is not None and snapshot.time > self._last.time:
            self._before = self._last
        self._last = snapshot
        if self._writing is None and snapshot.tokens_decoded > self._decoded:
            self._writing = snapshot
            self._window.clear()  # what was read is another kind of token
        self._window.append(snapshot)
        while len(self._window) > 2 and snapshot.time - self._window[1].time >= WINDOW:
            self._window.popleft()

    def read(self, now: float, working: bool) -> Rates:
        """Rates of the last interval at `now` (time.monotonic); zero once a working engine has been silent for SILENCE.

        The split is that of the last WINDOW seconds, of a resting engine that of all tokens written.
        """
        last, before = self._last, self._before
        if last is None:
            return Rates()
        if working and not self._fresh and now - last.time > SILENCE:
            return Rates(0.0, 0.0, None, 0.0, None, last.memory_bytes, last.budget_bytes)
        if not working or before is None:
            whole = split(self._writing, last) if self._writing is not None and not working else None
            return Rates(memory=last.memory_bytes, budget=last.budget_bytes, split=whole)
        return replace(between(before, last), split=split(self._window[0], last))
