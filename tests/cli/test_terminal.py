"""Markdown in the terminal: what is closed, what may still change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli.terminal import closed_part


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("one", ""),
        ("one\n", ""),
        ("one\n\ntwo", "one\n\n"),
        ("```python\na = 1\n\nb = 2\n", ""),
        ("```\na\n\n```\n\nafter", "```\na\n\n```\n\n"),
        ("````\n```\n\n```\n\n", ""),
        ("~~~\n```\n\n~~~\n\nx", "~~~\n```\n\n~~~\n\n"),
        ("before\n\n```\nopen\n\nstill", "before\n\n"),
    ],
)
def test_that_text_is_closed_at_a_blank_line_outside_fences(text: str, closed: str) -> None:
    assert closed_part(text) == (closed, text.removeprefix(closed))


@given(st.lists(st.sampled_from(["a", " ", "\n", "\n\n", "```", "~~~\n", "- x\n", "\r\n", "\x0b", "\u2028"]), max_size=30))
def test_that_no_character_is_lost_however_the_text_comes(pieces: list[str]) -> None:
    shown, tail = "", ""
    for piece in pieces:
        closed, tail = closed_part(tail + piece)
        shown += closed
    assert shown + tail == "".join(pieces)
