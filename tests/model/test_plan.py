"""The memory plan: sums that hold, a floor that is told, options that are checked."""

import dataclasses

import pytest

from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest, OverBudget
from engine.model.plan import plan


@pytest.fixture
def container(tiny):
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


@pytest.mark.parametrize("options", [{"context": 8}, {"context": 10**9}, {"threads": 0}, {"chunk": 0}])
def test_that_impossible_options_are_refused(container: Container, options: dict[str, int]) -> None:
    with pytest.raises(BadRequest, match="not possible"):
        plan(container, EngineConfig(container.path, **options))


def test_that_exact_arithmetic_keeps_keys_and_values_in_f32(container: Container) -> None:
    fast = plan(container, EngineConfig(container.path, context=1024))
    exact = plan(container, EngineConfig(container.path, context=1024, exact=True))
    assert (fast.kv_dtype, exact.kv_dtype) == ("f16", "f32")
    assert exact.kv_bytes > 1.9 * fast.kv_bytes
