from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kernels_pyx.compute import ISAS, Compute, Interrupted, Rows
from kernels_pyx.linear import FORMATS, GatedFfn, Linear, Matrix, pack, read_loop, unpack
from tests.reference.linear import activate, int8_rows, rms_norm, sigmoid

SHAPES = ((1, 32), (5, 40), (17, 96), (80, 161))
ACTS = {"silu": (), "gelu_tanh": (), "swiglu_clamp": (1.702, 7.0), "situ": (4.0, 25.0)}


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng((seed, *shape)).standard_normal(shape, np.float32)


def filled(x: np.ndarray) -> Rows:
    rows = Rows(*x.shape)
    rows.array[:] = x
    return rows


def matrix(fmt: str, rows: int, cols: int, seed: int = 1) -> tuple[Matrix, np.ndarray]:
    data = pack(fmt, normal(rows, cols, seed=seed))
    return Matrix(fmt, rows, cols, data), unpack(fmt, rows, cols, data).astype(np.float64)


def close(got: np.ndarray, expected: np.ndarray, relative: float = 1e-6) -> None:
    assert np.linalg.norm(got - expected) <= relative * np.linalg.norm(expected)


@pytest.fixture(params=[(isa, exact) for isa in ISAS for exact in (True, False)], ids=lambda p: f"{p[0]}-{'exact' if p[1] else 'fast'}")
def c(request: pytest.FixtureRequest) -> Iterator[Compute]:
    isa, exact = request.param
    compute = Compute(2, exact, 48, 320, isa)
    yield compute
    compute.close()


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_that_a_product_equals_the_reference(c: Compute, fmt: str, shape: tuple[int, int]) -> None:
    w, decoded = matrix(fmt, *shape)
    x, out = filled(normal(33, shape[1])), Rows(33, shape[0])
    Linear([w])(c, x, 33, [out])
    h = x.array.astype(np.float64) if c.exact or fmt in ("f32", "bf16") else int8_rows(x.array)
    close(out.array, h @ decoded.T)


def test_that_norm_biases_several_weights_and_adding_work_together(c: Compute) -> None:
    parts = [matrix(fmt, rows, 96, seed=rows) for fmt, rows in (("q4", 48), ("f32", 17), ("q8", 5))]
    norm, biases = normal(96, seed=5), [normal(48, seed=6), None, normal(5, seed=7)]
    x, outs = filled(normal(9, 96)), [filled(normal(7, w.rows, seed=8)) for w, _ in parts]
    before = [out.array.copy() for out in outs]
    linear = Linear([w for w, _ in parts], norm=norm, eps=1e-5, biases=biases)
    linear(c, x, 7, outs, add=True, first=2)
    h = rms_norm(x.array[2:].astype(np.float64), norm.astype(np.float64), 1e-5)
    for (w, decoded), bias, old, out in zip(parts, biases, before, outs, strict=True):
        used = h if c.exact or w.fmt == "f32" else int8_rows(h.astype(np.float32))
        # A code on a rounding border may differ where h differs in the last bit.
        close(out.array, old + used @ decoded.T + (0 if bias is None else bias), 1e-6 if c.exact or w.fmt == "f32" else 2e-3)


@pytest.mark.parametrize("fmt", FORMATS)
def test_that_a_row_has_the_same_bits_alone_and_in_company(c: Compute, fmt: str) -> None:
    w, _ = matrix(fmt, 80, 161)
    linear, x, alone = Linear([w], norm=normal(161), eps=1e-6), filled(normal(33, 161)), Rows(33, 80)
    one = Rows(1, 80)
    for row in range(33):
        linear(c, x, 1, [one], first=row)
        alone.array[row] = one.array[0]
    for threads in (1, 2, 3, 4):
        other = Compute(threads, c.exact, 48, 320, c.isa)
        for n in (1, 2, 3, 7, 8, 33):
            out = Rows(33, 80)
            linear(other, x, n, [out])
            np.testing.assert_array_equal(out.array[:n], alone.array[:n])
            assert not out.array[n:].any()
        other.close()


@pytest.mark.parametrize("fmt", FORMATS)
def test_that_a_row_has_the_same_bits_in_every_tile_of_a_large_product(c: Compute, fmt: str) -> None:
    w, decoded = matrix(fmt, 300, 1064)
    linear, ffn, rows = Linear([w]), GatedFfn(w, w, matrix(fmt, 40, 300)[0], "silu"), 145
    x, one, hidden, gated = filled(normal(rows, 1064)), Rows(1, 300), Rows(rows, 300), Rows(rows, 40)
    alone, gated_alone, first = Rows(rows, 300), Rows(rows, 40), Rows(1, 1064)
    small = Compute(1, c.exact, 1, 1064, c.isa)
    for row in range(rows):
        linear(small, x, 1, [one], first=row)
        alone.array[row] = one.array[0]
        first.array[0] = x.array[row]
        out = Rows(1, 40)
        ffn(small, first, 1, hidden, out)
        gated_alone.array[row] = out.array[0]
    small.close()
    h = x.array.astype(np.float64) if c.exact or fmt in ("f32", "bf16") else int8_rows(x.array)
    close(alone.array, h @ decoded.T)
    for threads in (1, 3):
        large = Compute(threads, c.exact, rows, 1064, c.isa)
        for n in (9, 24, 128, rows):
            out = Rows(rows, 300)
            linear(large, x, n, [out])
            np.testing.assert_array_equal(out.array[:n], alone.array[:n])
            assert not out.array[n:].any()
            ffn(large, x, n, hidden, gated)
            np.testing.assert_array_equal(gated.array[:n], gated_alone.array[:n])
        large.close()


@pytest.mark.skipif("amx" not in ISAS, reason="needs AMX")
@pytest.mark.parametrize("fmt", FORMATS)
def test_that_tiles_and_vectors_give_the_same_bits(fmt: str) -> None:
    w, _ = matrix(fmt, 80, 640)
    x, outs = filled(normal(40, 640)), []
    for isa in ("avx512", "amx"):
        c, out = Compute(1, False, 40, 640, isa), Rows(40, 80)
        Linear([w])(c, x, 40, [out])
        outs.append(out.array)
        c.close()
    np.testing.assert_array_equal(*outs)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("fmt", FORMATS)
def test_that_a_gated_ffn_equals_the_reference(c: Compute, fmt: str, act: str) -> None:
    (gate, g), (up, u), (down, d) = matrix(fmt, 72, 96, 2), matrix(fmt, 72, 96, 3), matrix(fmt, 40, 72, 4)
    row_gate, r = matrix("bf16", 1, 96, 5)
    norm = normal(96, seed=6)
    ffn = GatedFfn(gate, up, down, act, act_params=ACTS[act], norm=norm, eps=1e-6, row_gate=row_gate)
    x, hidden, out = filled(normal(9, 96)), Rows(9, 72), filled(normal(9, 40, seed=7))
    old = out.array.astype(np.float64)
    ffn(c, x, 9, hidden, out, add=True)
    h = rms_norm(x.array.astype(np.float64), norm.astype(np.float64), 1e-6)
    fast = not c.exact and fmt not in ("f32", "bf16")
    used = int8_rows(h.astype(np.float32)) if fast else h
    a = activate(act, used @ g.T, used @ u.T, ACTS[act])
    a = int8_rows(a.astype(np.float32)) if fast else a
    close(out.array, old + sigmoid(h @ r.T) * (a @ d.T), 3e-3 if fast else 2e-6)


def test_that_fast_arithmetic_is_close_to_exact() -> None:
    w, decoded = matrix("q4", 256, 320)
    c, x, out = Compute(2, False, 8, 320), filled(normal(8, 320)), Rows(8, 256)
    Linear([w])(c, x, 8, [out])
    close(out.array, x.array @ decoded.T, 1e-2)


def test_that_no_rows_do_nothing(c: Compute) -> None:
    w, _ = matrix("q4", 17, 96)
    x, out = filled(normal(2, 96)), filled(normal(2, 17))
    before = out.array.copy()
    Linear([w])(c, x, 0, [out])
    np.testing.assert_array_equal(out.array, before)


def test_that_rows_beyond_the_padding_of_odd_columns_are_never_read(c: Compute) -> None:
    w, decoded = matrix("f32", 16, 33)
    x, out = filled(normal(2, 33)), Rows(2, 16)
    x.array[1] = np.nan
    Linear([w])(c, x, 1, [out])
    close(out.array[:1], x.array[:1] @ decoded.T)


def test_that_a_cancelled_product_raises_until_resumed(c: Compute) -> None:
    w, _ = matrix("q4", 64, 96)
    linear, x, out = Linear([w]), filled(normal(40, 96)), Rows(40, 64)
    c.cancel()
    with pytest.raises(Interrupted):
        linear(c, x, 40, [out])
    c.resume()
    linear(c, x, 40, [out])


def test_that_wrong_shapes_are_refused(c: Compute) -> None:
    (w, _), x = matrix("q8", 16, 96), Rows(4, 96)
    linear = Linear([w])
    wrong: Any = ((Rows(4, 64), 1, [Rows(4, 16)]), (x, 5, [Rows(8, 16)]), (x, 1, [Rows(4, 17)]), (x, 1, []), (x, -1, [Rows(4, 16)]))
    for bad_x, n, outs in wrong:
        with pytest.raises(ValueError):
            linear(c, bad_x, n, outs)
    with pytest.raises(ValueError, match="scratch"):
        linear(c, Rows(49, 96), 49, [Rows(49, 16)])
    with pytest.raises(ValueError, match="share their input"):
        Linear([w, matrix("q8", 16, 64)[0]])
    with pytest.raises(ValueError, match="norm"):
        Linear([w], norm=np.ones(95, np.float32))
    with pytest.raises(ValueError, match="fit together"):
        GatedFfn(w, w, w, "silu")
    with pytest.raises(ValueError, match="unknown activation"):
        GatedFfn(w, w, matrix("q8", 96, 16)[0], "relu")
    with pytest.raises(ValueError, match="parameters"):
        GatedFfn(w, w, matrix("q8", 96, 16)[0], "situ", act_params=(4.0,))
    c.close()
    with pytest.raises(ValueError, match="closed"):
        linear(c, x, 1, [Rows(4, 16)])


def test_that_the_read_loop_reads_every_byte(c: Compute) -> None:
    data = np.random.default_rng(1).integers(0, 256, 64 * 5000, dtype=np.uint8)
    assert read_loop(c, data) == int(np.bitwise_xor.reduce(data.view(np.uint64)))
