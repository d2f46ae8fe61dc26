import os
import sys
import threading
import time

import numpy as np
import pytest

from kernels_pyx.compute import ISAS, Compute, Interrupted, Rows
from kernels_pyx.linear import Linear, Matrix, pack, read_loop


def test_that_the_instruction_set_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ISAS[0] == "generic"
    assert Compute(1, True, 1, 32).isa == ISAS[-1]
    for isa in ISAS:
        assert Compute(1, True, 1, 32, isa).isa == isa
        monkeypatch.setenv("OUZEL_ISA", isa)
        assert Compute(1, True, 1, 32).isa == isa
    with pytest.raises(ValueError, match="it runs generic"):
        Compute(1, True, 1, 32, "sse9")


@pytest.mark.parametrize("wrong", [(0, 1, 32), (100000, 1, 32), (1, 0, 32), (1, 1, 0)])
def test_that_wrong_sizes_are_refused(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError):
        Compute(wrong[0], False, wrong[1], wrong[2])
    with pytest.raises(ValueError):
        Rows(0, 4)


@pytest.mark.parametrize("exact", [True, False])
def test_that_scratch_is_known_before_it_is_taken(exact: bool) -> None:
    c = Compute(2, exact, 33, 100)
    assert c.scratch_bytes == Compute.scratch_bytes_for(2, exact, 33, 100) >= 33 * 128 * 4


def test_that_rows_are_zeroed_aligned_and_shared_with_their_array() -> None:
    rows = Rows(3, 5)
    assert rows.array.shape == (3, 5) and rows.nbytes == 60 and not rows.array.any()
    assert rows.array.ctypes.data % 64 == 0


def test_that_pools_in_many_threads_at_once_give_right_sums() -> None:
    data = np.random.default_rng(1).integers(0, 256, 1 << 20, dtype=np.uint8)
    expected = int(np.bitwise_xor.reduce(data.view(np.uint64)))
    wrong: list[int] = []

    def work() -> None:
        c = Compute(4, True, 1, 32)
        for _ in range(100):
            if (got := read_loop(c, data)) != expected:
                wrong.append(got)
        c.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_that_sleeping_workers_wake_for_the_next_job() -> None:
    data = np.ones(1 << 20, np.uint8)
    c = Compute(4, True, 1, 32)
    for _ in range(5):
        assert read_loop(c, data) == 0
        time.sleep(0.005)
    c.close()


def test_that_an_idle_pool_uses_no_processor_time() -> None:
    c = Compute(4, True, 1, 32)
    for _ in range(50):
        read_loop(c, np.ones(1 << 20, np.uint8))
    time.sleep(0.01)
    before = time.process_time()
    time.sleep(1)
    assert time.process_time() - before < 0.01
    c.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_that_no_job_makes_a_thread() -> None:
    def threads() -> set[str]:
        return set(os.listdir("/proc/self/task"))  # noqa: PTH208 - names alone

    c, data = Compute(4, True, 1, 32), np.ones(1 << 20, np.uint8)
    before = threads()
    for _ in range(300):
        read_loop(c, data)
    assert threads() == before
    c.close()
    assert len(threads()) == len(before) - 3


def test_that_cancel_from_another_thread_stops_a_running_product() -> None:
    w = pack("f32", np.zeros((512, 512), np.float32))
    c, x, out = Compute(2, True, 512, 512, "generic"), Rows(512, 512), Rows(512, 512)
    linear = Linear([Matrix("f32", 512, 512, w)])
    timer = threading.Timer(0.05, c.cancel)
    timer.start()
    with pytest.raises(Interrupted):
        for _ in range(100000):
            linear(c, x, 512, [out])
    assert c.cancelled
    c.resume()
    assert not c.cancelled
    linear(c, x, 4, [out])


def test_that_a_closed_compute_refuses_work_and_may_be_closed_again() -> None:
    c = Compute(3, True, 1, 32)
    c.close()
    c.close()
    c.cancel()
    assert not c.cancelled
    with pytest.raises(ValueError, match="closed"):
        read_loop(c, np.ones(64, np.uint8))
