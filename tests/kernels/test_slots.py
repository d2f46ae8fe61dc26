"""The slot table against a plain NumPy model that keeps every use."""

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kernels_pyx.slots import SlotTable

GROUPS, WIDTH = 3, 5
HALF_LIVES, WEIGHTS, FLOORS, BIAS, HABIT = (1.0, 3.0, 20.0), (0.4, 0.3, 0.5), (-4.0, -6.0, -8.0), 1.5, 50.0
KEYS = st.sets(st.integers(0, GROUPS * WIDTH - 1), min_size=1, max_size=6)


def table(groups: int = GROUPS, width: int = WIDTH) -> SlotTable:
    return SlotTable(groups, width, HALF_LIVES, WEIGHTS, FLOORS, BIAS, HABIT)


def visit(t: SlotTable, group: int, *items: int) -> tuple[npt.NDArray[np.int64], int]:
    return t.visit(group, np.array(items, np.int32))


class Model:
    """Uses of each key as (step, share), and what follows from them by the published formula."""

    def __init__(self) -> None:
        self.step, self.last = 0, GROUPS
        self.visited = [0] * GROUPS
        self.uses: dict[int, list[tuple[int, float]]] = {k: [] for k in range(GROUPS * WIDTH)}

    def visit(self, group: int, items: list[int], rows: int, counts: list[int]) -> None:
        if group <= self.last:
            self.step += rows
        self.last = group
        self.visited[group] = self.step
        for item, count in zip(items, counts, strict=True):
            uses = self.uses[group * WIDTH + item]
            uses += [(self.step - r, count / rows) for r in range(rows)]

    def count(self, key: int, half_life: float, now: int, more: int = 0) -> float:
        return more + sum(share * 2.0 ** ((step - now) / half_life) for step, share in self.uses[key])

    def forecast(self, key: int, after_use: bool) -> float:
        group = key // WIDTH
        now = self.step if after_use else self.visited[group]
        z = BIAS
        for half_life, weight, floor in zip(HALF_LIVES, WEIGHTS, FLOORS, strict=True):
            frequency = self.count(key, half_life, now, int(after_use)) * (1 - 2.0 ** (-1 / half_life))
            z += weight * max(np.log2(frequency) if frequency > 0 else -np.inf, floor)
        return float(GROUPS * (now + 1 + 2.0**-z) + group)


class TableMachine(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.table, self.model = table(), Model()
        self.ready: dict[int, int] = {}
        self.held: set[int] = set()
        self.fresh = itertools.count(1)

    @rule(group=st.integers(0, GROUPS - 1), items=st.sets(st.integers(0, WIDTH - 1), min_size=1), rows=st.integers(1, 4), data=st.data())
    def use(self, group: int, items: set[int], rows: int, data: st.DataObject) -> None:
        ids = sorted(items)
        counts = [data.draw(st.integers(1, rows)) for _ in ids]
        self.model.visit(group, ids, rows, counts)
        addresses, n = self.table.visit(group, np.array(ids, np.int32), rows, np.array(counts, np.int32))
        assert addresses.tolist() == [self.ready.get(group * WIDTH + e, 0) for e in ids]
        assert n == np.count_nonzero(addresses)

    @rule(keys=KEYS)
    def admit(self, keys: set[int]) -> None:
        for key in sorted(keys - set(self.ready)):
            self.ready[key] = next(self.fresh)
            self.table.admit(key, self.ready[key])

    @rule(keys=KEYS)
    def hold(self, keys: set[int]) -> None:
        self.held |= keys & set(self.ready)
        self.table.hold(keys)

    @rule(keys=KEYS)
    def release(self, keys: set[int]) -> None:
        self.held -= keys
        self.table.release(keys)

    @rule(n=st.integers(1, 4), newcomers=st.lists(st.integers(0, GROUPS * WIDTH - 1), min_size=4, max_size=6, unique=True),
          spare=st.integers(0, 4), after_use=st.booleans())
    def evict(self, n: int, newcomers: list[int], spare: int, after_use: bool) -> None:
        forecast = {k: self.table.forecast(k) for k in self.ready}
        bars = sorted(self.table.forecast(k, after_use) for k in newcomers)[len(newcomers) - n :]
        order = sorted(set(self.ready) - self.held, key=lambda k: (forecast[k], k), reverse=True)[:n]
        leaving = list(itertools.takewhile(lambda i: i < spare or forecast[order[i]] > bars[i], range(len(order))))
        assert self.table.evict(n, newcomers, spare, after_use) == [self.ready.pop(order[i]) for i in leaving]

    @invariant()
    def the_table_knows_what_the_model_knows(self) -> None:
        assert self.table.step == self.model.step
        habits = self.table.habits()
        for key in range(GROUPS * WIDTH):
            assert self.table.address(key) == self.ready.get(key, 0)
            for after_use in (False, True):
                assert self.table.forecast(key, after_use) == pytest.approx(self.model.forecast(key, after_use), rel=1e-5)
            assert habits[key] == pytest.approx(self.model.count(key, HABIT, self.model.step), rel=1e-5)


TableMachine.TestCase.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)
TestThatTheTableAgreesWithItsModel = TableMachine.TestCase


def test_that_forecasts_stay_finite_and_ordered_over_millions_of_steps() -> None:
    t = table(1, 3)
    t.visit(0, np.array([0], np.int32), 10_000_000)
    for step in range(50):
        visit(t, 0, 0, *([1] if step % 2 else []))
    assert t.forecast(0) < t.forecast(1) < t.forecast(2) < np.inf


def test_that_among_equals_that_of_the_later_group_leaves_first() -> None:
    t = table(3, 2)
    for group in range(3):
        visit(t, group, 0, 1)
        t.admit(group * 2, 10 + group * 2)
        t.admit(group * 2 + 1, 11 + group * 2)
    t.hold([4])
    assert t.evict(4, [0] * 4, 4) == [15, 13, 12, 11]
    t.release([4])
    assert t.evict(9, [0] * 9, 9) == [14, 10]


def test_that_what_its_group_s_visit_brings_sooner_stays() -> None:
    t = table(4, 1)
    for group, uses in ((0, []), (1, []), (2, [0]), (3, [0]), (0, [0]), (1, [0])):
        visit(t, group, *uses)
    # Each was used once, at its group's last visit; groups 2 and 3 come next, 0 and 1 a round later.
    assert t.forecast(2) < t.forecast(3) < t.forecast(0) < t.forecast(1)


def test_that_habits_are_taken_up_as_frequencies() -> None:
    old = table()
    for step in range(400):
        visit(old, 0, 0, *([1] if step % 4 == 0 else []))
    new = table()
    new.take_up(old.habits())
    assert new.habits() == pytest.approx(old.habits(), rel=1e-5)
    assert new.forecast(0) < new.forecast(1) < new.forecast(2)
    with pytest.raises(ValueError, match="cannot be taken up"):
        new.take_up(np.zeros(3))
    visit(new, 0, 1)
    with pytest.raises(ValueError, match="at step 1"):
        new.take_up(old.habits())


@pytest.mark.parametrize("width", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("groups", [1, 2, 5])
def test_that_every_key_can_leave_in_every_shape(groups: int, width: int) -> None:
    t = table(groups, width)
    keys = list(range(groups * width))
    for key in keys:
        t.admit(key, key + 1)
    assert sorted(t.evict(len(keys), keys, len(keys))) == [key + 1 for key in keys]
    assert t.evict(1, [0], 1) == []


def test_that_its_bytes_are_known_before_it_is_made() -> None:
    assert SlotTable.nbytes_for(0, 0) == 0
    assert SlotTable.nbytes_for(3, 5) == 3 * (5 * 33 + 8) + 16 * 4 * 8


def test_that_what_does_not_fit_is_refused() -> None:
    t = table()
    t.admit(1, 7)
    for wrong in (
        lambda: t.admit(1, 8),
        lambda: t.admit(2, 0),
        lambda: t.admit(GROUPS * WIDTH, 8),
        lambda: t.address(-1),
        lambda: visit(t, GROUPS, 0),
        lambda: visit(t, 0, WIDTH),
        lambda: visit(t, 0, -1),
        lambda: t.visit(0, np.zeros(1, np.int32), 0),
        lambda: t.visit(0, np.zeros(1, np.int32), 1, np.zeros(2, np.int32)),
        lambda: SlotTable(1, 1, (1.0,), WEIGHTS, FLOORS, BIAS, HABIT),
    ):
        with pytest.raises(ValueError):
            wrong()
    assert t.step == 0, "a refused visit counts nothing"
