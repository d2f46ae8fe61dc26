"""What a model's own counters say against a replay of the routes that it took."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest
from engine.experts import simulator, trace
from engine.experts.cache import FEW
from engine.experts.trace import RouteRecorder
from engine.model.model import Model
from engine.model.plan import plan
from engine.model.scratch import Widths
from tests.conftest import Tiny


def run(path: Path, n_slots: int | None, n_prompt: int, n_decode: int, **options: object) -> tuple[Model, RouteRecorder]:
    """A prompt in two chunks and tokens drawn from its logits; the model is closed, its counters are there."""
    container = Container.open(path)
    config = EngineConfig(path, context=256, chunk=24, threads=1, lookahead="off", **options)  # type: ignore[arg-type]
    p = plan(container, config)
    model = Model(container, config, p if n_slots is None else replace(p, n_slots=n_slots), lambda f: None, CancelToken())
    try:
        model.streamer.recorder = recorder = RouteRecorder(len(container.experts))
        state, rng = model.new_state(), np.random.default_rng(1)
        ids = rng.integers(3, model.spec.vocab_size, n_prompt).astype(np.int32)
        for at in range(0, n_prompt, 24):
            logits = model.forward(ids[at : at + 24], state, "last")
        for _ in range(n_decode):
            p = np.exp(logits[-1] - logits[-1].max(), dtype=np.float64)
            logits = model.forward(np.array([rng.choice(len(p), p=p / p.sum())], np.int32), state, "all")
        return model, recorder
    finally:
        model.close()


def differ(model: Model, recorder: RouteRecorder, n_slots: int) -> float:
    """Hit rate of the counters less that of the replay, in points."""
    c, replayed = model.streamer.counters(), simulator.replay(recorder.steps, n_slots, uses=recorder.uses, slot_bytes=model.plan.slot_bytes)
    assert c.hits + c.misses == replayed.hits + replayed.misses
    assert c.hits > 0 or n_slots <= FEW, "few slots let all experts pass"
    return 100 * (c.hits / (c.hits + c.misses) - replayed.hit_rate)


@pytest.mark.parametrize("n_slots", [22, 56, 112, 224])
def test_that_the_starter_s_counters_are_those_of_a_replay(starter: Path, n_slots: int) -> None:
    model, recorder = run(starter, n_slots, 40, 80)
    assert abs(differ(model, recorder, n_slots)) <= 0.5


@pytest.mark.parametrize("family", ["qwen2_moe", "deepseek_v3", "gpt_oss", "kimi_linear"])
def test_that_a_tiny_family_s_counters_are_those_of_a_replay(tiny: Tiny, family: str) -> None:
    path = tiny(family, "mxfp4+q4" if family == "gpt_oss" else "q4")
    container = Container.open(path)
    everything, top_k = sum(e.n_experts for e in container.experts), Widths.of(container.arch).top_k
    for n_slots in (everything // 2, top_k):
        model, recorder = run(path, n_slots, 30, 60)
        assert abs(differ(model, recorder, n_slots)) <= 0.5


def test_that_recorded_routes_are_those_of_the_decoded_tokens(tiny: Tiny, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    for n in (1, 2):
        _, recorder = run(tiny("qwen2_moe", "q4"), None, 30, 12, record_routes=path)
        assert trace.read(path)[-12:] == recorder.steps[-12:]
        assert len(trace.read(path)) == 12 * n


def test_that_routes_are_not_recorded_onto_another_model_s(tiny: Tiny, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="MoE layers"):
        path = tmp_path / "other.jsonl"
        trace.write(path, [((0,),)])
        run(tiny("qwen2_moe", "q4"), None, 4, 1, record_routes=path)
