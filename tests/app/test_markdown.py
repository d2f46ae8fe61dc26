"""Which part of a growing answer is final."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from app.transcript import markdown
from tests.app.samples import SAMPLE


@pytest.mark.parametrize(
    ("text", "closed", "rest"),
    [
        ("one", "", "one"),
        ("one\n\ntwo", "one\n", "two"),
        ("# h\ntext", "# h", "text"),
        ("- a\n- b", "", "- a\n- b"),
        ("- a\n\ntext", "- a\n", "text"),
        ("```\na\n\nb", "", "```\na\n\nb"),
        ("```\na\n```\nx", "```\na\n```", "x"),
    ],
)
def test_that_all_but_the_last_block_is_closed(text: str, closed: str, rest: str) -> None:
    assert markdown.split(text) == (closed, rest)


@hypothesis_settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=60))
def test_that_closed_parts_parse_the_same_alone_as_within_the_whole(sizes: list[int]) -> None:
    kinds, tail, at = [], "", 0
    for n in [*sizes, len(SAMPLE)]:
        tail, at = tail + SAMPLE[at : at + n], at + n
        closed, tail = markdown.split(tail)
        kinds += [(t.type, t.content) for t in markdown.parse(closed)]
    kinds += [(t.type, t.content) for t in markdown.parse(tail)]
    assert kinds == [(t.type, t.content) for t in markdown.parse(SAMPLE)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("text\n`", "text"),
        ("text\n``", "text"),
        ("text\n```", "text"),
        ("text\n```py", "text"),
        ("```\ncode\n``", "```\ncode"),
        ("~~", ""),
        ("text\n```py\n", "text\n```py\n"),
        ("a `b", "a `b"),
        ("`b` c", "`b` c"),
        ("~~struck~~ x", "~~struck~~ x"),
    ],
)
def test_that_a_forming_fence_is_held_back(text: str, shown: str) -> None:
    assert markdown.settled(text) == shown


def test_that_html_is_text() -> None:
    children = markdown.parse("a <b onclick='x'>bold</b> <script>1</script>")[1].children or []
    assert {c.type for c in children} == {"text"}


def test_that_a_rule_under_a_line_does_not_make_it_a_heading() -> None:
    assert [t.type for t in markdown.parse("text\n---")] == ["paragraph_open", "inline", "paragraph_close", "hr"]


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("see https://example.org/a?b=c, and", ["https://example.org/a?b=c"]),
        ("run setup.py on example.org", []),
        ("`https://example.org`", []),
        ("[x](javascript:alert(1)) javascript:alert(1) file:///etc/passwd", []),
        ("<mailto:a@example.org>", ["mailto:a@example.org"]),
    ],
)
def test_what_is_a_link(text: str, targets: list[str]) -> None:
    children = markdown.parse(text)[1].children or []
    assert [c.attrGet("href") for c in children if c.type == "link_open"] == targets
