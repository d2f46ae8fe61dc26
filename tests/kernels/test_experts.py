from collections.abc import Iterator

import numpy as np
import pytest

from kernels_pyx.compute import ISAS, Compute, Interrupted, Rows
from kernels_pyx.linear import FORMATS, Experts, Linear, Matrix, pack, packed_bytes, unpack
from kernels_pyx.routes import Groups, Routes
from tests.reference.linear import activate, int8_rows

D_IN, D_HIDDEN, D_OUT, N_EXPERTS, TOP_K, ROWS = 96, 72, 40, 6, 3, 11


@pytest.fixture(params=[(isa, exact) for isa in ISAS for exact in (True, False)], ids=lambda p: f"{p[0]}-{'exact' if p[1] else 'fast'}")
def c(request: pytest.FixtureRequest) -> Iterator[Compute]:
    compute = Compute(2, request.param[1], 16, 128, request.param[0])
    yield compute
    compute.close()


class Bank:
    """Experts packed one record each, and the same weights in float64."""

    def __init__(self, gate_fmt: str, down_fmt: str, biased: bool, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        sizes = [packed_bytes(gate_fmt, D_HIDDEN, D_IN)] * 2 + [packed_bytes(down_fmt, D_OUT, D_HIDDEN)]
        at = np.concatenate([[0], np.cumsum(sizes)])
        bias_at = at[3] + np.array([0, 4 * D_HIDDEN, 8 * D_HIDDEN])
        stride = -(-int(at[3] + 8 * D_HIDDEN + 4 * D_OUT) // 4096) * 4096
        raw = np.zeros(N_EXPERTS * stride + 64, np.uint8)
        self.memory = raw[-raw.ctypes.data % 64 :]
        self.weights = []
        for e in range(N_EXPERTS):
            parts = []
            for i, (fmt, shape) in enumerate(((gate_fmt, (D_HIDDEN, D_IN)), (gate_fmt, (D_HIDDEN, D_IN)), (down_fmt, (D_OUT, D_HIDDEN)))):
                data = pack(fmt, rng.standard_normal(shape, np.float32))
                self.memory[e * stride + at[i] : e * stride + at[i] + data.size] = data
                parts.append(unpack(fmt, *shape, data).astype(np.float64))
            for i, width in enumerate((D_HIDDEN, D_HIDDEN, D_OUT)):
                bias = rng.standard_normal(width, np.float32) if biased else np.zeros(width, np.float32)
                place = e * stride + bias_at[i]
                self.memory[place : place + 4 * width] = bias.view(np.uint8)
                parts.append(bias.astype(np.float64))
            self.weights.append(parts)
        self.addresses = self.memory.ctypes.data + stride * np.arange(N_EXPERTS, dtype=np.int64)
        self.experts = Experts(
            D_IN, D_HIDDEN, D_OUT, (gate_fmt, int(at[0])), (gate_fmt, int(at[1])), (down_fmt, int(at[2])), "swiglu_clamp",
            act_params=(1.702, 7.0), biases=(int(bias_at[0]), int(bias_at[1]), int(bias_at[2])) if biased else None,
        )  # fmt: skip

    def expected(self, x: np.ndarray, ids: np.ndarray, fast_in: bool, fast_hidden: bool) -> np.ndarray:
        h = int8_rows(x) if fast_in else x.astype(np.float64)
        out = np.zeros((ids.size, D_OUT))
        for pair, e in enumerate(ids.reshape(-1)):
            gate, up, down, gate_bias, up_bias, down_bias = self.weights[e]
            row = h[pair // TOP_K]
            a = activate("swiglu_clamp", gate @ row + gate_bias, up @ row + up_bias, (1.702, 7.0))
            a = int8_rows(a[None].astype(np.float32))[0] if fast_hidden else a
            out[pair] = down @ a + down_bias
        return out


def routed(n: int, seed: int = 1) -> tuple[Routes, Groups]:
    rng = np.random.default_rng(seed)
    routes, groups = Routes(ROWS, TOP_K), Groups(ROWS, TOP_K, N_EXPERTS)
    for row in range(n):
        routes.ids[row] = rng.permutation(N_EXPERTS)[:TOP_K]
    groups.fill(routes, n)
    return routes, groups


def activations(seed: int = 2) -> Rows:
    x = Rows(ROWS, D_IN)
    x.array[:] = np.random.default_rng(seed).standard_normal(x.array.shape)
    return x


def run(c: Compute, bank: Bank, x: Rows, groups: Groups, n: int, batches: int = 1) -> np.ndarray:
    hidden, out = Rows(ROWS * TOP_K, D_HIDDEN), Rows(ROWS * TOP_K, D_OUT)
    bank.experts.prepare(c, x, n)
    for which in np.array_split(np.arange(groups.n_experts, dtype=np.int32)[::-1], batches):
        bank.experts.run(c, x, groups, which, bank.addresses[groups.experts[which]], hidden, out)
    return out.array[: n * TOP_K].copy()


@pytest.mark.parametrize(("gate_fmt", "down_fmt"), [(fmt, fmt) for fmt in FORMATS] + [("q4", "q8"), ("mxfp4", "bf16")])
@pytest.mark.parametrize("biased", [False, True])
def test_that_every_pair_gets_its_expert(c: Compute, gate_fmt: str, down_fmt: str, biased: bool) -> None:
    bank, x = Bank(gate_fmt, down_fmt, biased), activations()
    routes, groups = routed(ROWS)
    got = run(c, bank, x, groups, ROWS)
    fast_in, fast_hidden = (not c.exact and fmt not in ("f32", "bf16") for fmt in (gate_fmt, down_fmt))
    expected = bank.expected(x.array, routes.ids, fast_in, fast_hidden)
    assert np.linalg.norm(got - expected) <= (3e-3 if fast_hidden else 2e-6) * np.linalg.norm(expected)


def test_that_batches_rows_and_threads_change_no_bit(c: Compute) -> None:
    bank, x = Bank("q4", "q8", True), activations()
    routes, groups = routed(ROWS)
    together = run(c, bank, x, groups, ROWS)
    for threads, batches in ((1, 1), (3, 2), (4, 6)):
        other = Compute(threads, c.exact, 16, 128, c.isa)
        np.testing.assert_array_equal(run(other, bank, x, groups, ROWS, batches), together)
        other.close()
    alone, single = Rows(ROWS, D_IN), Routes(ROWS, TOP_K)
    for row in range(ROWS):
        alone.array[0], single.ids[0] = x.array[row], routes.ids[row]
        groups.fill(single, 1)
        np.testing.assert_array_equal(run(c, bank, alone, groups, 1), together[row * TOP_K : (row + 1) * TOP_K])


def test_that_other_products_between_prepare_and_run_leave_the_prepared_input_alone() -> None:
    c, bank, x = Compute(2, False, 16, 128), Bank("q4", "q4", False), activations()
    _, groups = routed(ROWS)
    expected = run(c, bank, x, groups, ROWS)
    hidden, out = Rows(ROWS * TOP_K, D_HIDDEN), Rows(ROWS * TOP_K, D_OUT)
    bank.experts.prepare(c, x, ROWS)
    w = Matrix("q8", 16, D_IN, pack("q8", np.ones((16, D_IN), np.float32)))
    Linear([w])(c, activations(9), ROWS, [Rows(ROWS, 16)])
    which = np.arange(groups.n_experts, dtype=np.int32)
    bank.experts.run(c, x, groups, which, bank.addresses[groups.experts[which]], hidden, out)
    np.testing.assert_array_equal(out.array, expected)


def test_that_groups_sort_rows_by_expert() -> None:
    routes, groups = routed(7)
    found = sorted(
        (int(groups.experts[j]), int(groups.rows[p]), int(groups.pairs[p]))
        for j in range(groups.n_experts)
        for p in range(groups.starts[j], groups.starts[j + 1])
    )
    assert found == sorted((int(routes.ids[r, k]), r, r * TOP_K + k) for r in range(7) for k in range(TOP_K))
    used = groups.experts[: groups.n_experts]
    assert (np.diff(used) > 0).all()
    for j in range(groups.n_experts):
        assert (np.diff(groups.rows[groups.starts[j] : groups.starts[j + 1]]) > 0).all()
    groups.fill(routes, 0)
    assert groups.n_experts == 0 and groups.starts[0] == 0


def test_that_wrong_routes_and_calls_are_refused(c: Compute) -> None:
    routes, groups = routed(4)
    routes.ids[2, 1] = N_EXPERTS
    with pytest.raises(ValueError, match=f"expert id {N_EXPERTS} of row 2"):
        groups.fill(routes, 4)
    with pytest.raises(ValueError, match="do not fit"):
        groups.fill(routes, ROWS + 1)
    bank, x = Bank("q4", "q4", False), activations()
    _, groups = routed(4)
    hidden, out = Rows(ROWS * TOP_K, D_HIDDEN), Rows(ROWS * TOP_K, D_OUT)
    which, addresses = np.zeros(1, np.int32), bank.addresses[:1]
    with pytest.raises(ValueError, match="prepare"):
        bank.experts.run(c, x, groups, which, addresses, hidden, out)
    bank.experts.prepare(c, x, 4)
    with pytest.raises(IndexError, match="groups"):
        bank.experts.run(c, x, groups, np.array([groups.n_experts], np.int32), addresses, hidden, out)
    with pytest.raises(ValueError, match="hidden"):
        bank.experts.run(c, x, groups, which, addresses, Rows(2, D_HIDDEN), out)
    with pytest.raises(ValueError, match="addresses"):
        bank.experts.run(c, x, groups, which, bank.addresses[:2], hidden, out)
    c.cancel()
    with pytest.raises(Interrupted):
        bank.experts.run(c, x, groups, which, addresses, hidden, out)
