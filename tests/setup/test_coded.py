"""Checkpoints published in fp8 or int4 give what their decoded copies give, whole and row by row."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.errors import BadCheckpoint
from engine.setup.checkpoint import CheckpointFolder
from engine.setup.coded import E4M3
from engine.setup.convert import convert

Tensors = dict[str, tuple[str, tuple[int, ...], bytes]]


def read(folder: Path) -> Tensors:
    out: Tensors = {}
    for shard in folder.glob("*.safetensors"):
        data = shard.read_bytes()
        start = 8 + int.from_bytes(data[:8], "little")
        for name, e in json.loads(data[8:start]).items():
            if name != "__metadata__":
                a, b = e["data_offsets"]
                out[name] = e["dtype"], tuple(e["shape"]), data[start + a : start + b]
        shard.unlink()
    (folder / "model.safetensors.index.json").unlink(missing_ok=True)
    return out


def write(folder: Path, tensors: Tensors) -> None:
    header, at = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + b"".join(d for _, _, d in tensors.values()))


def fp8(name: str, shape: tuple[int, int], rng: np.random.Generator) -> tuple[Tensors, np.ndarray]:
    codes = rng.integers(0, 256, shape, np.uint8)
    codes[(codes & 127) == 127] = 0  # no NaN
    scales = rng.uniform(0.01, 0.03, (-(-shape[0] // 128), -(-shape[1] // 128))).astype(np.float32)
    # Written out once more, bit by bit: sign, 4 exponent bits with bias 7, 3 mantissa bits.
    e, m = (codes >> 3 & 15).astype(int), (codes & 7).astype(float)
    value = np.where(e == 0, m / 8 * 2.0**-6, (1 + m / 8) * 2.0 ** (e - 7.0)) * np.where(codes & 128, -1, 1)
    blocks = np.kron(scales, np.ones((128, 128)))[: shape[0], : shape[1]]
    parts: Tensors = {name: ("F8_E4M3", shape, codes.tobytes()), name + "_scale_inv": ("F32", scales.shape, scales.tobytes())}
    return parts, (value.astype(np.float32) * blocks.astype(np.float32)).astype(np.float32)


def int4(name: str, shape: tuple[int, int], rng: np.random.Generator) -> tuple[Tensors, np.ndarray]:
    codes = rng.integers(-8, 8, shape)
    scales = (rng.uniform(0.01, 0.03, (shape[0], shape[1] // 32)).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    words = np.zeros((shape[0], shape[1] // 8), np.uint32)
    for i in range(8):
        words |= (codes[:, i::8] + 8).astype(np.uint32) << np.uint32(4 * i)
    wide = (scales.astype(np.uint32) << 16).view(np.float32)
    parts: Tensors = {
        name + "_packed": ("I32", words.shape, words.tobytes()),
        name + "_scale": ("BF16", scales.shape, scales.tobytes()),
        name + "_shape": ("I64", (2,), np.array(shape, np.int64).tobytes()),
    }
    return parts, (codes * np.repeat(wide, 32, axis=1)).astype(np.float32)


Make = Callable[[str, tuple[int, int], np.random.Generator], tuple[Tensors, np.ndarray]]


Copies = tuple[Path, Path, dict[str, np.ndarray]]
"""(coded checkpoint, its decoded copy, the decoded matrices)"""


@pytest.fixture(params=[fp8, int4], ids=["fp8", "int4"])
def copies(request: pytest.FixtureRequest, tmp_path: Path) -> Copies:
    from tests.oracle.checkpoint import write_checkpoint

    make: Make = request.param
    folders = [write_checkpoint("deepseek_v3", 0, "f32", tmp_path / name) for name in ("coded", "plain")]
    tensors, rng = [read(f) for f in folders], np.random.default_rng(1)
    decoded = {}
    for name, (_, shape, _) in list(tensors[0].items()):
        if name.endswith("_proj.weight") and (make is fp8 or ".experts." in name):
            del tensors[0][name]
            parts, decoded[name] = make(name, (shape[0], shape[1]), rng)
            tensors[0].update(parts)
            tensors[1][name] = "F32", shape, decoded[name].tobytes()
    for folder, t in zip(folders, tensors, strict=True):
        write(folder, t)
    config = json.loads((folders[0] / "config.json").read_text())
    weights = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": True}
    config["quantization_config"] = (
        {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}
        if make is fp8
        else {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {"group_0": {"weights": weights}}}
    )
    (folders[0] / "config.json").write_text(json.dumps(config))
    return folders[0], folders[1], decoded


def test_that_coded_matrices_read_as_their_decoded_copies(copies: Copies) -> None:
    folder = CheckpointFolder(copies[0])
    for name, want in copies[2].items():
        assert folder.tensors[name].shape == want.shape
        assert np.array_equal(folder.rows(name, 0, len(want)), want)
        assert np.array_equal(folder.rows(name, 3, 7), want[3:10])
        assert np.array_equal(folder.rows(name, 1, 5, 3), want[1:14:3])
    folder.close()


def test_that_both_convert_to_the_same_bytes(copies: Copies, tmp_path: Path) -> None:
    made = []
    for source in copies[:2]:
        target = tmp_path / f"{source.name}.ouzel"
        convert(source, target, "q4", "q4", lambda phase, done, total: None, CancelToken())
        made.append(Container.open(target))
    assert made[0].manifest.trunk == made[1].manifest.trunk
    for a, b in zip(made[0].experts, made[1].experts, strict=True):
        assert np.array_equal(a.checksums, b.checksums)


def test_that_large_fp8_matrices_use_the_scale_of_each_block(tmp_path: Path) -> None:
    parts, want = fp8("w", (300, 260), np.random.default_rng(2))
    write(tmp_path, parts)
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "tokenizer.json").write_text("{}")
    folder = CheckpointFolder(tmp_path)
    assert np.array_equal(folder.rows("w", 0, 300), want)
    for start, count in ((120, 20), (255, 3), (299, 1)):
        assert np.array_equal(folder.rows("w", start, count), want[start : start + count])
    folder.close()


def test_that_scales_of_another_shape_are_told(copies: Copies, tmp_path: Path) -> None:
    tensors = read(copies[0])
    name = next(n for n in tensors if n.endswith(("_scale_inv", "weight_scale")))
    dtype, shape, data = tensors[name]
    tensors[name] = dtype, (shape[0] + 1, *shape[1:]), data + data[: len(data) // shape[0]]
    write(copies[0], tensors)
    with pytest.raises(BadCheckpoint, match="cannot be converted"):
        convert(copies[0], tmp_path / "x.ouzel", "q4", "q4", lambda phase, done, total: None, CancelToken())
    assert not (tmp_path / "x.ouzel").exists()


def test_that_e4m3_has_its_known_numbers() -> None:
    assert (E4M3[0x7E], E4M3[0x38], E4M3[0xB8], E4M3[1]) == (448.0, 1.0, -1.0, 2.0**-9)
    assert np.isnan(E4M3[[127, 255]]).all()
