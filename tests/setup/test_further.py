"""Layers for further tokens in conversions: kept where a checkpoint has one, dropped where asked for, and counted before."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.arch import read_arch
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.container.verify import verify
from engine.errors import BadCheckpoint, BadRequest
from engine.model.plan import Planner
from engine.setup.convert import convert
from engine.setup.installed import _parameters
from engine.setup.measure import source_of
from engine.setup.outlook import outlook
from engine.setup.unwritten import Unwritten
from tests.conftest import Tiny
from tests.oracle.further import FAMILIES, SHARD

Further = Callable[[str], tuple[Path, Path]]


def quiet(phase: str, done: int, total: int) -> None:
    pass


@pytest.mark.parametrize("family", FAMILIES)
def test_that_it_is_kept_with_its_experts_last(family: str, tiny_further: Further) -> None:
    _, path = tiny_further(family)
    container = Container.open(path)
    try:
        arch, m = container.arch, container.manifest
        assert arch.mtp is not None and "mtp" in m.features
        assert container.has("mtp.project") and container.has(f"layers.{len(arch.layers)}.attn_norm")
        assert len(arch.layers) == arch.mtp.index
        if arch.moe_layers:  # dense families have none there either
            assert m.experts[-1].layer == arch.mtp.index
        assert not [name for name in container.tensors if "shared_head" in name or "embed_copy" in name]
    finally:
        container.close()
    assert verify(path, quiet, CancelToken()) == []


def test_that_it_is_dropped_where_asked_for(tiny_further: Further, tiny: Tiny, tmp_path: Path) -> None:
    source, _kept = tiny_further("glm4_moe")
    convert(source, tmp_path / "a.ouzel", "f32", "f32", quiet, CancelToken(), "drop")
    container, plain = Container.open(tmp_path / "a.ouzel"), Container.open(tiny("glm4_moe"))
    try:
        assert container.arch.mtp is None and container.arch.offered is not None
        assert container.tensors == plain.tensors and [e.layer for e in container.experts] == [e.layer for e in plain.experts]
        assert container.manifest.features == plain.manifest.features
    finally:
        container.close()
        plain.close()
    with pytest.raises(BadRequest, match="keep or drop"):
        convert(source, tmp_path / "b.ouzel", "f32", "f32", quiet, CancelToken(), "maybe")


def test_that_a_checkpoint_that_leaves_it_out_is_converted_without(tiny_further: Further, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    source, _ = tiny_further("deepseek_v3")
    config = json.loads((source / "config.json").read_text())
    assert config["num_nextn_predict_layers"] == 1
    bare = tmp_path / "bare"
    bare.mkdir()
    for file in tiny_checkpoint("deepseek_v3").iterdir():
        (bare / file.name).write_bytes(file.read_bytes())
    (bare / "config.json").write_text(json.dumps(config))
    convert(bare, tmp_path / "a.ouzel", "f32", "f32", quiet, CancelToken())
    container = Container.open(tmp_path / "a.ouzel")
    assert container.arch.mtp is None
    container.close()


def test_that_what_is_wrong_with_it_is_told_like_anything_else(tiny_further: Further, tmp_path: Path) -> None:
    source, _ = tiny_further("glm4_moe")
    bad = tmp_path / "bad"
    bad.mkdir()
    for file in source.iterdir():
        (bad / file.name).write_bytes(file.read_bytes())
    data = bytearray((bad / SHARD).read_bytes())
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    at = start + next(v["data_offsets"][0] for k, v in header.items() if k.endswith("eh_proj.weight"))
    data[at : at + 2] = np.array([0x7FC0], "<u2").tobytes()
    (bad / SHARD).write_bytes(data)
    with pytest.raises(BadCheckpoint, match=r"eh_proj\.weight"):
        convert(bad, tmp_path / "a.ouzel", "f32", "f32", quiet, CancelToken())
    convert(bad, tmp_path / "a.ouzel", "f32", "f32", quiet, CancelToken(), "drop")  # whose tensors are not read


def test_that_its_container_is_measured_beside_the_checkpoint_and_counted_as_published(tiny_further: Further, tiny: Tiny) -> None:
    source, path = tiny_further("glm4_moe")
    container, plain = Container.open(path), Container.open(tiny("glm4_moe"))
    try:
        source_of(source, container)  # raises where the two are not one model
        assert _parameters(container.arch) == _parameters(plain.arch)
    finally:
        container.close()
        plain.close()


def test_that_it_is_counted_before_a_byte_moves(tiny_further: Further) -> None:
    source, path = tiny_further("glm4_moe")
    config = json.loads((source / "config.json").read_text())
    kept, dropped = (Unwritten("m", config, "f32", "f32", mtp=mtp) for mtp in (True, False))
    container = Container.open(path)
    try:
        assert kept.trunk_bytes == container.trunk_bytes > dropped.trunk_bytes
        records = [e.n_experts * e.layout.stride for e in container.experts]
        assert [e.n_experts * e.layout.stride for e in kept.experts] == records
        at = EngineConfig(path, context=64, draft="auto")
        assert Planner(kept, at).floor() == Planner(container, at).floor() > Planner(dropped, at).floor()
    finally:
        container.close()
    with_it, without = (outlook(m, EngineConfig(path)) for m in (kept, dropped))
    assert with_it.disk_bytes > without.disk_bytes and with_it.floor_bytes > without.floor_bytes
    assert with_it.token_expert_bytes == without.token_expert_bytes and with_it.moe_layers == without.moe_layers


def test_that_only_families_that_publish_it_offer_it(tiny_checkpoint: Tiny) -> None:
    for family, offers in (("qwen3_moe", False), ("olmoe", False), ("deepseek_v3", False), ("qwen3_next", True)):
        arch = read_arch(json.loads((tiny_checkpoint(family) / "config.json").read_text()))
        assert (arch.offered is not None) == offers and arch.mtp is None
