"""What is allocated is what was planned, role by role, and all of it goes back; opening ends where it is asked to."""

import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.arch import families
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import Cancelled
from engine.model.model import Model
from engine.model.plan import plan
from tests.conftest import Tiny

Told = Callable[[float], object]


def opened(
    path: Path, cancel: CancelToken | None = None, trunk: Told = lambda f: None, memory: Told = lambda f: None, **options: Any
) -> Model:
    container, config = Container.open(path), EngineConfig(path, threads=2, **options)
    return Model(container, config, plan(container, config), trunk, cancel or CancelToken(), memory)


@pytest.mark.parametrize("family", families())
def test_that_each_role_takes_what_was_planned(tiny: Tiny, family: str) -> None:
    for context, chunk, exact in ((128, 16, True), (512, 100, False), (1024, 512, False)):
        model = opened(tiny(family, "f32"), context=context, chunk=chunk, exact=exact)
        p, got = model.plan, model.allocated
        try:
            model.new_state()
            planned = {"trunk": p.trunk_bytes, "kv": p.kv_bytes, "scratch": p.scratch_bytes, "cache": p.cache_bytes}
            for role, nbytes in planned.items():
                assert abs(got[role] - nbytes) <= max(0.01 * nbytes, 4096), (role, got[role], nbytes)
            assert model.memory_bytes <= p.budget_bytes
            # The arenas are filled by the buffers that exist, not only mapped in the planned size.
            for arena in (model._kv, model._room):
                assert arena.nbytes - arena.taken <= max(0.01 * arena.nbytes, 4096 + 64)
        finally:
            model.close()


def test_that_opening_and_closing_again_and_again_takes_no_memory(starter: Path) -> None:
    process, resident = psutil.Process(), []
    for _ in range(20):
        model = opened(starter, context=1024)
        model.new_state()
        model.close()
        model.close()
        del model
        gc.collect()
        resident.append(process.memory_info().rss)
    assert max(resident[10:]) - min(resident[3:10]) < 4_000_000, resident


def test_that_a_closed_model_that_is_still_held_holds_no_memory(starter: Path) -> None:
    process = psutil.Process()
    opened(starter, context=1024).close()
    before = process.memory_info().rss
    model = opened(starter, context=1024)
    model.new_state()
    used = process.memory_info().rss - before
    model.close()
    assert process.memory_info().rss - before < 0.1 * used


def test_that_opening_ends_at_every_point_where_it_is_asked_to(starter: Path) -> None:
    process = psutil.Process()
    opened(starter, context=1024).close()
    before, reached = process.memory_info().rss, 0
    for point in ("memory", "trunk"):
        for fraction in (0.0, 0.5, 0.9):
            token = CancelToken()

            def tell(phase: str, f: float, point: str = point, fraction: float = fraction, token: CancelToken = token) -> None:
                if phase == point and f >= fraction:
                    token.cancel()

            with pytest.raises(Cancelled):
                opened(starter, token, partial(tell, "trunk"), partial(tell, "memory"), context=1024)
            reached += 1
    gc.collect()
    assert reached == 6
    assert process.memory_info().rss - before < 8_000_000
