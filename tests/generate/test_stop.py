"""Stop strings: nothing of one is shown, nothing else is lost, however the text is cut into pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.generate.stop import StopFilter

TEXTS = st.text("ab\n", max_size=30)
STOPS = st.lists(st.text("ab\n", min_size=1, max_size=4), max_size=3)


def run(pieces: list[str], stops: list[str]) -> tuple[str, bool]:
    f = StopFilter(stops)
    shown = "".join(f.push(p) for p in pieces)
    return (shown if f.stopped else shown + f.flush()), f.stopped


def reference(text: str, stops: list[str]) -> tuple[str, bool]:
    """Read character by character: the text ends where the first stop string is complete, before the longest such."""
    for end in range(1, len(text) + 1):
        complete = [s for s in stops if text[:end].endswith(s)]
        if complete:
            return text[: end - max(map(len, complete))], True
    return text, False


@given(text=TEXTS, stops=STOPS, cuts=st.lists(st.integers(0, 30), max_size=6))
def test_that_the_result_does_not_depend_on_the_pieces(text: str, stops: list[str], cuts: list[int]) -> None:
    edges = [0, *sorted(min(c, len(text)) for c in cuts), len(text)]
    pieces = [text[a:b] for a, b in pairwise(edges)]
    assert run(pieces, stops) == reference(text, stops)


@given(text=TEXTS, stops=STOPS)
def test_that_nothing_is_shown_that_may_still_become_a_stop_string(text: str, stops: list[str]) -> None:
    f = StopFilter(stops)
    shown = seen = ""
    for c in text:
        shown, seen = shown + f.push(c), seen + c
        held = len(seen) - len(shown)
        if not f.stopped:
            assert all(held >= n for s in stops for n in range(1, len(s)) if seen.endswith(s[:n]))


@given(text=TEXTS, stops=STOPS)
def test_that_no_more_is_held_back_than_a_stop_string_needs(text: str, stops: list[str]) -> None:
    f = StopFilter(stops)
    shown = f.push(text)
    if not f.stopped:
        held = text[len(shown) :]
        assert not held or any(s.startswith(held) for s in stops)


@pytest.mark.parametrize(
    ("pieces", "stops", "shown"),
    [
        (["Hello wor", "ld END more"], ["END"], "Hello world "),
        (["E", "N", "x", "EN", "D"], ["END"], "ENx"),
        (["Ünï", "🦦s", "top"], ["🦦stop"], "Ünï"),
        (["a user", ":"], ["user:", "\nuser:"], "a "),
        (["a\nuser", ":"], ["user:", "\nuser:"], "a"),
        (["all of it"], [""], "all of it"),
    ],
)
def test_that_stop_strings_over_pieces_are_found(pieces: list[str], stops: list[str], shown: str) -> None:
    assert run(pieces, stops)[0] == shown
