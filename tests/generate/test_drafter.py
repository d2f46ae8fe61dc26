"""When a model that drafts is asked, on a simulated machine: seconds are made up, so that gains and losses can be counted exactly."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.generate.calibration import Calibration
from engine.generate.drafter import F32, Drafter, probability
from engine.generate.drafts import Drafts
from engine.generate.proposal import MODEL, MTP

VOCAB = 64
RIGHT, WRONG = 0.9, 0.1  # chances that a drafted token is the text's


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Simulated:
    """Drafts the known text, right as often as `chance(position)` says; sure of it, if so, by half."""

    name = MODEL

    def __init__(self, text: list[int], chance: Callable[[int], float], each: float, row: float, clock: Clock, seed: int) -> None:
        self.text, self.chance, self.each, self.row, self.clock = text, chance, each, row, clock
        self.length = self.read = 0
        self.drafted = list[int]()
        self.rng = random.Random(seed)
        self.calls = list[int]()  # positions at which a draft was begun

    @property
    def lag(self) -> int:
        return max(self.length + len(self.drafted) - self.read, 1)

    @property
    def room(self) -> int:
        return 8

    def begin(self, ids: Sequence[int]) -> None:
        self.length, self.read, self.drafted = len(ids), 0, []

    def extend(self, ids: Sequence[int]) -> None:
        self.length, self.read, self.drafted = self.length + len(ids), min(self.read, self.length), []

    def logits(self, cancel: CancelToken) -> F32:
        if not self.drafted:
            self.calls.append(self.length)
        self.clock.now += self.each + self.row * (self.lag - 1)
        self.read = self.length + len(self.drafted)
        at = self.read
        right = self.text[at] if at < len(self.text) else 0
        token = right if self.rng.random() < self.chance(at) else (right + 1) % VOCAB
        out = np.zeros(VOCAB, np.float32)
        out[token] = self.rng.uniform(2, 9)  # what it says of itself means little
        return out

    def push(self, token: int) -> None:
        self.drafted.append(token)


class Following(Simulated):
    """It has always read the text."""

    name = MTP

    @property
    def lag(self) -> int:
        return 1


def play(
    chance: Callable[[int], float], each: float, row: float = 0.1, fixed: float = 1.0, n: int = 600, prompt: int = 50, seed: int = 0,
    repeated: bool = False, kind: type[Simulated] = Simulated, further: tuple[Callable[[int], float], float] | None = None,
    record: Path | None = None,
) -> tuple[float, Simulated, Drafts, list[tuple[int, int]]]:
    """Seconds a token of a model whose steps take `fixed` + 0.1 a row; with the source, the drafts, and place and rows of each step.

    further: chance and price of a second source.
    """
    rng = random.Random(seed)
    text = [rng.randrange(VOCAB) for _ in range(prompt + n)] if not repeated else [i % 29 for i in range(prompt + n)]
    clock = Clock()
    source = kind(text, chance, each, row * each, clock, seed)
    sources = [source] if further is None else [source, Following(text, further[0], further[1], 0.0, clock, seed + 1)]
    drafts = Drafts(record, sources, clock)
    drafts.begin(text[:prompt])
    at, new, steps = prompt, list[int](), list[tuple[int, int]]()

    def guess(logits: F32, position: int, before: Sequence[int]) -> tuple[int, int]:
        return int(logits.argmax()), int(logits.argmax())

    while at < len(text):
        left = len(text) - at
        drafted = drafts.propose(new, left - 1, left, guess)
        seconds = (fixed + 0.1 * (1 + len(drafted))) * rng.lognormvariate(0, 0.05)
        clock.now += seconds
        right = next((i for i, d in enumerate(drafted) if text[at + i] != d), len(drafted))
        new = text[at : at + right + 1]
        drafts.stepped(1 + len(drafted), new, seconds, 0.0, 0)
        steps.append((at, 1 + len(drafted)))
        at += len(new)
    drafts.close()
    return clock.now / n, source, drafts, steps


PLAIN = 1.1
STEPS = [1.0 + 0.1 * rows for rows in range(1, 10)]


@pytest.mark.parametrize("each, least", [(0.02, 2.5), (0.1, 2.0), (0.3, 1.3)])
def test_that_a_good_draft_model_gains_by_its_price(each: float, least: float) -> None:
    for seed in range(3):
        got, _, drafts, _ = play(lambda at: RIGHT, each, seed=seed)
        assert PLAIN / got >= least
        assert drafts.seconds_saved == pytest.approx((PLAIN - got) * 600, rel=0.25)


@pytest.mark.parametrize("each", [0.02, 0.1, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("chance", [WRONG, 0.4])
def test_that_a_bad_or_slow_one_costs_nearly_nothing(each: float, chance: float) -> None:
    for seed in range(2):
        got, _, _, _ = play(lambda at: chance, each, n=1200, seed=seed)
        assert PLAIN / got >= 0.97


def test_that_one_that_cannot_pay_is_asked_once() -> None:
    _, source, _, _ = play(lambda at: RIGHT, 3.0)
    assert len(source.calls) == 1


def settled(steps: list[tuple[int, int]], start: int, end: int, drafting: bool) -> int:
    """Tokens after `start` until a step from which on at least six of eight draft, or do not; `end` - `start` where none comes before."""
    some = [(at, rows > 1) for at, rows in steps if start <= at < end]
    return next((at - start for i, (at, _) in enumerate(some[:-7]) if sum(d == drafting for _, d in some[i : i + 8]) >= 6), end - start)


FEW_AND_ALL = [pytest.param(5, id="few"), pytest.param(100, id="all", marks=pytest.mark.long)]  # runs


@pytest.mark.parametrize("runs", FEW_AND_ALL)
@pytest.mark.parametrize("right, each, row, late", [(RIGHT, 0.05, 0.1, 0.01), (0.7, 0.05, 0.1, 0.03), (RIGHT, 0.1, 0.0, 0.01)])
def test_that_it_adapts_within_32_tokens_after_a_change_of_subject(right: float, each: float, row: float, late: float, runs: int) -> None:
    """What it mostly knows, what it gets wrong, and what it knows again; late: the share of runs that may take longer, either way."""
    times = list[int]()
    for seed in range(runs):
        _, _, _, steps = play(lambda at: 0.03 if 210 <= at < 450 else right, each, row, n=600, seed=seed)
        times += settled(steps, 210, 450, False), settled(steps, 450, 650, True)
    assert sum(t > 32 for t in times) <= late * len(times) + 1, sorted(times)[-20:]


def test_that_what_the_text_proposes_comes_first_where_it_is_as_good() -> None:
    got, _source, drafts, _ = play(lambda at: RIGHT, 0.2, repeated=True)
    assert drafts.accepted["ngram"] > 400 > drafts.accepted["model"]
    assert PLAIN / got > 4


def test_that_a_long_prompt_is_read_only_where_that_pays() -> None:
    """5000 tokens of which each takes a fiftieth of a step: not for an answer of 20 tokens, but for one of 3000."""
    clock = Clock()
    drafter = Drafter(Simulated([1] * 6000, lambda at: RIGHT, 0.02, 0.02, clock, 0), clock)
    drafter.begin([1] * 10)
    drafter.outlook(STEPS, 1 / PLAIN, 8, 100)
    for _ in range(20):
        drafted = drafter.draft(STEPS, 8, 10, lambda logits, position, before: (int(logits.argmax()),) * 2, CancelToken())
        drafter.judge(drafted.proposal, drafted.proposal.ids)
        drafter.extend([1])
    assert drafter.outlook(STEPS, 1 / PLAIN, 8, 20).most > 0
    drafter.begin([1] * 5000)
    assert drafter.outlook(STEPS, 1 / PLAIN, 8, 20).most == 0
    assert drafter.outlook(STEPS, 1 / PLAIN, 8, 3000).most > 0


def test_that_a_model_is_taken_at_its_word_until_it_is_known_better() -> None:
    c = Calibration()
    assert c.chance(0.99, 0) > 0.9 and c.chance(0.2, 0) < 0.3
    for _ in range(30):
        c.note((0.99, 0.99), 0, 1)
    assert c.chance(0.99, 0) < 0.15 and c.ahead(0) < 0.05
    assert 0.1 < c.chance(0.99, 1) < 0.7  # of the second only that its word counts for less
    for _ in range(60):
        c.note((0.4, 0.4), 2, 2)
    assert c.chance(0.2, 0) > 0.6  # it is better than it says


def test_probability() -> None:
    logits = np.log(np.array([1, 2, 5], np.float32))
    assert probability(logits, 2) == pytest.approx(5 / 8, rel=1e-6)
    assert probability(np.array([-np.inf, 0.0], np.float32), 0) == 0.0


@pytest.mark.parametrize("by_seed", [True, False])
def test_that_it_learns_whether_its_draws_or_its_likeliest_tokens_are_right(by_seed: bool) -> None:
    """Two tokens are guessed for each place, 10 + place by the seed and 40 as the likeliest; the large model draws one or the other."""
    clock = Clock()
    source = Simulated([0] * 400, lambda at: RIGHT, 0.02, 0.1, clock, 0)
    drafter = Drafter(source, clock)
    drafter.begin([0] * 10)
    right = 0
    for at in range(40):
        drafter.outlook(STEPS, 1 / PLAIN, 8, 100)
        drafted = drafter.draft(STEPS, 2, 10 + at, lambda logits, position, before: (position % 30, 40), CancelToken())
        drawn = [(10 + at + i) % 30 if by_seed else 40 for i in range(3)]
        drafter.judge(drafted.proposal, drawn)
        right += drafted.proposal.ids == tuple(drawn[: len(drafted.proposal.ids)])
        drafter.extend(drawn[:1])
    assert right >= 38


class SlowAtFirst(Simulated):
    """As on a busy machine: its first draft takes several times as long as all others."""

    def logits(self, cancel: CancelToken) -> F32:
        self.each = 2.0 if len(self.calls) < 2 and (self.drafted or not self.calls) else 0.05
        return super().logits(cancel)


def test_that_one_slow_first_draft_does_not_switch_a_good_source_off() -> None:
    got, source, _, _ = play(lambda at: RIGHT, 0.05, kind=SlowAtFirst)
    assert len(source.calls) > 60 and PLAIN / got > 2.0
