"""The float64 references against PyTorch's recorded outputs: every family, layer by layer, straight from the checkpoint.

It also proves the families' tensor lists: cuts, transposes and added ones are read here as the ArchSpec says.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.arch import families, read_arch
from tests.oracle.checkpoint import DATA, write_checkpoint
from tests.reference.source import Checkpoint
from tests.reference.walk import walk

# Float64 against f32: what is left is PyTorch's own rounding.
REL = {"gemma4": 2e-5, "kimi_k3": 2e-5, "kimi_linear": 2e-5, "qwen3_next": 2e-5, "qwen3_5_moe": 2e-5, "qwen3_5": 2e-5, "gemma3_text": 2e-5}


@pytest.mark.parametrize(("seed", "dtype"), [(0, "bf16"), (1, "f32")])
@pytest.mark.parametrize("family", families())
def test_that_the_reference_equals_the_recorded_outputs(family: str, seed: int, dtype: str, tmp_path: Path) -> None:
    want = np.load(DATA / family / f"expected_{seed}_{dtype}.npz")
    spec = read_arch(json.loads((DATA / family / "config.json").read_text()))
    got = walk(spec, Checkpoint.open(write_checkpoint(family, seed, dtype, tmp_path)), want["input_ids"])
    limit = REL.get(family, 5e-6)
    pairs = [("logits", got.logits, want["logits"]), ("final", got.final, want["final"])]
    pairs += [(f"hidden state {i}", a, b) for i, (a, b) in enumerate(zip(got.hidden, want["hidden"], strict=True))]
    for name, a, b in pairs:
        assert np.linalg.norm(a - b) <= limit * np.linalg.norm(b), name
    for (_, _, ids, _), chosen in zip(got.routing, want["topk_idx"], strict=True):
        assert np.array_equal(np.sort(ids, axis=1), chosen)
    assert [layer for layer, *_ in got.routing] == want["moe_layers"].tolist()
