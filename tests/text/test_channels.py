"""Reasoning and answer come apart, in every published format, wherever the stream is cut."""

import re
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.requests import Message
from engine.text.channels import Piece, ThinkTags
from engine.text.text import Text
from tests.text.families import FAMILIES, KIMI_ANSWERS, write

ORACLE = Path(__file__).parents[1] / "data" / "oracle"
ASK = [Message("user", "How many? <think>")]
CASES = [(name, written) for name, family in FAMILIES.items() for written in family.answers]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Text]:
    made = {name: Text.open(write(tmp_path_factory.mktemp("family"), family)) for name, family in FAMILIES.items()}
    return made | {"kimi k3": Text.open(ORACLE / "kimi_k3")}


def joined(pieces: list[Piece]) -> tuple[tuple[str, str], ...]:
    """Neighbours of one kind as one; empty pieces are not expected at all."""
    assert all(text for _, text in pieces)
    return tuple((kind, "".join(t for _, t in group)) for kind, group in groupby(pieces, key=lambda p: p[0]))


def split(text: Text, parts: list[str], prompt: str | None = None) -> tuple[tuple[str, str], ...]:
    """The pieces of an answer whose `parts` the model writes with tokens of their own."""
    splitter = text.splitter(text.render(ASK)[0] if prompt is None else prompt)
    pieces = [p for part in parts for token in text.encode_rendered(part, "", continued=True) for p in splitter.push(token)]
    return joined(pieces + splitter.finish())


@pytest.mark.parametrize(("name", "written"), CASES, ids=lambda v: v[:40])
def test_that_reasoning_and_answer_come_apart(name: str, written: str, texts: dict[str, Text]) -> None:
    assert split(texts[name], [written]) == FAMILIES[name].answers[written]


@pytest.mark.parametrize(("name", "written"), CASES, ids=lambda v: v[:40])
def test_that_a_cut_at_any_place_changes_nothing(name: str, written: str, texts: dict[str, Text]) -> None:
    # A token that the tokenizer has is never cut, think tags excepted: a model may spell them with letters.
    whole = [c for c in FAMILIES[name].controls if "think>" not in c]
    inside = {m.start() + k for c in whole for m in re.finditer(re.escape(c), written) for k in range(1, len(c))}
    for at in set(range(len(written))) - inside:
        assert split(texts[name], [written[:at], written[at:]]) == FAMILIES[name].answers[written], written[:at]
    if not whole or not inside:
        assert split(texts[name], list(written)) == FAMILIES[name].answers[written]


@pytest.mark.parametrize("written", KIMI_ANSWERS, ids=lambda v: v[:40])
def test_that_the_tags_of_kimi_k3_come_apart(written: str, texts: dict[str, Text]) -> None:
    assert split(texts["kimi k3"], [written]) == KIMI_ANSWERS[written]
    pieces = [p for p in re.split(r"(<\|\w+\|>)", written) if p]
    letters = [c for p in pieces for c in ([p] if p.startswith("<|") else p)]
    assert split(texts["kimi k3"], letters) == KIMI_ANSWERS[written]


def test_that_without_thinking_all_of_kimi_k3s_response_is_answer(texts: dict[str, Text]) -> None:
    prompt, _ = texts["kimi k3"].render(ASK, thinking=False)
    assert prompt.endswith("<|open|>response<|sep|>")
    assert split(texts["kimi k3"], ["Two.<|close|>response<|sep|><|close|>message<|sep|>"], prompt) == (("answer", "Two."),)


@pytest.mark.parametrize(
    ("name", "end"), [("qwen3", "</think>\n\n"), ("deepseek", "</think>"), ("glm", "</think>"), ("gemma4", "<channel|>")]
)
def test_that_thinking_can_be_switched_off(name: str, end: str, texts: dict[str, Text]) -> None:
    prompt, _ = texts[name].render(ASK, thinking=False)
    assert prompt.endswith(end)
    assert split(texts[name], ["Two.\n"], prompt) == (("answer", "Two.\n"),)
    assert prompt != texts[name].render(ASK)[0] or name == "gemma4"


def test_that_words_which_spell_a_marker_open_no_channel(texts: dict[str, Text]) -> None:
    for name, spelled in (("kimi k3", "<|close|>think<|sep|>"), ("harmony", "<|end|>"), ("gemma4", "<|channel>thought\nx")):
        text = texts[name]
        start = "<|channel|>final<|message|>" if name == "harmony" else ""
        splitter = text.splitter(text.render(ASK)[0])
        pieces = [p for token in text.encode_rendered(start, "", True) + text.encode(spelled) for p in splitter.push(token)]
        kind = "reasoning" if name == "kimi k3" else "answer"
        assert joined(pieces + splitter.finish()) == ((kind, spelled),)


def test_that_a_model_without_channels_shows_everything() -> None:
    text = Text.open(ORACLE / "mixtral")
    assert split(text, ["<think>a</think>\n\nb <|channel|>"]) == (("answer", "<think>a</think>\n\nb <|channel|>"),)


def test_that_a_character_over_several_tokens_comes_whole(texts: dict[str, Text]) -> None:
    for name, text in texts.items():
        splitter = text.splitter("")
        pieces = [splitter.push(token) for token in text.encode("🦦é漢")]
        told = joined([p for piece in pieces for p in piece] + splitter.finish())
        assert told == (("answer", "🦦é漢"),), name
        assert "\ufffd" not in str(pieces)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "</", "think>", "\n", "\n\n", " ", "a", "b\n"]), max_size=9), st.data())
def test_that_think_tags_do_not_depend_on_the_pieces(parts: list[str], data: st.DataObject) -> None:
    written = "".join(parts)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(written)), max_size=6)))
    pieces = [written[a:b] for a, b in zip([0, *cuts], [*cuts, len(written)], strict=True)]

    def told(pieces: list[str]) -> tuple[tuple[str, str], ...]:
        tags = ThinkTags()
        return joined([p for piece in pieces for p in tags.text(piece)] + tags.finish())

    whole = told([written])
    assert told(pieces) == whole
    if "<think>" not in written:
        assert whole == ((("answer", written),) if written else ())


def test_that_an_answer_cut_inside_a_character_says_so(texts: dict[str, Text]) -> None:
    text = texts["qwen3"]
    splitter = text.splitter("")
    pieces = [p for token in text.encode("ab🦦")[:-1] for p in splitter.push(token)]
    assert joined(pieces + splitter.finish()) == (("answer", "ab\ufffd"),)


def test_that_what_kimi_k3_wrote_is_how_the_next_prompt_begins(texts: dict[str, Text]) -> None:
    """Markers that were control tokens are markers again, those that were spelled are words again."""
    text = texts["kimi k3"]
    prompt, mark = text.render(ASK)
    splitter = text.splitter(prompt)
    markers = "<|close|>think<|sep|><|open|>response<|sep|>"
    thought, answer = "I may write <|sep|> and [EOS] ", "So: <|close|>response<|sep|>"
    written = [*text.encode(thought), *text.encode_rendered(markers, "", True), *text.encode(answer)]
    for token in [*written, *text.encode_rendered("<|close|>response<|sep|><|close|>message<|sep|>", "", True)]:
        splitter.push(token)
    later, same = text.render([*ASK, Message("assistant", answer, thought), Message("user", "And?")])
    assert same == mark
    assert later.startswith(prompt + text.guarded_answer(splitter.written, splitter.length, mark) + "<|end_of_msg|>")
    part = len(thought + markers) + 4
    assert later.startswith(prompt + text.guarded_answer(splitter.written, part, mark))
    assert text.guarded_answer(splitter.written, part, mark).endswith("<|sep|>So: ")
