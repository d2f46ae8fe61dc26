"""Every family against its oracle: PyTorch's own model on a tiny checkpoint, recorded once (tests/data/oracle)."""

import json

import numpy as np
import pytest

from engine.arch import families
from engine.config import EngineConfig
from engine.model.trace import trace
from tests.oracle.checkpoint import DATA

CASES = [(0, "bf16"), (1, "bf16"), (0, "f32"), (1, "f32")]
REL, MAX = 5e-6, 1e-4  # plain attention: two f32 evaluation orders differ by up to 8e-7 relative on these sizes


def relative(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a.astype(np.float64) - b) / np.linalg.norm(b.astype(np.float64)))


@pytest.mark.parametrize("chunk", [24, 7, 1], ids=["prefill", "chunks-of-7", "decode"])
@pytest.mark.parametrize(("seed", "dtype"), CASES)
@pytest.mark.parametrize("family", families())
def test_that_a_family_equals_its_oracle(family: str, seed: int, dtype: str, chunk: int, tiny) -> None:
    want = np.load(DATA / family / f"expected_{seed}_{dtype}.npz")
    config = EngineConfig(tiny(family, "f32", seed, dtype), exact=True, chunk=chunk, context=64, threads=2)
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
    for path in DATA.glob("*/meta_*.json"):
        meta = json.loads(path.read_text())
        assert min(meta["min_expert_gap"], meta["min_expert_gap_greedy"]) > 1e-4 and meta["min_greedy_gap"] > 1e-3, path
