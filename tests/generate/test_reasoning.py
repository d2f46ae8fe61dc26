"""Reasoning and answer over a real model: told apart, switched off, kept for the next turn."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.container.reader import Container
from engine.generate.session import Session
from engine.model.model import Model
from engine.model.plan import plan
from engine.requests import Message
from engine.setup.convert import convert
from engine.stats import AnswerStats
from engine.text.text import Text
from tests.conftest import Tiny

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}{% endif %}{{ m.content }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n{% if thinking is not defined or thinking %}<think>\n{% endif %}"
)
ASK = Message("user", "Why?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Tiny) -> Path:
    source = shutil.copytree(tiny_checkpoint("olmoe"), tmp_path_factory.mktemp("source") / "thinker")
    (source / "chat_template.jinja").write_text(TEMPLATE + "{# </think> #}")
    target = tmp_path_factory.mktemp("target") / "thinker.ouzel"
    convert(source, target, "f32", "f32", lambda phase, done, total: None, CancelToken())
    return target


@pytest.fixture
def kimi(tiny: Tiny) -> Iterator[Session]:
    yield from opened(tiny("kimi_k3"))


@pytest.fixture
def session(folder: Path) -> Iterator[Session]:
    yield from opened(folder)


def opened(folder: Path) -> Iterator[Session]:
    config = EngineConfig(folder, context=1024, threads=1, exact=True)
    container = Container.open(folder)
    model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
    try:
        yield Session(model, Text.open(folder))
    finally:
        model.close()
        container.close()


def said(session: Session, messages: list[Message], thinking: bool | None, stop: tuple[str, ...] = ()) -> tuple[str, str, AnswerStats]:
    """(reasoning, answer, statistics) of 24 tokens."""
    answer: list[str] = []
    thoughts: list[str] = []
    stats = session.generate(
        messages,
        Sampling(temperature=1.0, seed=5, max_tokens=24, stop=stop),
        CancelToken(),
        answer.append,
        lambda done, total: None,
        on_reasoning=thoughts.append,
        thinking=thinking,
    )
    return "".join(thoughts), "".join(answer), stats


def test_that_an_open_channel_of_the_prompt_makes_reasoning(session: Session) -> None:
    reasoning, answer, stats = said(session, [ASK], None)
    assert len(reasoning) > 10
    assert answer == ""
    assert stats.answer_tokens == 24


def test_that_without_thinking_all_is_answer(session: Session) -> None:
    reasoning, answer, _ = said(session, [ASK], False)
    assert len(answer) > 10
    assert reasoning == ""


def test_that_reasoning_need_not_be_listened_to(session: Session) -> None:
    answer: list[str] = []
    session.generate([ASK], Sampling(seed=5, max_tokens=8), CancelToken(), answer.append, lambda done, total: None)
    assert answer == []


def test_that_a_stop_string_does_not_end_the_reasoning(session: Session) -> None:
    reasoning, _, _ = said(session, [ASK], None)
    stop = reasoning[3:5]
    assert said(session, [ASK], None, stop=(stop,))[0] == reasoning
    _, answer, _ = said(session, [ASK], False)
    _, cut, stats = said(session, [ASK], False, stop=(answer[3:5],))
    assert cut == answer[: answer.index(answer[3:5])]
    assert stats.reason == "stop"


@pytest.mark.parametrize("thinking", [None, False])
def test_that_the_ids_of_a_turn_stay_with_the_next_one(session: Session, thinking: bool | None) -> None:
    reasoning, answer, first = said(session, [ASK], thinking)
    drawn = list(session.ids)
    _, _, second = said(session, [ASK, Message("assistant", answer, reasoning), ASK], thinking)
    assert second.reused_tokens >= first.prompt_tokens + first.answer_tokens - 2
    assert session.ids[: second.reused_tokens] == drawn[: second.reused_tokens]


@pytest.mark.parametrize("thinking", [None, False])
def test_that_xtml_turns_go_on_where_a_recurrent_state_is(kimi: Session, thinking: bool | None) -> None:
    """Its state cannot go back, so the next prompt must begin with all ids of this turn."""
    reasoning, answer, first = said(kimi, [ASK], thinking)
    drawn = list(kimi.ids)
    assert bool(reasoning) is (thinking is None)
    _, _, second = said(kimi, [ASK, Message("assistant", answer, reasoning), ASK], thinking)
    assert second.reused_tokens == len(drawn) == first.prompt_tokens + first.answer_tokens - 1
    assert kimi.ids[: len(drawn)] == drawn


def test_that_an_answer_ended_by_a_stop_string_keeps_its_ids(session: Session, folder: Path) -> None:
    _, answer, first = said(session, [ASK], False)
    decoder = Text.open(folder).decoder()
    pieces = [decoder.push(token) for token in session.ids[first.prompt_tokens :]]
    # The stop string begins where a token does, after a character that its token completes.
    stops = {n: "".join(pieces[n : n + 2]) for n in range(14, 22) if pieces[n - 1] and pieces[n]}
    n, stop = next((n, stop) for n, stop in stops.items() if answer.find(stop) == len("".join(pieces[:n])))
    _, shown, first = said(session, [ASK], False, stop=(stop,))
    assert shown == "".join(pieces[:n])
    drawn = list(session.ids)
    _, _, second = said(session, [ASK, Message("assistant", shown), ASK], False)
    assert second.reused_tokens >= first.prompt_tokens + n
    assert session.ids[: second.reused_tokens] == drawn[: second.reused_tokens]
