"""Mixtures of streams and sigmoid gates against float64, on every instruction set."""

import numpy as np
import pytest

from kernels_pyx.compute import ISAS, Compute, Rows
from kernels_pyx.mix import Mix, gate
from tests.reference.mix import mix


def buffer(x: np.ndarray) -> Rows:
    rows = Rows(*x.shape)
    rows.array[:] = x
    return rows


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("d", [1, 15, 64, 200])
@pytest.mark.parametrize("count", [1, 2, 9, 17])
def test_that_a_mixture_equals_the_reference(count: int, d: int, isa: str) -> None:
    rng = np.random.default_rng(count * d)
    streams = [rng.standard_normal((13, d), dtype=np.float32) * 3 for _ in range(count)]
    norm, query = 1 + 0.2 * rng.standard_normal(d, dtype=np.float32), rng.standard_normal(d, dtype=np.float32) * 0.3
    want = mix([s.astype(np.float64) for s in streams], norm.astype(np.float64), query.astype(np.float64), 1e-5)
    rows, kernel = [buffer(s) for s in streams], Mix(norm, query, 1e-5)
    results = []
    for threads in (1, 3):
        c, out = Compute(threads, True, 16, 256, isa), Rows(13, d)
        kernel(c, rows, 13, out)
        assert np.linalg.norm(out.array - want) <= 1e-6 * np.linalg.norm(want)
        results.append(out.array.copy())
        kernel(c, rows, 5, out)
        assert np.array_equal(out.array, results[-1])
        c.close()
    assert np.array_equal(*results)


def test_that_a_mixture_refuses_other_widths_and_its_own_output() -> None:
    c, kernel, out = Compute(1, True, 16, 256), Mix(np.ones(8, np.float32), np.ones(8, np.float32), 1e-5), Rows(2, 8)
    for streams in ([Rows(2, 9)], [out], [], [Rows(1, 8)]):
        with pytest.raises(ValueError, match="stream"):
            kernel(c, streams, 2, out)
    with pytest.raises(ValueError, match="shapes"):
        Mix(np.ones(8, np.float32), np.ones(9, np.float32), 1e-5)
    c.close()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("width", [1, 17, 128])
def test_that_a_gate_is_a_sigmoid(width: int, isa: str) -> None:
    rng = np.random.default_rng(width)
    x, g = (rng.standard_normal((7, width), dtype=np.float32) * 4 for _ in range(2))
    c, rows = Compute(2, True, 16, 256, isa), buffer(x)
    gate(c, rows, buffer(g), 6)
    assert np.allclose(rows.array[:6], x[:6] / (1 + np.exp(-g[:6].astype(np.float64))), rtol=1e-6, atol=1e-7)
    assert np.array_equal(rows.array[6], x[6])
    c.close()
