"""An answer that goes on after the tokens that an earlier run drew is the answer that that run would have given."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.config import Sampling
from engine.errors import BadRequest
from engine.requests import Message, Options
from engine.stats import AnswerStats
from tests.generate.conftest import EACH_FAMILY, Talk

SAMPLED = Sampling(0.9, seed=3, max_tokens=20, repetition_penalty=1.2, frequency_penalty=0.3)
PROMPT = (Message("user", "The quick brown fox jumps over the lazy dog. " * 4),)


def answered(talk: Talk, sampling: Sampling, options: Options, draft: str = "off") -> tuple[AnswerStats, str, list[int]]:
    pieces, ids = list[str](), list[int]()
    stats = talk.session.generate(
        PROMPT, sampling, CancelToken(), pieces.append, lambda d, t: None, draft, options=options, on_ids=ids.extend
    )
    return stats, "".join(pieces), ids


@pytest.mark.parametrize("family", EACH_FAMILY)
def test_that_it_goes_on_after_any_token(family: str, tiny: Callable[..., Path], talk: Callable[..., Talk]) -> None:
    path = tiny(family, "q8")
    options = {"exact": False, "context": 512}
    stats, text, ids = answered(talk(path, **options), SAMPLED, Options())
    assert len(ids) == stats.answer_tokens > 5
    fresh, used = talk(path, threads=2, chunk=48, **options), talk(path, **options)
    for n in (1, 7, len(ids) - 1):
        for one, draft in ((fresh, "off"), (used, "ngram")):
            again, whole, rest = answered(one, SAMPLED, Options(resumed=tuple(ids[:n])), draft)
            assert (whole, rest) == (text, ids[n:]), (n, draft)
            assert (again.reason, again.answer_tokens, again.resumed_tokens) == (stats.reason, stats.answer_tokens, n)
            assert again.prompt_tokens == stats.prompt_tokens >= again.reused_tokens
    fresh.session.reset()


def test_that_stop_strings_count_over_both_parts(tiny: Callable[..., Path], talk: Callable[..., Talk]) -> None:
    path = tiny("qwen2_moe")
    _, text, ids = answered(talk(path), replace(SAMPLED, max_tokens=60), Options())
    stop = text[10:13]
    sampling = replace(SAMPLED, max_tokens=60, stop=(stop,))
    _, cut, drawn = answered(talk(path), sampling, Options())
    assert cut == text[: text.index(stop)] and len(drawn) < len(ids)
    again, whole, rest = answered(talk(path), sampling, Options(resumed=tuple(drawn[:-1])))
    assert (whole, rest, again.reason) == (cut, drawn[-1:], "stop")


def test_that_what_cannot_be_gone_on_after_is_refused(tiny: Callable[..., Path], talk: Callable[..., Talk]) -> None:
    one = talk(tiny("qwen2_moe"))
    _, text, ids = answered(one, SAMPLED, Options())
    for options in (Options(resumed=(10**6,)), Options(resumed=(-1,)), Options(resumed=(1,), logprobs=0), Options(resumed=tuple(ids))):
        with pytest.raises(BadRequest):
            answered(one, SAMPLED, options)
    assert answered(one, SAMPLED, Options())[1:] == (text, ids)
