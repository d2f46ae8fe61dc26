"""The memory plan: sums that hold, a floor that is told, options that are checked."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest, OverBudget
from engine.machine import Memory
from engine.model.plan import CHUNKS, OVERHEAD, Planner, larger_context, plan
from engine.setup.unwritten import Unwritten
from tests.arch import real
from tests.conftest import Tiny


@pytest.fixture
def container(tiny: Tiny) -> Iterator[Container]:
    opened = Container.open(tiny("qwen3_moe", "q4"))
    yield opened
    opened.close()


def test_that_the_plan_never_exceeds_a_budget_from_the_floor_up(container: Container) -> None:
    base = EngineConfig(container.path, context=None)
    floor = plan(container, base).floor_bytes
    seen = []
    for extra in (0, 1, 10_000, 100_000, 1_000_000, 10_000_000, 1_000_000_000):
        p = plan(container, dataclasses.replace(base, budget_bytes=floor + extra))
        assert p.total_bytes <= p.budget_bytes
        assert p.context >= 1024
        assert p.n_slots >= 4
        seen.append((p.context, p.chunk, p.n_slots))
    assert seen == sorted(seen)
    assert seen[-1][2] == p.n_records


def test_that_under_the_floor_the_numbers_are_told(container: Container) -> None:
    floor = plan(container, EngineConfig(container.path)).floor_bytes
    with pytest.raises(OverBudget, match=r"needs at least .* MB .* limit is") as e:
        plan(container, EngineConfig(container.path, budget_bytes=floor - 1))
    assert e.value.floor_bytes == floor


def test_that_a_larger_context_is_told_only_where_it_can_be_opened(container: Container) -> None:
    asked = EngineConfig(container.path, context=1024)
    floor = plan(container, dataclasses.replace(asked, context=2048)).floor_bytes
    assert larger_context(container, dataclasses.replace(asked, budget_bytes=floor), 1024) == 2048
    assert larger_context(container, dataclasses.replace(asked, budget_bytes=floor - 1), 1024) == 0
    assert larger_context(container, asked, 1024) == 2048
    assert larger_context(container, asked, container.arch.max_context) == 0


@pytest.mark.parametrize("options", [{"context": 8}, {"context": 10**9}, {"threads": 0}, {"chunk": 0}])
def test_that_impossible_options_are_refused(container: Container, options: dict[str, int]) -> None:
    with pytest.raises(BadRequest, match="not possible"):
        plan(container, EngineConfig(container.path, **options))


def test_that_exact_arithmetic_keeps_keys_and_values_in_f32(container: Container) -> None:
    fast = plan(container, EngineConfig(container.path, context=1024))
    exact = plan(container, EngineConfig(container.path, context=1024, exact=True))
    assert (fast.kv_dtype, exact.kv_dtype) == ("f16", "f32")
    assert exact.kv_bytes > 1.9 * fast.kv_bytes


def test_that_keys_and_values_in_8_bits_take_about_half_and_leave_room_for_context(container: Container) -> None:
    asked = EngineConfig(container.path, budget_bytes=plan(container, EngineConfig(container.path)).floor_bytes + 3_000_000)
    wide, narrow = (plan(container, dataclasses.replace(asked, kv=kv)) for kv in ("f16", "q8"))
    assert (wide.kv_dtype, narrow.kv_dtype) == ("f16", "q8")
    assert narrow.token_bytes < 0.6 * wide.token_bytes
    assert narrow.context > wide.context
    assert plan(container, dataclasses.replace(asked, kv="q8", exact=True)).kv_dtype == "q8"
    with pytest.raises(BadRequest, match="choose auto, f32, f16, bf16, q8"):
        plan(container, dataclasses.replace(asked, kv="q4"))


RELEASED = {
    "qwen3": (real.QWEN3_30B_A3B, "q4"),
    "gpt-oss": (real.GPT_OSS_20B, "mxfp4"),
    "gemma4": (real.GEMMA_4, "q4"),
    "kimi": (real.KIMI_LINEAR, "q4"),
}


@pytest.mark.parametrize("name", RELEASED)
def test_that_a_quarter_of_a_released_model_pays_for_long_chunks(name: str) -> None:
    values, experts = RELEASED[name]
    model = Unwritten(name, dict(values), experts, "q4-all")
    asked = EngineConfig(Path(), context=4096, threads=2)
    whole = model.trunk_bytes + sum(e.n_experts * e.layout.stride for e in model.experts)
    p = Planner(model, dataclasses.replace(asked, budget_bytes=whole // 4)).plan()
    assert p.chunk >= 512
    assert p.total_bytes <= whole // 4
    # At the floor there is room for the least chunk only; a token's experts are worth more than nothing.
    least = Planner(model, asked).plan()
    assert (least.chunk, least.n_slots) == (CHUNKS[-1], Planner(model, asked).least_slots)


def given(monkeypatch: pytest.MonkeyPatch, available: int) -> None:
    """As much is free for all that a plan counts; opening has already taken its own objects."""
    monkeypatch.setattr("engine.model.plan.memory", lambda: Memory(10**12, available - OVERHEAD))


def test_that_no_plan_takes_more_than_is_free(container: Container, monkeypatch: pytest.MonkeyPatch) -> None:
    floor = plan(container, EngineConfig(container.path)).floor_bytes
    for available in (floor, floor + 300_000, 2 * floor):
        given(monkeypatch, available)
        for budget in (None, 10**11):
            assert plan(container, EngineConfig(container.path, budget_bytes=budget)).total_bytes <= available
    p = plan(container, EngineConfig(container.path, budget_bytes=floor))
    assert p.budget_bytes == floor


def test_that_a_model_that_does_not_fit_what_is_free_is_refused_with_the_numbers(
    container: Container, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor = plan(container, EngineConfig(container.path)).floor_bytes
    given(monkeypatch, floor - 1)
    for budget in (None, floor, 10**11):
        with pytest.raises(OverBudget, match=r"needs at least .* MB .* only .* MB are free now\. Close other programs") as e:
            plan(container, EngineConfig(container.path, budget_bytes=budget))
        assert (e.value.floor_bytes, e.value.budget_bytes) == (floor, floor - 1)
