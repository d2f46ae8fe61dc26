"""Sessions over real (tiny) models: what a turn computes, keeps and tells."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.config import Sampling
from engine.errors import BadContainer, BadRequest, ContextFull
from engine.generate.sampler import Sampler
from engine.requests import Message
from tests.conftest import Tiny
from tests.generate.conftest import GREEDY, Talk

Start = Callable[..., Talk]
LONG = "The quick brown fox jumps over the lazy dog. " * 4
SAMPLED = Sampling(1.0, top_p=0.9, repetition_penalty=1.1, seed=11, max_tokens=24)


def replayed(talk: Talk, prompt: list[int], n: int, sampling: Sampling) -> list[int]:
    """n tokens after `prompt`, one row at a time, on a model that knows nothing of sessions and drafts."""
    state, ids = talk.model.new_state(), list(prompt)
    sampler = Sampler(sampling, talk.model.spec.vocab_size, prompt)
    for i in range(len(ids) + n - 1):
        logits = talk.model.forward(np.asarray(ids[i : i + 1], np.int32), state, "last")
        if i >= len(prompt) - 1:
            token = sampler.pick(logits[0], len(ids))
            sampler.accept(token)
            ids.append(token)
    return ids[len(prompt) :]


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
@pytest.mark.parametrize("draft", ["off", "ngram"])
def test_that_an_answer_is_what_the_model_draws_token_by_token(sampling: Sampling, draft: str, tiny: Tiny, talk: Start) -> None:
    path = tiny("qwen2_moe")
    one, plain = talk(path), talk(path)
    stats = one.ask(LONG, sampling=sampling, draft=draft)
    prompt, answer = one.session.ids[: stats.prompt_tokens], one.session.ids[stats.prompt_tokens :]
    assert stats.answer_tokens == len(answer) + 1  # the last token has no state yet
    assert replayed(plain, prompt, len(answer), sampling) == answer
    # The second turn rides on the first one's state.
    stats = one.ask(LONG, one.answer, "And then?", sampling=sampling, draft=draft)
    prompt, answer = one.session.ids[: stats.prompt_tokens], one.session.ids[stats.prompt_tokens :]
    assert replayed(plain, prompt, len(answer), sampling) == answer


def test_that_the_next_turn_prefills_only_what_is_new(tiny: Tiny, talk: Start) -> None:
    one = talk(tiny("qwen2_moe"))
    first = one.ask(LONG)
    assert (first.reused_tokens, one.prefills[0], one.prefills[-1]) == (0, (0, first.prompt_tokens), (first.prompt_tokens,) * 2)
    held = list(one.session.ids)
    second = one.ask(LONG, one.answer, "Next")
    assert second.reused_tokens == len(held)
    assert one.session.ids[: len(held)] == held
    new = second.prompt_tokens - second.reused_tokens
    assert one.prefills == [(0, new), (new, new)]
    assert second.counters.tokens_prefilled == new


def test_that_drawn_ids_stay_where_encoding_their_text_gives_others(tiny: Tiny, talk: Start) -> None:
    """A random model spells as no tokenizer does."""
    one = talk(tiny("qwen2_moe"))
    sampling = replace(SAMPLED, temperature=3.0, top_p=1.0)
    stats = one.ask("Hi", sampling=sampling)
    drawn = one.session.ids[stats.prompt_tokens :]
    assert one.text.encode(one.answer)[: len(drawn)] != drawn
    assert one.ask("Hi", one.answer, "Next").reused_tokens >= stats.prompt_tokens + len(drawn)


def test_that_another_history_reuses_the_common_part_alone(tiny: Tiny, talk: Start) -> None:
    one, fresh = talk(tiny("qwen2_moe")), talk(tiny("qwen2_moe"))
    one.ask(LONG + "a", "x", "y")
    stats = one.ask(LONG + "b", "x", "y")
    assert 0 < stats.reused_tokens < len(one.text.encode(LONG)) + 20
    fresh.ask(LONG + "b", "x", "y")
    assert (one.pieces, one.session.ids) == (fresh.pieces, fresh.session.ids)


@pytest.mark.parametrize("family", ["kimi_linear", "qwen3_next", "gemma4"])
def test_that_an_edit_goes_back_to_the_last_turn_and_changes_no_token(family: str, tiny: Tiny, talk: Start) -> None:
    """Of the first answer only a short text, so that the edit is far behind the end."""
    one, fresh = talk(tiny(family), context=1024), talk(tiny(family), context=1024)
    one.ask(LONG)
    first, held = one.answer, len(one.session.ids)
    one.ask(LONG, first, LONG + "and then")
    assert one.session.lanes[0].state.checkpoints.newest > held
    stats = one.ask(LONG, first, LONG + "but then")
    fresh.ask(LONG)
    fresh.ask(LONG, first, LONG + "but then")
    assert (one.pieces, one.session.ids) == (fresh.pieces, fresh.session.ids)
    assert stats.reused_tokens in (held, 0)  # 0: the answer's text is spelled otherwise than the model drew it
    again = one.ask(LONG, first, LONG + "but then", sampling=SAMPLED)
    assert again.reused_tokens >= stats.reused_tokens


def test_that_the_same_question_again_gives_the_same_answer(tiny: Tiny, talk: Start) -> None:
    one = talk(tiny("qwen2_moe"))
    one.ask(LONG, sampling=SAMPLED)
    first, ids = one.answer, one.session.ids
    stats = one.ask(LONG, sampling=SAMPLED)
    assert (one.answer, one.session.ids) == (first, ids)
    assert stats.reused_tokens == stats.prompt_tokens - 1
    one.session.reset()
    assert one.ask(LONG, sampling=SAMPLED).reused_tokens == 0
    assert one.answer == first


def test_that_the_counters_are_those_of_this_answer(tiny: Tiny, talk: Start) -> None:
    one = talk(tiny("qwen2_moe"))
    one.ask(LONG)
    stats = one.ask("Other", draft="ngram")
    c = stats.counters
    assert c.tokens_decoded == stats.answer_tokens > 1
    assert c.tokens_prefilled == stats.prompt_tokens - stats.reused_tokens
    assert 0 <= c.drafts_accepted <= c.drafts_proposed
    assert c.expert_hits + c.expert_misses > 0
    assert c.context_used == len(one.session.ids)
    assert stats.seconds_to_first_token > 0
    assert stats.tokens_per_second > 0


@pytest.mark.parametrize("draft", ["off", "ngram"])
def test_that_a_stop_string_ends_the_answer_and_leaves_the_conversation(draft: str, tiny: Tiny, talk: Start) -> None:
    one = talk(tiny("qwen2_moe"))
    one.ask(LONG)
    whole = one.answer
    stop = whole[8:11]
    stats = one.ask(LONG, sampling=replace(GREEDY, stop=("never", stop)), draft=draft)
    assert (stats.reason, one.answer) == ("stop", whole[: whole.find(stop)])
    assert stats.answer_tokens < 24
    shown = one.answer
    one.ask(LONG, shown, "Next")
    prompt = one.session.ids[: -(24 - 1)]
    assert one.text.decode(prompt).count(stop) == one.text.decode(one.text.encode(LONG + shown + "Next")).count(stop)


def test_that_an_end_token_ends_the_answer(tiny: Tiny, talk: Start) -> None:
    """The token that is drawn at some point of an answer is declared an end token."""
    one = talk(tiny("qwen2_moe"))
    stats = one.ask(LONG)
    ids = one.session.ids[stats.prompt_tokens :]
    end = ids[12]
    other = talk(tiny("qwen2_moe"))
    other.session._ends |= {end}
    stats = other.ask(LONG)
    assert (stats.reason, stats.answer_tokens) == ("end", ids.index(end) + 1)
    assert other.answer == one.text.decode(ids[: ids.index(end)])
    assert other.ask(LONG, other.answer, "Next").reused_tokens >= stats.prompt_tokens + ids.index(end)


def test_that_the_answer_ends_where_the_context_does(tiny: Tiny, talk: Start) -> None:
    one = talk(tiny("qwen2_moe"), context=48)
    for draft in ("off", "ngram"):
        stats = one.ask("Hi there", sampling=replace(GREEDY, max_tokens=None), draft=draft)
        assert (stats.reason, stats.prompt_tokens + stats.answer_tokens) == ("context", 48)
    stats = one.ask("Hi there", sampling=replace(GREEDY, max_tokens=100))
    assert stats.reason == "context"
    stats = one.ask("Hi there", sampling=replace(GREEDY, max_tokens=1))
    assert (stats.reason, stats.answer_tokens) == ("length", 1)


def test_that_a_prompt_beyond_the_context_is_refused_with_both_numbers(tiny: Tiny, talk: Start) -> None:
    one = talk(tiny("qwen2_moe"), context=64)
    tokens = len(one.text.encode_chat([Message("user", LONG)]))
    with pytest.raises(ContextFull, match=rf"{tokens} tokens.* 64.* new chat"):
        one.ask(LONG)
    assert one.ask("Hi", sampling=replace(GREEDY, max_tokens=4)).answer_tokens == 4


@pytest.mark.parametrize("contents", [(), ("",), (" \n",)])
def test_that_nothing_to_answer_is_refused(contents: tuple[str, ...], tiny: Tiny, talk: Start) -> None:
    with pytest.raises(BadRequest, match="write a message"):
        talk(tiny("qwen2_moe")).ask(*contents)


def test_that_impossible_sampling_leaves_the_session_as_it_is(tiny: Tiny, talk: Start) -> None:
    one = talk(tiny("qwen2_moe"))
    one.ask(LONG)
    held = list(one.session.ids)
    with pytest.raises(BadRequest, match="temperature"):
        one.ask(LONG, one.answer, "Next", sampling=Sampling(-1.0))
    assert one.session.ids == held


@pytest.mark.parametrize("draft", ["off", "ngram"])
def test_that_a_cancel_while_answering_keeps_what_was_said(draft: str, tiny: Tiny, talk: Start) -> None:
    one, fresh = talk(tiny("qwen2_moe")), talk(tiny("qwen2_moe"))
    fresh.ask(LONG)
    stats = one.ask(LONG, draft=draft, on_text=lambda piece: one.cancel.cancel() if len(one.pieces) == 5 else None)
    assert stats.reason == "cancelled"
    assert 5 <= stats.answer_tokens < 24
    assert fresh.answer.startswith(one.answer.rstrip("\ufffd"))
    assert one.ask(LONG, one.answer, "Next").reused_tokens >= stats.prompt_tokens + 4


def test_that_a_cancel_while_reading_the_prompt_keeps_whole_chunks(tiny: Tiny, talk: Start) -> None:
    one, fresh = talk(tiny("qwen2_moe"), chunk=16), talk(tiny("qwen2_moe"))
    stats = one.ask(LONG, on_prefill=lambda done, total: one.cancel.cancel() if done else None)
    assert (stats.reason, stats.answer_tokens, one.answer, one.prefills[-1][0]) == ("cancelled", 0, "", 16)
    assert len(one.session.ids) == 16
    assert one.ask(LONG).reused_tokens == 16
    fresh.ask(LONG)
    assert one.session.ids == fresh.session.ids


def test_that_a_cancel_before_anything_ends_at_once(tiny: Tiny, talk: Start) -> None:
    one = talk(tiny("qwen2_moe"))
    assert one.ask(LONG, on_prefill=lambda done, total: one.cancel.cancel()).reason == "cancelled"
    assert one.prefills == [(0, one.prefills[0][1])]
    assert one.session.ids == []


@pytest.mark.parametrize("draft", ["off", "ngram"])
def test_that_an_error_in_the_middle_leaves_a_session_that_answers_right(draft: str, tiny: Tiny, talk: Start) -> None:
    one, fresh = talk(tiny("qwen2_moe")), talk(tiny("qwen2_moe"))

    def fail(piece: str) -> None:
        if len(one.pieces) == 7:
            raise RuntimeError("the listener broke")

    with pytest.raises(RuntimeError):
        one.ask(LONG, draft=draft, on_text=fail)
    for _ in range(2):
        one.ask(LONG, draft=draft)
        fresh.ask(LONG)
        assert one.session.ids == fresh.session.ids


def test_that_a_damaged_record_is_an_error_and_its_repair_is_noticed(tiny: Tiny, talk: Start, tmp_path: Path) -> None:
    path = tmp_path / "copy.ouzel"
    shutil.copytree(tiny("qwen2_moe"), path)
    one, fresh = talk(path), talk(tiny("qwen2_moe"))
    experts = {f: f.read_bytes() for f in (path / "experts").glob("L*.bin")}
    for file, content in experts.items():
        file.write_bytes(bytes([content[0] ^ 1]) + content[1:-4096] + bytes(4096))
    with pytest.raises(BadContainer):
        one.ask(LONG)
    for file, content in experts.items():
        file.write_bytes(content)
    one.ask(LONG)
    fresh.ask(LONG)
    assert one.session.ids == fresh.session.ids
