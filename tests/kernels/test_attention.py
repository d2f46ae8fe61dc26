import threading
from dataclasses import replace

import numpy as np
import pytest

from kernels_pyx.attention import Gqa, KvCache, Rope
from kernels_pyx.compute import ISAS, Compute, Interrupted, Rows
from tests.reference.gqa import GqaReference

# float32 sums over some hundred terms; narrow caches round keys and values to 11 and 8 bits, q8 queries, too (test_attention_q8.py)
TOLERANCE = {"f32": 2e-6, "f16": 1e-3, "bf16": 8e-3, "q8": 2e-2}


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def frequencies(half: int) -> np.ndarray:
    return (10000.0 ** -(np.arange(half) / half)).astype(np.float32)


PLAIN = GqaReference(6, 2, 32, 32, inv_freq=frequencies(16))
CASES = {
    "plain": PLAIN,
    "one key head for all": GqaReference(40, 1, 16, 16, inv_freq=frequencies(8)),
    "as many key heads": GqaReference(3, 3, 128, 128, inv_freq=frequencies(64)),
    "no positions, odd widths": GqaReference(4, 2, 21, 13),
    "part of a head rotated": GqaReference(4, 2, 24, 24, inv_freq=frequencies(5)),
    "interleaved, yarn factor": GqaReference(4, 2, 24, 40, inv_freq=frequencies(12), interleaved=True, factor=1.27),
    "norm by head": GqaReference(
        4, 1, 64, 64, inv_freq=frequencies(32), norm="head", q_norm=normal(1, 64), k_norm=normal(2, 64), norm_eps=1e-6
    ),
    "norm by width": GqaReference(
        4, 2, 16, 16, inv_freq=frequencies(8), norm="width", q_norm=normal(1, 64), k_norm=normal(2, 32), norm_eps=1e-5
    ),
    "value norm, scale": GqaReference(4, 2, 16, 16, inv_freq=frequencies(8), value_norm=True, norm_eps=1e-6, scale=1.0),
    "window": replace(PLAIN, window=37),
    "sinks": replace(PLAIN, sinks=3 * normal(3, 6)),
    "window and sinks": replace(PLAIN, window=64, sinks=3 * normal(3, 6)),
    "soft cap": replace(PLAIN, softcap=1.5, scale=1.0),
}


class Step:
    """The kernel with the options of a reference, fed in chunks."""

    def __init__(self, r: GqaReference, capacity: int, chunk: int, dtype: str = "f32") -> None:
        self.r = r
        self.rope = None if r.inv_freq is None else Rope(chunk, r.inv_freq, factor=r.factor, interleaved=r.interleaved)
        self.gqa = Gqa(
            r.n_heads, r.n_kv_heads, r.d_head, d_value=r.d_value, rope=self.rope, norm=r.norm, q_norm=r.q_norm, k_norm=r.k_norm,
            norm_eps=r.norm_eps, value_norm=r.value_norm, scale=r.scale, softcap=r.softcap, sinks=r.sinks,
        )  # fmt: skip
        self.cache = KvCache(r.n_kv_heads, r.d_head, r.d_value, capacity, dtype, r.window)
        widths = (r.n_heads * r.d_head, r.n_kv_heads * r.d_head, r.n_kv_heads * r.d_value, r.n_heads * r.d_value)
        self.rows = [Rows(chunk, w) for w in widths]
        self.chunk = chunk

    def rows_at(self, c: Compute, position: int, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        n = len(q)
        if self.rope is not None:
            self.rope.fill(position, n)
        for rows, x in zip(self.rows, (q, k, v), strict=False):
            rows.array[:n] = x
        self.gqa(c, *self.rows[:3], n, position, self.cache, self.rows[3])  # type: ignore[call-arg]
        return self.rows[3].array[:n].copy()

    def __call__(self, c: Compute, q: np.ndarray, k: np.ndarray, v: np.ndarray, start: int = 0) -> np.ndarray:
        at = range(0, len(q), self.chunk)
        return np.concatenate([self.rows_at(c, start + i, *(x[i : i + self.chunk] for x in (q, k, v))) for i in at])


def inputs(r: GqaReference, t: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return normal(10, t, r.n_heads * r.d_head), normal(11, t, r.n_kv_heads * r.d_head), normal(12, t, r.n_kv_heads * r.d_value)


def relative(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("case", CASES)
def test_that_attention_equals_the_reference(case: str, isa: str) -> None:
    r = CASES[case]
    c = Compute(2, True, 1, 32, isa)
    for t in (1, 70, 300):
        qkv = inputs(r, t)
        want = r(*qkv)
        for dtype, tolerance in TOLERANCE.items():
            got = Step(r, t, t, dtype)(c, *qkv)
            assert relative(got, want) <= tolerance, (t, dtype)
    c.close()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("case", ["plain", "one key head for all", "no positions, odd widths", "window and sinks", "soft cap"])
def test_that_a_row_s_bits_depend_neither_on_its_companions_nor_on_threads(case: str, dtype: str, isa: str) -> None:
    r = CASES[case]
    t = 530  # three spans, of which the last two are partial
    qkv = inputs(r, t)
    want = None
    for threads, chunk in [(1, t), (1, 24), (2, 7), (3, 530), (4, 1)]:
        c = Compute(threads, True, 1, 32, isa)
        got = Step(r, t, chunk, dtype)(c, *qkv)
        want = got if want is None else want
        assert np.array_equal(got, want), (threads, chunk)
        c.close()


@pytest.mark.parametrize("dtype", ["f16", "q8"])
def test_that_many_threads_on_a_long_context_give_the_bits_of_one(dtype: str) -> None:
    r = GqaReference(2, 1, 256, 256)
    t = 40 * 256 + 5
    k, v = normal(11, t, 256), normal(12, t, 256)
    q = normal(10, t, 512)
    results = []
    for threads in (1, 4):
        c = Compute(threads, True, 1, 32)
        step = Step(r, t, t, dtype)
        results.append([step.rows_at(c, a, q[a:b], k[a:b], v[a:b]) for a, b in ((0, t - 64), (t - 64, t - 1), (t - 1, t))])
        c.close()
    for one, four in zip(*results, strict=True):
        assert np.array_equal(one, four)


def test_that_two_engines_at_once_do_not_share_partial_sums() -> None:
    r, t = GqaReference(2, 1, 128, 128), 6000
    q, k, v = inputs(r, t)
    steps = [(Compute(4, True, 1, 32), Step(r, t, t, "f16")) for _ in range(2)]
    for c, step in steps:
        step(c, q[:-1], k[:-1], v[:-1])
    factors = (1.0, -1.0)
    want = [step.rows_at(c, t - 1, f * q[-1:], k[-1:], v[-1:]) for f, (c, step) in zip(factors, steps, strict=True)]
    wrong: list[int] = []

    def work(i: int) -> None:
        for _ in range(150):
            if not np.array_equal(steps[i][1].rows_at(steps[i][0], t - 1, factors[i] * q[-1:], k[-1:], v[-1:]), want[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    for c, _ in steps:
        c.close()


@pytest.mark.parametrize("dtype", ["f32", "q8"])
@pytest.mark.parametrize("chunk", [1, 9, 64])
def test_that_a_ring_gives_the_bits_of_a_whole_cache(chunk: int, dtype: str) -> None:
    r = CASES["window"]
    assert r.window is not None
    t = 500
    qkv = inputs(r, t)
    c = Compute(2, True, 1, 32)
    whole, ring = Step(r, t, chunk, dtype), Step(r, r.window + chunk, chunk, dtype)
    assert ring.cache.capacity < t
    assert np.array_equal(ring(c, *qkv), whole(c, *qkv))
    c.close()


@pytest.mark.parametrize("dtype", ["f32", "q8"])
def test_that_rows_after_a_truncation_do_not_see_what_was_cut(dtype: str) -> None:
    r = PLAIN
    q, k, v = inputs(r, 90)
    c = Compute(2, True, 1, 32)
    clean, dirty = Step(r, 128, 90, dtype), Step(r, 128, 90, dtype)
    want = clean(c, q, k, v)
    dirty(c, q[:60], k[:60], v[:60])
    dirty(c, q[:30], 1e30 * k[:30], np.full_like(v[:30], np.nan), start=60)
    assert np.array_equal(dirty(c, q[60:], k[60:], v[60:], start=60), want[60:])
    c.close()


def test_that_half_precision_saturates_instead_of_overflowing() -> None:
    r = GqaReference(1, 1, 16, 16)
    c = Compute(1, True, 1, 32)
    step = Step(r, 64, 2, "f16")
    one = np.ones((2, 16), np.float32)
    got = step(c, one, one, 1e6 * one)
    assert np.all(got == 65504.0)
    c.close()


def test_that_the_views_of_a_cache_hold_keys_and_values_by_position() -> None:
    r = GqaReference(2, 2, 5, 3)
    c = Compute(1, True, 1, 32)
    for dtype, kind in (("f32", np.float32), ("f16", np.float16), ("bf16", np.uint16)):
        step = Step(r, 70, 70, dtype)
        q, k, v = inputs(r, 70)
        step(c, q, k, v)
        cache = step.cache
        assert cache.capacity == 128 and cache.keys.dtype == kind
        keys = cache.keys.transpose(0, 1, 3, 2).reshape(2, 128, 5)[:, :70]
        values = cache.values[:, :70]
        if dtype == "bf16":
            keys, values = ((x.astype(np.uint32) << 16).view(np.float32) for x in (keys, np.ascontiguousarray(values)))
        assert np.allclose(keys, k.reshape(70, 2, 5).transpose(1, 0, 2), rtol=5e-3)
        assert np.allclose(values, v.reshape(70, 2, 3).transpose(1, 0, 2), rtol=5e-3)
        assert cache.nbytes == KvCache.nbytes_for(2, 5, 3, 70, dtype) == 2 * 128 * (5 + 16) * cache.keys.itemsize
    c.close()


def test_that_bad_arguments_are_refused() -> None:
    for bad in ({"n_heads": 5}, {"norm": "group"}, {"norm": "head"}, {"q_norm": np.ones(16, np.float32)}, {"softcap": 0.0},
                {"sinks": np.ones(3, np.float32)}, {"rope": Rope(1, frequencies(9))}, {"d_value": 2000}):  # fmt: skip
        with pytest.raises(ValueError):
            Gqa(**{"n_heads": 4, "n_kv_heads": 2, "d_head": 16} | bad)
    for bad in ({"dtype": "f8"}, {"capacity": 0}, {"d_key": 0}, {"window": 0}):
        with pytest.raises(ValueError):
            KvCache(**{"n_kv_heads": 1, "d_key": 16, "d_value": 16, "capacity": 10, "dtype": "f32"} | bad)
    with pytest.raises(IndexError):
        Rope(4, frequencies(8)).fill(0, 5)


def test_that_rows_beyond_the_cache_the_buffers_or_the_rotary_table_are_refused() -> None:
    c = Compute(1, True, 1, 32)
    step = Step(PLAIN, 64, 8)
    assert step.rope is not None
    q, k, v, out = step.rows
    step.rope.fill(60, 8)
    with pytest.raises(IndexError):
        step.gqa(c, q, k, v, 5, 60, step.cache, out)
    with pytest.raises(ValueError, match="rotary"):
        step.gqa(c, q, k, v, 4, 0, step.cache, out)
    with pytest.raises(ValueError):
        step.gqa(c, q, k, v, 9, 0, step.cache, out)
    with pytest.raises(ValueError):
        step.gqa(c, q, q, v, 4, 60, step.cache, out)
    with pytest.raises(ValueError):
        step.gqa(c, q, k, v, 4, 60, KvCache(1, 32, 32, 64, "f32"), out)
    step.gqa(c, q, k, v, 4, 60, step.cache, out)
    step.gqa(c, q, k, v, 0, 60, step.cache, out)
    c.close()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("dtype", ["f32", "q8"])
@pytest.mark.parametrize("threads", [1, 4])
def test_that_a_query_of_no_numbers_gives_none_and_its_neighbours_are_right(threads: int, dtype: str, isa: str) -> None:
    r, t = GqaReference(4, 1, 32, 32), 1300
    q, k, v = inputs(r, t)
    c = Compute(threads, True, 1, 32, isa)
    step = Step(r, t, t, dtype)
    step(c, q[:-2], k[:-2], v[:-2])
    want = step.rows_at(c, t - 2, q[-2:], k[-2:], v[-2:])
    bad = q[-2:].copy()
    bad[1, :32] = np.nan  # the first head of the last row
    step.rows[3].array[:] = 7.0  # what an earlier layer left there
    got = step.rows_at(c, t - 2, bad, k[-2:], v[-2:])
    assert np.isnan(got[1, :32]).all()
    assert np.array_equal(got[0], want[0]) and np.array_equal(got[1, 32:], want[1, 32:])
    c.close()


def test_that_a_cancelled_step_is_interrupted() -> None:
    c = Compute(2, True, 1, 32)
    step = Step(PLAIN, 64, 8)
    c.cancel()
    with pytest.raises(Interrupted):
        step(c, *inputs(PLAIN, 8))
    c.resume()
    assert np.isfinite(step(c, *inputs(PLAIN, 8))).all()
    c.close()
