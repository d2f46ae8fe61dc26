"""The sampler against a plain reference of each step, its draws, its refusals."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.config import Sampling
from engine.errors import BadRequest, EngineError
from engine.generate.sampler import Sampler, _draw, _heaviest

F32 = np.float32


def logits_of(seed: int, n: int = 300, scale: float = 3.0) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal(n) * scale).astype(F32)


def distribution(logits: np.ndarray, s: Sampling, seen: set[int]) -> np.ndarray:
    """Probabilities by the published definitions, with full sorts, in float64."""
    x = logits.astype(np.float64)
    for i in seen:
        x[i] = x[i] / s.repetition_penalty if x[i] > 0 else x[i] * s.repetition_penalty
    p = np.exp((x - x.max()) / s.temperature)
    order = np.lexsort((np.arange(len(p)), -p))
    keep = order[: s.top_k] if s.top_k else order
    if s.top_p < 1:
        mass = np.cumsum(p[keep]) / p[keep].sum()
        keep = keep[: int(np.searchsorted(mass, s.top_p)) + 1]
    keep = keep[p[keep] >= s.min_p * p.max()]
    out = np.zeros(len(p))
    out[keep] = p[keep] / p[keep].sum()
    return out


SETTINGS = [
    Sampling(1.0),
    Sampling(0.7, top_k=5),
    Sampling(0.9, top_p=0.8),
    Sampling(2.0, top_p=0.95),
    Sampling(1.3, min_p=0.1),
    Sampling(1.0, top_k=20, top_p=0.7, min_p=0.05, repetition_penalty=1.3),
    Sampling(0.5, repetition_penalty=0.8),
]


@pytest.mark.parametrize("s", SETTINGS, ids=range(len(SETTINGS)))
def test_that_draws_follow_the_distribution(s: Sampling) -> None:
    logits, seen, n = logits_of(3, 40), {1, 7, 20}, 6000
    p = distribution(logits, s, seen)
    counts = np.zeros(40)
    sampler = Sampler(replace(s, seed=5), 40, seen)
    for position in range(n):
        counts[sampler.pick(logits, position)] += 1
    assert not counts[p == 0].any()
    # Five standard deviations of a binomial; the draws are fixed by the seed, so this passes always or never.
    assert (np.abs(counts - n * p) <= 5 * np.sqrt(n * p * (1 - p)) + 1).all()


@given(
    seed=st.integers(0, 10_000),
    k=st.integers(0, 300),
    top_p=st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.999, 1.0]),
    scale=st.sampled_from([0.0, 0.01, 1.0, 8.0]),
)
@settings(deadline=None)
def test_that_exactly_the_candidates_of_top_k_and_top_p_can_be_drawn(seed: int, k: int, top_p: float, scale: float) -> None:
    s = Sampling(1.0, top_k=k, top_p=top_p)
    logits = np.round(logits_of(seed, 300, scale) * 4).astype(F32) / 4  # ties are common
    ids, weights = Sampler(s, 300, [])._candidates(logits, float(logits.max()))
    p = distribution(logits, s, set())
    drawable = set(range(300)) if ids is None else set(ids.tolist())
    wanted = set(np.flatnonzero(p).tolist())
    # The last candidate of top-p may differ by rounding where the mass meets the goal.
    assert len(drawable ^ wanted) <= 1
    assert np.allclose(
        weights / weights.sum(),
        p[list(range(300)) if ids is None else ids] / p[list(drawable)].sum(),
        atol=1e-2 if drawable ^ wanted else 1e-5,
    )


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=50))
def test_that_temperature_zero_is_the_first_of_the_highest(values: list[int]) -> None:
    logits = np.asarray(values, F32)
    assert Sampler(Sampling(0), len(values), []).pick(logits, 0) == values.index(max(values))


def test_that_temperature_zero_looks_at_penalized_logits() -> None:
    logits = np.asarray([4.0, 5.0, -1.0], F32)
    sampler = Sampler(Sampling(0, repetition_penalty=1.5), 3, [1])
    assert sampler.pick(logits, 0) == 0
    sampler.accept(0)
    assert sampler.pick(logits, 1) == 1
    assert logits.tolist() == [4.0, 5.0, -1.0]


def test_that_a_draw_depends_on_seed_and_position_alone() -> None:
    logits = logits_of(1, 1000, 0.1)
    first = Sampler(Sampling(1.0, seed=3), 1000, [])
    drawn = [first.pick(logits, p) for p in range(50)]
    again = Sampler(Sampling(1.0, seed=3), 1000, [])
    assert [again.pick(logits, p) for p in reversed(range(50))] == drawn[::-1]
    other = Sampler(Sampling(1.0, seed=4), 1000, [])
    assert [other.pick(logits, p) for p in range(50)] != drawn
    assert len(set(drawn)) > 40


def test_that_a_fresh_seed_is_told_and_repeats_the_draws() -> None:
    logits = logits_of(1, 1000, 0.1)
    fresh = Sampler(Sampling(1.0), 1000, [])
    told = Sampler(Sampling(1.0, seed=fresh.seed), 1000, [])
    assert [fresh.pick(logits, p) for p in range(20)] == [told.pick(logits, p) for p in range(20)]
    assert Sampler(Sampling(1.0), 1000, []).seed != fresh.seed


@given(seed=st.integers(0, 99), n=st.integers(1, 400), share=st.floats(0, 1))
def test_that_the_heaviest_are_those_of_a_full_sort(seed: int, n: int, share: float) -> None:
    weights = np.exp(np.round(logits_of(seed, 400, 4.0)) - 12).astype(F32)  # ties are common
    full = np.lexsort((np.arange(400), -weights))
    assert sorted(_heaviest(weights, n, by_mass=False)) == sorted(full[:n])
    kept = _heaviest(weights, share * float(weights.sum(dtype=np.float64)), by_mass=True)
    assert sorted(kept) == sorted(full[: len(kept)])
    mass = np.cumsum(weights[full], dtype=np.float64) / weights.sum(dtype=np.float64)
    assert mass[len(kept) - 1] >= share - 1e-9
    assert len(kept) == 1 or mass[len(kept) - 2] <= share + 1e-9


def test_that_flat_and_equal_weights_are_cut_exactly() -> None:
    equal = np.ones(5000, F32)
    assert _heaviest(equal, 0.5 * 5000, by_mass=True).tolist() == list(range(2500))
    assert _heaviest(equal, 7, by_mass=False).tolist() == list(range(7))
    assert _heaviest(equal, 0.0, by_mass=True).tolist() == [0]
    near = np.nextafter(equal, np.where(np.arange(5000) % 2, F32(2), F32(0)))  # differ in their last bit alone
    assert sorted(_heaviest(near, 2500, by_mass=False)) == list(range(1, 5000, 2))


@given(seed=st.integers(0, 99), n=st.integers(1, 2000), u=st.floats(0, 1, exclude_max=True))
def test_that_a_draw_is_where_the_running_sum_passes_the_share(seed: int, n: int, u: float) -> None:
    weights = np.random.default_rng(seed).random(n, F32)
    mass = np.cumsum(weights, dtype=np.float64)
    at = _draw(weights, u)
    assert (mass[at - 1] if at else 0) <= u * mass[-1] * (1 + 1e-12) and u * mass[-1] <= mass[at] * (1 + 1e-12)


def test_that_a_token_of_no_weight_is_never_drawn() -> None:
    weights = np.zeros(1500, F32)
    weights[[3, 700]] = 1
    assert {_draw(weights, u) for u in np.linspace(0, np.nextafter(1, 0), 999)} == {3, 700}


@pytest.mark.parametrize("temperature", [0.0, 1e-300, 1e-3, 1.0, 100.0])
def test_that_extreme_logits_are_drawn_from_without_a_warning(temperature: float) -> None:
    logits = np.asarray([-np.inf, 3e38, -3e38, 0.0], F32)
    assert Sampler(Sampling(temperature, top_p=0.9, seed=1), 4, []).pick(logits, 0) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_that_logits_that_are_no_numbers_are_an_error(bad: float) -> None:
    logits = np.asarray([1.0, bad, 2.0], F32)
    for s in (Sampling(0), Sampling(1.0), Sampling(1.0, top_k=1, repetition_penalty=1.1)):
        with pytest.raises(EngineError, match="ouzel verify"):
            Sampler(s, 3, []).pick(logits, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": -0.1},
        {"temperature": float("nan")},
        {"temperature": 101.0},
        {"top_k": -1},
        {"top_p": 1.1},
        {"top_p": -0.1},
        {"min_p": 2.0},
        {"repetition_penalty": 0.0},
        {"repetition_penalty": float("inf")},
        {"max_tokens": 0},
        {"seed": -1},
        {"seed": 1 << 64},
    ],
)
def test_that_an_impossible_setting_is_refused_with_its_range(change: dict[str, float]) -> None:
    with pytest.raises(BadRequest, match=r"is not possible; choose .* to .*\."):
        Sampler(replace(Sampling(), **change), 10, [])


def test_that_ids_of_another_model_s_tokenizer_are_refused() -> None:
    with pytest.raises(BadRequest, match="belongs to another model"):
        Sampler(Sampling(), 10, [10])


def test_that_an_end_token_is_never_penalized() -> None:
    logits = np.array([0.0, 2.0, 1.9], np.float32)
    s = Sampling(temperature=0, repetition_penalty=2.0)
    assert Sampler(s, 3, [1]).pick(logits, 0) == 2
    assert Sampler(s, 3, [1], ends=[1]).pick(logits, 0) == 1


def test_that_temperature_0_alone_is_the_pure_argmax() -> None:
    own = Sampling(temperature=0.2, repetition_penalty=1.15)
    assert own.given({"temperature": 0, "top_k": None}) == Sampling(temperature=0)
    assert own.given({"temperature": 0, "repetition_penalty": 1.3}).repetition_penalty == 1.3
    assert own.given({"temperature": 0.5}).repetition_penalty == 1.15


@dataclass
class Only:
    """A grammar that allows some tokens, and notes what came."""

    tokens: set[int]
    came: list[int] = field(default_factory=list)

    def allowed(self) -> np.ndarray:
        return np.isin(np.arange(40), list(self.tokens))

    def accept(self, token: int) -> None:
        self.came.append(token)


def test_that_draws_follow_penalties_bias_and_grammar() -> None:
    logits, n, answer = logits_of(4, 40), 6000, [3, 3, 9, 12, 3]
    bias = ((5, 2.5), (9, -3.0))
    s = Sampling(0.9, 0, 0.95, repetition_penalty=1.2, seed=2, presence_penalty=0.7, frequency_penalty=0.4, logit_bias=bias)
    grammar = Only({3, 5, 9, 12, 20, 21, 30})
    sampler = Sampler(s, 40, [7, 9], grammar=grammar)
    for token in answer:
        sampler.accept(token)
    assert grammar.came == answer
    changed = logits.astype(np.float64)
    for i in {7, 9, *answer}:
        changed[i] = changed[i] / 1.2 if changed[i] > 0 else changed[i] * 1.2
    for i in set(answer):
        changed[i] -= 0.7 + 0.4 * answer.count(i)
    changed[5] += 2.5
    changed[9] -= 3.0
    allowed = sorted(grammar.tokens)
    p = np.zeros(40)
    p[allowed] = distribution(changed[allowed], Sampling(0.9, top_p=0.95), set())
    counts = np.zeros(40)
    before = logits.copy()
    for position in range(n):
        counts[sampler.pick(logits, position)] += 1
    assert (logits == before).all()
    assert not counts[p == 0].any()
    assert (np.abs(counts - n * p) <= 5 * np.sqrt(n * p * (1 - p)) + 1).all()


def test_that_the_likeliest_token_is_that_of_the_changed_logits() -> None:
    logits = np.zeros(40, F32)
    logits[[1, 2, 3]] = 3, 2, 1
    assert Sampler(Sampling(0, logit_bias=((1, -100.0),)), 40, []).pick(logits, 0) == 2
    assert Sampler(Sampling(0), 40, [], grammar=Only({3, 4})).pick(logits, 0) == 3
    sampler = Sampler(Sampling(0, frequency_penalty=0.6), 40, [1])  # the prompt's tokens are not the answer's
    drawn = []
    for position in range(4):
        drawn.append(sampler.pick(logits, position))
        sampler.accept(drawn[-1])
    assert drawn == [1, 1, 2, 1]  # 3, 2.4, 2.0 against 1.8, 1.8


def test_that_impossible_biases_and_penalties_are_refused() -> None:
    for s in (Sampling(logit_bias=((40, 1.0),)), Sampling(logit_bias=((-1, 1.0),)), Sampling(presence_penalty=float("nan"))):
        with pytest.raises(BadRequest):
            Sampler(s, 40, [])
