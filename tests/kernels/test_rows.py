import numpy as np
import pytest

from kernels_pyx.compute import ISAS, Compute, Interrupted, Rows
from kernels_pyx.routes import Routes
from kernels_pyx.rows import add, combine, rms_norm, scale, soft_cap
from tests.reference.norm import rms_norm as reference_norm

WIDTHS = (1, 7, 16, 33, 576, 4099)


def filled(x: np.ndarray) -> Rows:
    rows = Rows(*x.shape)
    rows.array[:] = x
    return rows


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


@pytest.fixture(params=ISAS)
def c(request: pytest.FixtureRequest) -> Compute:
    return Compute(2, True, 1, 32, request.param)


@pytest.mark.parametrize("width", WIDTHS)
def test_that_rms_norm_equals_the_reference_and_may_work_in_place(c: Compute, width: int) -> None:
    x, w = 3 * normal(1, 5, width), normal(2, width)
    for weight in (w, None):
        for eps in (0.0, 1e-5, 1.0):
            a, out = filled(x), Rows(5, width)
            rms_norm(c, a, 4, weight, eps, out)
            assert np.allclose(out.array[:4], reference_norm(x[:4], weight, eps), rtol=3e-7, atol=0)
            assert not out.array[4].any()
            rms_norm(c, a, 4, weight, eps, a)
            assert np.array_equal(a.array[:4], out.array[:4])
            assert np.array_equal(a.array[4], x[4])


def test_that_rms_norm_keeps_its_precision_where_one_channel_dominates(c: Compute) -> None:
    x = normal(3, 1, 4096)
    x[0, 7] = 3e4
    out = Rows(1, 4096)
    rms_norm(c, filled(x), 1, None, 1e-6, out)
    assert np.allclose(out.array, reference_norm(x, None, 1e-6), rtol=3e-7, atol=0)


@pytest.mark.parametrize("width", WIDTHS)
def test_that_add_and_scale_are_those_of_numpy(c: Compute, width: int) -> None:
    x, y = normal(1, 9, width), normal(2, 9, width)
    out = filled(y)
    add(c, filled(x), 8, out)
    assert np.array_equal(out.array[:8], (x + y)[:8])
    scale(c, out, 8, 0.3)
    assert np.array_equal(out.array[:8], (x + y)[:8] * np.float32(0.3))
    assert np.array_equal(out.array[8], y[8])


@pytest.mark.parametrize("width", WIDTHS)
def test_that_soft_cap_equals_the_reference_from_tiny_to_huge(c: Compute, width: int) -> None:
    x = normal(1, 9, width) * np.float32(10.0) ** np.arange(-5, 4, dtype=np.float32)[:, None]
    for cap in (1.0, 30.0):
        out = filled(x)
        soft_cap(c, out, 9, cap)
        assert np.allclose(out.array, cap * np.tanh(x.astype(np.float64) / cap), rtol=5e-7, atol=0)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("top_k", [1, 3, 8])
def test_that_combine_sums_in_router_order(c: Compute, width: int, top_k: int) -> None:
    n = 5
    outputs, residual = normal(1, n * top_k, width), normal(2, n, width)
    routes = Routes(n, top_k)
    routes.weights[:] = normal(3, n, top_k)
    want = np.zeros((n, width), np.float64)
    for k in range(top_k):
        want += routes.weights[:, k, None].astype(np.float64) * outputs.reshape(n, top_k, width)[:, k]
    out = filled(residual)
    combine(c, filled(outputs), routes, n, out)
    assert np.allclose(out.array, want, rtol=1e-5, atol=1e-6)
    plain = out.array.copy()
    out.array[:] = residual
    combine(c, filled(outputs), routes, n - 1, out, True)
    assert np.array_equal(out.array[:-1], (residual + plain)[:-1])
    assert np.array_equal(out.array[-1], residual[-1])


def test_that_row_kernels_give_the_same_bits_one_by_one_and_on_any_thread_count() -> None:
    x, w, n, k = normal(1, 40, 700), normal(2, 700), 10, 4
    for isa in ISAS:
        want = None
        for threads, step in ((1, n), (2, 1), (3, 7), (4, n)):
            c = Compute(threads, True, 1, 32, isa)
            got = []
            for i in range(0, n, step):
                m = min(step, n - i)
                a, out, capped, routes = filled(x[i * k : (i + m) * k]), Rows(m, 700), filled(x[i : i + m]), Routes(m, k)
                routes.weights[:] = w[: n * k].reshape(n, k)[i : i + m]
                combine(c, a, routes, m, out)
                rms_norm(c, out, m, w, 1e-6, out)
                soft_cap(c, capped, m, 2.0)
                got.append(np.concatenate([out.array, capped.array], axis=1))
            c.close()
            want = np.concatenate(got) if want is None else want
            assert np.array_equal(np.concatenate(got), want)


def test_that_wrong_shapes_are_refused_and_no_rows_are_no_work(c: Compute) -> None:
    x, out = Rows(4, 8), Rows(4, 8)
    for call in (
        lambda: rms_norm(c, x, 5, None, 0.0, out),
        lambda: rms_norm(c, x, -1, None, 0.0, out),
        lambda: rms_norm(c, x, 4, np.ones(7, np.float32), 0.0, out),
        lambda: rms_norm(c, x, 4, None, 0.0, Rows(4, 9)),
        lambda: add(c, x, 4, Rows(4, 9)),
        lambda: add(c, x, 4, Rows(3, 8)),
        lambda: scale(c, x, 5, 1.0),
        lambda: soft_cap(c, x, 4, 0.0),
        lambda: combine(c, x, Routes(4, 2), 3, out),
        lambda: combine(c, Rows(8, 8), Routes(2, 2), 3, out),
        lambda: combine(c, Rows(8, 9), Routes(4, 2), 4, out),
    ):
        with pytest.raises(ValueError):
            call()  # type: ignore[no-untyped-call]
    rms_norm(c, x, 0, None, 0.0, out)
    combine(c, x, Routes(4, 2), 0, out)


def test_that_a_set_cancel_flag_interrupts(c: Compute) -> None:
    x = Rows(4, 8)
    c.cancel()
    with pytest.raises(Interrupted):
        rms_norm(c, x, 4, None, 1e-6, x)
    c.resume()
    rms_norm(c, x, 4, None, 1e-6, x)
