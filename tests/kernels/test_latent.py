"""Latent attention, absorbed, against the expanded float64 reference; its bits do not depend on chunks, threads or heads beside."""

import numpy as np
import pytest

from engine.arch.spec import Mla
from engine.arch.spec import Rope as RopeSpec
from kernels_pyx.attention import Rope
from kernels_pyx.compute import ISAS, Compute, Interrupted, Rows
from kernels_pyx.latent import Latent, LatentCache
from tests.reference.mla import attend

T = 150  # more than two tiles of keys
SHAPES = [(4, 16, 8, 32), (5, 12, 6, 48), (1, 24, 64, 512), (11, 8, 2, 16)]  # heads, d_nope, d_rope, d_latent


class Layer:
    """Random weights and T rows; products in float64, so that only the kernel is judged."""

    def __init__(self, shape: tuple[int, int, int, int], rotated: bool = True, interleaved: bool = True) -> None:
        heads, d_nope, d_rope, d_latent = shape
        rng = np.random.default_rng(sum(shape))
        freq = tuple(float(f) for f in np.float32(100.0) ** (-np.arange(d_rope // 2, dtype=np.float32) * 2 / d_rope))
        self.rope = RopeSpec(freq, 1.1, interleaved) if rotated else None
        self.m = Mla(heads, d_nope, d_rope, 8, d_latent, None, 1e-6, self.rope, (d_nope + d_rope) ** -0.5)
        self.q = rng.standard_normal((T, heads * (d_nope + d_rope)), dtype=np.float32)
        self.kv = rng.standard_normal((T, d_latent + d_rope), dtype=np.float32)
        self.kv[::3, :d_latent] *= 1e-3  # an epsilon that matters
        self.norm = 1 + 0.2 * rng.standard_normal(d_latent, dtype=np.float32)
        self.k_up = rng.standard_normal((heads, d_latent, d_nope)) * d_latent**-0.5
        nope = self.q.reshape(T, heads, -1)[..., :d_nope]
        self.queries = np.einsum("thd,hld->thl", nope.astype(np.float64), self.k_up).astype(np.float32).reshape(T, -1)

    def run(self, c: Compute, steps: list[int], dtype: str = "f32") -> np.ndarray:
        m = self.m
        cache = LatentCache(m.d_latent, m.d_rope, T, dtype)
        rope, r = None, self.rope
        if r is not None:
            rope = Rope(T, np.asarray(r.inv_freq, np.float32), factor=r.factor, interleaved=r.interleaved)
        kernel = Latent(m.n_heads, m.d_nope, m.d_rope, m.d_latent, norm=self.norm, norm_eps=m.norm_eps, rope=rope, scale=m.scale)
        q, queries, kv = (Rows(T, x.shape[1]) for x in (self.q, self.queries, self.kv))
        at, out = 0, []
        for n in steps:
            for rows, x in ((q, self.q), (queries, self.queries), (kv, self.kv)):
                rows.array[:n] = x[at % T : at % T + n]
            if rope is not None:
                rope.fill(at, n)
            kernel(c, q, queries, kv, n, at, cache)
            out.append(queries.array[:n].copy())
            at += n
        return np.concatenate(out)

    def want(self) -> np.ndarray:
        """What the reference attends in latent space: each latent number is one more value."""
        m = self.m
        wide = Mla(m.n_heads, m.d_nope, m.d_rope, m.d_latent, m.d_latent, None, m.norm_eps, m.rope, m.scale)
        v_up = np.tile(np.eye(m.d_latent), (m.n_heads, 1))
        f64 = [x.astype(np.float64) for x in (self.q, self.kv, self.norm)]
        return attend(wide, *f64, self.k_up.reshape(-1, m.d_nope), v_up, np.arange(T))  # type: ignore[call-arg]


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize(("rotated", "interleaved"), [(True, True), (True, False), (False, False)])
@pytest.mark.parametrize("shape", SHAPES)
def test_that_it_equals_the_reference(shape: tuple[int, int, int, int], rotated: bool, interleaved: bool, isa: str) -> None:
    layer, c = Layer(shape, rotated, interleaved), Compute(2, True, T, 1024, isa)
    got, want = layer.run(c, [T]), layer.want()
    assert np.linalg.norm(got - want) <= 2e-6 * np.linalg.norm(want)
    c.close()


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "q8"])
def test_that_chunks_and_threads_never_change_a_bit(dtype: str, isa: str) -> None:
    for shape in SHAPES[:2] + SHAPES[3:]:
        layer = Layer(shape)
        one, three = Compute(1, True, T, 1024, isa), Compute(3, True, T, 1024, isa)
        whole = layer.run(one, [T], dtype)
        for steps in ([7] * 21 + [3], [1] * 70 + [80], [64, 1, 85]):
            assert np.array_equal(layer.run(three, steps, dtype), whole), steps
        one.close()
        three.close()


@pytest.mark.parametrize("heads", [1, 3, 16, 40])
def test_that_spans_shared_by_threads_give_the_bits_of_one_thread(heads: int) -> None:
    """A long context: with few heads threads take spans of keys, in several waves."""
    t, d_latent, rng = 9000, 512, np.random.default_rng(heads)
    cache, norm = LatentCache(d_latent, 16, t, "f16"), np.ones(d_latent, np.float32)
    kernel = Latent(heads, 8, 16, d_latent, norm=norm, norm_eps=1e-6, rope=None, scale=0.1)
    cache.array[:] = rng.standard_normal(cache.array.shape, np.float32)
    x = [rng.standard_normal((2, w), np.float32) for w in (heads * 24, heads * d_latent, d_latent + 16)]
    results = []
    for threads, steps in ((1, [(0, 2)]), (4, [(0, 2)]), (4, [(0, 1), (1, 2)]), (9, [(0, 1), (1, 2)])):
        c, out = Compute(threads, True, 1, 32), []
        for a, b in steps:
            rows = [Rows(2, y.shape[1]) for y in x]
            for row, y in zip(rows, x, strict=True):
                row.array[: b - a] = y[a:b]
            kernel(c, *rows, b - a, t - 2 + a, cache)  # type: ignore[call-arg]
            out.append(rows[1].array[: b - a].copy())
        results.append(np.concatenate(out))
        c.close()
    keys = cache.array[:, : d_latent + 16].astype(np.float64)
    q = np.concatenate([x[1][1].reshape(heads, -1), x[0][1].reshape(heads, -1)[:, 8:]], axis=1).astype(np.float64)
    scores = q @ keys.T * 0.1
    p = np.exp(scores - scores.max(1, keepdims=True))
    want = p / p.sum(1, keepdims=True) @ keys[:, :d_latent]
    assert np.linalg.norm(results[0][1].reshape(heads, -1) - want) <= 5e-6 * np.linalg.norm(want)
    assert all(np.array_equal(r, results[0]) for r in results[1:])


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("threads", [1, 4])
def test_that_a_query_of_no_numbers_gives_none_and_its_neighbours_are_right(threads: int, isa: str) -> None:
    layer, c = Layer(SHAPES[1]), Compute(threads, True, T, 1024, isa)
    want = layer.run(c, [T]).reshape(T, layer.m.n_heads, -1)
    layer.queries.reshape(T, layer.m.n_heads, -1)[100, 2] = np.nan
    got = layer.run(c, [T]).reshape(T, layer.m.n_heads, -1)
    assert np.isnan(got[100, 2]).all()
    got[100, 2] = want[100, 2]
    assert np.array_equal(got, want)
    c.close()


@pytest.mark.parametrize(("dtype", "error"), [("f16", 2e-3), ("bf16", 1.5e-2), ("q8", 1.5e-2)])
def test_that_a_narrow_cache_costs_only_its_rounding(dtype: str, error: float) -> None:
    layer, c = Layer(SHAPES[0]), Compute(2, True, T, 1024)
    got, want = layer.run(c, [T], dtype), layer.want()
    assert np.linalg.norm(got - want) <= error * np.linalg.norm(want)
    c.close()


def test_that_a_token_keeps_latent_and_shared_key_only() -> None:
    assert LatentCache.nbytes_for(512, 64, 1000, "f16") == 1000 * 576 * 2
    assert LatentCache.nbytes_for(512, 64, 1000, "q8") == 1000 * (512 + 64 * 2 + 16 * 2)


def test_that_wrong_shapes_and_a_full_cache_are_refused() -> None:
    layer, c = Layer(SHAPES[0], rotated=False), Compute(1, True, T, 1024)
    with pytest.raises(IndexError, match="do not fit a cache"):
        layer.run(c, [T, 1])
    with pytest.raises(ValueError, match="no latent cache"):
        LatentCache(33, 8, 10, "f32")
    with pytest.raises(ValueError, match="a cache is"):
        LatentCache(32, 8, 10, "int8")
    layer.q = layer.q[:, 1:]
    with pytest.raises(ValueError, match="not those of the heads"):
        layer.run(c, [1])
    c.close()


def test_that_a_cancel_interrupts_it() -> None:
    layer, c = Layer(SHAPES[0]), Compute(2, True, T, 1024)
    c.cancel()
    with pytest.raises(Interrupted):
        layer.run(c, [T])
    c.close()
