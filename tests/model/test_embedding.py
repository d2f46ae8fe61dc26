"""An embedding that stays on disk: the same bits, counted memory, damage found when it is first read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.format import PAGE, PANEL
from engine.container.reader import Container
from engine.container.verify import Problem, verify
from engine.errors import BadContainer, Cancelled, StorageError
from engine.model.embedding import EmbedRows
from engine.model.plan import plan
from engine.model.trace import trace
from kernels_pyx.compute import Rows
from tests.arch.real import QWEN3_30B_A3B
from tests.container.damage import copied, edit, flip
from tests.container.resident import with_resident_embedding
from tests.container.test_reader import embedding
from tests.model.peak import measure
from tests.written import write_random

Tiny = Callable[..., Path]
IDS = [3, 17, 255, 4, 383, 200, 31, 8, 3, 120, 5]


def opened(path: Path) -> EmbedRows:
    container = Container.open(path)
    assert container.embed is not None
    return EmbedRows(path / container.embed.file, container.embed, container.embed_checksums)


def looked_up(rows: EmbedRows, ids: list[int], scale: float = 1.0) -> Any:
    out = Rows(len(ids), 64)
    rows.lookup(np.array(ids, np.int32), out, scale, CancelToken())
    return out.array.copy()


@pytest.mark.parametrize("family", ["qwen3_moe", "deepseek_v3", "kimi_k3"])
@pytest.mark.parametrize("trunk", ["q4", "bf16"])
def test_that_an_older_container_opens_and_gives_the_same_bits(family: str, trunk: str, tiny: Tiny, tmp_path: Path) -> None:
    new = tiny(family, f"q4+{trunk}" if family != "kimi_k3" else f"mxfp4+{trunk}")
    old = with_resident_embedding(new, tmp_path)
    assert Container.open(old).embed is None and verify(old, lambda phase, done, total: None, CancelToken()) == []
    options: dict[str, Any] = {"context": 64, "chunk": 7, "threads": 1}
    a, b = trace(EngineConfig(new, **options), IDS, greedy=4), trace(EngineConfig(old, **options), IDS, greedy=4)
    for name, value in a.items():
        assert np.array_equal(value, b[name]), name


def test_that_the_plan_counts_a_panel_instead_of_the_matrix(tiny: Tiny, tmp_path: Path) -> None:
    new, old = Container.open(tiny("qwen3_moe", "q4")), Container.open(with_resident_embedding(tiny("qwen3_moe", "q4"), tmp_path))
    assert new.embed is not None
    asked = EngineConfig(new.path, context=64, threads=1)
    assert old.trunk_bytes - new.trunk_bytes == new.embed.nbytes
    saved = plan(old, asked).floor_bytes - plan(new, asked).floor_bytes
    assert abs(saved - (new.embed.nbytes - EmbedRows.nbytes_for(new.embed))) < PAGE  # a trunk takes whole pages


@pytest.mark.parametrize("formats", ["f32", "q8", "q4+q4-all"])
def test_that_rows_come_in_any_order_scaled_and_repeated(formats: str, tiny: Tiny) -> None:
    path = tiny("mixtral", formats)
    container = Container.open(path)
    assert container.embed is not None
    whole = embedding(container)
    rows = opened(path)
    ids = [383, 0, 17, 16, 0, 383, 31, 32, 1]
    assert np.array_equal(looked_up(rows, ids, 2.0), whole[ids] * np.float32(2))
    assert rows.bytes_read == 4 * container.embed.panel_bytes
    looked_up(rows, [383])
    assert rows.bytes_read == 4 * container.embed.panel_bytes
    rows.close()


def test_that_a_tied_embedding_stays_in_the_trunk(tiny: Tiny) -> None:
    container = Container.open(tiny("gemma4", "q4"))
    assert container.embed is None and container.has("embed") and not (container.path / "embed.bin").exists()


def test_that_a_flipped_byte_is_told_when_its_rows_are_read_and_by_verify(tiny: Tiny, tmp_path: Path) -> None:
    path = copied(tiny("qwen3_moe", "q4"), tmp_path)
    embed = Container.open(path).embed
    assert embed is not None
    flip(path / "embed.bin", 3 * embed.panel_bytes + 5)
    rows = opened(path)
    for _ in range(2):
        with pytest.raises(BadContainer, match=r"embed\.bin is damaged: the checksum of rows 48 to 63 .*ouzel verify"):
            looked_up(rows, [1, 3 * PANEL])
    assert np.isfinite(looked_up(rows, [47, 64])).all()
    rows.close()
    assert verify(path, lambda phase, done, total: None, CancelToken()) == [Problem("embed.bin", "panel 3 is damaged")]


def test_that_a_file_that_is_cut_or_gone_is_told(tiny: Tiny, tmp_path: Path) -> None:
    path = copied(tiny("qwen3_moe", "q4"), tmp_path)
    container = Container.open(path)
    rows, file = opened(path), path / "embed.bin"
    file.write_bytes(file.read_bytes()[:-64])
    with pytest.raises(StorageError, match="truncated"):
        looked_up(rows, [383])
    rows.close()
    with pytest.raises(BadContainer, match="truncated"):
        Container.open(path)
    file.unlink()
    with pytest.raises(BadContainer, match="missing"):
        Container.open(path)
    assert container.embed is not None
    with pytest.raises(StorageError, match="cannot be read"):
        EmbedRows(file, container.embed, container.embed_checksums)


def test_that_an_embedding_that_is_the_head_may_not_lie_in_a_file(tiny: Tiny, tmp_path: Path) -> None:
    path = copied(tiny("qwen3_moe", "q4"), tmp_path)
    edit(path, lambda m: m["config"].update(tie_word_embeddings=True))
    with pytest.raises(BadContainer, match=r"embed\.bin"):
        Container.open(path)


def test_that_stop_is_seen_between_panels(tiny: Tiny) -> None:
    rows, cancel = opened(tiny("qwen3_moe", "q4")), CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        rows.lookup(np.array([1], np.int32), Rows(1, 64), 1.0, cancel)
    rows.close()


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="resets the peak through /proc")
def test_that_a_large_embedding_is_never_in_memory(tmp_path: Path) -> None:
    config = QWEN3_30B_A3B | {"num_hidden_layers": 2, "hidden_size": 1024, "num_attention_heads": 4, "num_experts": 16}
    path = write_random(tmp_path / "wide.ouzel", config, "q4", "q4-all")
    container = Container.open(path)
    assert container.embed is not None and container.embed.nbytes > 90_000_000
    floor = plan(container, EngineConfig(path, context=1024, threads=2)).floor_bytes
    assert floor < container.trunk_bytes + 100_000_000  # of which 45 MB are for the tokenizer
    got = measure(path, floor, "1024")
    assert got["peak"] <= floor and abs(got["told"] - got["planned"]) <= 0.01 * got["planned"]
