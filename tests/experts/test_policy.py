from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.experts.policy import DecayedCounts, StepClock


def touch(policy: DecayedCounts, ordinal: int, *experts: int) -> None:
    policy.touch(ordinal, np.array(experts, np.intp))


def test_that_a_step_ends_when_the_walk_comes_back() -> None:
    clock = StepClock()
    steps = []
    for ordinal in (0, 1, 2, 0, 2, 2, 1, 5):
        clock.enter(ordinal)
        steps.append(clock.step)
    assert steps == [0, 0, 0, 1, 1, 2, 3, 3]


def test_that_a_use_counts_half_after_a_half_life() -> None:
    clock = StepClock()
    policy = DecayedCounts(1, 4, clock, half_life=3.0)
    touch(policy, 0, 0)
    touch(policy, 0, 0)
    clock.step = 3
    touch(policy, 0, 1)
    assert policy.score(0) == pytest.approx(policy.score(1))
    assert policy.score(2) == -np.inf


def test_that_scores_stay_finite_and_ordered_over_millions_of_steps() -> None:
    clock = StepClock()
    policy = DecayedCounts(1, 3, clock)
    for step in range(10_000_000, 10_000_050):
        clock.step = step
        touch(policy, 0, 0)
        if step % 2:
            touch(policy, 0, 1)
    assert np.isfinite(policy.score(0))
    assert policy.score(0) > policy.score(1) > policy.score(2)


def test_that_counts_of_evicted_experts_are_kept() -> None:
    clock = StepClock()
    policy = DecayedCounts(1, 3, clock)
    for key in (0, 1):
        touch(policy, 0, key)
        policy.admit(key)
    touch(policy, 0, 0)
    touch(policy, 0, 0)
    policy.admit(2)
    assert policy.victims(3, [], 3, ()) == [2, 1, 0]
    touch(policy, 0, 1)
    policy.admit(0)
    policy.admit(1)
    assert policy.victims(1, [], 1, ()) == [1]


def test_that_among_equals_the_later_layer_leaves_first() -> None:
    policy = DecayedCounts(3, 2, StepClock())
    for ordinal in range(3):
        touch(policy, ordinal, 0, 1)
        policy.admit(ordinal * 2)
        policy.admit(ordinal * 2 + 1)
    assert policy.victims(4, [], 4, {4}) == [5, 3, 2, 1]
    assert policy.victims(9, [], 9, ()) == [4, 0]


@given(st.lists(st.tuples(st.sampled_from("tttav"), st.integers(0, 7), st.integers(0, 3)), max_size=80))
def test_that_victims_are_those_with_the_smallest_decayed_count(ops: list[tuple[str, int, int]]) -> None:
    clock = StepClock()
    policy = DecayedCounts(2, 4, clock, half_life=2.0)
    uses: dict[int, list[int]] = {k: [] for k in range(8)}
    cached: set[int] = set()
    for op, key, n in ops:
        if op == "t":
            clock.step += n
            touch(policy, key // 4, key % 4)
            uses[key].append(clock.step)
        elif op == "a" and key not in cached:
            policy.admit(key)
            cached.add(key)
        elif op == "v":
            held = {k for k in cached if k % 4 == key % 4}
            count = {k: sum(2.0 ** ((s - clock.step) / 2.0) for s in uses[k]) for k in cached}
            victims = policy.victims(n, [], n, held)
            left = cached - held - set(victims)
            assert len(victims) == min(n, len(cached - held))
            assert set(victims) <= cached - held
            values = [count[k] for k in victims] + [min((count[k] for k in left), default=np.inf)]
            assert all(a <= b * (1 + 1e-9) for a, b in pairwise(values))
            cached -= set(victims)


def test_that_beyond_the_spare_ones_experts_leave_only_for_better_ones() -> None:
    policy = DecayedCounts(1, 8, StepClock())
    for key, uses in enumerate((1, 2, 3, 4)):
        for _ in range(uses):
            touch(policy, 0, key)
        policy.admit(key)
    for uses, key in enumerate((7, 6, 5)):
        for _ in range(uses + 1):
            touch(policy, 0, key)
    # Newcomers with 3, 2, 1 uses meet 1, 2, 3, 4: the first replaces the worst, the second ties and loses by its id.
    assert policy.victims(3, [5, 6, 7], 0, ()) == [0]
    policy.admit(0)
    assert policy.victims(3, [5, 6, 7], 2, ()) == [0, 1]
    assert policy.victims(3, [5, 6, 7], 2, {2}) == [3]
