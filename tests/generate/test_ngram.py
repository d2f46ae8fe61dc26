"""N-gram drafts: the longest match's continuation, of equal ones the most frequent, then the most recent."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.generate.ngram import LEAST, LONGEST, NgramSpeculator
from engine.generate.proposal import Proposal

IDS = st.lists(st.integers(0, 3), max_size=60)


def reference(ids: list[int], most: int) -> tuple[list[int], int, bool]:
    """By comparing the text's end with every place before it: continuation, match, whether all longest matches agree."""
    found: dict[int, list[int]] = {}
    for at in range(len(ids) - 1, LEAST - 1, -1):
        n = 0
        while n < at and ids[at - 1 - n] == ids[len(ids) - 1 - n]:
            n += 1
        if n >= LEAST:
            found.setdefault(min(n, LONGEST), []).append(at)
    if not found:
        return [], 0, True
    places = found[max(found)]
    votes = Counter(ids[at] for at in places)
    start = next(at for at in places if votes[ids[at]] == max(votes.values()))
    out = list(ids)
    for i in range(most):
        out.append(out[start + i])
    return out[len(ids) :], max(found), len(votes) == 1


@given(ids=IDS, most=st.integers(1, 8))
def test_that_the_longest_match_is_continued(ids: list[int], most: int) -> None:
    s = NgramSpeculator()
    s.extend(ids)
    p, want = s.propose(most), reference(ids, most)
    assert bool(p.ids) == bool(want[0])
    # Only the most recent occurrences are compared, so a longer match further back may be missed.
    if len(ids) <= 20:
        assert (list(p.ids), p.match, p.agree) == want


@given(ids=IDS, more=IDS, cut=st.integers(0, 60))
def test_that_an_index_that_went_back_is_a_fresh_one(ids: list[int], more: list[int], cut: int) -> None:
    back, fresh = NgramSpeculator(), NgramSpeculator()
    back.extend(ids)
    back.sync(ids[:cut] + more)
    fresh.extend(ids[:cut] + more)
    assert (back._ids, back._before, back._last) == (fresh._ids, fresh._before, fresh._last)
    assert back.propose(6) == fresh.propose(6)


def test_that_the_most_frequent_of_equal_matches_wins() -> None:
    s = NgramSpeculator()
    s.extend([0, 1, 2, 3, 40, 7, 1, 2, 3, 40, 8, 1, 2, 3, 50, 9, 1, 2, 3])
    assert s.propose(1) == Proposal((40,), 3, False)


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
    assert s.propose(4).ids == ()


def test_that_a_repetition_goes_on_in_its_period() -> None:
    s = NgramSpeculator()
    s.extend([7, 1, 2, 3, 1, 2, 3])
    assert s.propose(5).ids == (1, 2, 3, 1, 2)


def test_that_the_most_recent_of_equal_matches_wins() -> None:
    s = NgramSpeculator()
    s.extend([1, 2, 3, 40, 1, 2, 3, 50, 1, 2, 3])
    assert s.propose(1).ids == (50,)


def test_that_a_longer_match_beats_a_more_recent_one() -> None:
    s = NgramSpeculator()
    s.extend([9, 1, 2, 3, 40, 8, 1, 2, 3, 50, 9, 1, 2, 3])
    assert s.propose(1).ids == (40,)
