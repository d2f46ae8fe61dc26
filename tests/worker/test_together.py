"""Answers side by side in a real worker: the same as alone, each with its own end, and others wait where there is no room."""

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from engine.config import EngineConfig, Sampling
from engine.errors import BadRequest, Cancelled
from engine.events import Counted, Event, Failed, Finished, Ids, Loaded, Text, Unloaded
from engine.requests import CountTokens, Generate, LoadModel, Message, Options, Request, UnloadModel
from tests.conftest import Tiny
from tests.worker.driving import CLOSING, Driver

LONG = "The quick brown fox jumps over the lazy dog. " * 8


def opened(driver: Driver, path: Path, **more: Any) -> None:
    config = EngineConfig(path, **({"context": 512, "chunk": 32, "threads": 2, "draft": "auto"} | more))
    assert isinstance(driver.do(LoadModel(next(driver.ids), config))[-1], Loaded)


def asks(driver: Driver, n: int, tokens: int | None = 24) -> Generate:
    content, sampling = (("Rivers", Sampling(0, max_tokens=tokens)), (LONG, Sampling(0.9, seed=5, max_tokens=tokens)))[n % 2]
    return Generate(next(driver.ids), (Message("user", f"{content} {n}"),), sampling, options=Options(tell_ids=True))


def until_all(driver: Driver, *requests: int) -> list[Event]:
    left = set(requests)

    def last(event: Event) -> bool:
        if isinstance(event, CLOSING):
            left.discard(event.id)
        return not left

    return driver.events(last)


def told(events: list[Event], id: int) -> tuple[str, list[int], list[str]]:
    text = "".join(e.piece for e in events if isinstance(e, Text) and e.id == id)
    ids = [token for e in events if isinstance(e, Ids) and e.id == id for token in e.ids]
    return text, ids, [type(e).__name__ for e in events if isinstance(e, CLOSING) and e.id == id]


@pytest.mark.parametrize("family", ["olmoe", "qwen3_next"])
def test_that_answers_side_by_side_are_those_that_come_alone(family: str, driver: Driver, tiny: Tiny) -> None:
    path = tiny(family, "q4")
    opened(driver, path)
    alone = []
    for n in range(5):
        request = asks(driver, n)
        alone.append(told(driver.do(request), request.id))
    opened(driver, path, parallel=3)
    requests = [asks(driver, n) for n in range(5)]
    for request in requests:
        driver.worker.post(request)
    events = until_all(driver, *(r.id for r in requests))
    assert [told(events, r.id) for r in requests] == alone
    steps = driver.worker._opened.model.clock.steps  # type: ignore[union-attr]
    decoded = sum(len(ids) for _, ids, _ in alone)
    assert steps < decoded  # rows of several answers rode together


def test_that_one_is_stopped_one_fails_and_the_others_go_on(driver: Driver, tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tiny("olmoe", "q4")
    opened(driver, path)
    whole = asks(driver, 1, 60)
    want = told(driver.do(whole), whole.id)
    opened(driver, path, parallel=3)
    good, stopped = asks(driver, 1, 60), asks(driver, 0, None)
    empty = Generate(next(driver.ids), (Message("user", " "),))
    over = Generate(next(driver.ids), (Message("user", LONG * 9),))
    put = driver.worker._box.put

    def noted(event: Event) -> None:
        put(event)
        if isinstance(event, Ids) and event.id == stopped.id:
            driver.worker.cancel(stopped.id)

    monkeypatch.setattr(driver.worker._box, "put", noted)
    for request in (good, stopped, empty, over):
        driver.worker.post(request)
    events = until_all(driver, good.id, stopped.id, empty.id, over.id)
    assert told(events, good.id) == want
    ends = {e.id: e for e in events if isinstance(e, Finished | Failed)}
    first, second, third = ends[stopped.id], ends[empty.id], ends[over.id]
    assert isinstance(first, Finished) and first.stats.reason == "cancelled"
    assert isinstance(second, Failed) and isinstance(second.error, BadRequest)
    assert isinstance(third, Failed) and "context" in str(third.error)


@pytest.mark.parametrize("seam", ["keep_usage", "count"])
def test_that_what_goes_wrong_between_steps_ends_all_and_leaves_no_lane_busy(
    seam: str, driver: Driver, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(driver, tiny("olmoe", "q4"), parallel=3)
    first = asks(driver, 1, 8)
    want = told(driver.do(first), first.id)[:2]
    model = driver.worker._opened
    assert model is not None
    faults = ["The test's fault."]

    def broken(*_: object) -> None:
        if faults:
            raise RuntimeError(faults.pop())

    monkeypatch.setattr(*((model, "keep_usage", broken) if seam == "keep_usage" else (driver.worker, "_count", broken)))
    requests = [asks(driver, 1, 8), asks(driver, 0, None), asks(driver, 1, None)]
    for request in requests:
        driver.worker.post(request)
    events = until_all(driver, *(r.id for r in requests))
    ends = [[e for e in events if isinstance(e, CLOSING) and e.id == r.id] for r in requests]
    assert all(len(found) == 1 for found in ends)
    failed = [e for (e,) in ends if isinstance(e, Failed)]
    assert len(failed) == (2 if seam == "keep_usage" else 3)
    assert all("The test's fault." in str(e.error) and "report it" in str(e.error) for e in failed)
    monkeypatch.undo()
    assert model.session.free() == 3 and driver.worker._current == []
    again = asks(driver, 1, 8)
    assert told(driver.do(again), again.id)[:2] == want


@pytest.mark.parametrize(("parallel", "wanted"), [(1, [Finished, Counted, Finished]), (2, [Counted, Finished, Finished])])
def test_that_a_count_comes_between_the_steps_of_several_and_a_closing_after_them(
    parallel: int, wanted: list[type], driver: Driver, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tiny("olmoe", "q4")
    opened(driver, path, parallel=parallel)
    one, two = asks(driver, 0), asks(driver, 1)
    left: list[Request] = [CountTokens(next(driver.ids), (Message("user", "hi"),)), two, UnloadModel(10_000)]
    ids = [request.id for request in (one, *left)]
    put = driver.worker._box.put

    def noted(event: Event) -> None:
        put(event)
        if isinstance(event, Ids):  # the first answer is under way
            while left:
                driver.worker.post(left.pop(0))

    monkeypatch.setattr(driver.worker._box, "put", noted)
    driver.worker.post(one)
    events = until_all(driver, *ids)
    assert [type(e) for e in events if isinstance(e, CLOSING)] == [*wanted, Unloaded]


def test_that_an_end_of_the_engine_ends_all(tiny: Tiny) -> None:
    with Driver() as driver:
        opened(driver, tiny("olmoe", "q4"), parallel=2)
        requests = [asks(driver, n, None) for n in range(4)]
        for request in requests:
            driver.worker.post(request)
        events = driver.events(lambda e: isinstance(e, Ids))
        driver.worker.stop()
        seen = {e.id for e in events if isinstance(e, CLOSING)}
        events += until_all(driver, *({r.id for r in requests} - seen))
        assert all(isinstance(e.error, Cancelled) for e in events if isinstance(e, Failed))


def test_that_a_closed_model_is_gone_without_the_garbage_collector(driver: Driver, tiny: Tiny) -> None:
    opened(driver, tiny("olmoe", "q4"), parallel=2)
    requests = [asks(driver, n) for n in range(3)] + [Generate(next(driver.ids), (Message("user", LONG * 9),))]
    for request in requests:
        driver.worker.post(request)
    until_all(driver, *(r.id for r in requests))
    driver.do(asks(driver, 0))
    assert driver.worker._opened is not None
    model = weakref.ref(driver.worker._opened.model)
    gc.disable()
    try:
        driver.do(UnloadModel(10_000))
        assert model() is None
    finally:
        gc.enable()
