"""Keys and values in 8 bits: what the cache holds, attention over just that, channels that stand out, numbers that are none."""

import numpy as np
import pytest

from kernels_pyx.attention import KvCache
from kernels_pyx.compute import ISAS, Compute
from tests.kernels.test_attention import Step, inputs, normal, relative
from tests.reference.gqa import GqaReference

HADAMARD = np.array([[(-1) ** bin(i & j).count("1") for j in range(32)] for i in range(32)]) / np.sqrt(32)


def turned(x: np.ndarray) -> np.ndarray:
    """Each 32 numbers of the last axis, with zeros behind, times HADAMARD."""
    blocks = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % 32)]).reshape(*x.shape[:-1], -1, 32).astype(np.float64)
    return (blocks @ HADAMARD).reshape(*x.shape[:-1], -1)


def unpacked(tiles: np.ndarray, keys: bool) -> tuple[np.ndarray, np.ndarray]:
    """Codes and scales [heads, rows, numbers] of cache.keys or cache.values."""
    heads, n = tiles.shape[:2]
    blocks = tiles.shape[2] // (64 * 34)
    codes = tiles[:, :, : blocks * 2048].view(np.int8)
    if keys:  # tile, 16 rows, block, quad of numbers, row, number
        codes = codes.reshape(heads, n, 4, blocks, 8, 16, 4).transpose(0, 1, 2, 5, 3, 4, 6)
    else:  # tile, 16 rows, block, pair of rows, number, row
        codes = codes.reshape(heads, n, 4, blocks, 8, 32, 2).transpose(0, 1, 2, 4, 6, 3, 5)
    scales = np.ascontiguousarray(tiles[:, :, blocks * 2048 :]).view(np.float16).reshape(heads, n, 4, blocks, 16).transpose(0, 1, 2, 4, 3)
    return codes.reshape(heads, n * 64, blocks * 32), np.repeat(scales.reshape(heads, n * 64, blocks), 32, axis=2).astype(np.float64)


def rounded_queries(q: np.ndarray, heads: int) -> np.ndarray:
    """q [T, heads * d] as the kernel rounds it: codes of 8 bits of each 32 turned numbers."""
    d = q.shape[1] // heads
    blocks = turned(q.reshape(len(q), heads, d)).reshape(len(q), heads, -1, 32)
    scale = np.abs(blocks).max(-1, keepdims=True) / 127
    return turned((np.rint(blocks / scale) * scale).reshape(len(q), heads, -1))[..., :d].reshape(len(q), -1)


SHAPES = {
    "plain": GqaReference(6, 2, 32, 32),
    "wide": GqaReference(8, 1, 128, 128),
    "odd widths": GqaReference(4, 2, 45, 77),
    "half a block": GqaReference(4, 4, 16, 16),
    "window": GqaReference(6, 2, 64, 64, window=37),
    "sinks and cap": GqaReference(6, 2, 32, 48, sinks=3 * normal(3, 6), softcap=3.0),
}


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("case", SHAPES)
def test_that_attention_equals_the_reference_over_what_the_cache_holds(case: str, isa: str) -> None:
    r, t = SHAPES[case], 150
    q, k, v = inputs(r, t)
    k *= 1 + 30 * (np.arange(k.shape[1]) % 11 == 0)
    c = Compute(2, True, 1, 32, isa)
    step = Step(r, t, t, "q8")
    got = step(c, q, k, v)
    held = []
    for x, tiles, d, keys in ((k, step.cache.keys, r.d_head, True), (v, step.cache.values, r.d_value, False)):
        codes, scales = (a[:, :t] for a in unpacked(tiles, keys))
        heads = x.reshape(t, r.n_kv_heads, d).transpose(1, 0, 2)
        blocks = turned(heads) if keys else np.pad(heads, [(0, 0), (0, 0), (0, -d % 32)]).astype(np.float64)
        assert np.all(np.abs(codes * scales - blocks) <= 0.501 * scales)
        high = np.repeat(np.abs(blocks).reshape(*blocks.shape[:2], -1, 32).max(-1), 32, axis=2)
        assert np.all(scales <= high / 127 * (1 + 2e-3) + 6e-8)
        back = turned(codes * scales) if keys else codes * scales
        held.append(back[..., :d].transpose(1, 0, 2).reshape(t, -1))
    assert relative(got, r(rounded_queries(q, r.n_heads), *held)) <= 2e-4
    c.close()


def test_that_channels_that_stand_out_do_not_coarsen_the_others() -> None:
    """Thirty times as large as the others: the same rounding without turning is 7.6e-2 off (in NumPy), with it 3.3e-2."""
    r, t = GqaReference(4, 1, 64, 64), 200
    q, k, v = inputs(r, t)
    k[:, 5::32] *= 30
    q[:, 5::32] /= 30
    c = Compute(1, True, 1, 32)
    assert relative(Step(r, t, t, "q8")(c, q, k, v), r(q, k, v)) <= 4.5e-2
    c.close()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("bad", ["k", "v"])
@pytest.mark.parametrize("what", [np.nan, np.inf])
def test_that_what_is_no_number_reaches_just_those_who_see_it(bad: str, what: float, isa: str) -> None:
    r, t, at = GqaReference(4, 2, 32, 32), 100, 40
    q, k, v = inputs(r, t)
    c = Compute(1, True, 1, 32, isa)
    want = Step(r, t, t, "q8")(c, q, k, v)
    (k if bad == "k" else v)[at, 3] = what  # the first head's
    got = Step(r, t, t, "q8")(c, q, k, v).reshape(t, 2, 64)
    assert np.array_equal(got[:at].reshape(at, -1), want[:at]) and np.array_equal(got[:, 1], want.reshape(t, 2, 64)[:, 1])
    assert np.isnan(got[at:, 0]).all()
    c.close()


def test_that_zeros_stay_zeros_small_numbers_small_and_large_ones_saturate() -> None:
    r, c, one = GqaReference(1, 1, 32, 32), Compute(1, True, 1, 32), np.ones((2, 32), np.float32)
    assert not Step(r, 64, 2, "q8")(c, one, one, 0 * one).any()
    assert not Step(r, 64, 2, "q8")(c, one, 0 * one, one * 1e-30).any()
    tiny = np.float32(1e-6) * one
    np.testing.assert_allclose(Step(r, 64, 2, "q8")(c, one, tiny, tiny), tiny, atol=3e-8)
    assert np.all(Step(r, 64, 2, "q8")(c, one, 1e30 * one, 1e30 * one) == np.float32(127 * 65504.0))
    c.close()


def test_that_it_takes_34_bytes_for_32_numbers_and_refuses_the_narrowest_keys() -> None:
    assert KvCache.nbytes_for(4, 128, 128, 1000, "q8") == 4 * 1024 * 2 * 128 * 34 // 32
    KvCache(1, 10, 5, 10, "q8")
    with pytest.raises(ValueError, match="too narrow"):
        KvCache(1, 9, 32, 10, "q8")
