import errno
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernels_pyx.aio import DEMAND, DROPPED, PREFETCH, Arena, DirectFile, Reader

BLOCK = 4096


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@pytest.fixture
def blocks(tmp_path: Path) -> tuple[Path, np.ndarray]:
    content = np.random.default_rng(1).integers(0, 256, 64 * BLOCK, dtype=np.uint8)
    path = tmp_path / "experts ü.bin"
    path.write_bytes(content.tobytes())
    return path, content


def reap_all(reader: Reader) -> dict[int, int]:
    done: dict[int, int] = {}
    while reader.pending:
        for tag, error, lane, _ in reader.reap(True):
            assert tag not in done
            assert (lane >= 0) == (error not in (0, DROPPED))
            done[tag] = error
    return done


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("threads", [1, 4])
def test_that_reads_bring_the_bytes_of_their_offsets(blocks: tuple[Path, np.ndarray], direct: bool, threads: int) -> None:
    path, content = blocks
    arena = Arena(64 * BLOCK)
    file = DirectFile(str(path), direct=direct)
    reader = Reader(threads)
    order = np.random.default_rng(2).permutation(32).astype(np.int64)
    reader.submit(file, order * 2 * BLOCK, arena.address + np.arange(32) * 2 * BLOCK, 2 * BLOCK, order + 100)
    assert reap_all(reader) == {int(i) + 100: 0 for i in order}
    assert np.array_equal(arena.array.reshape(32, -1), content.reshape(32, -1)[order])
    assert reader.bytes_read == content.nbytes
    assert 0 < reader.busy_seconds < 60
    assert file.nbytes == content.nbytes
    assert not (direct and not file.direct and not file.why)
    reader.close()


def test_that_a_read_past_the_end_is_short_and_the_others_are_not(blocks: tuple[Path, np.ndarray]) -> None:
    path, content = blocks
    with path.open("r+b") as f:
        f.truncate(5 * BLOCK + 100)
    arena = Arena(6 * 2 * BLOCK)
    for direct in (True, False):
        reader = Reader(2)
        file = DirectFile(str(path), direct)
        reader.submit(file, np.arange(4) * 2 * BLOCK, arena.address + np.arange(4) * 2 * BLOCK, 2 * BLOCK, np.arange(4))
        assert reap_all(reader) == {0: 0, 1: 0, 2: -1, 3: -1}
        assert np.array_equal(arena.array[: 4 * BLOCK], content[: 4 * BLOCK])
        reader.close()


@pytest.mark.skipif(sys.platform != "linux", reason="looks at a file system of Linux")
def test_that_a_file_system_without_direct_reads_is_reported_and_read_anyway() -> None:
    file = DirectFile("/proc/self/status")
    assert not file.direct and file.why
    arena = Arena(BLOCK)
    reader = Reader(1)
    reader.submit(file, i64(0), i64(arena.address), BLOCK, i64(0))
    assert reap_all(reader) == {0: -1}
    assert arena.array[:5].tobytes() == b"Name:"


def test_that_a_missing_file_and_a_folder_are_os_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        DirectFile(str(tmp_path / "none.bin"))
    with pytest.raises(OSError, match="irectory"):
        DirectFile(str(tmp_path))


def test_that_a_failing_read_reports_the_error_of_the_system(blocks: tuple[Path, np.ndarray]) -> None:
    arena = Arena(BLOCK)
    reader = Reader(1)
    file = DirectFile(str(blocks[0]), direct=False)
    # a kernel-side address that no process may write
    reader.submit(file, i64(0), i64(BLOCK), BLOCK, i64(7))
    assert reap_all(reader) == {7: errno.EFAULT}
    reader.submit(file, i64(0), i64(arena.address), BLOCK, i64(8))
    assert reap_all(reader) == {8: 0}


@pytest.fixture
def slow_file(tmp_path: Path) -> Path:
    path = tmp_path / "slow.bin"
    with path.open("wb") as f:
        f.truncate(64 << 20)
    return path


def test_that_demand_passes_prefetch(slow_file: Path) -> None:
    arena = Arena(64 << 20)
    reader = Reader(1)
    file = DirectFile(str(slow_file))
    # the first read is long enough that the others are queued behind it
    reader.submit(file, i64(0), i64(arena.address), 64 << 20, i64(0))
    reader.submit(file, np.arange(3) * BLOCK, arena.address + np.arange(3) * BLOCK, BLOCK, i64(10, 11, 12), PREFETCH)
    reader.submit(file, np.arange(3) * BLOCK, arena.address + np.arange(3, 6) * BLOCK, BLOCK, i64(1, 2, 3), DEMAND)
    assert list(reap_all(reader)) == [0, 1, 2, 3, 10, 11, 12]


def test_that_drop_completes_waiting_prefetches_and_leaves_demand(slow_file: Path) -> None:
    arena = Arena(64 << 20)
    reader = Reader(1)
    file = DirectFile(str(slow_file))
    reader.submit(file, i64(0), i64(arena.address), 64 << 20, i64(0))
    reader.submit(file, i64(0, 0), i64(arena.address, arena.address), BLOCK, i64(10, 11), PREFETCH)
    reader.submit(file, i64(0), i64(arena.address), BLOCK, i64(1), DEMAND)
    assert reader.drop(PREFETCH) == 2
    assert reader.drop(PREFETCH) == 0
    assert reap_all(reader) == {10: -2, 11: -2, 0: 0, 1: 0}


def test_that_close_drops_what_waits_and_keeps_the_completions(slow_file: Path) -> None:
    arena = Arena(64 << 20)
    reader = Reader(1)
    file = DirectFile(str(slow_file))
    reader.submit(file, i64(0), i64(arena.address), 64 << 20, i64(0))
    reader.submit(file, i64(0, 0), i64(arena.address, arena.address), BLOCK, i64(1, 2))
    file.close()
    reader.close()
    reader.close()
    done = reap_all(reader)
    assert done.keys() == {0, 1, 2}
    assert done[0] in (0, -2)
    assert done[2] == -2
    with pytest.raises(ValueError, match="closed"):
        reader.submit(DirectFile(str(slow_file)), i64(0), i64(arena.address), BLOCK, i64(3))


def test_that_reap_without_pending_reads_returns_at_once_and_a_timeout_ends_a_wait(slow_file: Path) -> None:
    reader = Reader(1)
    assert reader.reap(True) == []
    arena = Arena(64 << 20)
    reader.submit(DirectFile(str(slow_file)), i64(0), i64(arena.address), 64 << 20, i64(0))
    first = reader.reap(True, 0)
    assert reap_all(reader) | {tag: error for tag, error, *_ in first} == {0: 0}


def test_that_misaligned_or_too_many_reads_are_refused_whole(blocks: tuple[Path, np.ndarray]) -> None:
    arena = Arena(4 * BLOCK)
    file = DirectFile(str(blocks[0]))
    reader = Reader(1, max_pending=2)
    a = arena.address
    for offsets, addresses, nbytes, tags, priority in [
        (i64(1), i64(a), BLOCK, i64(0), DEMAND),
        (i64(0), i64(a + 8), BLOCK, i64(0), DEMAND),
        (i64(0), i64(a), BLOCK - 1, i64(0), DEMAND),
        (i64(0), i64(a), 0, i64(0), DEMAND),
        (i64(-BLOCK), i64(a), BLOCK, i64(0), DEMAND),
        (i64(0), i64(a), BLOCK, i64(0), 2),
        (i64(0, 0), i64(a), BLOCK, i64(0), DEMAND),
        (i64(0, 0, 0), i64(a, a, a), BLOCK, i64(0, 1, 2), DEMAND),
    ]:
        with pytest.raises(ValueError):
            reader.submit(file, offsets, addresses, nbytes, tags, priority)
    assert reader.pending == 0
    reader.submit(file, i64(0, BLOCK), i64(a, a + BLOCK), BLOCK, i64(0, 1))
    with pytest.raises(ValueError, match="max_pending"):
        reader.submit(file, i64(0), i64(a), BLOCK, i64(2))
    assert reap_all(reader) == {0: 0, 1: 0}
    file.close()
    with pytest.raises(ValueError, match="closed"):
        reader.submit(file, i64(0), i64(a), BLOCK, i64(0))


def test_that_an_arena_is_aligned_zeroed_and_outlived_by_its_views() -> None:
    arena = Arena(3 * BLOCK + 5)
    assert arena.address % BLOCK == 0
    assert arena.array.shape == (3 * BLOCK + 5,)
    assert not arena.array.any()
    view = arena.array[:10]
    assert view.ctypes.data == arena.address
    arena.close()
    arena.close()
    view[:] = 7
    assert view.sum() == 70
    assert arena.array.size == 0


def test_that_an_impossible_arena_is_an_error() -> None:
    with pytest.raises(MemoryError):
        Arena(1 << 60)
    with pytest.raises(ValueError):
        Arena(0)


def test_that_making_an_arena_tells_how_far_it_is_and_can_be_ended_there() -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()
    seen: list[float] = []

    def half(fraction: float) -> None:
        seen.append(fraction)
        if fraction >= 0.5:
            raise InterruptedError

    before = process.memory_info().rss
    with pytest.raises(InterruptedError):
        Arena(256 << 20, progress=half)
    assert seen == sorted(seen) and seen[0] == 0.0 and len(seen) > 16
    assert process.memory_info().rss - before < 16 << 20


def test_that_an_untouched_arena_costs_nothing_until_it_is_used_or_touched() -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()
    before = process.memory_info().rss
    arena = Arena(64 << 20, touch=False)
    assert process.memory_info().rss - before < 8 << 20
    arena.array[:5] = 1, 2, 3, 4, 5
    arena.touch()
    assert arena.array[:6].tolist() == [1, 2, 3, 4, 5, 0]
    assert process.memory_info().rss - before > 60 << 20
    arena.close()


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are another thing there")
def test_that_a_refused_lock_is_told_and_no_error() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    script = (
        "import resource\n"
        "from kernels_pyx.aio import Arena\n"
        "resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))\n"
        "try:\n    import os; os.setuid(65534)\nexcept OSError: pass\n"
        "a = Arena(1 << 20, lock=True)\n"
        "print(a.locked, bool(a.why), int(a.array.sum()))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.stdout.split() == ["False", "True", "0"], run.stderr
    assert resource.getrlimit(resource.RLIMIT_MEMLOCK) == (soft, hard)


def test_that_an_arena_is_dealt_out_in_aligned_parts_up_to_its_end() -> None:
    arena = Arena(4096)
    parts = [arena.take(n) for n in (1, 100, 64, 0)]
    assert [p.ctypes.data - arena.address for p in parts[:3]] == [0, 64, 192]
    assert arena.taken == 256
    rest = arena.take(4096 - 256)
    with pytest.raises(MemoryError):
        arena.take(1)
    for i, part in enumerate((*parts, rest)):
        part[:] = i + 1
    assert [int(p[0]) for p in (parts[0], parts[1], parts[2], rest)] == [1, 2, 3, 5]


def test_that_closing_an_arena_gives_its_memory_back() -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()
    arena = Arena(64 << 20)
    before = process.memory_info().rss
    arena.close()
    assert before - process.memory_info().rss > 60 << 20


def test_that_readers_that_go_with_reads_in_flight_leave_no_file_open(blocks: tuple[Path, np.ndarray]) -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()
    arena = Arena(64 * BLOCK)
    for _ in range(30):
        reader = Reader(3)
        reader.submit(DirectFile(str(blocks[0])), np.arange(64) * BLOCK, arena.address + np.arange(64) * BLOCK, BLOCK, np.arange(64))
        del reader
    assert not [f for f in process.open_files() if f.path.endswith(".bin")]
    assert process.num_threads() < 30
