"""Contract 1: budget, threads, chunks and context change when bytes move, never a bit of the result."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.plan import plan
from engine.model.trace import trace
from tests.conftest import Tiny

IDS = [3, 17, 255, 4, 9, 200, 31, 8, 77, 120, 5, 64, 99, 1, 250, 13, 2, 90, 41, 7, 66, 180, 20, 11]


def run(path: Path, **options: Any) -> dict[str, np.ndarray]:
    config = EngineConfig(path, **({"context": 64, "chunk": 24, "threads": 1} | options))
    return trace(config, IDS, greedy=8)


# Every kind of mixer, residual and FFN once; MXFP4 as published.
CASES = [(family, formats) for family in ("qwen2_moe", "olmoe") for formats in ("f32", "q4")]
CASES += [(family, "q4") for family in ("deepseek_v3", "gemma4", "kimi_linear", "qwen3_next")]
CASES += [("gpt_oss", "mxfp4+q4"), ("kimi_k3", "mxfp4+q4")]


KV_CASES = [(*case, "auto") for case in CASES] + [(family, "q4", "q8") for family in ("deepseek_v3", "gemma4", "gpt_oss", "qwen3_next")]


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "fast"])
@pytest.mark.parametrize(("family", "formats", "kv"), KV_CASES)
def test_that_settings_never_change_a_bit(family: str, exact: bool, formats: str, kv: str, tiny: Tiny) -> None:
    path = tiny(family, formats)
    with_all = run(path, exact=exact, kv=kv)
    container = Container.open(path)
    floor = plan(container, EngineConfig(path, context=64, chunk=24, exact=exact, kv=kv)).floor_bytes
    container.close()
    for options in ({"chunk": 7}, {"chunk": 1}, {"threads": 3}, {"budget_bytes": floor}, {"context": 200}, {"direct": False}):
        other = run(path, exact=exact, kv=kv, **options)
        for name, value in with_all.items():
            assert np.array_equal(value, other[name]), f"{name} differs with {options}"
