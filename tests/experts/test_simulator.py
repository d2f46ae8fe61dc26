"""The simulator against the streamer's own counters, and against caches that are simple enough to be right by eye."""

from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.experts import simulator
from engine.experts.streamer import ExpertStreamer
from engine.experts.trace import RouteRecorder, Step
from tests.experts.records import drain, write_records

N_LAYERS, N_EXPERTS, TOP_K = 3, 12, 4
TRACES = st.lists(st.lists(st.sets(st.integers(0, 4), min_size=1, max_size=3), min_size=2, max_size=2), min_size=1, max_size=6)


def routes(n_steps: int, seed: int) -> list[Step]:
    """Skewed and sticky choices, as routers make them."""
    rng = np.random.default_rng(seed)
    weight = rng.gamma(0.5, size=(N_LAYERS, N_EXPERTS)) + 0.01
    steps = []
    for _ in range(n_steps):
        weight *= rng.lognormal(0.0, 0.4, weight.shape)
        steps.append(tuple(tuple(sorted(rng.choice(N_EXPERTS, TOP_K, False, w / w.sum()).tolist())) for w in weight))
    return steps


@pytest.mark.parametrize("n_slots", [TOP_K, 7, 12, 20, 36])
def test_that_a_replay_counts_what_the_streamer_counts(tmp_path: Path, n_slots: int) -> None:
    steps = routes(40, n_slots)
    records = write_records(tmp_path, [4096] * N_LAYERS, [N_EXPERTS] * N_LAYERS)
    s = ExpertStreamer(records.container, n_slots)
    s.recorder = recorder = RouteRecorder(N_LAYERS)
    for step in steps:
        for ordinal, ids in enumerate(step):
            drain(s, records, ordinal, list(ids))
    c = s.counters()
    s.close()
    assert recorder.steps == steps
    expected = simulator.replay(recorder.steps, n_slots, slot_bytes=4096)
    if n_slots > 7:
        assert (c.hits, c.misses, c.evictions) == (expected.hits, expected.misses, expected.evictions)
    else:  # misses pass through one slot after the other, as they arrive
        assert c.hits + c.misses == expected.hits + expected.misses
        assert abs(c.hits - expected.hits) <= 0.01 * (c.hits + c.misses)
    assert c.hits > 0 or n_slots == TOP_K


def best_hits(accesses: tuple[tuple[int, int], ...], n_slots: int) -> int:
    """The most hits of any cache that may also keep nothing, by trying everything."""

    @cache
    def best(i: int, cached: frozenset[tuple[int, int]]) -> int:
        if i == len(accesses):
            return 0
        key = accesses[i]
        if key in cached:
            return 1 + best(i + 1, cached)
        choices = [cached] if len(cached) == n_slots else [cached | {key}]
        choices += [cached - {k} | {key} for k in cached if len(cached) == n_slots]
        return max(best(i + 1, c) for c in choices)

    return best(0, frozenset())


@settings(deadline=None, max_examples=40)
@given(TRACES, st.integers(1, 4))
def test_that_the_optimum_is_what_trying_everything_finds(layers: list[list[set[int]]], n_slots: int) -> None:
    steps = [tuple(tuple(sorted(ids)) for ids in step) for step in layers]
    accesses = tuple((ordinal, e) for step in steps for ordinal, ids in enumerate(step) for e in ids)[:14]
    flat = [((e,),) if ordinal == 0 else ((e + 10,),) for ordinal, e in accesses]
    assert simulator.optimum(flat, n_slots).hits == best_hits(accesses, n_slots)


@settings(deadline=None)
@given(TRACES, st.integers(1, 8))
def test_that_no_policy_beats_the_optimum_and_every_access_counts(layers: list[list[set[int]]], n_slots: int) -> None:
    steps = [tuple(tuple(sorted(ids)) for ids in step) for step in layers]
    n = sum(len(ids) for step in steps for ids in step)
    best = simulator.optimum(steps, n_slots)
    for counts in (simulator.replay(steps, n_slots), simulator.lru(steps, n_slots), best):
        assert counts.hits + counts.misses == n
        assert counts.hits <= best.hits
        assert counts.misses - counts.evictions <= n_slots or counts is best


def test_that_lru_keeps_the_last_used() -> None:
    steps: list[Step] = [((e,),) for e in (1, 2, 1, 3, 1, 2)]
    assert simulator.lru(steps, 2) == simulator.Counts(2, 4, 2)


def test_that_with_room_for_all_only_first_uses_miss() -> None:
    steps = routes(30, 1)
    distinct = len({(ordinal, e) for step in steps for ordinal, ids in enumerate(step) for e in ids})
    for policy in (simulator.replay, simulator.lru, simulator.optimum):
        counts = policy(steps, N_LAYERS * N_EXPERTS)
        assert (counts.misses, counts.evictions) == (distinct, 0)


def test_that_decayed_counts_beat_lru_where_the_cache_is_small() -> None:
    steps = routes(300, 3)
    for n_slots in (6, 9, 12):
        assert simulator.replay(steps, n_slots).hits > simulator.lru(steps, n_slots).hits


def test_that_more_slots_hit_more() -> None:
    steps = routes(100, 4)
    rates = [simulator.replay(steps, n).hit_rate for n in (4, 8, 16, 24, 36)]
    assert all(a <= b for a, b in pairwise(rates))


def test_that_a_warm_up_counts_only_what_comes_after_it() -> None:
    steps = routes(40, 5)
    n = sum(len(ids) for step in steps[25:] for ids in step)
    for policy in (simulator.replay, simulator.lru, simulator.optimum):
        whole, late = policy(steps, 12), policy(steps, 12, warm_up=25)
        assert late.hits + late.misses == n
        assert late.hits <= whole.hits and late.evictions <= whole.evictions
        assert late.hit_rate > 0
    assert simulator.replay(steps, 12, 25) == simulator.replay(steps, 12).since(simulator.replay(steps[:25], 12))
