"""A model that drafts, economically: whether to ask it, for how many tokens, and when to try it again.

What the text itself proposes is free; a model's tokens take seconds. So it is asked where the step with its tokens, drafting included,
is expected to make more tokens a second than the best step without them, and it goes on while one more token is expected to raise that.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.errors import EngineError
from engine.generate.calibration import Calibration
from engine.generate.costs import RECENT, ROW_SHARE
from engine.generate.proposal import Proposal, compared

F32 = npt.NDArray[np.float32]
Guess = Callable[[F32, int, Sequence[int]], tuple[int, int]]  # (logits [vocab], position, drafted before it) -> drawn, likeliest

MARGIN = 1.04  # expected gain below which drafting is left alone: estimates err
FIRST_TOKENS = 2  # of the first draft, which tells what drafting costs here
# A source that was left alone drafts a token now and then, to be known again: tries take a share of the time, which is saved up for a
# few of them, and for as many right after drafts that were worth it. After one that was right others follow at once, on credit.
TRY_SHARE, TRY_TOKENS, SAVED, CREDIT = 0.0175, 6, 4.0, 4.0  # share; drawn tokens between two; tries that are saved up, and lent
RIVAL_TOKENS = 48  # the same where another source pays: its drafts are left out meanwhile
FIRST_TRIES, FIRST_TOKENS_BETWEEN, DOUBT = 3, 24, 3.0  # so often its price is doubted, which a busy machine may have tripled
HOPED = 0.85  # a source is tried only where it would pay if so many of its tokens were right
GUESS_FORGET = 0.93  # of places where what was drawn and the likeliest token differ
SHORT_LAG = 16  # rows; reading more text than that first is an investment, which has to pay within the answer
STEPS_PER_TOKEN, MOST_STEPS = 1 / 8, 64  # steps within which, by the tokens that the answer may still have


class Speculator(Protocol):
    """A model that follows the text and goes ahead of it. `name`: see proposal.SOURCES."""

    name: str

    @property
    def lag(self) -> int:
        """Rows that it computes for the next logits: text that it has not read, and at least one."""

    @property
    def room(self) -> int:
        """Tokens that it can draft now; 0 where it cannot follow this text."""

    def begin(self, ids: Sequence[int]) -> None:
        """The text is `ids` now."""

    def extend(self, ids: Sequence[int]) -> None:
        """The text goes on with `ids`; what was drafted is over."""

    def logits(self, cancel: CancelToken) -> F32:
        """For the token after the text and what was pushed since, [vocab], valid until the next call. Raises as Model.forward."""

    def push(self, token: int) -> None:
        """The draft goes on with `token`."""


class DraftingCosts:
    """Seconds of drafting: of one token, and of each further row that has to be read before it."""

    def __init__(self) -> None:
        self._one: deque[float] = deque(maxlen=RECENT)
        self._more: deque[tuple[int, float]] = deque(maxlen=RECENT)

    @property
    def known(self) -> bool:
        """Whether anything was drafted."""
        return bool(self._one or self._more)

    def note(self, rows: int, seconds: float) -> None:
        """A token whose logits took so many rows."""
        if rows == 1:
            self._one.append(seconds)
        else:
            self._more.append((rows, seconds))

    @property
    def each(self) -> float:
        """Seconds of a token."""
        if self._one:
            return median(self._one)
        return median(s / (1 + ROW_SHARE * (rows - 1)) for rows, s in self._more) if self._more else 0.0

    def reading(self, rows: int) -> float:
        """Seconds that `rows` rows take beyond one."""
        each = self.each
        further = [max(s - each, 0.0) / (n - 1) for n, s in self._more]
        return (median(further) if further else ROW_SHARE * each) * (rows - 1)


@dataclass(frozen=True, slots=True)
class Outlook:
    """What asking a source promises: tokens a second of its best step, and the most tokens to draft, 0 where it should not be asked.

    trying: it is asked to be known, whatever it promises.
    """

    rate: float = 0.0
    most: int = 0
    trying: bool = False


@dataclass(frozen=True, slots=True)
class Drafted:
    """A proposal, the chances of its tokens, and the seconds that it took."""

    proposal: Proposal
    chances: tuple[float, ...]
    seconds: float


class Drafter:
    """One source with its costs and its successes. proposed, accepted: its tokens that were in steps, and those that were drawn."""

    def __init__(self, source: Speculator, clock: Callable[[], float] = perf_counter) -> None:
        self.source, self._clock = source, clock
        self._costs, self._calibration = DraftingCosts(), Calibration()
        self._tokens = 0  # drawn since it was last asked
        self._credit = 0.0  # seconds that tries may take
        self._trying = self._hopeful = False
        self._tries = 0
        self._left = 0
        # With the answer's own seed a model that is much like the large one draws what that will draw; another one does better with
        # its likeliest token. Which it is shows where the two differ.
        self._guesses: list[tuple[int, int]] = []
        self._drawn = self._likeliest = 0.0

    def begin(self, ids: Sequence[int]) -> None:
        """A text of `ids`."""
        self.source.begin(ids)

    def extend(self, ids: Sequence[int]) -> None:
        """It goes on with `ids`."""
        self.source.extend(ids)
        self._tokens += len(ids)

    def outlook(self, steps: Sequence[float], otherwise: float, room: int, left: int, rival: bool = False) -> Outlook:
        """What asking for up to `room` tokens promises.

        steps: seconds of a step with 0, 1, ... drafted tokens; otherwise: tokens a second without this source, rival: by another one that
        would be left out; left: tokens that the answer may still have.
        """
        room = min(room, self.source.room, len(steps) - 1)
        self._trying, self._left = False, left
        if room < 1:
            return Outlook()
        if not self._costs.known:
            self._trying = True
            return Outlook(0.0, min(room, FIRST_TOKENS), True)
        best = self._best(steps, room, self._calibration.ahead)
        if best.rate > MARGIN * otherwise:
            return best
        doubt = DOUBT if self._tries < FIRST_TRIES else 1.0
        if self._best(steps, room, lambda depth: HOPED, doubt).rate > MARGIN * otherwise and self._may_try(doubt > 1, rival):
            self._trying = True
            return Outlook(best.rate, min(room, FIRST_TOKENS if doubt > 1 else 1), True)
        return Outlook(best.rate)

    def _may_try(self, doubted: bool, rival: bool) -> bool:
        if doubted and (self._hopeful or self._tokens >= FIRST_TOKENS_BETWEEN):
            return True
        one = self._try_seconds()
        least = RIVAL_TOKENS if rival else TRY_TOKENS
        return self._credit >= -CREDIT * one if self._hopeful else self._tokens >= least and self._credit >= one

    def _try_seconds(self) -> float:
        return self._costs.each + self._costs.reading(self.source.lag)

    def _best(self, steps: Sequence[float], room: int, chance: Callable[[int], float], doubt: float = 1.0) -> Outlook:
        each, first = self._costs.each / doubt, self._catching_up() / doubt
        tokens, likely, best = 1.0, 1.0, Outlook()
        for d in range(1, room + 1):
            likely *= chance(d - 1)
            tokens += likely
            rate = tokens / max(first + d * each + steps[d], 1e-9)
            if rate > best.rate:
                best = Outlook(rate, room)
        return best

    def _catching_up(self) -> float:
        seconds = self._costs.reading(lag := self.source.lag)
        return seconds if lag <= SHORT_LAG else seconds / min(max(self._left * STEPS_PER_TOKEN, 1.0), MOST_STEPS)

    def draft(self, steps: Sequence[float], most: int, position: int, guess: Guess, cancel: CancelToken) -> Drafted:
        """Up to `most` tokens for `position` and on, fewer where a further one would not pay. Raises as Model.forward."""
        begun, source, calibration = self._clock(), self.source, self._calibration
        ids, sure, chances = list[int](), list[float](), list[float]()
        spent, tokens, likely = self._catching_up(), 1.0, 1.0
        self._tokens = 0
        self._tries += 1
        guesses = self._guesses = []
        while True:
            rows, start = source.lag, self._clock()
            logits = source.logits(cancel)
            try:
                both = guess(logits, position + len(ids), ids)
            except EngineError:  # nothing that this source knows may come here, as under a grammar
                break
            token = both[self._likeliest >= self._drawn]
            guesses.append(both)
            sure.append(probability(logits, token))
            source.push(token)
            self._costs.note(rows, self._clock() - start)
            ids.append(token)
            chances.append(calibration.chance(sure[-1], len(ids) - 1))
            likely *= chances[-1]
            tokens, spent, d = tokens + likely, spent + self._costs.each, len(ids)
            if d == most:
                break
            more = likely * calibration.ahead(d)
            if not self._trying and (tokens + more) / (spent + self._costs.each + steps[d + 1]) <= tokens / (spent + steps[d]):
                break
        seconds = self._clock() - begun
        self._credit = self._credit - seconds if self._trying else SAVED * self._try_seconds()
        return Drafted(Proposal(tuple(ids), source=source.name, sure=tuple(sure)), tuple(chances), seconds)

    def judge(self, proposal: Proposal, drawn: Sequence[int]) -> None:
        """The step that followed yielded the tokens `drawn`."""
        right, judged = compared(proposal, drawn)
        self._calibration.note(proposal.sure, right, judged)
        for token, (by_seed, likeliest) in zip(drawn[:judged], self._guesses, strict=False):
            if by_seed != likeliest:
                self._drawn = self._drawn * GUESS_FORGET + (by_seed == token)
                self._likeliest = self._likeliest * GUESS_FORGET + (likeliest == token)
        self._hopeful = self._trying and right == judged > 0

    def passed(self, seconds: float) -> None:
        """A step took so long."""
        self._credit = min(self._credit + TRY_SHARE * seconds, SAVED * self._try_seconds())


def probability(logits: F32, token: int) -> float:
    """Of `token` under softmax(logits [vocab])."""
    with np.errstate(under="ignore"):
        return float(np.exp(logits[token] - logits.max()) / np.exp(logits - logits.max()).sum())
