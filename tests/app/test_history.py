"""The last minutes of a gauge."""

import pytest

from app.history import GAP, SPAN, History


def test_that_nothing_measured_is_no_line() -> None:
    assert History().lines() == [] and History().extent is None and History().values == []


def test_that_places_go_by_the_clock_and_old_samples_go() -> None:
    h = History()
    h.add(100.0, 7.0)
    for n in range(3):
        h.add(100.0 + SPAN + 1 + n, float(n))
    assert h.values == [0.0, 1.0, 2.0] and h.extent == (0.0, 2.0)
    (piece,) = h.lines()
    assert [v for _, v in piece] == [0.0, 1.0, 2.0]
    assert [place for place, _ in piece] == pytest.approx([1 - 2 / SPAN, 1 - 1 / SPAN, 1.0])


def test_that_pauses_and_what_was_not_measured_break_the_line() -> None:
    h = History()
    for time, value in ((0.0, 1.0), (0.5, 2.0), (0.5 + 2 * GAP, 3.0), (1.0 + 2 * GAP, None), (1.5 + 2 * GAP, 4.0)):
        h.add(time, value)
    assert [[v for _, v in piece] for piece in h.lines()] == [[1.0, 2.0], [3.0], [4.0]]
    h.clear()
    assert h.lines() == []
