"""The map of a real model's experts, also while an answer is written."""

from pathlib import Path

import numpy as np
import pytest

from engine.config import EngineConfig, Sampling
from engine.container.manifest import read_manifest
from engine.errors import BadRequest
from engine.events import Event, ExpertMap, Failed, Finished, Loaded, Text
from engine.requests import Generate, LoadModel, MapExperts, Message, UnloadModel
from tests.conftest import Tiny
from tests.worker.driving import Driver

GREEDY = Sampling(temperature=0.0, max_tokens=24)
ENDLESS = Sampling(temperature=1.0, seed=5)
HELLO = (Message("user", "Hello there"),)


def mapped(d: Driver, id: int) -> ExpertMap:
    last = d.do(MapExperts(id))[-1]
    assert isinstance(last, ExpertMap)
    return last


def test_that_the_map_is_what_the_cache_holds_and_what_was_used(driver: Driver, tiny: Tiny) -> None:
    model: Path = tiny("qwen2_moe", "q4")
    driver.do(LoadModel(1, EngineConfig(model, context=96, threads=2, lookahead="off")))
    first = mapped(driver, 2)
    assert first.steps == 0 and not np.frombuffer(first.lately, "<f4").any()
    done = driver.do(Generate(3, HELLO, GREEDY))[-1]
    assert isinstance(done, Finished)
    now = mapped(driver, 4)
    n = len(now.layers) * now.width
    assert (len(now.cached), len(now.habit), len(now.lately)) == (n, 4 * n, 4 * n) and len(now.n_experts) == len(now.layers) > 0
    # As many experts as missed and were not evicted are in memory, and each of them was used.
    c, cached = done.stats.counters, np.frombuffer(now.cached, np.uint8)
    assert cached.sum() == c.expert_misses - c.expert_evictions > 0
    assert (np.frombuffer(now.habit, "<f4")[cached == 1] > 0).all()
    # All tokens but the last, which nothing follows, chose as many experts in each layer.
    tokens = done.stats.prompt_tokens + done.stats.answer_tokens - 1
    assert now.steps == tokens
    uses = np.frombuffer(now.lately, "<f4").reshape(len(now.layers), now.width).sum(1) / tokens
    assert uses == pytest.approx(np.full(len(uses), read_manifest(model).config["num_experts_per_tok"]), rel=0.02)
    assert mapped(driver, 5).steps == 0


def test_that_the_map_of_a_dense_model_is_empty(driver: Driver, tiny: Tiny) -> None:
    loaded = driver.do(LoadModel(1, EngineConfig(tiny("qwen3", "q4"), context=96, threads=2)))[-1]
    assert isinstance(loaded, Loaded) and (loaded.info.n_experts, loaded.info.n_expert_records, loaded.info.n_slots) == (0, 0, 0)
    done = driver.do(Generate(2, HELLO, GREEDY))[-1]
    assert isinstance(done, Finished) and (c := done.stats.counters).expert_hits == c.expert_misses == c.bytes_read == 0
    empty = mapped(driver, 3)
    assert (empty.layers, empty.n_experts, empty.width, empty.n_slots) == ((), (), 0, 0)
    assert empty.cached == empty.habit == empty.lately == b""


def test_that_a_map_comes_while_an_answer_is_written(driver: Driver, starter: Path) -> None:
    driver.do(LoadModel(1, EngineConfig(starter, context=512, threads=2)))
    driver.worker.post(Generate(2, HELLO, ENDLESS))
    driver.events(lambda e: isinstance(e, Text))
    driver.worker.post(MapExperts(3))
    seen: list[Event] = driver.until_closed(3)
    assert isinstance(seen[-1], ExpertMap) and not any(isinstance(e, Finished) for e in seen)
    driver.worker.cancel(2)
    driver.until_closed(2)


def test_that_there_is_no_map_without_a_model(driver: Driver, tiny: Tiny) -> None:
    for load in (False, True):
        if load:
            driver.do(LoadModel(1, EngineConfig(tiny("qwen2_moe", "q4"), context=96)))
            mapped(driver, 2)
            driver.do(UnloadModel(3))
        failed = driver.do(MapExperts(4))[-1]
        assert isinstance(failed, Failed) and isinstance(failed.error, BadRequest)
    driver.worker.stop()
    assert isinstance(driver.do(MapExperts(5))[-1], Failed)
