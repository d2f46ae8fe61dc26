"""The decision whether to look ahead, on steps whose seconds are made up."""

import random
from collections.abc import Callable

import pytest

from engine.experts.lookahead import ROWS, Lookahead

Step = Callable[[bool], tuple[float, float]]


def drive(ahead: Lookahead, steps: int, step: Step) -> list[bool]:
    """What was active in each of so many steps; step(active): seconds, and those of them spent waiting for reads."""
    active = []
    for _ in range(steps):
        active.append(ahead.active)
        ahead.stepped(1, *step(ahead.active))
    return active


def noisy(seed: int, on: float, spread: float = 0.1, waited: float = 0.3) -> Step:
    """Steps of 1 s that take `on` times as long while looking ahead; one in 20 takes five times as long."""
    rng = random.Random(seed)

    def step(active: bool) -> tuple[float, float]:
        seconds = (on if active else 1.0) * rng.gauss(1, spread) * (5 if rng.random() < 0.05 else 1)
        return seconds, waited * seconds

    return step


@pytest.mark.parametrize("seed", range(20))
def test_that_a_gain_is_found_and_kept(seed: int) -> None:
    ahead = Lookahead("auto")
    assert not ahead.active
    drive(ahead, 200, noisy(seed, 0.8))
    assert ahead.settled
    active = drive(ahead, 1000, noisy(seed + 100, 0.8))
    assert sum(active) > 850
    assert 0.1 < ahead.seconds_saved / sum(active) < 0.35, "0.2 s a step"


@pytest.mark.parametrize("seed", range(20))
def test_that_a_loss_costs_little(seed: int) -> None:
    ahead = Lookahead("auto")
    active = drive(ahead, 2000, noisy(seed, 1.2))
    assert not ahead.settled
    assert 0 < sum(active) < 0.1 * len(active)
    assert sum(active[500:]) < 0.06 * 1500, "0.2 of 6% is about 1%"


def test_that_what_turns_from_gain_to_loss_is_switched_off_and_on_again() -> None:
    ahead = Lookahead("auto")
    drive(ahead, 400, noisy(1, 0.8))
    assert ahead.settled
    drive(ahead, 600, noisy(2, 1.2))
    assert not ahead.settled
    drive(ahead, 2000, noisy(3, 0.8))
    assert ahead.settled


def test_that_nothing_is_tried_where_no_step_waits_for_reads() -> None:
    ahead = Lookahead("auto")
    assert not any(drive(ahead, 1000, noisy(4, 1.2, waited=0.01)))


def test_that_it_ends_where_waiting_ends() -> None:
    ahead = Lookahead("auto")
    drive(ahead, 400, noisy(5, 0.8))
    assert ahead.settled
    drive(ahead, 200, noisy(6, 0.99, waited=0.0))
    assert not ahead.settled
    assert not any(drive(ahead, 200, noisy(7, 0.99, waited=0.0)))


def test_that_steps_of_several_rows_decide_nothing() -> None:
    ahead = Lookahead("auto")
    for _ in range(500):
        ahead.stepped(ROWS, 1.0, 0.5)
    assert not ahead.active


@pytest.mark.parametrize("mode", ["on", "off"])
def test_that_a_choice_is_kept(mode: str) -> None:
    ahead = Lookahead(mode)
    assert set(drive(ahead, 200, noisy(8, 1.5 if mode == "on" else 0.5))) == {mode == "on"}
    assert ahead.settled == (mode == "on")


def test_that_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="auto, on, off"):
        Lookahead("perhaps")
