"""Products head by head: each head's equals the same product on its own, in every format and arithmetic."""

import numpy as np
import pytest

from kernels_pyx.compute import ISAS, Compute, Rows
from kernels_pyx.heads import HeadLinear
from kernels_pyx.linear import Linear, Matrix, pack, packed_bytes, unpack

N = 9


def data(fmt: str, w: np.ndarray) -> np.ndarray:
    if fmt != "mxfp4":
        return pack(fmt, w)
    raw = np.zeros(packed_bytes(fmt, *w.shape) + 64, np.uint8)
    return raw[-raw.ctypes.data % 64 :][: packed_bytes(fmt, *w.shape)]


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "fast"])
@pytest.mark.parametrize("fmt", ["f32", "bf16", "q8", "q4"])
@pytest.mark.parametrize(("heads", "d_out", "d_in", "stride"), [(3, 32, 16, 24), (5, 16, 48, 48), (2, 128, 40, 41)])
def test_that_each_head_is_a_product_of_its_own(heads: int, d_out: int, d_in: int, stride: int, fmt: str, exact: bool, isa: str) -> None:
    rng = np.random.default_rng(heads)
    w = rng.standard_normal((heads * d_out, d_in), dtype=np.float32)
    c, c3 = Compute(1, exact, N, heads * 64, isa), Compute(3, exact, N, heads * 64, isa)
    packed = data(fmt, w)
    x, out = Rows(N, heads * stride), Rows(N, heads * d_out)
    x.array[:] = rng.standard_normal(x.array.shape, dtype=np.float32)
    kernel = HeadLinear(Matrix(fmt, heads * d_out, d_in, packed), heads)
    kernel(c, x, N, out)
    decoded = unpack(fmt, heads * d_out, d_in, packed).astype(np.float64)
    for h in range(heads):
        one, y = Rows(N, d_in), Rows(N, d_out)
        one.array[:] = x.array[:, h * stride : h * stride + d_in]
        got = out.array[:, h * d_out : (h + 1) * d_out]
        want = one.array @ decoded[h * d_out : (h + 1) * d_out].T
        assert np.linalg.norm(got - want) <= (1e-6 if exact or fmt in ("f32", "bf16") else 1.5e-2) * np.linalg.norm(want)
        Linear([Matrix(fmt, d_out, d_in, pack(fmt, w[h * d_out : (h + 1) * d_out]))])(c, one, N, (y,))
        assert np.array_equal(got, y.array)
    whole = out.array.copy()
    for n in (1, 4, N):
        out.array[:] = 0
        kernel(c3, x, n, out)
        assert np.array_equal(out.array[:n], whole[:n])
        assert not out.array[n:].any()
    c.close()
    c3.close()


def test_that_wrong_shapes_are_refused() -> None:
    c, w = Compute(1, True, N, 64), Matrix("f32", 48, 8, pack("f32", np.ones((48, 8), np.float32)))
    with pytest.raises(ValueError, match="do not make"):
        HeadLinear(w, 2)
    with pytest.raises(ValueError, match="do not give"):
        HeadLinear(w, 3)(c, Rows(N, 21), 1, Rows(N, 48))
    with pytest.raises(ValueError, match="output"):
        HeadLinear(w, 3)(c, Rows(N, 24), 1, Rows(N, 47))
    c.close()
