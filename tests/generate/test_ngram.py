"""N-gram drafts: the longest match's continuation, of equal ones the most recent."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.generate.ngram import LEAST, NgramSpeculator

IDS = st.lists(st.integers(0, 3), max_size=60)


def reference(ids: list[int], most: int) -> list[int]:
    """By comparing the text's end with every place before it."""
    best, length = -1, LEAST - 1
    for at in range(len(ids) - 1, LEAST - 1, -1):
        n = 0
        while n < at and ids[at - 1 - n] == ids[len(ids) - 1 - n]:
            n += 1
        if min(n, 32) > length:
            best, length = at, min(n, 32)
    out = list(ids)
    for i in range(most if best >= 0 else 0):
        out.append(out[best + i])
    return out[len(ids) :]


@given(ids=IDS, most=st.integers(1, 8))
def test_that_the_longest_match_is_continued(ids: list[int], most: int) -> None:
    s = NgramSpeculator()
    s.extend(ids)
    draft, best = s.propose(most), reference(ids, most)
    assert bool(draft) == bool(best)
    # Only the most recent occurrences are compared, so a longer match further back may be missed.
    if len(ids) <= 20:
        assert draft == best


@given(ids=IDS, cuts=st.lists(st.integers(0, 60), max_size=5))
def test_that_it_does_not_matter_in_what_portions_ids_come(ids: list[int], cuts: list[int]) -> None:
    whole, portions = NgramSpeculator(), NgramSpeculator()
    whole.extend(ids)
    edges = [0, *sorted(min(c, len(ids)) for c in cuts), len(ids)]
    for a, b in pairwise(edges):
        portions.extend(ids[a:b])
    assert portions.propose(6) == whole.propose(6)


def test_that_two_equal_tokens_are_no_match() -> None:
    s = NgramSpeculator()
    s.extend([1, 2, 9, 8, 1, 2])
    assert s.propose(4) == []


def test_that_a_repetition_goes_on_in_its_period() -> None:
    s = NgramSpeculator()
    s.extend([7, 1, 2, 3, 1, 2, 3])
    assert s.propose(5) == [1, 2, 3, 1, 2]


def test_that_the_most_recent_of_equal_matches_wins() -> None:
    s = NgramSpeculator()
    s.extend([1, 2, 3, 40, 1, 2, 3, 50, 1, 2, 3])
    assert s.propose(1) == [50]


def test_that_a_longer_match_beats_a_more_recent_one() -> None:
    s = NgramSpeculator()
    s.extend([9, 1, 2, 3, 40, 8, 1, 2, 3, 50, 9, 1, 2, 3])
    assert s.propose(1) == [40]
