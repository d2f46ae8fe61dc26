"""Rates from counters."""

from dataclasses import replace

import pytest

from app.rates import SILENCE, WINDOW, Meter, Rates, Split, between, over, split
from engine.stats import AnswerStats, Snapshot

START = Snapshot(
    time=10.0,
    tokens_decoded=100,
    tokens_prefilled=50,
    expert_hits=800,
    expert_misses=200,
    bytes_read=1_000_000,
    drafts_proposed=10,
    drafts_accepted=5,
    memory_bytes=150,
    budget_bytes=200,
)
LATER = replace(
    START,
    time=12.0,
    tokens_decoded=120,
    expert_hits=890,
    expert_misses=210,
    bytes_read=5_000_000,
    drafts_proposed=14,
    drafts_accepted=8,
    drafts_seconds_saved=0.5,
    memory_bytes=160,
)


def test_that_rates_are_differences_over_the_time_between() -> None:
    assert between(START, LATER) == Rates(10.0, 0.0, 0.9, 2_000_000.0, 0.75, 160, 200, 0.25)


def test_that_what_did_not_happen_has_no_rate() -> None:
    quiet = between(START, replace(START, time=11.0))
    assert quiet.hits is None and quiet.accepted is None and quiet.tokens == 0.0


def test_that_no_time_means_no_rate() -> None:
    assert between(START, START) == Rates(memory=150, budget=200)


def test_that_nothing_is_shown_before_anything_is_measured() -> None:
    assert Meter().read(0.0, working=True) == Rates()


def test_that_idle_time_before_a_request_is_not_counted() -> None:
    meter = Meter()
    meter.add(START)
    meter.start()
    meter.add(replace(START, time=100.0))
    assert meter.read(100.1, working=True).tokens is None
    meter.add(replace(LATER, time=102.0))
    assert meter.read(102.1, working=True).tokens == 10.0


def test_that_a_silent_engine_is_shown_as_standing_still() -> None:
    meter = Meter()
    meter.add(START)
    meter.add(LATER)
    assert meter.read(LATER.time + SILENCE / 2, working=True).tokens == 10.0
    stalled = meter.read(LATER.time + SILENCE + 0.1, working=True)
    assert (stalled.tokens, stalled.disk, stalled.memory) == (0.0, 0.0, 160)


def test_that_a_resting_engine_shows_memory_only() -> None:
    meter = Meter()
    meter.add(START)
    meter.add(LATER)
    assert meter.read(13.0, working=False) == Rates(memory=160, budget=200)
    meter.reset()
    assert meter.read(13.0, working=False) == Rates()


def test_that_an_answers_averages_come_from_its_own_counters() -> None:
    counters = Snapshot(
        tokens_prefilled=200,
        tokens_decoded=50,
        expert_hits=30,
        expert_misses=10,
        bytes_read=6_000_000,
        seconds_prefill=2.0,
        seconds_decode=4.0,
        drafts_proposed=8,
        drafts_accepted=2,
        drafts_seconds_saved=-1.0,
    )
    stats = AnswerStats("end", 200, 0, 41, 2.1, 4.0, 1, counters)
    assert over(stats) == Rates(tokens=10.0, prompt=100.0, hits=0.75, disk=1_000_000.0, accepted=0.25, gain=-0.25)
    nothing = over(AnswerStats("cancelled", 5, 5, 0, 0.0, 0.0, 1, Snapshot()))
    assert nothing == Rates()


def at(time: float, decoded: int, read: int = 0, waited: float = 0.0, rest: float = 0.0) -> Snapshot:
    return Snapshot(time=time, tokens_decoded=decoded, tokens_prefilled=read, seconds_read_wait=waited, seconds_rest=rest)


def test_that_a_split_is_the_time_of_one_token() -> None:
    assert split(at(1, 10, 5, 1.0, 1.0), at(2, 14, 9, 1.4, 1.2)) == Split(pytest.approx(0.1), 0.0, 0.0, pytest.approx(0.05))
    assert split(at(1, 10, 5, 1.0), at(2, 10, 9, 1.4)) == Split(pytest.approx(0.1), 0.0, 0.0, 0.0, prompt=True)
    assert split(at(1, 10), at(2, 10, waited=1.0)) is None and split(at(1, 10), at(2, 12)) is None


def test_that_drafting_is_part_of_the_rest() -> None:
    a, b = at(1, 10, rest=1.0), replace(at(2, 12, rest=1.2), seconds_drafting=0.4)
    assert split(a, b) == Split(0.0, 0.0, 0.0, pytest.approx(0.3))


def test_that_what_is_in_flight_takes_nothing_off() -> None:
    """The rest of a step that is under way falls when its parts are known."""
    found = split(at(1, 10, waited=1.0, rest=2.0), at(2, 12, waited=1.5, rest=1.9))
    assert found == Split(0.25, 0.0, 0.0, 0.0)


def test_that_the_live_split_is_of_the_last_seconds_of_writing_alone() -> None:
    meter = Meter()
    meter.add(at(0.0, 100))
    meter.start()
    meter.add(at(1.0, 100, 300, waited=9.0))  # the prompt
    meter.add(at(1.5, 101, 300, waited=9.5))
    assert meter.read(1.5, working=True).split is None
    meter.add(at(2.0, 103, 300, waited=9.7))
    assert meter.read(2.0, working=True).split == Split(pytest.approx(0.1), 0.0, 0.0, 0.0)
    meter.add(at(2.5 + WINDOW, 113, 300, waited=10.7))
    meter.add(at(3.0 + WINDOW, 114, 300, waited=11.7))
    assert meter.read(3.0 + WINDOW, working=True).split == Split(pytest.approx(2.0 / 11), 0.0, 0.0, 0.0)
    assert meter.read(3.0 + WINDOW, working=False).split == Split(pytest.approx(2.2 / 13), 0.0, 0.0, 0.0)


@pytest.mark.parametrize("name", ["tokens", "hits", "disk", "accepted"])
def test_that_two_equal_intervals_have_equal_rates(name: str) -> None:
    third = Snapshot(**{f: 2 * getattr(LATER, f) - getattr(START, f) for f in Snapshot.__slots__})
    assert getattr(between(LATER, third), name) == getattr(between(START, LATER), name)
