"""The delta rule against its float64 reference, and its promise: chunks, threads, drafts and cancelled steps never change a bit."""

import numpy as np
import pytest

from engine.arch.spec import Decay, Delta
from kernels_pyx import recurrent
from kernels_pyx.compute import ISAS, Compute, Interrupted, Rows
from tests.reference.delta import recur

T, REPLAY = 24, 4
SHAPES = [(2, 4, 16, 16, 4), (3, 3, 24, 20, 4), (1, 2, 128, 128, 4), (2, 2, 7, 80, 2), (1, 1, 16, 16, 1)]


class Layer:
    """One layer with random weights and T rows of inputs, some of them small enough for the key norm's constant to matter."""

    def __init__(self, shape: tuple[int, int, int, int, int], per_channel: bool, floor: float | None, gate: str) -> None:
        self.m = m = Delta(*shape, norm_eps=1e-5, decay=Decay(per_channel, floor), gate_act=gate)  # type: ignore[arg-type]
        rng = np.random.default_rng(sum(shape) + per_channel)
        keys, values = m.n_key_heads * m.d_key, m.n_value_heads * m.d_value

        def draw(*n: int) -> np.ndarray:
            return rng.standard_normal(n, dtype=np.float32)

        small = np.where(np.arange(T) % 3 == 1, 1e-3, 1.0)[:, None]
        self.rows = [(draw(T, n) * small).astype(np.float32) for n in (keys, keys, values)]
        self.rows += [draw(T, m.d_decay), draw(T, m.n_value_heads), draw(T, values)]
        self.convs = tuple(draw(m.conv, n) for n in (keys, keys, values))
        self.bias, self.log, self.norm = draw(m.d_decay) - 2, 0.7 + 0.5 * draw(m.n_value_heads), 1 + 0.2 * draw(m.d_value)
        self.kernel = recurrent.Delta(
            *shape[:4], conv_q=self.convs[0], conv_k=self.convs[1], conv_v=self.convs[2], decay_bias=self.bias, decay_log=self.log,
            per_channel=per_channel, floor=floor, norm=self.norm, norm_eps=m.norm_eps, gate=gate,
        )
        self.buffers = [Rows(T, r.shape[1]) for r in self.rows]
        self.out = Rows(T, values)

    def state(self) -> recurrent.DeltaState:
        m = self.m
        return recurrent.DeltaState(m.n_key_heads, m.n_value_heads, m.d_key, m.d_value, m.conv, REPLAY, m.decay.per_channel)

    def step(self, c: Compute, state: recurrent.DeltaState, at: int, n: int) -> np.ndarray:
        for buffer, rows in zip(self.buffers, self.rows, strict=True):
            buffer.array[:n] = rows[at : at + n]
            buffer.array[n:] = np.nan
        self.kernel(c, *self.buffers, n, at, state, self.out)  # type: ignore[call-arg]
        return self.out.array[:n].copy()

    def run(self, c: Compute, steps: list[int]) -> np.ndarray:
        state, at, out = self.state(), 0, []
        for n in steps:
            out.append(self.step(c, state, at, n))
            at += n
        return np.concatenate(out)

    def want(self) -> np.ndarray:
        q, k, v, z, b, gate = (r.astype(np.float64) for r in self.rows)
        f64 = [x.astype(np.float64) for x in (*self.convs, self.bias, self.log, self.norm)]
        return recur(self.m, (q, k, v), tuple(f64[:3]), z, f64[3], f64[4], b, gate, f64[5])


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize(("per_channel", "floor", "gate"), [(True, -5.0, "sigmoid"), (True, None, "sigmoid"), (False, None, "silu")])
@pytest.mark.parametrize("shape", SHAPES)
def test_that_it_equals_the_reference(
    shape: tuple[int, int, int, int, int], per_channel: bool, floor: float | None, gate: str, isa: str
) -> None:
    layer, c = Layer(shape, per_channel, floor, gate), Compute(1, True, T, 256, isa)
    got, want = layer.run(c, [T]), layer.want()
    assert np.linalg.norm(got - want) <= 3e-6 * np.linalg.norm(want)
    c.close()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("shape", SHAPES)
def test_that_chunks_and_threads_never_change_a_bit(shape: tuple[int, int, int, int, int], isa: str) -> None:
    layer = Layer(shape, True, None, "sigmoid")
    one, three = Compute(1, True, T, 256, isa), Compute(3, True, T, 256, isa)
    whole = layer.run(one, [T])
    for steps in ([1] * T, [7, 7, 7, 3], [3, 9, 1, 1, 2, 8], [4] * 6, [5] * 4 + [4]):
        assert np.array_equal(layer.run(three, steps), whole), steps
    one.close()
    three.close()


def test_that_rejected_rows_leave_no_trace() -> None:
    layer, c = Layer(SHAPES[1], True, None, "sigmoid"), Compute(2, True, T, 256)
    whole, state = layer.run(c, [T]), layer.state()
    good, at = [layer.rows[i].copy() for i in range(6)], 0
    for n, kept in ((9, 9), (4, 1), (3, 2), (4, 4), (1, 1), (2, 0), (3, 3), (4, 4)):
        for rows, right in zip(layer.rows, good, strict=True):
            rows[:] = right
            rows[at + kept :] = 7.0  # what is not kept must not matter
        out = layer.step(c, state, at, n)
        assert np.array_equal(out[:kept], whole[at : at + kept])
        at += kept
    assert at == T
    c.close()


def test_that_it_can_go_back_by_the_rows_of_the_last_step_only() -> None:
    layer, c = Layer(SHAPES[0], False, None, "silu"), Compute(1, True, T, 256)
    whole, state = layer.run(c, [T]), layer.state()
    layer.step(c, state, 0, 6)
    assert state.least == 6
    layer.step(c, state, 6, 3)
    assert state.least == 6
    assert np.array_equal(layer.step(c, state, 7, 2), whole[7:9])
    assert state.least == 7
    with pytest.raises(IndexError, match="cannot stand at 3"):
        layer.step(c, state, 3, 1)
    state.reset()
    assert np.array_equal(layer.step(c, state, 0, 2), whole[:2])
    c.close()


def test_that_a_cancelled_short_step_leaves_the_state_as_it_was() -> None:
    layer, c = Layer(SHAPES[1], True, None, "sigmoid"), Compute(2, True, T, 256)
    whole, state = layer.run(c, [T]), layer.state()
    layer.step(c, state, 0, 8)
    c.cancel()
    with pytest.raises(Interrupted):
        layer.step(c, state, 8, 4)
    c.resume()
    assert state.least <= 8
    assert np.array_equal(layer.step(c, state, 8, 4), whole[8:12])
    c.close()


def test_that_many_more_rows_than_walk_together_give_the_same_bits_in_any_steps() -> None:
    """Groups of tokens end at other places when a prompt comes in other chunks, after rows that are replayed."""
    layer, c = Layer(SHAPES[0], True, None, "sigmoid"), Compute(2, True, T, 256)
    layer.rows = [np.concatenate([r, 0.7 * r[::-1], 1.3 * r]) for r in layer.rows]
    t = 3 * T
    layer.buffers, layer.out = [Rows(t, r.shape[1]) for r in layer.rows], Rows(t, layer.out.width)
    whole = layer.run(c, [t])
    for steps in ([1] * t, [4] * 18, [3, 40, 2, 1, 26], [17, 1, 16, 4, 34]):
        assert np.array_equal(layer.run(c, steps), whole), steps
    c.close()


def test_that_more_tiles_than_a_million_all_run() -> None:
    heads = (1 << 20) + 5
    one = np.ones(heads, np.float32)
    state = recurrent.DeltaState(heads, heads, 1, 1, 1, 1, False)
    kernel = recurrent.Delta(heads, heads, 1, 1, conv_q=one[None], conv_k=one[None], conv_v=one[None], decay_bias=one, decay_log=one,
                             per_channel=False, floor=None, norm=one[:1], norm_eps=1e-6, gate="sigmoid")  # fmt: skip
    c, rows, out = Compute(2, True, 1, 32), [Rows(1, heads) for _ in range(6)], Rows(1, heads)
    for i, row in enumerate(rows):
        row.array[:] = 1 + i
    kernel(c, *rows, 1, 0, state, out)  # type: ignore[call-arg]
    assert out.array[0, 0] != 0
    assert np.array_equal(out.array[0], np.full(heads, out.array[0, 0]))
    c.close()


def test_that_its_bytes_are_told() -> None:
    state = Layer(SHAPES[1], True, None, "sigmoid").state()
    assert state.nbytes == state.matrices.nbytes + state.ring.nbytes + state.held.nbytes
    assert recurrent.DeltaState.nbytes_for(96, 96, 128, 128, 4, 1, True) < 7_200_000  # Kimi K3: 6.3 MB of matrices a layer


@pytest.mark.parametrize("shape", [(2, 3, 16, 16), (0, 0, 16, 16), (1, 1, 257, 16), (1, 1, 16, 0)])
def test_that_impossible_shapes_are_refused(shape: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="heads"):
        recurrent.DeltaState(*shape, 4, 1, True)


def test_that_wrong_buffers_are_refused() -> None:
    layer, c = Layer(SHAPES[0], True, None, "sigmoid"), Compute(1, True, T, 256)
    layer.buffers[0] = Rows(T, 8)
    with pytest.raises(ValueError, match="widths"):
        layer.kernel(c, *layer.buffers, 1, 0, layer.state(), layer.out)  # type: ignore[call-arg]
    c.close()
