"""The worker with real models: what it answers to each request, in order, and that it always ends."""

import threading
import time
from pathlib import Path

import pytest

from engine import paths
from engine.config import EngineConfig, Sampling
from engine.errors import BadContainer, BadRequest, Cancelled, ContextFull, EngineError, OverBudget
from engine.events import Counters, Event, Failed, Finished, Loaded, Loading, Prefill, Text, Unloaded
from engine.requests import Generate, LoadModel, Message, UnloadModel
from engine.worker.worker import Worker
from tests.conftest import Tiny
from tests.worker.driving import CLOSING, Driver

GREEDY = Sampling(temperature=0.0, max_tokens=24)
ENDLESS = Sampling(temperature=1.0, seed=5)


def ask(*texts: str) -> tuple[Message, ...]:
    return tuple(Message("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(texts))


@pytest.fixture
def model(tiny: Tiny) -> Path:
    return tiny("qwen2_moe", "q4")


@pytest.fixture
def loaded(driver: Driver, model: Path) -> Driver:
    events = driver.do(LoadModel(100, EngineConfig(model, context=96, threads=2)))
    assert isinstance(events[-1], Loaded)
    return driver


def test_that_loading_tells_its_phases_and_then_what_is_open(driver: Driver, model: Path) -> None:
    events = driver.do(LoadModel(7, EngineConfig(model, context=96, threads=2)))
    phases = [e.phase for e in events if isinstance(e, Loading)]
    assert list(dict.fromkeys(phases)) == [p for p in ("manifest", "tokenizer", "memory", "trunk") if p in phases]
    info = events[-1].info
    assert (info.model_type, info.context, info.threads, info.arithmetic) == ("qwen2_moe", 96, 2, "fast")
    assert info.floor_bytes <= info.memory_bytes <= info.budget_bytes
    assert paths.last_model() == model


def test_that_an_answer_comes_as_prefill_text_and_statistics(loaded: Driver) -> None:
    events = loaded.do(Generate(1, ask("Hello there"), GREEDY))
    kinds = [type(e) for e in events]
    assert kinds.index(Prefill) < kinds.index(Text) < kinds.index(Finished) == len(kinds) - 1
    assert kinds[-2] is Counters
    stats = events[-1].stats
    assert 0 < stats.answer_tokens <= 24
    assert stats.counters.tokens_decoded == stats.answer_tokens
    again = loaded.do(Generate(2, ask("Hello there"), GREEDY))
    assert text(again) == text(events) != ""


def text(events: list[Event]) -> str:
    return "".join(e.piece for e in events if isinstance(e, Text))


def test_that_the_next_turn_reads_only_what_is_new(loaded: Driver) -> None:
    first = loaded.do(Generate(1, ask("Hello there"), GREEDY))
    second = loaded.do(Generate(2, ask("Hello there", text(first), "And now?"), GREEDY))[-1].stats
    assert second.reused_tokens >= first[-1].stats.prompt_tokens
    assert second.counters.tokens_prefilled <= second.prompt_tokens - second.reused_tokens


def test_that_a_cancel_ends_an_answer_and_the_next_one_runs(driver: Driver, starter: Path) -> None:
    driver.do(LoadModel(1, EngineConfig(starter, threads=2)))
    driver.worker.post(Generate(2, ask("Count from one to ten thousand."), Sampling(temperature=1.0, seed=1, repetition_penalty=1.3)))
    driver.events(lambda e: isinstance(e, Text))
    asked = time.monotonic()
    driver.worker.cancel()
    closing = driver.until_closed(2)[-1]
    assert time.monotonic() - asked < 2
    assert isinstance(closing, Finished)
    assert closing.stats.reason == "cancelled"
    after = driver.do(Generate(3, ask("Say hello."), Sampling(temperature=0.0, max_tokens=4)))[-1]
    assert after.stats.reason in ("length", "end")


def test_that_counters_come_while_a_long_prompt_is_read(driver: Driver, starter: Path) -> None:
    driver.do(LoadModel(1, EngineConfig(starter, context=8192, threads=1, chunk=512, exact=True)))
    driver.worker.post(Generate(2, ask("word " * 6000), GREEDY))
    seen = driver.events(lambda e: isinstance(e, Counters) and e.snapshot.tokens_prefilled > 0)
    assert not [e for e in seen if isinstance(e, CLOSING)]
    driver.worker.cancel(2)
    assert driver.until_closed(2)[-1].stats.reason == "cancelled"


def test_that_requests_in_the_queue_can_be_cancelled_one_by_one_or_all(loaded: Driver) -> None:
    for id in (1, 2, 3):
        loaded.worker.post(Generate(id, ask("Hello"), ENDLESS))
    loaded.worker.cancel(2)
    closing = loaded.until_closed(2)[-1]
    assert isinstance(closing, Failed)
    assert isinstance(closing.error, Cancelled)
    loaded.until_closed(3)
    for id in (4, 5):
        loaded.worker.post(Generate(id, ask("Hello"), ENDLESS))
    loaded.worker.cancel()
    assert isinstance(loaded.until_closed(5)[-1].error, Cancelled)


def test_that_asking_without_a_model_says_what_to_do(driver: Driver) -> None:
    closing = driver.do(Generate(1, ask("Hello")))[-1]
    assert isinstance(closing.error, BadRequest)
    assert "Choose a model" in str(closing.error)


@pytest.mark.parametrize("messages", [(), (Message("user", ""),), (Message("user", " \n"),)])
def test_that_an_empty_prompt_is_refused(loaded: Driver, messages: tuple[Message, ...]) -> None:
    assert isinstance(loaded.do(Generate(1, messages, GREEDY))[-1].error, BadRequest)


def test_that_a_prompt_longer_than_the_context_is_refused_and_a_shorter_one_answered(loaded: Driver) -> None:
    error = loaded.do(Generate(1, ask("long " * 200), GREEDY))[-1].error
    assert isinstance(error, ContextFull)
    assert "96" in str(error)
    assert isinstance(loaded.do(Generate(2, ask("Hello"), GREEDY))[-1], Finished)


def test_that_a_load_that_fails_leaves_nothing_open(loaded: Driver, model: Path, tmp_path: Path) -> None:
    before = threading.active_count()
    for id, config, error in (
        (1, EngineConfig(tmp_path / "none.ouzel"), BadContainer),
        (2, EngineConfig(model, budget_bytes=100_000), OverBudget),
        (3, EngineConfig(model, context=3), BadRequest),
        (4, EngineConfig(model, threads=0), BadRequest),
    ):
        assert isinstance(loaded.do(LoadModel(id, config))[-1].error, error)
    assert threading.active_count() <= before
    assert "Choose a model" in str(loaded.do(Generate(5, ask("Hello")))[-1].error)
    assert paths.last_model() == model


def test_that_unloading_gives_the_model_back(loaded: Driver) -> None:
    assert isinstance(loaded.do(UnloadModel(1))[-1], Unloaded)
    assert isinstance(loaded.do(UnloadModel(2))[-1], Unloaded)
    assert isinstance(loaded.do(Generate(3, ask("Hello")))[-1], Failed)


def test_that_an_unexpected_error_is_told_and_the_worker_goes_on(loaded: Driver) -> None:
    closing = loaded.do(Generate(1, (object(),), GREEDY))[-1]  # type: ignore[arg-type]
    assert type(closing.error) is EngineError
    assert "Something unexpected went wrong (AttributeError" in str(closing.error)
    assert "Traceback" in closing.error.details
    assert isinstance(loaded.do(Generate(2, ask("Hello"), GREEDY))[-1], Finished)


def test_that_stopping_while_generating_ends_the_thread_and_closes_all(loaded: Driver) -> None:
    loaded.worker.post(Generate(1, ask("Hello"), ENDLESS))
    loaded.worker.post(Generate(2, ask("Hello"), ENDLESS))
    loaded.worker.stop()
    assert loaded.worker.join(10)
    loaded.worker.post(Generate(3, ask("Hello")))
    closed = {e.id: e for e in loaded.worker.events() if isinstance(e, CLOSING)}
    assert closed.keys() >= {2, 3}
    assert isinstance(closed[3].error, Cancelled)


def test_that_run_works_on_a_thread_of_the_caller(model: Path) -> None:
    worker = Worker()
    worker.post(LoadModel(1, EngineConfig(model, context=96, threads=2)))
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        seen = list[Event]()
        while not any(isinstance(e, CLOSING) for e in seen):
            seen += worker.events()
            time.sleep(0.01)
    finally:
        worker.stop()
        thread.join(10)
    assert isinstance(next(e for e in seen if isinstance(e, CLOSING)), Loaded)


def test_that_a_closed_model_is_gone_without_the_garbage_collector(loaded: Driver) -> None:
    import gc
    import weakref

    loaded.do(Generate(1, ask("Hello there"), GREEDY))
    opened = loaded.worker._opened
    assert opened is not None
    model = weakref.ref(opened.model)
    del opened
    gc.disable()
    try:
        loaded.do(UnloadModel(2))
        assert model() is None
    finally:
        gc.enable()
