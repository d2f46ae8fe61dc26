from typing import Any

import numpy as np
import pytest

from kernels_pyx.compute import ISAS, Compute, Rows
from kernels_pyx.linear import Matrix, pack, unpack
from kernels_pyx.routes import Routes
from kernels_pyx.rows import Router
from tests.reference.router import choose


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def matrix(w: np.ndarray, fmt: str = "f32") -> Matrix:
    return Matrix(fmt, len(w), w.shape[1], pack(fmt, w))


def run(
    c: Compute, w: np.ndarray, x: np.ndarray, top_k: int, score: str, chunk: int | None = None, fmt: str = "f32", **options: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """logits, ids and weights of all rows of x, chunk by chunk."""
    router = Router(matrix(w, fmt), top_k, score, **options)
    n = len(x)
    chunk = chunk or n
    rows, logits, routes = Rows(chunk, x.shape[1]), Rows(chunk, len(w)), Routes(chunk, top_k)
    parts = []
    for i in range(0, n, chunk):
        m = min(chunk, n - i)
        rows.array[:m] = x[i : i + m]
        router(c, rows, m, logits, routes)
        parts.append((logits.array[:m].copy(), routes.ids[:m].copy(), routes.weights[:m].copy()))
    all_logits, ids, weights = (np.concatenate(p) for p in zip(*parts, strict=True))
    return all_logits, ids, weights


CASES: dict[str, dict[str, object]] = {
    "olmoe": {"score": "softmax"},
    "qwen3-moe": {"score": "softmax", "renormalize": True},
    "gpt-oss": {"score": "topk_softmax", "logit_bias": normal(5, 48)},
    "gemma 4": {"score": "softmax", "renormalize": True, "per_expert_scale": 1 + 0.1 * normal(6, 48)},
    "kimi": {"score": "sigmoid", "choice_bias": 0.2 * normal(7, 48), "renormalize": True, "renorm_eps": 1e-20, "scale": 2.827},
    "deepseek v2": {"score": "softmax", "groups": 8, "topk_groups": 3, "scale": 16.0},
    "deepseek v3": {
        "score": "sigmoid",
        "choice_bias": normal(7, 48),
        "groups": 6,
        "topk_groups": 2,
        "group_score": "top2",
        "renormalize": True,
        "scale": 2.5,
    },
}


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("top_k", [1, 6])
def test_that_choice_and_weights_equal_the_reference(case: str, top_k: int, isa: str) -> None:
    options = dict(CASES[case])
    w, x = normal(1, 48, 40), 0.3 * normal(2, 50, 40)
    for exact in (True, False):
        c = Compute(2, exact, 50, 64, isa)
        logits, ids, weights = run(c, w, x, top_k, **options)
        want = x.astype(np.float64) @ w.T.astype(np.float64)
        bias = options.get("logit_bias")
        want = want if bias is None else want + np.asarray(bias)
        assert np.allclose(logits, want, rtol=2e-6, atol=2e-6)
        chosen, expected = choose(logits, top_k, **{k: v for k, v in options.items() if k != "logit_bias"})
        assert np.array_equal(ids, chosen)
        assert np.allclose(weights, expected, rtol=3e-6, atol=0)
        c.close()


@pytest.mark.parametrize("isa", ISAS)
def test_that_a_row_s_choice_depends_neither_on_its_companions_nor_on_threads(isa: str) -> None:
    w, x = normal(1, 130, 64), normal(2, 33, 64)
    want = None
    for threads, chunk in ((1, 33), (2, 1), (3, 7), (4, 33)):
        c = Compute(threads, True, 33, 64, isa)
        got = run(c, w, x, 8, "softmax", chunk, renormalize=True)
        want = want or got
        assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))
        c.close()


@pytest.mark.parametrize("score", ["softmax", "sigmoid", "topk_softmax"])
def test_that_ties_go_to_the_lower_id_and_the_best_comes_first(score: str) -> None:
    w = np.zeros((12, 32), np.float32)
    w[5, 0] = w[9, 0] = w[2, 0] = 1.0
    w[7, 0] = 2.0
    c = Compute(1, True, 1, 32)
    x = np.zeros((1, 32), np.float32)
    x[0, 0] = 1.0
    _, ids, weights = run(c, w, x, 5, score)
    assert ids.tolist() == [[7, 2, 5, 9, 0]]
    assert np.all(np.diff(weights) <= 0)
    c.close()


def test_that_extreme_logits_give_finite_weights_that_sum_to_one() -> None:
    w = np.zeros((4, 32), np.float32)
    w[:, 0] = (3e4, -3e4, 1e4, 0.0)
    c = Compute(1, True, 1, 32)
    x = np.zeros((1, 32), np.float32)
    x[0, 0] = 1.0
    for score in ("softmax", "sigmoid", "topk_softmax"):
        _, ids, weights = run(c, w, x, 4, score, renormalize=True)
        assert ids[0, 0] == 0 and np.isfinite(weights).all()
        assert abs(float(weights.sum()) - 1) < 1e-6
    c.close()


def test_that_rows_that_are_no_numbers_still_choose_existing_experts() -> None:
    c = Compute(1, True, 1, 32)
    x = np.full((1, 32), np.nan, np.float32)
    for options in ({"score": "softmax"}, {"score": "sigmoid", "groups": 4, "topk_groups": 2, "group_score": "top2"}):
        _, ids, _ = run(c, normal(1, 16, 32), x, 4, **options)
        assert len(set(ids[0].tolist())) == 4 and ids.min() >= 0 and ids.max() < 16
    c.close()


@pytest.mark.parametrize("fmt", ["bf16", "q8"])
def test_that_routing_is_exact_also_in_fast_arithmetic(fmt: str) -> None:
    w, x = normal(1, 10, 96), normal(2, 3, 96)
    decoded = unpack(fmt, 10, 96, pack(fmt, w))
    assert not np.array_equal(decoded, w)
    c = Compute(1, False, 3, 96)
    logits, _, _ = run(c, w, x, 2, "softmax", fmt=fmt)
    assert np.allclose(logits, x.astype(np.float64) @ decoded.T.astype(np.float64), rtol=3e-6, atol=3e-6)
    c.close()


def test_that_impossible_routers_and_wrong_shapes_are_refused() -> None:
    w = matrix(normal(1, 12, 32))
    for top_k, options in (
        (0, {}),
        (13, {}),
        (4, {"score": "softmin"}),
        (4, {"groups": 5}),
        (4, {"groups": 6, "topk_groups": 1}),
        (4, {"groups": 4, "topk_groups": 5}),
        (4, {"groups": 12, "topk_groups": 6, "group_score": "top2"}),
        (4, {"group_score": "mean"}),
        (4, {"logit_bias": np.zeros((1, 12), np.float32)}),
        (4, {"choice_bias": np.zeros(11, np.float32)}),
        (4, {"per_expert_scale": np.zeros(13, np.float32)}),
    ):
        with pytest.raises(ValueError):
            Router(w, top_k, **({"score": "softmax"} | options))
    c = Compute(1, True, 4, 32)
    router = Router(w, 2, "softmax")
    x, logits, routes = Rows(4, 32), Rows(4, 12), Routes(4, 2)
    for bad in (
        (x, 5, logits, routes),
        (x, 4, Rows(4, 13), routes),
        (x, 4, logits, Routes(4, 3)),
        (x, 4, logits, Routes(3, 2)),
        (Rows(4, 31), 4, logits, routes),
    ):
        with pytest.raises(ValueError):
            router(c, *bad)
    router(c, x, 0, logits, routes)
    c.close()
