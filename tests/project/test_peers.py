"""What the comparison with llama.cpp rests on: a widened model that computes the same, and a GGUF copy that holds the same numbers."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader
from gguf.quants import dequantize

from benchmarks.gguf_blocks import TYPES, blocks, halved
from benchmarks.gguf_copy import aligned, gguf_copy
from benchmarks.widen import WideSource, shares
from engine.arch import read_arch
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.trace import trace
from engine.setup.checkpoint import CheckpointFolder
from engine.setup.convert import convert_source
from kernels_pyx.linear import pack, packed_bytes, unpack
from tests.conftest import Tiny

IDS = [3, 17, 255, 4, 9, 200, 31, 8, 77, 120, 5, 64, 99, 1, 250, 13]


@pytest.mark.parametrize("times", [1, 2, 3, 4, 6, 7])
def test_that_shares_are_powers_of_two_whose_sum_is_one(times: int) -> None:
    parts = shares(times)
    assert len(parts) == times and parts.sum() == 1 and set(np.frexp(parts)[0]) == {0.5}
    assert parts.max() / parts.min() <= 2


@pytest.mark.parametrize(("times", "formats"), [(2, "f32"), (3, "bf16"), (6, "f32")])
def test_that_a_widened_model_routes_and_writes_the_same(
    times: int, formats: str, tiny: Tiny, tiny_checkpoint: Tiny, tmp_path: Path
) -> None:
    wide = tmp_path / "wide.ouzel"
    with closing(CheckpointFolder(tiny_checkpoint("qwen2_moe"), read_arch)) as source:
        convert_source(WideSource(source, times), wide, formats, formats, lambda phase, done, total: None, CancelToken())
    assert Container.open(wide).arch.d_model == times * 64
    before, after = (
        trace(EngineConfig(path, context=64, chunk=8, threads=1, exact=True), IDS, greedy=16) for path in (tiny("qwen2_moe", formats), wide)
    )
    assert np.array_equal(before["greedy_ids"], after["greedy_ids"])
    assert np.array_equal(before["topk_idx"], after["topk_idx"])
    assert np.abs(before["logits"] - after["logits"]).max() < 1e-4  # type: ignore[operator]
    assert np.allclose(np.tile(before["hidden"], times), after["hidden"], atol=1e-4)


@pytest.mark.parametrize("fmt", ["q4", "q8"])
@pytest.mark.parametrize("rows", [32, 23])
def test_that_gguf_blocks_decode_to_the_same_bits(fmt: str, rows: int) -> None:
    data = pack(fmt, np.random.default_rng(rows).standard_normal((rows, 96), np.float32))
    ours = unpack(fmt, rows, 96, data)
    assert np.array_equal(dequantize(blocks(fmt, rows, 96, data), TYPES[fmt]), ours)
    if fmt == "q8":
        assert np.array_equal(dequantize(halved(blocks(fmt, rows, 96, data)), TYPES[fmt]), ours / 2)


def test_that_a_gguf_copy_holds_every_weight(tiny: Tiny, tmp_path: Path) -> None:
    path = tiny("qwen3_moe", "q4")
    found = {t.name: t for t in GGUFReader(gguf_copy(path, tmp_path / "copy.gguf")).tensors}
    container = Container.open(path)
    parts = len(container.arch.layers) * 3
    assert len(found) == len(container.tensors) + (container.embed is not None) + parts
    t = container.manifest.trunk
    trunk = aligned(np.fromfile(container.path / t.file, np.uint8)[t.data_start :])
    names = {"layers.1.attn.q": "blk.1.attn_q", "layers.3.attn.o": "blk.3.attn_output", "layers.2.router": "blk.2.ffn_gate_inp"}
    for ours, theirs in names.items():
        t = container.tensors[ours]  # type: ignore[assignment]
        wanted = unpack(t.fmt, *t.shape, trunk[t.offset : t.offset + t.nbytes])  # type: ignore[attr-defined, call-arg]
        assert np.array_equal(dequantize(found[f"{theirs}.weight"].data, found[f"{theirs}.weight"].tensor_type), wanted)
    e = container.experts[2]
    record = np.fromfile(e.path, np.uint8).reshape(e.n_experts, -1)[5]
    for part in ("gate", "up", "down"):
        fmt, at, rows, cols = e.layout.part(part)
        stacked = found[f"blk.{e.layer}.ffn_{part}_exps.weight"]
        wanted = unpack(fmt, rows, cols, aligned(record[at : at + packed_bytes(fmt, rows, cols)]))
        assert np.array_equal(dequantize(stacked.data[5], stacked.tensor_type), wanted)
