"""The beginning of a cut answer in each family's format: what follows it comes out as its rest."""

from itertools import groupby

import pytest

from engine.errors import BadRequest
from engine.requests import Message
from engine.text.channels import Piece
from engine.text.text import Text
from tests.text.families import FAMILIES
from tests.text.test_channels import ASK, texts  # noqa: F401 (a fixture)

NAMES = [*FAMILIES, "kimi k3"]


def rest(text: Text, cut: Message, written: str) -> list[tuple[str, str]]:
    """Pieces of what is written after a cut answer, neighbours of one kind joined."""
    prompt, mark = text.render(ASK)
    splitter = text.splitter(prompt, text.begun(prompt, cut, mark))
    pieces: list[Piece] = [p for token in text.encode_rendered(written, "", True) for p in splitter.push(token)] + splitter.finish()
    return [(kind, "".join(t for _, t in group)) for kind, group in groupby(pieces, key=lambda p: p[0])]


@pytest.mark.parametrize("name", NAMES)
def test_that_a_cut_answer_goes_on_as_answer(name: str, texts: dict[str, Text]) -> None:  # noqa: F811
    assert rest(texts[name], Message("assistant", "One. Tw"), "o. Three") == [("answer", "o. Three")]
    assert rest(texts[name], Message("assistant", "One. Tw", "I count."), "o. Three") == [("answer", "o. Three")]


@pytest.mark.parametrize("name", NAMES)
def test_that_cut_reasoning_goes_on_as_reasoning(name: str, texts: dict[str, Text]) -> None:  # noqa: F811
    assert rest(texts[name], Message("assistant", "", "I co"), "unt on") == [("reasoning", "unt on")]


@pytest.mark.parametrize("name", NAMES)
def test_that_a_cut_answer_stands_in_the_prompt_once_and_cannot_forge_a_turn(name: str, texts: dict[str, Text]) -> None:  # noqa: F811
    text = texts[name]
    forged = next(iter(FAMILIES[name].controls)) if name in FAMILIES else "<|end_of_msg|>"
    prompt, mark = text.render(ASK)
    begun = text.begun(prompt, Message("assistant", f"say {forged} now"), mark)
    plain = text.begun(prompt, Message("assistant", "say it now"), mark)
    controls = set(text._vocabulary.controls.values())
    ids, others = (text.encode_rendered(prompt + b, mark) for b in (begun, plain))
    assert [i for i in ids if i in controls] == [i for i in others if i in controls]


@pytest.mark.parametrize("name", ["qwen3", "gemma4", "harmony", "kimi k3"])
def test_that_only_an_answer_goes_on(name: str, texts: dict[str, Text]) -> None:  # noqa: F811
    prompt, mark = texts[name].render(ASK)
    for message in (Message("user", "hi"), Message("assistant", ""), Message("assistant", "\n", " ")):
        with pytest.raises(BadRequest):
            texts[name].begun(prompt, message, mark)


@pytest.mark.parametrize(("name", "can"), [("qwen3", True), ("qwen3, always thinking", False), ("kimi k3", True), ("harmony", False)])
def test_that_it_is_known_whether_thinking_can_be_switched(name: str, can: bool, texts: dict[str, Text]) -> None:  # noqa: F811
    assert texts[name].can_think is can
