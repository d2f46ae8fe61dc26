"""The store's side of guesses: priorities, promotion, dropping, and one answer for each key."""

from pathlib import Path

import numpy as np
import pytest

from engine.experts.store import DROPPED, PREFETCH, ExpertStore
from kernels_pyx.aio import Arena
from tests.experts.records import Records, at, write_records

STRIDE = 4 << 20


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return write_records(tmp_path, [STRIDE, STRIDE], [4, 4])


def finish(store: ExpertStore) -> dict[int, int]:
    done: dict[int, int] = {}
    while store.pending:
        done |= dict(store.reap(20))
    return done


def test_that_demand_passes_guesses_and_a_promoted_guess_passes_the_others(records: Records) -> None:
    arena, store = Arena(8 * STRIDE), ExpertStore(records.experts, 4, True, 1, 8)
    slot = [arena.address + i * STRIDE for i in range(8)]
    store.submit(0, [0], slot[:1])
    store.submit(1, [4, 5, 6], slot[4:7], PREFETCH)
    store.submit(0, [1, 2], slot[1:3])
    store.promote([6, 3])
    assert list(finish(store)) == [0, 1, 2, 6, 4, 5]
    for key in (0, 1, 2, 4, 5, 6):
        assert np.array_equal(at(slot[key], STRIDE), records.content[key // 4][key % 4])
    store.close()


def test_that_guesses_are_dropped_and_demand_stays(records: Records) -> None:
    arena, store = Arena(8 * STRIDE), ExpertStore(records.experts, 4, True, 1, 8)
    slot = [arena.address + i * STRIDE for i in range(8)]
    store.submit(0, [0], slot[:1])
    store.submit(1, [4, 5], slot[4:6], PREFETCH)
    store.submit(0, [1], slot[1:2])
    store.drop(PREFETCH)
    assert finish(store) == {4: DROPPED, 5: DROPPED, 0: 0, 1: 0}
    store.close()
