"""Contract 1 at the level of answers: drafts, chunks, threads, budgets and direct reads change when work is done, never a token."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.config import EngineConfig, Sampling
from engine.container.reader import Container
from engine.model.plan import plan
from tests.conftest import Tiny
from tests.generate.conftest import Talk

PROMPT = "one two three four, one two three four, one two three"
SAMPLINGS = {
    "greedy": Sampling(0, max_tokens=40),
    "sampled": Sampling(0.9, top_k=50, seed=2, max_tokens=40),
    "penalized": Sampling(0.8, min_p=0.02, repetition_penalty=1.2, seed=3, max_tokens=40),
}


def two_turns(talk: Talk, sampling: Sampling, draft: str) -> tuple[list[str], list[int], int]:
    """The texts of two answers, the ids, and how many drafts were accepted."""
    accepted = talk.ask(PROMPT, sampling=sampling, draft=draft).counters.drafts_accepted
    first = talk.answer
    accepted += talk.ask(PROMPT, first, "again", sampling=sampling, draft=draft).counters.drafts_accepted
    return [first, talk.answer], talk.session.ids, accepted


def floor(path: Path, **options: object) -> int:
    container = Container.open(path)
    try:
        return plan(container, EngineConfig(path, context=512, **options)).floor_bytes  # type: ignore[arg-type]
    finally:
        container.close()


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("family", ["qwen2_moe", "mixtral"])
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "fast"])
def test_that_an_answer_is_the_same_under_every_setting(
    exact: bool, family: str, sampling: str, tiny: Tiny, talk: Callable[..., Talk]
) -> None:
    path = tiny(family, "f32" if exact else "q4")
    s = SAMPLINGS[sampling]
    texts, ids, _ = two_turns(talk(path, exact=exact), s, "off")
    least = floor(path, exact=exact, chunk=16)
    for options in ({}, {"chunk": 1}, {"chunk": 7, "threads": 3}, {"budget_bytes": least, "chunk": 16}, {"direct": False}):
        for draft in ("off", "ngram"):
            other, other_ids, _ = two_turns(talk(path, exact=exact, **options), s, draft)
            assert (other, other_ids) == (texts, ids), (options, draft)


@pytest.mark.parametrize("sampling", ["greedy", "penalized"])
def test_that_drafts_are_accepted_on_real_text_and_change_nothing(sampling: str, starter: Path, talk: Callable[..., Talk]) -> None:
    s = SAMPLINGS[sampling]
    plain, drafted = talk(starter, exact=False), talk(starter, exact=False)
    off, on = two_turns(plain, s, "off"), two_turns(drafted, s, "ngram")
    assert on[:2] == off[:2]
    assert off[2] == 0
    if sampling == "greedy":
        assert on[2] > 0
