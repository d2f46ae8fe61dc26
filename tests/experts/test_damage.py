"""Files that are damaged, cut short or gone."""

import re
from pathlib import Path
from threading import Timer
from time import monotonic

import numpy as np
import pytest
import xxhash

from engine.cancel import CancelToken
from engine.container.format import RecordLayout
from engine.container.reader import ExpertFile
from engine.errors import BadContainer, Cancelled, OverBudget, StorageError
from engine.experts.streamer import ExpertStreamer
from tests.experts.records import Records, drain, write_records

STRIDE = 8192


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return write_records(tmp_path, [STRIDE, STRIDE], [16, 16])


def flip(records: Records, ordinal: int, expert: int, at: int = 77) -> None:
    path = records.experts[ordinal].path
    content = bytearray(path.read_bytes())
    content[expert * STRIDE + at] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("at", [0, 4000, STRIDE - 1])
@pytest.mark.parametrize("n_slots", [1, 4, 32])
def test_that_a_flipped_byte_is_named_and_never_yielded(records: Records, n_slots: int, at: int) -> None:
    flip(records, 1, 6, at)
    s = ExpertStreamer(records.container, n_slots)
    ids = np.arange(16, dtype=np.int32)
    seen: list[int] = []
    with pytest.raises(BadContainer, match=r"Expert 6 in .*L03\.bin is damaged.*ouzel verify"):
        for which, _ in s.stream(1, ids, CancelToken()):
            seen += which.tolist()
    assert 6 not in seen
    drain(s, records, 0, [6, 1])
    drain(s, records, 1, [e for e in range(16) if e != 6])
    with pytest.raises(BadContainer):
        list(s.stream(1, np.array([2, 6], np.int32), CancelToken()))
    s.close()


def test_that_damage_outside_the_experts_used_does_not_matter(records: Records) -> None:
    flip(records, 0, 3)
    s = ExpertStreamer(records.container, 4)
    drain(s, records, 0, [0, 1, 2, 4, 5])
    s.close()


def test_that_a_damaged_record_is_reported_although_its_first_stream_was_closed(records: Records) -> None:
    flip(records, 0, 3)
    s = ExpertStreamer(records.container, 32)
    drain(s, records, 0, [0])
    batches = s.stream(0, np.array([0, 3], np.int32), CancelToken())
    next(batches)
    batches.close()
    drain(s, records, 1, [0])
    with pytest.raises(BadContainer, match="Expert 3"):
        list(s.stream(0, np.array([3], np.int32), CancelToken()))
    s.close()


def test_that_a_truncated_file_is_refused_at_opening(records: Records) -> None:
    path = records.experts[1].path
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StorageError, match=r"L03\.bin ends before its last expert.*ouzel verify"):
        ExpertStreamer(records.container, 4)


@pytest.mark.parametrize("n_slots", [1, 3, 32])
def test_that_a_file_truncated_later_is_a_storage_error(records: Records, n_slots: int) -> None:
    s = ExpertStreamer(records.container, n_slots)
    with records.experts[0].path.open("r+b") as f:
        f.truncate(10 * STRIDE + 4096)
    with pytest.raises(StorageError, match=r"L01\.bin ends before its last expert"):
        list(s.stream(0, np.arange(16, dtype=np.int32), CancelToken()))
    drain(s, records, 0, list(range(10)))
    drain(s, records, 1, list(range(16)))
    s.close()


def test_that_a_missing_file_is_a_storage_error_with_a_way_out(records: Records) -> None:
    path = records.experts[1].path
    path.unlink()
    with pytest.raises(StorageError, match=re.escape(str(path)) + r" cannot be opened \(No such file.*connect the drive"):
        ExpertStreamer(records.container, 4)


def test_that_slots_for_which_there_is_no_memory_are_refused(records: Records) -> None:
    with pytest.raises(OverBudget, match="Close other programs or choose a lower memory limit"):
        ExpertStreamer(records.container, 1 << 34)


def test_that_cancel_from_another_thread_ends_a_wait(tmp_path: Path) -> None:
    stride, n = 4 << 20, 64
    file = write_records(tmp_path, [4096], [1]).experts[0]
    with file.path.open("r+b") as f:
        f.truncate(0)
        f.truncate(stride * n)
    zeros = np.full(n, xxhash.xxh3_64_intdigest(bytes(stride)), np.uint64)
    big = ExpertFile(1, file.path, n, RecordLayout(32, 32, 32, ("f32", 0), ("f32", 1024), ("f32", 2048), None, 3072, stride), zeros)
    s = ExpertStreamer(Records((big,), []).container, 4, read_threads=1)
    cancel = CancelToken()
    told: list[float] = []
    cancel.on_cancel(lambda: told.append(monotonic()))
    timer = Timer(0.03, cancel.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        while True:
            for _ in s.stream(0, np.arange(n, dtype=np.int32), cancel):
                pass
    assert monotonic() - told[0] < 2.0
    timer.join()
    s.close()
