"""A draft model through the worker: opened beside the model, counted under the limit, refused with a sentence where it does not fit."""

import dataclasses
from pathlib import Path

import pytest

from engine.config import EngineConfig, Sampling
from engine.errors import BadContainer, BadRequest, OverBudget
from engine.events import Failed, Finished, Loaded, Loading, Text
from engine.requests import Generate, LoadModel, Message
from tests.conftest import Tiny
from tests.worker.driving import Driver

ASK = (Message("user", "one two three one two three one two"),)


def config(path: Path, draft: Path, **more: object) -> EngineConfig:
    return dataclasses.replace(EngineConfig(path, context=96, threads=2, draft="auto", draft_model=draft), **more)  # type: ignore[arg-type]


def test_that_it_drafts_and_changes_nothing(driver: Driver, tiny: Tiny) -> None:
    path, draft = tiny("qwen2_moe", "q4"), tiny("qwen2_moe", "q4", 1)
    answers = []
    for opened in (EngineConfig(path, context=96, threads=2), config(path, draft)):
        events = driver.do(LoadModel(1, opened))
        loaded = events[-1]
        assert isinstance(loaded, Loaded), loaded
        got = driver.do(Generate(2, ASK, Sampling(0.8, seed=3, max_tokens=40)))
        assert isinstance(got[-1], Finished)
        answers.append("".join(e.piece for e in got if isinstance(e, Text)))
    assert answers[0] == answers[1] != ""
    assert [e.phase for e in events if isinstance(e, Loading)][-1] == "draft"
    counters = got[-1].stats.counters
    assert counters.seconds_drafting > 0
    assert counters.drafts_proposed == counters.drafts_ngram_proposed + counters.drafts_model_proposed
    assert loaded.info.config.draft_model == draft


def test_that_its_bytes_count_under_the_limit(driver: Driver, tiny: Tiny) -> None:
    path, draft = tiny("qwen2_moe", "q4"), tiny("qwen2_moe", "q4", 1)
    alone = driver.do(LoadModel(1, dataclasses.replace(config(path, draft), draft_model=None)))[-1].info
    both = driver.do(LoadModel(2, config(path, draft)))[-1].info
    assert both.floor_bytes > alone.floor_bytes
    refused = driver.do(LoadModel(3, config(path, draft, budget_bytes=both.floor_bytes - 1)))[-1]
    assert isinstance(refused, Failed) and isinstance(refused.error, OverBudget)
    least = driver.do(LoadModel(4, config(path, draft, budget_bytes=both.floor_bytes)))[-1]
    assert isinstance(least, Loaded) and least.info.memory_bytes <= both.floor_bytes
    driver.do(Generate(5, ASK, Sampling(0, max_tokens=8)))
    assert driver.worker._opened is not None
    assert least.info.memory_bytes < driver.worker._opened.session.snapshot().memory_bytes <= both.floor_bytes


@pytest.mark.parametrize("case", ["another tokenizer", "missing", "itself"])
def test_that_one_that_does_not_fit_is_refused_with_a_way_out(case: str, driver: Driver, tiny: Tiny, tmp_path: Path) -> None:
    path = tiny("qwen2_moe", "q4")
    draft = {"another tokenizer": tiny("kimi_linear", "q4"), "missing": tmp_path / "gone.ouzel", "itself": path}[case]
    closing = driver.do(LoadModel(1, config(path, draft)))[-1]
    assert isinstance(closing, Failed) and isinstance(closing.error, BadContainer if case == "missing" else BadRequest)
    assert "none" in str(closing.error)
    if case == "another tokenizer":
        assert "its tokenizer is another one (token " in str(closing.error)
    assert isinstance(driver.do(LoadModel(2, dataclasses.replace(config(path, draft), draft_model=None)))[-1], Loaded)


def test_that_one_that_is_only_preferred_is_left_out_with_the_reason(driver: Driver, tiny: Tiny) -> None:
    path = tiny("qwen2_moe", "q4")
    for draft, there in ((tiny("qwen2_moe", "q4", 1), True), (tiny("kimi_linear", "q4"), False), (path, False)):
        info = driver.do(LoadModel(1, config(path, draft, draft_needed=False)))[-1].info
        assert (info.draft_model != "") == there
        assert (info.draft_note == "") == there
