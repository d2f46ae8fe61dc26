"""What memory limits cost and bring: the planner's numbers, the verdict's speeds, the model's own use."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest, Cancelled
from engine.events import Estimated
from engine.experts.usage import UsageFile
from engine.machine import Memory
from engine.model.plan import Planner
from engine.requests import Estimate
from engine.setup import limits
from engine.setup.hits import hit_rate, learned_hits
from engine.setup.limits import estimate
from engine.setup.verdict import Machine
from tests.cli.running import here
from tests.conftest import Tiny
from tests.setup.test_verdict import machine

GB = 10**9


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine that is known, with 10 GB of free memory."""
    facts = machine(16, free=10, read=0.5e9)

    def measured(folder: Path, cancel: CancelToken, progress: Callable[[float], None], again: bool = False) -> Machine:
        cancel.check()
        progress(1.0)
        return facts

    monkeypatch.setattr(limits, "this_machine", measured)
    monkeypatch.setattr(limits, "memory", lambda: Memory(16 * GB, 10 * GB))
    return facts


def ask(config: EngineConfig, held: int = 0) -> Estimated:
    return estimate(Estimate(1, config, held), CancelToken())


def test_that_limits_go_from_the_floor_to_where_more_brings_nothing(starter: Path) -> None:
    e = ask(EngineConfig(starter, draft="ngram"))
    budgets = [o.budget_bytes for o in e.limits]
    assert e.floor_bytes <= budgets[0] < e.floor_bytes + limits.UNIT and budgets == sorted(set(budgets))
    assert all(b % limits.UNIT == 0 for b in budgets) and budgets[-1] <= e.available_bytes
    assert e.limits[-1].n_slots == e.limits[-1].n_records > e.limits[0].n_slots
    for a, b in pairwise(e.limits):
        assert a.n_slots <= b.n_slots and a.hit_rate <= b.hit_rate and a.tokens_per_second <= b.tokens_per_second
        assert a.slowest < a.tokens_per_second < a.fastest and a.planned_bytes <= a.budget_bytes
    some = [o for o in e.limits if o.n_slots < o.n_records]
    assert len(some) > 5 and some[-1].drive_bytes < some[0].drive_bytes and e.limits[-1].drive_bytes == 0
    assert e.automatic is not None and e.automatic.n_slots == e.automatic.n_records and e.chosen is None


def test_that_the_numbers_are_those_of_the_plan_command(starter: Path) -> None:
    e = ask(EngineConfig(starter, budget_bytes=170_000_000, draft="ngram"))
    told = json.loads(here("plan", starter, "--budget", "170M", "--json")[1])
    assert e.chosen is not None
    assert (e.chosen.n_slots, e.chosen.context, e.chosen.planned_bytes) == (told["n_slots"], told["context"], told["total_bytes"])
    assert e.floor_bytes == told["floor_bytes"]


def test_that_the_speeds_are_those_of_the_verdict(starter: Path, known: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the way of a model that is looked up: from its config alone, under the same limit."""
    from engine.setup.judge import judge
    from engine.setup.unwritten import Unwritten

    container = Container.open(starter)
    try:
        config, formats = dict(container.config), container.manifest.formats
    finally:
        container.close()
    asked = EngineConfig(starter, budget_bytes=200_000_000, context=1024)
    o = ask(asked).chosen
    model = Unwritten("starter", config, formats["experts.gate"], "q4")
    v = judge(model, known, replace(asked, model=Path()), installed=True)
    assert o is not None
    assert (o.tokens_per_second, o.slowest, o.fastest) == pytest.approx((v.tokens_per_second, v.slowest, v.fastest), rel=0.02)
    assert o.hit_rate == pytest.approx(v.hit_rate, abs=0.01)


def test_that_what_is_held_now_counts_as_free(starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "memory", lambda: Memory(16 * GB, 100_000_000))
    short = ask(EngineConfig(starter))
    assert short.limits == () and short.automatic is None and short.floor_bytes > short.available_bytes == 100_000_000
    enough = ask(EngineConfig(starter), held=100_000_000)
    assert enough.available_bytes == 200_000_000 and enough.limits[-1].budget_bytes <= 200_000_000


def test_that_contexts_are_offered_with_what_they_take_as_far_as_they_fit(starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    e = ask(EngineConfig(starter, context=1500))
    lengths = [c.context for c in e.contexts]
    assert lengths == sorted({512, 1024, 1500, 2048, 4096, 8192}) and e.longest_context == 8192
    container = Container.open(starter)
    try:
        for c in e.contexts:
            assert c.floor_bytes == Planner(container, EngineConfig(starter, context=c.context)).floor()
    finally:
        container.close()
    assert all(a.kv_bytes < b.kv_bytes for a, b in pairwise(e.contexts))
    monkeypatch.setattr(limits, "memory", lambda: Memory(16 * GB, e.contexts[3].floor_bytes))
    assert [c.context for c in ask(EngineConfig(starter)).contexts][-1] == 2048
    with pytest.raises(BadRequest):
        ask(EngineConfig(starter, context=9000))


def test_that_no_speed_is_told_for_exact_arithmetic(starter: Path) -> None:
    e = ask(EngineConfig(starter, exact=True))
    assert all(o.tokens_per_second == o.slowest == o.fastest == 0 for o in e.limits) and e.limits


def test_that_a_tiny_model_has_a_limit_too(tiny: Tiny) -> None:
    e = ask(EngineConfig(tiny("qwen2_moe", "q4"), context=96))
    assert e.limits and e.limits[-1].n_slots == e.limits[-1].n_records


def test_that_a_draft_model_is_planned_for(tiny: Tiny) -> None:
    alone, beside = EngineConfig(tiny("olmoe", "q4"), context=96), tiny("qwen2_moe", "q4")
    both = ask(replace(alone, draft_model=beside, draft="auto"))
    assert both.floor_bytes > ask(replace(alone, draft="auto")).floor_bytes + 1_000_000


def test_that_it_can_be_stopped(starter: Path) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        estimate(Estimate(1, EngineConfig(starter)), token)


def test_that_the_models_own_use_raises_what_is_expected(starter: Path, ouzel_home: Path) -> None:
    config = EngineConfig(starter, budget_bytes=160_000_000)
    plain = ask(config).chosen
    container = Container.open(starter)
    try:
        usage = UsageFile(container)
        counts = np.full(sum(f.n_experts for f in container.experts), 1.0)
        counts[:: len(counts) // 40] = 500.0  # forty experts do nearly everything
        assert usage.save(counts)
    finally:
        container.close()
    learned = ask(config).chosen
    assert plain is not None and learned is not None and learned.n_slots == plain.n_slots > 40
    assert learned.hit_rate == learned_hits(counts, learned.n_slots) > plain.hit_rate
    assert learned.tokens_per_second > plain.tokens_per_second and learned.drive_bytes < plain.drive_bytes


def test_that_hits_of_learned_counts_leave_the_use_itself_out() -> None:
    assert learned_hits(np.array([9.0, 1.0, 1.0]), 2) == pytest.approx(8 / 11)
    assert learned_hits(np.array([1.0, 1.0, 0.0]), 3) == 0.0  # seen once tells nothing
    assert learned_hits(np.zeros(4), 2) == 0.0 == learned_hits(np.ones(4), 0)
    even = learned_hits(np.full(64, 1000.0), 16)
    assert even == pytest.approx(0.25, abs=0.001) and even < hit_rate(0.25, 0.125)
