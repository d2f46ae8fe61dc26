"""The plan before a download: equal to that of the container that a conversion writes, right for released models."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.arch import families
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest, OverBudget
from engine.model.plan import plan
from engine.setup.outlook import outlook
from engine.setup.roles import trunk_formats
from engine.setup.unwritten import Unwritten
from tests.arch.real import GEMMA_4, KIMI_K3, KIMI_LINEAR, QWEN3_30B_A3B
from tests.oracle.checkpoint import DATA

Tiny = Callable[..., Path]
MXFP4 = ("gpt_oss", "kimi_k3")
AT_4K = EngineConfig(Path(), context=4096, threads=8)


def config(family: str) -> dict[str, object]:
    value: dict[str, object] = json.loads((DATA / family / "config.json").read_text())
    return value


@pytest.mark.parametrize("family", families())
def test_that_a_plan_without_a_container_is_that_of_the_container(family: str, tiny: Tiny) -> None:
    experts = "mxfp4" if family in MXFP4 else "q4"
    path = tiny(family, f"{experts}+q4-all")
    container = Container.open(path)
    model = Unwritten(path.stem, config(family), experts, "q4-all", mtp=container.arch.mtp is not None)
    for options in ({}, {"exact": True}, {"budget_bytes": 40_000_000, "chunk": 8}):
        asked = EngineConfig(path, **({"context": 128, "threads": 2} | options))  # type: ignore[arg-type]
        assert plan(model, asked) == plan(container, asked)
    seen = outlook(model, EngineConfig(path, context=128, threads=2))
    assert seen.floor_bytes == plan(container, EngineConfig(path, context=128, threads=2)).floor_bytes
    stored = sum(f.stat().st_size for f in path.rglob("*") if f.suffix in (".bin", ".safetensors") and f.name != "checksums.bin")
    assert seen.disk_bytes == stored
    formats = {fmt for role, r in seen.roles.items() if role not in ("vector", "router", "experts") for fmt in r.formats}
    assert formats == {"q4"} and ("router" not in seen.roles or seen.roles["router"].formats == ("bf16",))
    assert ("experts" in seen.roles) == bool(container.experts)
    container.close()


@pytest.mark.parametrize("family", families())
def test_that_roles_add_up_and_the_recommended_limit_caches_what_it_says(family: str) -> None:
    model = Unwritten(family, config(family))
    seen = outlook(model, EngineConfig(Path(), context=128, threads=2))
    assert sum(r.nbytes for r in seen.roles.values() if r.resident) == model.trunk_bytes
    assert seen.plan.total_bytes <= seen.plan.budget_bytes == seen.recommended_bytes
    assert seen.plan.n_slots >= seen.recommended_slots >= min(seen.plan.n_records, 4)
    assert seen.parameters == seen.active_parameters or model.experts or not model.arch.tied
    assert seen.leaner_floor_bytes < seen.floor_bytes <= seen.recommended_bytes


@pytest.mark.parametrize(
    ("released", "experts", "most"),
    [(KIMI_K3, "mxfp4", 37e9), (GEMMA_4, "q4", 2.0e9), (KIMI_LINEAR, "q4", 1.4e9), (QWEN3_30B_A3B, "q4", 1.3e9)],
    ids=["kimi_k3", "gemma4", "kimi_linear", "qwen3_30b"],
)
def test_that_the_floors_of_released_models_hold_at_4k(released: dict[str, object], experts: str, most: float) -> None:
    seen = outlook(Unwritten("released", released, experts, "q4-all"), AT_4K)
    assert 0.8 * most < seen.floor_bytes <= most
    with pytest.raises(OverBudget):
        outlook(Unwritten("released", released, experts, "q4-all"), EngineConfig(Path(), context=4096, budget_bytes=seen.floor_bytes // 2))


def test_that_only_q4_all_quantizes_head_and_embedding_to_four_bits() -> None:
    assert set(trunk_formats("q4-all").values()) == {"q4"}
    assert trunk_formats("q4")["head"] == trunk_formats("q4")["embed"] == "q8"
    with pytest.raises(BadRequest, match="q4-all"):
        trunk_formats("q3")
