"""Blocks of ggml's types that ours hold exactly decode to the same numbers, bit for bit; others are told apart."""

from pathlib import Path

import numpy as np
import pytest
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFWriter
from gguf.quants import dequantize

from engine.arch import read_arch
from engine.config import EngineConfig
from engine.container.format import PARTS
from engine.container.reader import Container
from engine.model.trace import trace
from engine.setup import repack
from engine.setup.gguf_parts import GgufParts
from engine.setup.opening import open_checkpoint
from kernels_pyx.linear import packed_bytes, unpack
from tests.conftest import Tiny
from tests.setup.gguf_written import Array, Arrays, write
from tests.setup.shards import run

Q = GGMLQuantizationType
TYPES = Q.__members__


def blocks(kind: str, rows: int, cols: int, seed: int = 0) -> np.ndarray:
    """Random rows u8 in a ggml type: scales of either sign within f16, all codes."""
    rng = np.random.default_rng(seed)
    per_block, size = GGML_QUANT_SIZES[TYPES[kind]]
    out = rng.integers(0, 256, (rows, cols // per_block, size), np.uint8)
    if kind == "MXFP4":
        out[..., 0] = rng.integers(100, 140, out.shape[:-1])
        return out.reshape(rows, -1)
    for at in range(2 if kind in ("Q4_1", "Q5_1") else 1):
        scale = rng.uniform(-0.05, 0.05, out.shape[:-1]).astype("<f2")
        out[..., 2 * at : 2 * at + 2] = scale[..., None].view(np.uint8)
    if kind == "Q8_0":
        out[..., 2:][out[..., 2:] == 128] = 127
    return out.reshape(rows, -1)


def aligned(data: np.ndarray) -> np.ndarray:
    raw = np.empty(data.nbytes + 64, np.uint8)
    out = raw[-raw.ctypes.data % 64 :][: data.nbytes]
    out[:] = data
    return out


@pytest.mark.parametrize("shape", [(16, 32), (1, 64), (37, 96)])
@pytest.mark.parametrize(("kind", "fmt"), sorted(repack.EXACT))
def test_that_repacked_blocks_decode_to_the_same_numbers(kind: str, fmt: str, shape: tuple[int, int]) -> None:
    rows = blocks(kind, *shape)
    ours = repack.panels(fmt, repack.from_ggml(kind, fmt, rows, GGML_QUANT_SIZES[TYPES[kind]][1]), shape[1])
    assert ours.nbytes == packed_bytes(fmt, *shape)
    assert np.array_equal(unpack(fmt, *shape, aligned(ours)), dequantize(rows, TYPES[kind]))


def test_that_what_our_formats_do_not_hold_is_told() -> None:
    for kind, fmt in (("Q4_K", "q4"), ("Q6_K", "q8"), ("Q8_0", "q4"), ("Q4_1", "q8"), ("MXFP4", "q8")):
        with pytest.raises(repack.NotHeld):
            repack.from_ggml(kind, fmt, np.zeros((1, 256), np.uint8), 32)
    q8 = blocks("Q8_0", 2, 32)
    q8[1, 7] = 128  # -128
    with pytest.raises(repack.NotHeld):
        repack.panels("q8", q8, 32)
    huge = blocks("Q4_0", 2, 32)
    huge[1, :2] = np.array([60000], "<f2").view(np.uint8)  # 8 times that is no f16
    with pytest.raises(repack.NotHeld):
        repack.from_ggml("Q4_0", "q4", huge, 18)
    for fmt, spoiled in (("q8", 0x7C00), ("q4", 0xFE00)):
        rows = blocks({"q8": "Q8_0", "q4": "Q4_1"}[fmt], 3, 64)
        rows[2, -(repack.HEAD[fmt] + repack.CODES[fmt]) :][:2] = np.array([spoiled], "<u2").view(np.uint8)
        with pytest.raises(ValueError, match="row 2, block 1 is no number"):
            repack.panels(fmt, rows, 64)


def stored(file: Path) -> dict[str, np.ndarray]:
    """Every tensor of a GGUF file as the package decodes it."""
    parts = GgufParts(file)
    try:
        out = {}
        for name, info in parts.tensors.items():
            cols = info.shape[-1]
            data = parts.owner[name].read(name, 0, parts.owner[name].tensors[name].nbytes)
            out[name] = dequantize(data.reshape(int(np.prod(info.shape[:-1])), -1), TYPES[info.dtype]).reshape(info.shape) if cols else data
        return out
    finally:
        parts.close()


def expert(c: Container, ordinal: int, number: int, part: str) -> tuple[str, np.ndarray]:
    e = c.experts[ordinal]
    fmt, at, rows, cols = e.layout.part(part)
    record = np.fromfile(e.path, np.uint8).reshape(e.n_experts, e.layout.stride)[number]
    return fmt, unpack(fmt, rows, cols, aligned(record[at : at + packed_bytes(fmt, rows, cols)]))


KEPT = {  # (types of gate and up, of down, of the rest), formats of gate and down
    "Q8_0": ((Q.Q8_0, Q.Q8_0, Q.Q8_0), ("q8", "q8")),
    "Q4_0": ((Q.Q4_0, Q.Q4_0, Q.Q8_0), ("q4", "q4")),
    "Q4_1 and Q8_0": ((Q.Q4_1, Q.Q8_0, Q.Q4_1), ("q4", "q8")),
    "Q5_0": ((Q.Q5_0, Q.Q5_0, Q.Q5_0), ("q8", "q8")),
    "MXFP4": ((Q.MXFP4, Q.MXFP4, Q.Q8_0), ("mxfp4", "mxfp4")),
}  # fmt: skip


@pytest.mark.parametrize("case", KEPT)
def test_that_kept_experts_have_the_values_that_the_file_has(case: str, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    (gate, down, rest), formats = KEPT[case]

    def kind(name: str, a: Array) -> Q:
        return (down if "down" in name else gate) if "_exps" in name else rest if "gate_inp" not in name else Q.F32

    file = write(tiny_checkpoint("qwen3_moe", 0, "f32"), tmp_path / "model.gguf", kind)
    c = Container.open(run(file, tmp_path / "kept.ouzel", "keep", "keep"))
    theirs = stored(file)
    for i, layer in enumerate(c.arch.moe_layers):
        for part in PARTS:
            for number in (0, 3, 15):
                fmt, ours = expert(c, i, number, part)
                assert fmt == formats[part == "down"]
                assert np.array_equal(ours, theirs[f"blk.{layer}.ffn_{part}_exps.weight"][number])
    q = c.tensors["layers.0.attn.q"]
    trunk = np.fromfile(c.path / c.manifest.trunk.file, np.uint8)[c.manifest.trunk.data_start :]
    got = unpack(q.fmt, *q.shape, aligned(trunk[q.offset : q.offset + q.nbytes]))  # type: ignore[call-arg]
    assert q.fmt == ("q4" if rest == Q.Q4_1 else "q8")
    assert np.array_equal(got, theirs["blk.0.attn_q.weight"])
    c.close()


def test_that_permuted_rows_are_kept_as_well(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    """Rotary pairs of "llama" are rows in another order: their blocks move with them."""
    file = write(tiny_checkpoint("mixtral", 0, "f32"), tmp_path / "model.gguf", lambda name, a: Q.F32 if "gate_inp" in name else Q.Q8_0)
    c = Container.open(run(file, tmp_path / "kept.ouzel", "keep", "keep"))
    want = stored(file)["blk.1.attn_k.weight"].reshape(2, 8, 2, 64).swapaxes(1, 2).reshape(32, 64)
    k = c.tensors["layers.1.attn.k"]
    trunk = np.fromfile(c.path / c.manifest.trunk.file, np.uint8)[c.manifest.trunk.data_start :]
    assert np.array_equal(unpack(k.fmt, *k.shape, aligned(trunk[k.offset : k.offset + k.nbytes])), want)  # type: ignore[call-arg]
    c.close()


def test_that_gpt_oss_from_gguf_is_gpt_oss_as_published(tiny: Tiny, tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    file = write(tiny_checkpoint("gpt_oss", 0, "f32"), tmp_path / "model.gguf")
    kept = run(file, tmp_path / "kept.ouzel", "keep", "f32")
    want, got = Container.open(tiny("gpt_oss", "mxfp4+f32", 0, "f32")), Container.open(kept)
    for a, b in zip(want.experts, got.experts, strict=True):
        assert np.array_equal(a.checksums, b.checksums)
    want.close()
    got.close()


def test_that_types_that_are_decoded_only_get_the_format_with_room_for_them(tmp_path: Path) -> None:
    """K-quants and others: rows of 256 numbers, read in any order, as the package decodes them."""
    kinds = ["Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_XS", "IQ3_S", "IQ2_XXS", "TQ2_0", "Q5_1"]
    w = GGUFWriter(tmp_path / "k.gguf", "olmoe")
    data = {kind: blocks(kind, 9, 512, seed) for seed, kind in enumerate(kinds)}
    for kind, rows in data.items():
        w.add_tensor(kind, rows, raw_dtype=TYPES[kind])
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    parts = GgufParts(tmp_path / "k.gguf")
    for kind, rows in data.items():
        with np.errstate(all="ignore"):
            want = dequantize(rows, TYPES[kind])
        assert np.array_equal(parts.decoded(kind, 2, 5, 512), want[2:7], equal_nan=True)
        assert parts.readable(kind)
    parts.close()


def test_that_full_precision_is_not_kept_but_quantized_as_ever(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    source = tiny_checkpoint("qwen3_moe", 0, "f32")
    a, b = (Container.open(run(source, tmp_path / f"{c}.ouzel", c, c)) for c in ("keep", "q4"))
    assert a.manifest.formats == b.manifest.formats and a.manifest.trunk == b.manifest.trunk
    a.close()
    b.close()


def test_that_an_import_of_quantized_weights_speaks_as_its_decoded_copy(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    """The same logits, up to the order of sums, from kept blocks and from f32 copies of what they decode to."""
    checkpoint = tiny_checkpoint("glm4_moe", 0, "f32")
    kind = lambda name, a: Q.F32 if "gate_inp" in name else Q.Q8_0  # noqa: E731
    quantized = write(checkpoint, tmp_path / "q.gguf", kind)
    values = stored(quantized)

    def decoded(w: GGUFWriter, t: Arrays) -> None:
        named = dict(t)
        t.clear()
        t.update({name: a.reshape(-1) if a.shape[0] == 1 else a for name, a in values.items()})
        assert len(named) == len(t)

    plain = write(checkpoint, tmp_path / "f.gguf", change=decoded)
    made = [run(quantized, tmp_path / "q.ouzel", "keep", "keep"), run(plain, tmp_path / "f.ouzel", "f32", "f32")]
    logits = [trace(EngineConfig(path, exact=True, context=64, threads=2), list(range(5, 20)))["logits"] for path in made]
    assert np.linalg.norm(logits[0] - logits[1]) / np.linalg.norm(logits[1]) < 2e-6  # type: ignore[operator]
    opened = open_checkpoint(quantized)
    assert read_arch(opened.config).model_type == "glm4_moe"
    opened.close()
