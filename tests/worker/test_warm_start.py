"""A second session begins with what the first one used: sooner, and with the same tokens."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine import paths
from engine.config import EngineConfig, Sampling
from engine.container.reader import Container
from engine.events import Finished, Loaded, Text
from engine.experts.usage import UsageFile
from engine.model.plan import plan
from engine.requests import Generate, LoadModel, Message, UnloadModel
from tests.worker.driving import Driver

PROMPT = (Message("user", "Tell me how bread is made."),)
SAMPLING = Sampling(temperature=1.0, seed=3, max_tokens=24)


@pytest.fixture
def half(starter: Path) -> EngineConfig:
    """Half of the starter's experts fit."""
    everything = EngineConfig(starter, context=1024, threads=2, budget_bytes=1 << 30)
    p = plan(Container.open(starter), everything)
    return EngineConfig(starter, context=1024, threads=2, chunk=16, budget_bytes=p.total_bytes - p.scratch_bytes // 2 - p.cache_bytes // 2)


def session(config: EngineConfig, wait: bool) -> tuple[str, Finished, int, int]:
    """Open, answer, unload: the text, its end, and the bytes read and experts cached before the question."""
    with Driver() as driver:
        assert isinstance(driver.do(LoadModel(1, config))[-1], Loaded)
        streamer = driver.worker._opened.model.streamer
        deadline = time.monotonic() + 30
        while wait and (streamer._warm.wanted or streamer._store.pending) and time.monotonic() < deadline:
            time.sleep(0.02)
        read, cached = streamer.counters().bytes_read, int(streamer.cache.ready().sum())
        events = driver.do(Generate(2, PROMPT, SAMPLING))
        driver.do(UnloadModel(3))
    end = events[-1]
    assert isinstance(end, Finished)
    return "".join(e.piece for e in events if isinstance(e, Text)), end, read, cached


def test_that_a_warm_session_reads_less_and_says_the_same(half: EngineConfig) -> None:
    cold, cold_end, read, cached = session(half, wait=True)
    assert (read, cached) == (0, 0)
    assert list((paths.cache_dir() / "usage").iterdir())
    warm, warm_end, read, cached = session(half, wait=True)
    assert warm == cold != ""
    assert cached > 100 and read > 0
    assert warm_end.stats.counters.expert_hits > cold_end.stats.counters.expert_hits
    assert warm_end.stats.counters.bytes_read < cold_end.stats.counters.bytes_read
    # A question that comes while experts are still being read is answered alike.
    assert session(half, wait=False)[0] == cold


def test_that_it_can_be_switched_off(half: EngineConfig) -> None:
    off = replace(half, warm_start=False)
    first = session(off, wait=True)[0]
    assert not (paths.cache_dir() / "usage").exists()
    session(half, wait=False)
    again, _, read, cached = session(off, wait=True)
    assert (again, read, cached) == (first, 0, 0)


def test_that_damaged_counts_are_as_good_as_none(half: EngineConfig) -> None:
    cold = session(half, wait=True)[0]
    (path,) = (paths.cache_dir() / "usage").iterdir()
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    text, _, read, _ = session(half, wait=True)
    assert (text, read) == (cold, 0)


def test_that_old_use_fades(half: EngineConfig) -> None:
    usage = UsageFile(Container.open(half.model))
    usage.save(np.full(448, 1000.0))
    session(half, wait=False)
    counts = usage.load()
    assert counts is not None
    # A prompt and an answer of some 80 tokens; the half-life is 4096.
    assert 980 < counts.min() < 1000 < counts.max() < 1080


def test_that_closing_while_experts_are_read_is_quick(half: EngineConfig) -> None:
    session(half, wait=False)
    with Driver() as driver:
        driver.do(LoadModel(1, half))
        began = time.monotonic()
        driver.do(UnloadModel(2))
        assert time.monotonic() - began < 2
