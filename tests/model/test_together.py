"""Rows of several sequences in one step: the bits of each are those that it has alone, and an expert that both need is read once."""


import numpy as np
import numpy.typing as npt
import pytest

from engine.arch import families
from engine.cancel import CancelToken
from engine.errors import BadRequest, Cancelled, ContextFull
from engine.model.model import Model
from engine.model.step import Part
from tests.conftest import Tiny, TinyFurther
from tests.model.conftest import Opened
from tests.oracle.further import FAMILIES

Ids = npt.NDArray[np.int32]
N = 3
TEXTS = [np.random.default_rng(seed).integers(0, 256, 30).astype(np.int32) for seed in range(N)]
WRONG = np.full(3, 7, np.int32)
FORMATS = {"gpt_oss": "mxfp4+q4", "kimi_k3": "mxfp4+q4"}
# Steps of (sequence, rows, rows that are taken back, logits): prompts beside answers, drafts, a prompt that ends beside two answers.
STEPS = [
    [(0, 7, 0, "none")],
    [(0, 1, 0, "all"), (1, 9, 0, "last")],
    [(1, 1, 0, "all"), (0, 2, 3, "all"), (2, 5, 0, "none")],
    [(0, 1, 0, "all"), (1, 1, 0, "all"), (2, 11, 0, "last")],
    [(2, 1, 0, "all"), (0, 1, 0, "all"), (1, 1, 0, "all")],
    [(1, 3, 2, "all")],
    [(2, 4, 0, "last"), (0, 9, 0, "last"), (1, 1, 0, "none")],
    [(0, 1, 0, "all"), (1, 1, 0, "all"), (2, 1, 0, "all")],
]


def alone(model: Model) -> list[npt.NDArray[np.float32]]:
    """Logits after each token of each text, computed by itself."""
    out = []
    for ids in TEXTS:
        state = model.new_state()
        out.append(np.concatenate([model.forward(ids[i : i + 10], state, "all").copy() for i in range(0, len(ids), 10)]))
    return out


def together(model: Model, want: list[npt.NDArray[np.float32]]) -> None:
    states = [model.new_state(lane) for lane in range(N)]
    for step in STEPS:
        begin = [states[k].length for k, *_ in step]
        parts = []
        for (k, n, wrong, logits), at in zip(step, begin, strict=True):
            ids = np.concatenate([TEXTS[k][at : at + n], WRONG[:wrong]])
            parts.append(Part(ids, states[k], logits))  # type: ignore[arg-type]
        got = model.forward_parts(parts)
        for (k, n, _, logits), at, rows in zip(step, begin, got, strict=True):
            right = {"none": want[k][:0], "last": want[k][at + n - 1 : at + n], "all": want[k][at : at + n]}[logits]
            assert np.array_equal(rows[: len(right)], right), (step, k)
            assert states[k].truncate(at + n)


@pytest.mark.parametrize("family", families())
def test_that_each_sequence_has_the_bits_that_it_has_alone(family: str, tiny: Tiny, opened: Opened) -> None:
    path = tiny(family, FORMATS.get(family, "q4"))
    want = alone(opened(path))
    together(opened(path, parallel=N), want)


@pytest.mark.parametrize("family", ["gemma4", "kimi_k3", "deepseek_v3"])
def test_that_this_holds_in_exact_arithmetic_with_the_least_memory(family: str, tiny: Tiny, opened: Opened) -> None:
    path = tiny(family, FORMATS.get(family, "q4"))
    want = alone(opened(path, exact=True, kv="f32"))
    floor = opened(path, exact=True, kv="f32", parallel=N).plan.floor_bytes
    together(opened(path, exact=True, kv="f32", parallel=N, budget_bytes=floor, threads=1), want)


@pytest.mark.parametrize("family", ["gemma4", "kimi_linear", "deepseek_v3"])
def test_that_a_stopped_step_leaves_all_of_them_usable(family: str, tiny: Tiny, opened: Opened) -> None:
    path = tiny(family, "q4")
    want, model = alone(opened(path)), opened(path, parallel=N)
    a, b = model.new_state(0), model.new_state(1)
    model.forward(TEXTS[0][:8], a, "none")
    token = CancelToken()

    class StopInside:
        """Stops after the second layer, when earlier layers have moved on."""

        def hidden(self, layer: int, x: npt.NDArray[np.float32]) -> None:
            if layer == 1:
                token.cancel()

        def last(self, x: npt.NDArray[np.float32]) -> None: ...
        def routes(self, layer: int, logits: object, ids: object, weights: object) -> None: ...

    model.probe = StopInside()
    with pytest.raises(Cancelled):
        model.forward_parts([Part(TEXTS[0][8:9], a, "all"), Part(TEXTS[1][:12], b, "none")], token)
    model.probe = None
    assert (a.length, b.length) == (8, 0)  # a short step can be taken back
    rows = model.forward_parts([Part(TEXTS[0][8:9], a, "all"), Part(TEXTS[1][:12], b, "last")])
    assert np.array_equal(rows[0], want[0][8:9]) and np.array_equal(rows[1], want[1][11:12])


@pytest.mark.parametrize("family", FAMILIES)
def test_that_the_layer_for_further_tokens_follows_each_text(family: str, tiny_further: TinyFurther, opened: Opened) -> None:
    _, path = tiny_further(family)
    single, model = opened(path, draft="mtp"), opened(path, draft="mtp", parallel=2)
    states = [model.new_state(lane) for lane in (0, 1)]
    for counts in ((5, 0), (1, 4), (1, 1), (2, 3), (1, 1)):
        begin = [state.length for state in states]
        parts = [Part(TEXTS[k][at : at + n], states[k], "last") for k, (at, n) in enumerate(zip(begin, counts, strict=True)) if n]
        model.forward_parts(parts)
        for k, n in enumerate(counts):
            if n:
                token = int(TEXTS[k][begin[k] + n])
                assert model.further(token, 0, states[k]) is not None and model.further(9, 1, states[k]) is not None
                again = model.further(token, 0, states[k])  # what it drafts beyond a text spoils nothing
                fresh = single.new_state()
                for at in range(begin[k] + n):  # token by token, as far as this
                    single.forward(TEXTS[k][at : at + 1], fresh, "last")
                want = single.further(token, 0, fresh)
                assert again is not None and want is not None and np.array_equal(again, want), (counts, k)
    model.forward(TEXTS[0][10:11], states[0], "last")
    assert model.further(3, 0, states[1]) is None  # its rows gave way to another text's


def test_that_the_plan_holds_memory_for_each(tiny: Tiny, opened: Opened) -> None:
    path = tiny("qwen3_next", "q4")
    one, two = opened(path), opened(path, parallel=2)
    assert two.plan.floor_bytes - one.plan.floor_bytes >= one.plan.kv_bytes // (1 + one.plan.checkpoints)
    for model in (one, two):
        states, p = [model.new_state(lane) for lane in range(model.plan.parallel)], model.plan
        there = model.allocated
        assert there["kv"] == p.kv_bytes >= sum(state.nbytes for state in states)
        assert there["scratch"] <= p.scratch_bytes and there["cache"] <= p.cache_bytes and p.total_bytes <= p.budget_bytes
        assert all(state.checkpoints.n_slots == p.checkpoints for state in states)
        with pytest.raises(IndexError):
            model.new_state(p.parallel)


def test_that_impossible_steps_are_refused_and_change_nothing(tiny: Tiny, opened: Opened) -> None:
    model = opened(tiny("olmoe", "q4"), parallel=2)
    a, b = model.new_state(0), model.new_state(1)
    model.forward(TEXTS[0][:5], a, "none")
    ids = TEXTS[0]
    for parts in (
        [Part(ids[:1], a, "all"), Part(ids[:1], a, "all")],
        [Part(ids[:9], a, "none"), Part(ids[:8], b, "none")],
        [Part(ids[:2], a, "last"), Part(ids[:1], b, "all")],
        [Part(ids[:1], a, "all"), Part(ids[:0], b, "none")],
    ):
        with pytest.raises(BadRequest):
            model.forward_parts(parts)  # type: ignore[arg-type]
    while a.length < 60:
        model.forward(ids[:5], a, "none")
    with pytest.raises(ContextFull):
        model.forward_parts([Part(ids[:5], a, "none"), Part(ids[:1], b, "none")])
    assert (a.length, b.length) == (60, 0)
    with pytest.raises(BadRequest, match="at once"):
        opened(tiny("olmoe", "q4"), parallel=9)
    with pytest.raises(BadRequest, match="at once"):
        opened(tiny("olmoe", "q4"), parallel=2, chunk=1)


def test_that_experts_that_both_need_are_read_once(tiny: Tiny, opened: Opened) -> None:
    path = tiny("qwen3_moe", "q4")
    floor = opened(path, parallel=2).plan.floor_bytes
    model = opened(path, parallel=2, budget_bytes=floor, warm_start=False, lookahead="off")
    state = [model.new_state(lane) for lane in (0, 1)]
    needed = []
    for joint in (False, True):
        for s in state:
            s.truncate(0)
            model.forward(TEXTS[0][:9], s, "none")
        before = model.snapshot()
        for i in range(9, 25):
            parts = [Part(TEXTS[0][i : i + 1], s, "all") for s in state]
            for step in [parts] if joint else [parts[:1], parts[1:]]:
                model.forward_parts(step)
        after = model.snapshot()
        needed.append(after.expert_hits + after.expert_misses - before.expert_hits - before.expert_misses)
    assert needed[1] * 2 == needed[0]  # the same text twice needs the same experts
