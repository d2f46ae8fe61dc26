"""Counting tokens before they are sent: exact, without computing, and with what is in the way of a long conversation."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.config import EngineConfig, Sampling
from engine.errors import BadRequest, Cancelled
from engine.events import Counted, Failed, Finished
from engine.requests import CountTokens, Generate, LoadModel, Message
from tests.worker.driving import Driver

CONTEXT = 256


@pytest.fixture
def driver(starter: Path) -> Iterator[Driver]:
    with Driver() as d:
        d.do(LoadModel(1, EngineConfig(starter, context=CONTEXT, threads=2)))
        yield d


def talk(turns: int) -> tuple[Message, ...]:
    return tuple(Message("user" if n % 2 == 0 else "assistant", f"Turn {n} of a talk about rivers and stones.") for n in range(turns))


def counted(driver: Driver, **request: Any) -> Counted:
    found = driver.do(CountTokens(7, **request))[-1]
    assert isinstance(found, Counted), found
    return found


def test_that_a_count_is_the_answers_count(driver: Driver) -> None:
    found = counted(driver, messages=talk(3), texts=("one two three", ""))
    stats = driver.do(Generate(8, talk(3), Sampling(max_tokens=2)))[-1].stats
    assert (found.tokens, found.context, found.left_out) == (stats.prompt_tokens, CONTEXT, 0)
    assert found.texts[0] >= 3 and found.texts[1] == 0
    again = counted(driver, messages=(*talk(3), Message("assistant", "Yes, and")), continued=True)
    assert again.tokens > found.tokens


def test_that_the_turns_in_the_way_are_the_fewest(driver: Driver) -> None:
    messages = (Message("system", "Be brief."), *talk(41))
    found = counted(driver, messages=messages, room=50)
    assert found.tokens > CONTEXT and found.left_out
    out = found.left_out
    assert messages[1 + out].role == "user"
    assert counted(driver, messages=(messages[0], *messages[1 + out :]), room=50).tokens + 50 <= CONTEXT
    assert counted(driver, messages=(messages[0], *messages[out - 1 :]), room=50).tokens + 50 > CONTEXT


def test_that_a_last_message_that_is_too_long_alone_is_told(driver: Driver) -> None:
    assert counted(driver, messages=(*talk(4), Message("user", "river " * 400))).left_out is None


def test_that_nothing_is_no_tokens_and_a_cancelled_count_fails(driver: Driver) -> None:
    assert counted(driver, messages=()).tokens == 0
    driver.worker.post(Generate(20, talk(1), Sampling(temperature=1.0, seed=2)))
    driver.worker.post(CountTokens(21, talk(1)))
    driver.worker.cancel(21)
    driver.worker.cancel(20)
    assert isinstance(driver.until_closed(20)[-1], Finished | Failed)
    failed = driver.until_closed(21)[-1]
    assert isinstance(failed, Failed) and isinstance(failed.error, Cancelled)


def test_that_a_cut_answer_goes_on_and_nothing_does_not(driver: Driver) -> None:
    begun = (*talk(1), Message("assistant", "The river is"))
    events = driver.do(Generate(30, begun, Sampling(max_tokens=4, seed=1), continued=True))
    assert isinstance(events[-1], Finished) and events[-1].stats.answer_tokens > 0
    for messages in ((), talk(1), (*talk(1), Message("assistant", " "))):
        failed = driver.do(Generate(31, messages, continued=True))[-1]
        assert isinstance(failed, Failed) and isinstance(failed.error, BadRequest)


def test_that_without_a_model_nothing_is_counted() -> None:
    with Driver() as d:
        failed = d.do(CountTokens(1, talk(1)))[-1]
        assert isinstance(failed, Failed) and isinstance(failed.error, BadRequest)
