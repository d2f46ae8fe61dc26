"""Experts named before their layer asks: kept while cached, the likeliest others read, and never anybody's error."""

import errno
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.errors import BadContainer, Cancelled
from engine.experts.counters import Counters
from engine.experts.lookahead import READS
from engine.experts.streamer import ExpertStreamer
from tests.experts.records import Records, drain, write_records

STRIDE = 8192


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return write_records(tmp_path, [STRIDE] * 3, [16] * 3)


@pytest.fixture
def streamer(records: Records) -> Iterator[ExpertStreamer]:
    s = ExpertStreamer(records.container, 24)
    yield s
    s.close()


def settled(s: ExpertStreamer) -> None:
    """All that was asked for has been read, and waits to be taken note of."""
    deadline = time.monotonic() + 10
    while s.counters().bytes_read < (s.counters().misses + s.counters().ahead_reads) * STRIDE:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def ahead(c: Counters) -> tuple[int, int, int, int]:
    return c.ahead_reads, c.ahead_used, c.ahead_late, c.ahead_wasted


def test_that_the_likeliest_missing_ones_are_read_and_found(records: Records, streamer: ExpertStreamer) -> None:
    drain(streamer, records, 1, [9])
    streamer.foresee(1, [9, 4, 7, 2])
    drain(streamer, records, 0, [0, 1])
    settled(streamer)
    assert drain(streamer, records, 1, [2, 4, 9]) == [4, 9, 2]
    c = streamer.counters()
    assert ahead(c) == (READS, 1, 0, 1)
    assert c.hits == 2
    assert c.bytes_read == 6 * STRIDE


def test_that_they_are_read_while_a_cached_layer_is_computed(records: Records, streamer: ExpertStreamer) -> None:
    drain(streamer, records, 0, [0, 1])
    streamer.foresee(1, [4])
    batches = streamer.stream(0, np.array([0, 1], np.int32), CancelToken())
    next(batches)
    assert streamer._store.pending == 1
    batches.close()
    settled(streamer)
    before = streamer.counters()
    drain(streamer, records, 1, [4])
    assert streamer.counters().bytes_read == before.bytes_read


def test_that_a_read_still_in_flight_is_awaited_and_not_done_twice(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    s = ExpertStreamer(records.container, 24)
    drain(s, records, 0, [0])
    s.foresee(1, [4])
    drain(s, records, 0, [0])
    settled(s)
    reap = s._store.reap
    monkeypatch.setattr(s._store, "reap", lambda ms: reap(ms) if ms else [])
    drain(s, records, 1, [4])
    c = s.counters()
    assert ahead(c) == (1, 0, 1, 0)
    assert c.bytes_read == 2 * STRIDE
    s.close()


def test_that_named_experts_outlive_others_of_greater_worth(records: Records) -> None:
    s = ExpertStreamer(records.container, 8)
    drain(s, records, 1, [5])
    for _ in range(3):
        drain(s, records, 0, list(range(7)))
    s.foresee(1, [5])
    drain(s, records, 0, [8, 9, 10])
    before = s.counters()
    drain(s, records, 1, [5])
    assert s.counters().hits == before.hits + 1
    for _ in range(3):
        drain(s, records, 0, list(range(8)))
    before = s.counters()
    drain(s, records, 1, [5])
    assert s.counters().misses == before.misses + 1, "what was named once is not kept for ever"
    s.close()


def test_that_a_layer_gets_its_slots_back_from_what_was_named(records: Records) -> None:
    for n_slots in range(1, 9):
        s = ExpertStreamer(records.container, n_slots)
        for step in range(3):
            for ordinal in range(3):
                if ordinal < 2:
                    s.foresee(ordinal + 1, [(3 * step + i) % 16 for i in range(8)])
                drain(s, records, ordinal, [(3 * step + i) % 16 for i in range(0, 12, 2)])
        s.close()


def test_that_a_failed_guess_is_told_only_to_whoever_needs_it(records: Records, streamer: ExpertStreamer) -> None:
    path = records.experts[1].path
    content = bytearray(path.read_bytes())
    content[6 * STRIDE + 9] ^= 1
    path.write_bytes(content)
    streamer.foresee(1, [6])
    drain(streamer, records, 0, [0])
    settled(streamer)
    drain(streamer, records, 1, [5])
    drain(streamer, records, 2, [5])
    assert ahead(streamer.counters()) == (1, 0, 0, 1)
    streamer.foresee(1, [6])
    drain(streamer, records, 0, [0])
    with pytest.raises(BadContainer, match="Expert 6"):
        list(streamer.stream(1, np.array([6], np.int32), CancelToken()))
    drain(streamer, records, 1, [5])


def test_that_a_failed_guess_is_read_again_for_the_layer_that_waits_for_it(
    records: Records, streamer: ExpertStreamer, monkeypatch: pytest.MonkeyPatch
) -> None:
    drain(streamer, records, 0, [0])
    streamer.foresee(1, [4])
    drain(streamer, records, 0, [0])
    settled(streamer)
    reap, key, seen = streamer._store.reap, 16 + 4, list[int]()

    def broken_once(ms: int) -> list[tuple[int, int]]:
        got = reap(ms) if ms else []  # the layer asks before the drive has answered
        seen.extend(k for k, _ in got)
        return [(k, errno.EIO if k == key and seen.count(key) == 1 else code) for k, code in got]

    monkeypatch.setattr(streamer._store, "reap", broken_once)
    assert drain(streamer, records, 1, [4]) == [4]
    assert seen.count(key) == 2
    assert ahead(streamer.counters()) == (1, 0, 1, 0)


def test_that_a_cancelled_step_leaves_nothing_kept(records: Records, streamer: ExpertStreamer) -> None:
    drain(streamer, records, 1, [1, 2])
    streamer.foresee(1, [1, 2, 3])
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        list(streamer.stream(0, np.array([0], np.int32), cancel))
    drain(streamer, records, 2, [0])
    assert not streamer._guesses.open
    settled(streamer)
    drain(streamer, records, 0, list(range(16)))


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n_slots=st.integers(1, 30), threads=st.integers(1, 4))
def test_that_whatever_is_named_the_bytes_are_right(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, n_slots: int, threads: int
) -> None:
    records = write_records(tmp_path_factory.mktemp("any"), [4096] * 3, [8] * 3)
    s = ExpertStreamer(records.container, n_slots, read_threads=threads)
    some = st.lists(st.integers(0, 7), min_size=1, max_size=8, unique=True)
    try:
        for _ in range(6):
            for ordinal in range(3):
                if ordinal < 2 and data.draw(st.booleans()):
                    s.foresee(ordinal + 1, data.draw(some))
                ids = data.draw(some)
                if data.draw(st.integers(0, 5)) == 0:
                    batches = s.stream(ordinal, np.array(ids, np.int32), CancelToken())
                    next(batches)
                    batches.close()
                    break
                drain(s, records, ordinal, ids)
        c = s.counters()
        assert c.ahead_used + c.ahead_late + c.ahead_wasted <= c.ahead_reads <= c.ahead_used + c.ahead_late + c.ahead_wasted + READS
    finally:
        s.close()
