"""The width of drafts on simulated machines: seconds are made up, so that what the controller gains and loses can be counted exactly."""

import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from engine.errors import StorageError
from engine.generate.acceptance import Acceptance
from engine.generate.costs import StepCosts
from engine.generate.drafts import MOST, Drafts
from engine.generate.proposal import Proposal

Machine = Callable[[int], tuple[float, float, int]]  # rows -> seconds, of them waiting for reads, misses


def in_memory(fixed: float, row: float, noise: float = 0.1, seed: int = 0) -> Machine:
    rng = random.Random(seed)
    return lambda rows: ((fixed + row * rows) * rng.lognormvariate(0, noise), 0.0, 0)


def from_disk(compute: float, each: float, first: int, growth: float, seed: int = 0) -> Machine:
    rng = random.Random(seed)

    def step(rows: int) -> tuple[float, float, int]:
        misses = round(first * (1 + growth * (rows - 1)) * rng.uniform(0.7, 1.3))
        return compute * (1 + 0.1 * rows) + misses * each, misses * each, misses

    return step


def play(text: list[int], prompt: int, machine: Machine, drafts: Drafts | None = None) -> tuple[float, list[int]]:
    """Seconds that decoding text[prompt:] takes, and the rows of each step; a model that draws just this text."""
    drafts = drafts or Drafts()
    drafts.begin(text[:prompt])
    at, total, rows, new = prompt, 0.0, list[int](), list[int]()
    while at < len(text):
        drafted = drafts.propose(new, len(text) - at - 1)
        seconds, waited, misses = machine(1 + len(drafted))
        right = next((i for i, d in enumerate(drafted) if text[at + i] != d), len(drafted))
        new = text[at : at + right + 1]
        drafts.stepped(1 + len(drafted), new, seconds, waited, misses)
        at, total = at + len(new), total + seconds
        rows.append(1 + len(drafted))
    return total, rows


def plain(n: int, machine: Machine) -> float:
    return sum(machine(1)[0] for _ in range(n))


def chatter(n: int, seed: int) -> list[int]:
    """Words of a small vocabulary, so that matches of three happen and mean little."""
    rng = random.Random(seed)
    return [min(int(rng.paretovariate(0.7)), 400) for _ in range(n)]


def words(n: int, seed: int) -> list[int]:
    """No three of them come twice."""
    rng = random.Random(seed)
    return [rng.randrange(5000) for _ in range(n)]


def edited(source: list[int], every: int, seed: int) -> list[int]:
    """The source with a change every so many tokens."""
    rng, out = random.Random(seed), list[int]()
    for token in source:
        if rng.random() < 1 / every:
            out.append(1000 + rng.randrange(1000))
            if rng.random() < 0.5:
                continue
        out.append(token)
    return out


MACHINES = {
    "cheap rows": lambda seed: in_memory(0.01, 0.002, seed=seed),
    "dear rows": lambda seed: in_memory(0.004, 0.008, seed=seed),
    "a busy machine": lambda seed: in_memory(0.01, 0.004, noise=0.6, seed=seed),
    "a disk": lambda seed: from_disk(0.02, 0.003, 20, 0.55, seed=seed),
}


@pytest.mark.parametrize("name", MACHINES)
def test_that_text_without_repetition_is_no_slower(name: str) -> None:
    for seed in range(4):
        text = chatter(900, seed)
        got, _ = play(text, 300, MACHINES[name](seed))
        noise = 0.03 if name == "a busy machine" else 0.0  # of sums of such steps
        assert plain(600, MACHINES[name](seed)) / got >= 0.98 - noise


@pytest.mark.parametrize("name, least", [("cheap rows", 2.2), ("a busy machine", 1.2), ("a disk", 1.4)])
def test_that_edits_are_faster(name: str, least: float) -> None:
    for seed in range(4):
        source = words(500, seed)
        text = source + edited(source, 25, seed)
        got, _ = play(text, 500, MACHINES[name](seed))
        assert plain(len(text) - 500, MACHINES[name](seed)) / got >= least


def test_that_rows_that_cost_more_than_they_bring_are_left_alone() -> None:
    for seed in range(4):
        source = words(500, seed)
        text = source + edited(source, 25, seed)
        got, rows = play(text, 500, in_memory(0.0, 0.01, seed=seed))
        assert plain(len(text) - 500, in_memory(0.0, 0.01, seed=seed)) / got >= 0.97
        assert sum(rows) / len(rows) < 1.2  # the tries that told what a row costs


def test_that_it_adapts_within_32_tokens_after_a_change_of_subject() -> None:
    """What was repeated word by word comes back in pieces that mislead; then again word by word."""
    rng = random.Random(5)
    block = [rng.randrange(5000) for _ in range(120)]
    pieces = [block[i : i + 3] for i in (rng.randrange(110) for _ in range(120))]  # each three tokens long, then another
    misleading = [t for p in pieces for t in p]
    text = block + block + misleading + block + block
    drafts = Drafts()
    _, first = play(text[:240], 120, in_memory(0.01, 0.003), drafts)
    assert 120 / len(first) >= 3
    _, rows = play(text[:600], 240, in_memory(0.01, 0.003), drafts)
    tokens_of_32 = rows[:32]
    later = rows[len(tokens_of_32) :]
    assert sum(r - 1 for r in later) / len(later) < 1.0  # it has learned that these matches mislead
    _, rows = play(text, 600, in_memory(0.01, 0.003), drafts)
    assert 240 / len(rows) >= 2.5


def test_that_costs_are_what_the_steps_took() -> None:
    costs = StepCosts()
    for i in range(40):
        rows = (1, 1, 3, 5)[i % 4]
        costs.note(rows, 0.01 + 0.002 * rows + 0.004 * rows, 0.004 * rows, 4 * rows)
    told = costs.seconds(9)
    for rows in range(1, 10):
        assert told[rows - 1] == pytest.approx(0.01 + 0.006 * rows, rel=0.1)
    assert all(b >= a for a, b in pairwise(told))


def test_that_one_slow_step_changes_no_expectation_by_much() -> None:
    costs = StepCosts()
    for _ in range(10):
        costs.note(1, 0.01, 0.0, 0)
    before = costs.seconds(1)[0]
    costs.note(1, 3.0, 0.0, 0)
    assert costs.seconds(1)[0] == pytest.approx(before, rel=0.01)


def test_that_acceptance_is_learned_by_length_and_without_running_drafts() -> None:
    acceptance = Acceptance()
    short, long = Proposal((1, 2, 3, 4), 3), Proposal((1, 2, 3, 4), 20)
    for _ in range(40):
        acceptance.note(short, 0, 1)
        acceptance.note(long, 4, 4)
    assert acceptance.chances(short)[0] < 0.15
    assert min(acceptance.chances(long)) > 0.85


def test_that_each_decision_can_be_recorded(tmp_path: Path) -> None:
    source = words(60, 1)
    drafts = Drafts(tmp_path / "drafts.jsonl")
    _, rows = play(source + source, 60, in_memory(0.01, 0.002), drafts)
    drafts.close()
    lines = [json.loads(line) for line in (tmp_path / "drafts.jsonl").read_text().splitlines()]
    assert [line["width"] + 1 for line in lines] == rows
    assert sum(line["drawn"] for line in lines) == 60
    assert sum(min(line["right"], line["width"]) for line in lines) == drafts.accepted["ngram"] > 20
    assert max(rows) == MOST + 1
    assert drafts.seconds_saved > 0
    with pytest.raises(StorageError, match="--record-drafts"):
        Drafts(tmp_path)
