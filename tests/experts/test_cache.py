"""The cache against a model that keeps a plain list of slots."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.experts.cache import BUSY_AHEAD, BUSY_BYTES, PASSING, ExpertCache

LAYERS, WIDTH, BASE, SIZE = 3, 5, 4096, 512
KEYS = st.sets(st.integers(0, LAYERS * WIDTH - 1), min_size=1, max_size=6)


class CacheMachine(RuleBasedStateMachine):
    @initialize(n_slots=st.integers(1, 8))
    def start(self, n_slots: int) -> None:
        self.cache = ExpertCache(LAYERS, WIDTH, BASE, n_slots, SIZE)
        self.slots = {BASE + i * SIZE for i in range(n_slots)}
        self.loading: dict[int, int] = {}
        self.ready: dict[int, int] = {}
        self.held: set[int] = set()
        self.hits = self.misses = self.evictions = 0

    def worth(self, key: int, soon: bool = False) -> tuple[float, int]:
        return -self.cache._table.forecast(key, soon), -key

    @rule(ordinal=st.integers(0, LAYERS - 1), experts=st.sets(st.integers(0, WIDTH - 1), min_size=1))
    def access(self, ordinal: int, experts: set[int]) -> None:
        ids = sorted(experts)
        addresses, n = self.cache.access(ordinal, np.array(ids, np.int32))
        expected = [self.ready.get(ordinal * WIDTH + e, 0) for e in ids]
        assert addresses.tolist() == expected
        assert n == sum(a > 0 for a in expected)
        self.hits += n
        self.misses += len(ids) - n

    @rule(keys=KEYS, least=st.integers(0, 6), soon=st.booleans())
    def reserve(self, keys: set[int], least: int, soon: bool) -> None:
        wanted = sorted(keys - set(self.loading) - set(self.ready))
        free = len(self.slots) - len(self.loading) - len(self.ready)
        candidates = sorted(set(self.ready) - self.held, key=self.worth)
        newcomers = sorted(wanted, key=lambda k: self.worth(k, soon), reverse=True)[free:]
        pairs = zip(candidates, newcomers, strict=False)
        leaving = [k for i, (k, new) in enumerate(pairs) if i + free < least or self.worth(k)[0] < self.worth(new, soon)[0]]
        got = self.cache.reserve(wanted, least, soon)
        assert len(got) == min(len(wanted), free + len(leaving))
        for key in leaving:
            self.held.discard(key)
            del self.ready[key]
            self.evictions += 1
        assert set(got).isdisjoint(self.ready.values()), "a slot is overwritten while its key is still known"
        self.loading.update(zip(wanted, got, strict=False))

    @precondition(lambda self: self.loading)
    @rule(data=st.data())
    def arrive(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.loading)))
        self.ready[key] = self.loading.pop(key)
        assert self.cache.loaded(key) == self.ready[key]

    @precondition(lambda self: self.loading)
    @rule(data=st.data())
    def fail(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.loading)))
        del self.loading[key]
        self.cache.failed(key)

    @precondition(lambda self: self.ready)
    @rule(data=st.data())
    def hold(self, data: st.DataObject) -> None:
        keys = data.draw(st.sets(st.sampled_from(sorted(self.ready))))
        self.held |= keys
        self.cache.hold(keys)

    @rule(keys=KEYS)
    def release(self, keys: set[int]) -> None:
        self.held -= keys
        self.cache.release(keys)

    @invariant()
    def a_key_has_at_most_one_slot_and_a_slot_one_key(self) -> None:
        used = [*self.loading.values(), *self.ready.values()]
        assert len(set(used)) == len(used)
        assert set(used) <= self.slots
        assert not set(self.loading) & set(self.ready)

    @invariant()
    def the_cache_knows_what_the_model_knows(self) -> None:
        for key in range(LAYERS * WIDTH):
            assert self.cache.address(key) == self.ready.get(key, 0)
            assert self.cache.loading(key) == (key in self.loading)
        assert self.held <= set(self.ready), "a held key was evicted"
        assert (self.cache.hits, self.cache.misses, self.cache.evictions) == (self.hits, self.misses, self.evictions)


CacheMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestThatTheCacheAgreesWithItsModel = CacheMachine.TestCase


def test_that_a_key_cannot_get_a_second_slot() -> None:
    cache = ExpertCache(1, 4, BASE, 4, SIZE)
    cache.reserve([1, 2], 0)
    with pytest.raises(ValueError, match="already has a slot"):
        cache.reserve([1], 0)
    cache.loaded(2)
    with pytest.raises(ValueError, match="already has a slot"):
        cache.reserve([2], 0)


def test_that_few_slots_let_few_experts_pass() -> None:
    least = {n: ExpertCache(1, 4, BASE, n, BUSY_BYTES).least(3) for n in (1, 47, 96, 480, 5000)}
    assert least == {1: 1, 47: 1, 96: 2, 480: 10, 5000: PASSING}
    assert ExpertCache(1, 4, BASE, 8, BUSY_BYTES).least(PASSING + 1) == PASSING
    assert [ExpertCache(1, 4, BASE, n, 4096).least(3) for n in (1, 6, 8, 12, 20)] == [1, 6, 8, 8, 10], "eight keep nothing, of more half do"
    assert [ExpertCache(1, 4, BASE, n, 4096).least(3, ahead=True) for n in (1, 8, 20)] == [1, 4, 10]
    # Small experts pass in number, so that the drive is busy.
    assert [ExpertCache(1, 4, BASE, 40, size).least(3) for size in (BUSY_BYTES // 2, BUSY_BYTES // 3, 4096)] == [2, 4, PASSING]
    assert [ExpertCache(1, 4, BASE, 40, BUSY_AHEAD // n).least(3, ahead=True) for n in (1, 2)] == [1, 2]
