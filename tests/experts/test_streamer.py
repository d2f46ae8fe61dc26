from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled
from engine.experts.sizes import streamer_bytes
from engine.experts.streamer import ExpertStreamer
from tests.experts.records import Records, at, drain, write_records

STRIDES, N_EXPERTS = [8192, 4096, 8192], [16, 16, 12]


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return write_records(tmp_path, STRIDES, N_EXPERTS)


@pytest.fixture
def streamer(records: Records) -> Iterator[ExpertStreamer]:
    s = ExpertStreamer(records.container, 8)
    yield s
    s.close()


@pytest.mark.parametrize("direct", [True, False])
def test_that_every_number_of_slots_brings_the_same_bytes(records: Records, direct: bool) -> None:
    rng = np.random.default_rng(1)
    for n_slots in (*range(1, 18), 44, 60):
        s = ExpertStreamer(records.container, n_slots, direct, read_threads=1 + n_slots % 4)
        accesses = 0
        for ordinal in (0, 1, 2) * 4:
            ids = rng.permutation(N_EXPERTS[ordinal])[: rng.integers(1, N_EXPERTS[ordinal] + 1)].tolist()
            accesses += len(ids)
            drain(s, records, ordinal, ids)
        c = s.counters()
        assert c.hits + c.misses == accesses
        assert 0 <= c.misses - c.evictions <= n_slots
        assert c.bytes_read >= c.misses * 4096
        s.close()


def test_that_cached_experts_come_first_and_are_not_read_again(records: Records, streamer: ExpertStreamer) -> None:
    drain(streamer, records, 0, [3, 5, 9])
    before = streamer.counters()
    assert drain(streamer, records, 0, [1, 9, 2, 3])[:2] == [9, 3]
    after = streamer.counters()
    assert (after.hits - before.hits, after.misses - before.misses) == (2, 2)
    assert after.bytes_read - before.bytes_read == 2 * 8192
    assert after.read_seconds > before.read_seconds
    assert drain(streamer, records, 0, [2, 1]) == [2, 1]
    assert streamer.counters().bytes_read == after.bytes_read


def test_that_the_misses_are_in_flight_while_the_cached_ones_are_computed(records: Records, streamer: ExpertStreamer) -> None:
    drain(streamer, records, 0, [0])
    batches = streamer.stream(0, np.array([0, 1, 2], np.int32), CancelToken())
    which, _ = next(batches)
    assert which.tolist() == [0]
    assert streamer._store.pending == 2
    assert sorted(i for which, _ in batches for i in which.tolist()) == [1, 2]


def test_that_a_whole_layer_is_read_in_file_order_and_ahead(records: Records) -> None:
    s = ExpertStreamer(records.container, 4, read_threads=1)
    seen: list[int] = []
    ids = np.random.default_rng(2).permutation(16).astype(np.int32)
    for which, _ in s.stream(0, ids, CancelToken()):
        assert len(which) <= 2 or len(seen) + len(which) == 16, "half of the slots is left for reading ahead"
        seen += ids[which].tolist()
    assert seen == list(range(16))
    s.close()


def test_that_a_batch_stays_while_later_reads_arrive(records: Records) -> None:
    s = ExpertStreamer(records.container, 3)
    ids = np.arange(16, dtype=np.int32)
    for which, addresses in s.stream(0, ids, CancelToken()):
        for _ in range(50):
            for i, address in zip(which.tolist(), addresses.tolist(), strict=True):
                assert np.array_equal(at(address, 64), records.content[0][i, :64])
    s.close()


def test_that_experts_of_a_prompt_do_not_drive_out_those_in_constant_use(tmp_path: Path) -> None:
    records = write_records(tmp_path, [4096, 4096], [64, 64])
    s = ExpertStreamer(records.container, 40)
    for _ in range(4):
        drain(s, records, 0, list(range(20)))
    drain(s, records, 1, list(range(64)))
    before = s.counters().hits
    drain(s, records, 0, list(range(20)))
    assert s.counters().hits == before + 20
    s.close()


def test_that_a_second_chunk_of_a_prompt_finds_what_the_first_one_left(tmp_path: Path) -> None:
    records = write_records(tmp_path, [4096] * 4, [64] * 4)
    s = ExpertStreamer(records.container, 80)
    for ordinal in (0, 1, 2, 3):
        drain(s, records, ordinal, list(range(64)))
    for ordinal in (0, 1, 2, 3):
        drain(s, records, ordinal, list(range(64)))
    assert s.counters().hits >= 80 - 16
    s.close()


def test_that_a_second_stream_is_refused_while_one_is_open(records: Records, streamer: ExpertStreamer) -> None:
    first = streamer.stream(0, np.array([0, 1, 2], np.int32), CancelToken())
    next(first)
    with pytest.raises(RuntimeError, match="Another stream is open"):
        next(streamer.stream(1, np.array([0], np.int32), CancelToken()))
    assert len([i for which, _ in first for i in which]) <= 2
    drain(streamer, records, 1, [0])


@pytest.mark.parametrize("n_slots", [1, 2, 5, 44])
def test_that_a_stream_closed_early_leaves_everything_in_order(records: Records, n_slots: int) -> None:
    s = ExpertStreamer(records.container, n_slots)
    for batches_taken in (0, 1, 2):
        for ordinal in (0, 2, 0):
            batches = s.stream(ordinal, np.arange(N_EXPERTS[ordinal], dtype=np.int32), CancelToken())
            for _, _ in zip(range(batches_taken), batches, strict=False):
                pass
            batches.close()
            drain(s, records, ordinal, [7, 0, 3])
    drain(s, records, 1, list(range(16)))
    s.close()


def test_that_a_read_in_flight_of_a_closed_stream_is_not_done_twice(records: Records) -> None:
    s = ExpertStreamer(records.container, 44, read_threads=1)
    for _ in range(10):
        batches = s.stream(0, np.arange(16, dtype=np.int32), CancelToken())
        next(batches)
        batches.close()
    drain(s, records, 0, list(range(16)))
    assert s.counters().bytes_read == 16 * 8192
    s.close()


def test_that_cancel_ends_a_stream_at_its_next_step(records: Records, streamer: ExpertStreamer) -> None:
    cancel = CancelToken()
    batches = streamer.stream(0, np.arange(16, dtype=np.int32), cancel)
    next(batches)
    cancel.cancel()
    with pytest.raises(Cancelled):
        next(batches)
    with pytest.raises(Cancelled):
        next(streamer.stream(0, np.arange(16, dtype=np.int32), cancel))
    drain(streamer, records, 0, list(range(16)))


def test_that_a_model_without_experts_has_a_streamer() -> None:
    s = ExpertStreamer(Records((), []).container, 0)
    assert s.nbytes == 0
    assert s.counters().misses == 0
    s.close()


def test_that_no_slot_for_experts_is_refused(records: Records) -> None:
    with pytest.raises(ValueError, match="at least one slot"):
        ExpertStreamer(records.container, 0)


def test_that_its_bytes_are_known_before_it_is_made(records: Records, streamer: ExpertStreamer) -> None:
    assert streamer.nbytes == streamer_bytes(records.container, 8)
    assert 8 * 8192 < streamer.nbytes < 8 * 8192 + 8000


def test_that_a_closed_streamer_says_so(records: Records) -> None:
    s = ExpertStreamer(records.container, 2)
    batches = s.stream(0, np.arange(16, dtype=np.int32), CancelToken())
    next(batches)
    s.close()
    s.close()
    for stream in (batches, s.stream(0, np.arange(2, dtype=np.int32), CancelToken())):
        with pytest.raises(RuntimeError, match="closed"):
            next(stream)
