"""Every family against its oracle: PyTorch's own model on a tiny checkpoint, recorded once (tests/data/tiny)."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.arch import families
from engine.config import EngineConfig
from engine.model.trace import trace

TINY = Path(__file__).parents[1] / "data" / "tiny"
REL, MAX = 5e-6, 1e-4  # plain attention: two f32 evaluation orders differ by up to 8e-7 relative on these sizes


def relative(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a.astype(np.float64) - b) / np.linalg.norm(b.astype(np.float64)))


@pytest.mark.parametrize("chunk", [24, 7, 1], ids=["prefill", "chunks-of-7", "decode"])
@pytest.mark.parametrize("family", families())
def test_that_a_family_equals_its_oracle(family: str, chunk: int, tiny) -> None:
    want = np.load(TINY / family / "expected.npz")
    config = EngineConfig(tiny(family, "f32"), exact=True, chunk=chunk, context=64, threads=2)
    got = trace(config, want["input_ids"].tolist(), greedy=len(want["greedy_ids"]))
    assert np.array_equal(got["moe_layers"], want["moe_layers"])
    assert np.array_equal(got["topk_idx"], want["topk_idx"])
    assert np.array_equal(got["greedy_ids"], want["greedy_ids"])
    for name in ("logits", "final", "greedy_logits"):
        assert got[name].shape == want[name].shape
        assert relative(got[name], want[name]) <= REL, name
        assert np.abs(got[name] - want[name]).max() <= MAX, name
    for layer, (a, b) in enumerate(zip(got["hidden"], want["hidden"], strict=True)):
        assert relative(a, b) <= REL, f"hidden state after layer {layer - 1}"
    for name in ("router_logits", "topk_weight"):
        assert relative(got[name], want[name]) <= REL, name


def test_that_the_oracle_s_margins_make_exact_choices_meaningful() -> None:
    for family in families():
        meta = json.loads((TINY / family / "meta.json").read_text())
        assert meta["min_expert_gap"] > 1e-3 and meta["min_greedy_gap"] > 1e-2
