"""An answer that was cut goes on as if it had not been; prompts are counted as they would be read."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.config import Sampling
from engine.errors import BadRequest, Cancelled
from engine.generate.encoding import SHORT
from engine.requests import Message
from tests.conftest import Tiny
from tests.generate.conftest import GREEDY, Talk

Start = Callable[..., Talk]
ASK = Message("user", "The quick brown fox jumps over the lazy dog. ")
SAMPLED = Sampling(1.0, top_p=0.9, repetition_penalty=1.1, seed=11)


def said(talk: Talk, messages: list[Message], sampling: Sampling, continued: bool = False) -> str:
    pieces: list[str] = []
    talk.session.generate(messages, sampling, CancelToken(), pieces.append, lambda done, total: None, continued=continued)
    return "".join(pieces)


@pytest.mark.parametrize(("sampling", "cut"), [(GREEDY, 5), (SAMPLED, 1), (SAMPLED, 13)], ids=["greedy", "sampled", "sampled later"])
def test_that_a_cut_answer_goes_on_as_if_it_had_not_been_cut(sampling: Sampling, cut: int, starter: Path, talk: Start) -> None:
    whole = said(talk(starter, exact=False), [ASK], replace(sampling, max_tokens=24))
    one = talk(starter, exact=False)
    start = said(one, [ASK], replace(sampling, max_tokens=cut))
    rest = said(one, [ASK, Message("assistant", start)], replace(sampling, max_tokens=24 - cut), continued=True)
    assert start + rest == whole and rest


def test_that_an_answer_goes_on_in_another_session_too(tiny: Tiny, talk: Start) -> None:
    path = tiny("qwen2_moe")
    begun = [ASK, Message("assistant", "The dog is")]
    first, other = talk(path), talk(path)
    said(other, [Message("user", "Something else")], GREEDY)
    assert said(first, begun, GREEDY, continued=True) == said(other, begun, GREEDY, continued=True) != ""


@pytest.mark.parametrize("messages", [[], [ASK], [ASK, Message("assistant", "")], [ASK, Message("assistant", " \n")]])
def test_that_without_an_answer_nothing_goes_on(messages: list[Message], tiny: Tiny, talk: Start) -> None:
    with pytest.raises(BadRequest):
        said(talk(tiny("qwen2_moe")), messages, GREEDY, continued=True)


def test_that_the_count_is_what_generate_reads(starter: Path, talk: Start) -> None:
    one = talk(starter, exact=False, context=1024)
    talks = [[ASK], [Message("system", "Be brief."), ASK, Message("assistant", "Yes 🦦."), Message("user", "Why?  ")]]
    for messages in talks:
        count = one.session.count(messages, CancelToken())
        stats = one.session.generate(messages, replace(GREEDY, max_tokens=4), CancelToken(), lambda _: None, lambda d, t: None)
        assert count == stats.prompt_tokens
        assert one.session.count(messages, CancelToken()) == count, "counting again, with what was read remembered"
    cut = [ASK, Message("assistant", "The fox")]
    count = one.session.count(cut, CancelToken(), continued=True)
    stats = one.session.generate(cut, replace(GREEDY, max_tokens=2), CancelToken(), lambda _: None, lambda d, t: None, continued=True)
    assert count == stats.prompt_tokens


def test_that_more_than_the_context_is_counted_and_computes_nothing(starter: Path, talk: Start) -> None:
    one = talk(starter, exact=False, context=64)
    long = Message("user", "river stone water " * 2000)
    before = one.session.snapshot()
    assert one.session.count([long], CancelToken()) > 4000
    assert one.session.count_text(long.content, CancelToken()) == len(one.text.encode(long.content))
    assert one.session.snapshot().tokens_prefilled == before.tokens_prefilled == 0 and one.session.ids == []


def test_that_counting_can_be_cancelled(starter: Path, talk: Start) -> None:
    one, token = talk(starter, exact=False, context=64), CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        one.session.count_text("word " * SHORT, token)
