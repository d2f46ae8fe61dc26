"""Reads in parts, guesses that give way, copies on several drives. Rates are held by the reader itself, so that order does not hang
on this machine's drive."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kernels_pyx.aio import DEMAND, DROPPED, PREFETCH, Arena, DirectFile, Reader

BLOCK, PART = 4096, 1 << 20


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def finish(reader: Reader) -> dict[int, tuple[int, int]]:
    """tag: (error, lane), in the order of completion."""
    done: dict[int, tuple[int, int]] = {}
    while reader.pending:
        done |= {tag: (error, lane) for tag, error, lane, _ in reader.reap(True)}
    return done


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.fixture
def copies(tmp_path: Path) -> tuple[list[Path], np.ndarray]:
    """Three files of 16 parts with the same bytes."""
    content = np.random.default_rng(5).integers(0, 256, 16 * PART, dtype=np.uint8)
    paths = [tmp_path / f"{i}.bin" for i in range(3)]
    for path in paths:
        path.write_bytes(content.tobytes())
    return paths, content


def test_that_a_guess_in_flight_delays_a_demand_read_by_its_parts_in_flight_only(copies: tuple[list[Path], np.ndarray]) -> None:
    paths, content = copies
    arena, file = Arena(17 * PART), DirectFile(str(paths[0]))
    for threads in (1, 4):
        reader = Reader(threads)
        reader.limit(0, 20e6)
        reader.submit(file, i64(0), i64(arena.address), 16 * PART, i64(10), PREFETCH)
        until(lambda r=reader: r.lane(0).reads)
        before = reader.lane(0)
        assert before.flight_bytes <= max(threads // 2, 1) * PART
        reader.submit(file, i64(PART), i64(arena.address + 16 * PART), BLOCK, i64(1))
        assert reader.reap(True) == [(1, 0, -1, ())]
        assert reader.lane(0).reads - before.reads <= max(threads // 2, 1) + 2
        assert np.array_equal(arena.array[16 * PART : 16 * PART + BLOCK], content[PART : PART + BLOCK])
        reader.limit(0, 0)
        assert finish(reader) == {10: (0, -1)}
        assert np.array_equal(arena.array[: 16 * PART], content)
        reader.close()


def test_that_one_read_occupies_all_threads_and_many_are_read_in_long_parts(copies: tuple[list[Path], np.ndarray]) -> None:
    paths, content = copies
    arena, file, reader = Arena(16 * PART), DirectFile(str(paths[0])), Reader(4)
    reader.limit(0, 1000)
    reader.submit(file, i64(0), i64(arena.address), PART // 2, i64(0))
    until(lambda: len(reader.stuck(0, 0.0)) == 4)  # a thread each
    reader.limit(0, 0)
    finish(reader)
    before = reader.lane(0).reads
    at = np.arange(32) * PART // 2
    reader.submit(file, at, arena.address + at, PART // 2, np.arange(32))
    finish(reader)
    assert np.array_equal(arena.array, content)
    assert reader.lane(0).reads - before <= 32 + 4 * 8  # whole, but for what idle threads shared at the ends
    reader.close()


def test_that_no_guess_begins_while_a_demand_read_is_in_flight(copies: tuple[list[Path], np.ndarray]) -> None:
    arena, file, reader = Arena(2 * PART), DirectFile(str(copies[0][0])), Reader(4)
    reader.limit(0, 1000)
    reader.submit(file, i64(0), i64(arena.address), PART, i64(1))
    until(lambda: reader.lane(0).flight_bytes)
    reader.submit(file, i64(0), i64(arena.address + PART), BLOCK, i64(10), PREFETCH)
    time.sleep(0.05)
    assert reader.lane(0).flight_bytes == PART
    reader.limit(0, 0)
    assert list(finish(reader)) == [1, 10]
    reader.close()


def test_that_a_promoted_guess_passes_the_others_and_unknown_tags_do_nothing(copies: tuple[list[Path], np.ndarray]) -> None:
    arena, file, reader = Arena(PART), DirectFile(str(copies[0][0])), Reader(1)
    reader.limit(0, 20e6)
    reader.submit(file, i64(0), i64(arena.address), PART, i64(0))
    reader.submit(file, i64(0, 0, 0), i64(*[arena.address] * 3), BLOCK, i64(10, 11, 12), PREFETCH)
    reader.submit(file, i64(0), i64(arena.address), BLOCK, i64(1))
    assert reader.promote(i64(12, 99, 0)) == 1
    assert reader.promote(i64()) == 0
    assert list(finish(reader)) == [0, 1, 12, 10, 11]
    reader.close()


def test_that_dropping_ends_a_read_between_its_parts(copies: tuple[list[Path], np.ndarray]) -> None:
    arena, file, reader = Arena(17 * PART), DirectFile(str(copies[0][0])), Reader(2)
    for drop in (lambda: reader.drop(PREFETCH), lambda: reader.drop_tags(i64(7))):
        reader.limit(0, 20e6)
        before = reader.lane(0).reads
        reader.submit(file, i64(0), i64(arena.address), 16 * PART, i64(7), PREFETCH)
        until(lambda n=before: reader.lane(0).reads > n)
        assert drop() == 1  # type: ignore[no-untyped-call]
        assert finish(reader) == {7: (DROPPED, -1)}
        assert reader.lane(0).reads - before < 16
        assert reader.lane(0).flight_bytes == 0
    reader.close()


def test_that_copies_share_a_read_and_the_slower_drive_does_less(copies: tuple[list[Path], np.ndarray]) -> None:
    paths, content = copies
    arena, reader = Arena(16 * PART), Reader(2, lanes=3)
    files = [DirectFile(str(p), lane=i) for i, p in enumerate(paths)]
    for lane, rate in enumerate((80e6, 20e6, 80e6)):
        reader.limit(lane, rate)
    for _ in range(2):
        arena.array[:] = 0
        reader.submit(files, np.arange(4) * 4 * PART, arena.address + np.arange(4) * 4 * PART, 4 * PART, np.arange(4))
        ended = 0
        while reader.pending:
            for _, error, _, parts in reader.reap(True):
                assert (error, sum(parts), len(parts)) == (0, 0xFFFFFF, 3)  # each part once; eight a copy
                ended += 1
        assert ended == 4
        assert np.array_equal(arena.array, content)
    done = [reader.lane(i).bytes_read for i in range(3)]
    assert sum(done) == reader.bytes_read == 2 * content.nbytes
    assert 0 < done[1] < 0.25 * sum(done) < min(done[0], done[2])
    assert reader.lane(1).rate < 0.5 * reader.lane(0).rate
    reader.close()


@pytest.mark.parametrize("rates", [(0, 0, 0), (50e6, 50e6, 50e6), (80e6, 50e6, 20e6)])
def test_that_each_part_has_a_taker_however_few_wait(copies: tuple[list[Path], np.ndarray], rates: tuple[float, ...]) -> None:
    arena, reader = Arena(PART), Reader(2, lanes=3)
    files = [DirectFile(str(p), lane=i) for i, p in enumerate(copies[0])]
    for lane, rate in enumerate(rates):
        reader.limit(lane, rate)
    for i in range(300):
        reader.submit(files, i64(i % 256 * BLOCK), i64(arena.address), BLOCK, i64(i))
        assert reader.reap(True, 60_000)[0][:3] == (i, 0, -1)
    reader.close()


def test_that_a_disabled_lane_reads_only_what_no_other_can(copies: tuple[list[Path], np.ndarray]) -> None:
    paths, content = copies
    arena, reader = Arena(16 * PART), Reader(2, lanes=2)
    files = [DirectFile(str(p), lane=i) for i, p in enumerate(paths[:2])]
    reader.enable(1, False)
    assert not reader.lane(1).enabled
    reader.submit(files, i64(0), i64(arena.address), 8 * PART, i64(0))
    finish(reader)
    assert (reader.lane(0).bytes_read, reader.lane(1).bytes_read) == (8 * PART, 0)
    reader.submit(files[1], i64(8 * PART), i64(arena.address + 8 * PART), 8 * PART, i64(1))
    finish(reader)
    assert (reader.lane(0).bytes_read, reader.lane(1).bytes_read) == (8 * PART, 8 * PART)
    assert np.array_equal(arena.array, content)
    reader.enable(0, False)  # where no lane is enabled, all do what they can
    reader.submit(files, i64(0), i64(arena.address), 8 * PART, i64(2))
    assert finish(reader) == {2: (0, -1)}
    reader.close()


def test_that_an_error_names_its_lane_and_the_read_ends_once(copies: tuple[list[Path], np.ndarray]) -> None:
    paths, _ = copies
    with paths[1].open("r+b") as f:
        f.truncate(BLOCK)
    arena, reader = Arena(16 * PART), Reader(2, lanes=2)
    files = [DirectFile(str(p), lane=i) for i, p in enumerate(paths[:2])]
    reader.limit(0, 1e6)  # so that lane 1 comes to its end
    reader.submit(files, i64(0), i64(arena.address), 16 * PART, i64(3))
    until(lambda: reader.lane(1).reads)
    reader.limit(0, 0)
    assert finish(reader) == {3: (-1, 1)}
    reader.close()


def test_that_a_stuck_read_is_named_and_close_does_not_sleep_on(copies: tuple[list[Path], np.ndarray]) -> None:
    arena, reader = Arena(4 * PART), Reader(4)
    reader.limit(0, 1000)
    reader.submit(DirectFile(str(copies[0][0])), i64(0), i64(arena.address), 4 * PART, i64(5))
    until(lambda: set(reader.stuck(0, 0.02)) == {5})
    assert reader.stuck(0, 3600) == []
    assert reader.lane(0).oldest_seconds > 0.02
    start = time.monotonic()
    reader.close()
    assert time.monotonic() - start < 60  # at its rate the read would take over an hour
    assert list(finish(reader)) == [5]


def test_that_files_and_lanes_that_do_not_fit_are_refused(copies: tuple[list[Path], np.ndarray]) -> None:
    path, arena = str(copies[0][0]), Arena(BLOCK)
    reader = Reader(1, lanes=2)
    for files in ([], [DirectFile(path, lane=2)], [DirectFile(path, lane=1), DirectFile(path, lane=1)], [DirectFile(path)] * 9):
        with pytest.raises(ValueError):
            reader.submit(files, i64(0), i64(arena.address), BLOCK, i64(0), DEMAND)
    for bad in ({"lanes": 0}, {"lanes": 17}, {"part_bytes": 5}, {"part_bytes": 0}):
        with pytest.raises(ValueError):
            Reader(1, **bad)
    for call in (reader.lane, lambda n: reader.enable(n, True), lambda n: reader.limit(n, 0), lambda n: reader.stuck(n, 1)):
        for lane in (-1, 2):
            with pytest.raises(ValueError):
                call(lane)
    with pytest.raises(ValueError):
        reader.limit(0, -1)
    assert reader.pending == 0
    reader.close()
