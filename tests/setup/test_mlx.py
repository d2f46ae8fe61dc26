"""Checkpoints quantized by MLX: read as an independent decoder reads them, kept where our blocks are the same, over the hub as well."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadCheckpoint
from engine.model.trace import trace
from engine.requests import LookUp
from engine.setup import lookup
from engine.setup.checkpoint import CheckpointFolder
from engine.setup.mlx import plain_config
from engine.setup.pull import pull
from engine.setup.wish import Wish
from tests.conftest import Tiny
from tests.hub.server import Hub, Repo
from tests.setup.gguf_written import Arrays, read
from tests.setup.shards import run
from tests.setup.test_coded import Tensors
from tests.setup.test_coded import read as read_raw
from tests.setup.test_coded import write as write_raw
from tests.setup.test_repack import expert
from tests.setup.test_verdict import machine

EXPERTS = {"gate_proj": "gate_proj", "up_proj": "up_proj", "down_proj": "down_proj", "w1": "gate_proj", "w3": "up_proj", "w2": "down_proj"}


def as_bf16(a: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(a, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


def quantize(w: np.ndarray, bits: int, group: int, floats: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Words u32, scales and offsets as they are stored: the range of a group cut in equal steps."""
    g = w.reshape(*w.shape[:-1], -1, group).astype(np.float64)
    low, high = g.min(-1), g.max(-1)
    rounding: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "BF16": as_bf16, "F16": lambda a: a.astype(np.float16).astype(np.float32), "F32": lambda a: a.astype(np.float32)
    }  # fmt: skip
    round_ = rounding[floats]
    scale, offset = round_((high - low) / (2**bits - 1)), round_(low)
    codes = np.clip(np.rint((g - offset[..., None]) / np.where(scale == 0, 1, scale)[..., None]), 0, 2**bits - 1).astype(np.uint32)
    codes = codes.reshape(*w.shape[:-1], -1, 32 // bits)
    words = np.zeros(codes.shape[:-1], np.uint32)
    for i in range(32 // bits):
        words |= codes[..., i] << np.uint32(bits * i)
    return words, scale, offset


def decode(words: np.ndarray, scale: np.ndarray, offset: np.ndarray, bits: int, group: int) -> np.ndarray:
    """Number by number: code i of a row lies in word i * bits / 32."""
    cols = words.shape[-1] * 32 // bits
    i = np.arange(cols)
    codes = words[..., i * bits // 32] >> (i * bits % 32).astype(np.uint32) & np.uint32(2**bits - 1)
    return (scale[..., i // group] * codes.astype(np.float32) + offset[..., i // group]).astype(np.float32)


def stored(a: np.ndarray, floats: str) -> tuple[str, tuple[int, ...], bytes]:
    if a.dtype == np.uint32:
        return "U32", a.shape, a.tobytes()
    if floats == "BF16":
        return "BF16", a.shape, (a.astype(np.float32).view(np.uint32) >> 16).astype("<u2").tobytes()
    return floats, a.shape, a.astype({"F16": "<f2", "F32": "<f4"}[floats]).tobytes()


def mlx(folder: Path, said: dict[str, Any], floats: str = "F16") -> Arrays:
    """Make an f32 checkpoint what MLX makes of it; the decoded matrices by the family's names."""
    config, arrays = read(folder)
    read_raw(folder)
    decoded: Arrays = {}
    tensors: Tensors = {}
    stacks: dict[str, list[np.ndarray]] = {}
    singles: dict[str, list[str]] = {}
    for name in sorted(arrays, key=lambda n: int(n.split(".experts.")[1].split(".")[0]) if ".experts." in n else 0):
        before, _, after = name.partition(".experts.")
        module = f"{before}.switch_mlp.{EXPERTS[after.split('.')[1]]}.weight" if after else name
        stacks.setdefault(module, []).append(arrays[name])
        singles.setdefault(module, []).append(name)
    shifted = config["model_type"] == "qwen3_next"
    if config["model_type"] == "glm4_moe_lite":
        for name in [n for n in stacks if n.endswith("kv_b_proj.weight")]:
            b, nope = stacks.pop(name)[0].reshape(config["num_attention_heads"], -1, config["kv_lora_rank"]), config["qk_nope_head_dim"]
            for new, a in (("embed_q", b[:, :nope].swapaxes(1, 2)), ("unembed_out", b[:, nope:])):
                stacks[name.replace("kv_b_proj", new)] = [np.ascontiguousarray(a)]
                singles[name.replace("kv_b_proj", new)] = [name.replace("kv_b_proj", new)]
    for name, parts_of in stacks.items():
        a = np.stack(parts_of) if ".switch_mlp." in name else parts_of[0]
        module = name.removesuffix(".weight")
        how = said.get(module, said)
        matrix = a.ndim >= 2 and name.endswith(".weight") and "conv1d" not in name and "norm" not in name
        if not matrix or how is False or a.shape[-1] % how["group_size"]:
            if shifted and name.endswith("norm.weight") and "linear_attn" not in name:
                a = a + 1
            if shifted and "conv1d" in name:
                a = np.moveaxis(a, 2, 1)
            tensors[name] = stored(np.ascontiguousarray(a), "F32")
            continue
        words, scale, offset = quantize(a, how["bits"], how["group_size"], floats)
        values = decode(words, scale, offset, how["bits"], how["group_size"])
        decoded.update(zip(singles[name], values if ".switch_mlp." in name else [values], strict=True))
        tensors[name] = stored(words, floats)
        tensors[f"{module}.scales"], tensors[f"{module}.biases"] = stored(scale, floats), stored(offset, floats)
    for name in [n for n in decoded if n.endswith("unembed_out.weight")]:
        plain = np.frombuffer(tensors[name.replace("unembed_out", "embed_q")][2], np.float32)  # too narrow to be quantized
        values = decoded.pop(name)
        keys = plain.reshape(len(values), values.shape[2], -1).swapaxes(1, 2)
        decoded[name.replace("unembed_out", "kv_b_proj")] = np.concatenate([keys, values], 1).reshape(-1, values.shape[2])
    write_raw(folder, tensors)
    (folder / "config.json").write_text(json.dumps(config | {"quantization": said, "quantization_config": said}))
    return decoded


def copies(family: str, folder: Path, said: dict[str, Any], floats: str = "F16") -> tuple[Path, Path, Arrays]:
    """(checkpoint by MLX, its decoded copy, the decoded matrices)."""
    from tests.oracle.checkpoint import write_checkpoint

    coded, plain = (write_checkpoint(family, 0, "f32", folder / name) for name in ("coded", "plain"))
    decoded = mlx(coded, said, floats)
    tensors = read_raw(plain)
    tensors |= {name: ("F32", a.shape, np.ascontiguousarray(a, np.float32).tobytes()) for name, a in decoded.items()}
    write_raw(plain, tensors)
    return coded, plain, decoded


AFFINE = {"group_size": 32, "bits": 4, "mode": "affine"}
FAMILIES = ["qwen3_moe", "qwen2_moe", "olmoe", "mixtral", "glm4_moe", "deepseek_v3", "glm4_moe_lite", "minimax_m2", "qwen3_next"]


@pytest.mark.parametrize("family", FAMILIES)
def test_that_a_family_says_what_its_decoded_copy_says(family: str, tmp_path: Path) -> None:
    coded, plain, decoded = copies(family, tmp_path, AFFINE)
    assert len(decoded) > 100
    if family == "glm4_moe_lite":
        folder, kv_b = CheckpointFolder(coded), "model.layers.2.self_attn.kv_b_proj.weight"
        assert folder.tensors[kv_b].shape == decoded[kv_b].shape
        assert np.array_equal(folder.rows(kv_b, 20, 30, 3), decoded[kv_b][20:110:3])
        folder.close()
    made = [run(source, tmp_path / f"{source.name}.ouzel", "f32", "f32") for source in (coded, plain)]
    logits = [trace(EngineConfig(path, exact=True, context=64, threads=2), list(range(5, 20)))["logits"] for path in made]
    if family == "qwen3_next":  # 1 + (w - 1) is not always w
        assert np.linalg.norm(logits[0] - logits[1]) / np.linalg.norm(logits[1]) < 2e-5  # type: ignore[operator]
    else:
        assert np.array_equal(*logits)


@pytest.mark.parametrize("floats", ["F16", "BF16", "F32"])
@pytest.mark.parametrize(("bits", "group"), [(4, 32), (4, 64), (8, 32), (8, 64)])
def test_that_rows_decode_as_an_independent_decoder_s(bits: int, group: int, floats: str, tmp_path: Path) -> None:
    coded, _, decoded = copies("qwen3_moe", tmp_path, {"group_size": group, "bits": bits}, floats)
    folder = CheckpointFolder(coded)
    for name in list(decoded)[::17]:
        want = decoded[name]
        assert folder.tensors[name].shape == want.shape
        assert np.array_equal(folder.rows(name, 0, len(want)), want)
        assert np.array_equal(folder.rows(name, 3, 7), want[3:10]) and np.array_equal(folder.rows(name, 1, 5, 3), want[1:14:3])
    folder.close()


@pytest.mark.parametrize(("floats", "group"), [("F16", 32), ("F16", 64), ("BF16", 64)])
def test_that_four_bits_are_kept_bit_for_bit(floats: str, group: int, tmp_path: Path) -> None:
    eight = {"group_size": 64, "bits": 8}
    said = {"group_size": group, "bits": 4, "model.layers.0.mlp.gate": eight, "lm_head": eight}
    coded, _, decoded = copies("qwen3_moe", tmp_path, said, floats)
    c = Container.open(run(coded, tmp_path / "kept.ouzel", "keep", "keep"))
    kept = 0
    for i, layer in enumerate(c.arch.moe_layers):
        for part in ("gate", "up", "down"):
            fmt, ours = expert(c, i, 5, part)
            name = f"model.layers.{layer}.mlp.experts.5.{part}_proj.weight"
            if name in decoded:  # of 64 columns at least
                kept += 1
                assert np.array_equal(ours, decoded[name])
            assert fmt == ("q4" if group == 32 or part != "down" else "q8")
    assert kept and c.tensors["head"].fmt == "q8"
    c.close()


def test_that_scales_beyond_f16_are_encoded_as_ever(tmp_path: Path) -> None:
    """A bf16 scale of 1e-7 is no f16: the blocks are made anew, near what they were."""
    coded, _, _ = copies("olmoe", tmp_path, AFFINE, "BF16")
    tensors = read_raw(coded)
    for name in [n for n in tensors if n.endswith("switch_mlp.up_proj.scales")]:
        dtype, shape, data = tensors[name]
        tensors[name] = dtype, shape, np.full(len(data) // 2, 0x33D6, "<u2").tobytes()
    write_raw(coded, tensors)
    c = Container.open(run(coded, tmp_path / "kept.ouzel", "keep", "keep"))
    fmt, ours = expert(c, 0, 1, "up")
    folder = CheckpointFolder(coded)
    want = folder.rows("model.layers.0.mlp.experts.1.up_proj.weight", 0, 32)
    assert fmt == "q4" and np.abs(ours - want).max() < 1e-3
    folder.close()
    c.close()


def test_that_what_stays_plain_is_read_plain(tmp_path: Path, tiny_checkpoint: Tiny) -> None:
    from tests.oracle.checkpoint import write_checkpoint

    folder = write_checkpoint("olmoe", 0, "f32", tmp_path / "x")
    mlx(folder, AFFINE | {"model.layers.0.mlp.switch_mlp.up_proj": False})
    opened, original = CheckpointFolder(folder), CheckpointFolder(tiny_checkpoint("olmoe", 0, "f32"))
    for e in (0, 7, 15):
        name = f"model.layers.0.mlp.experts.{e}.up_proj.weight"
        assert opened.tensors[name].dtype == "F32" and np.array_equal(opened.rows(name, 2, 9), original.rows(name, 2, 9))
    opened.close()
    original.close()


@pytest.mark.parametrize("said", [{"bits": 3}, {"mode": "mxfp4"}, {"group_size": 48}, {"lm_head": {"bits": 6, "group_size": 64}}])
def test_that_other_modes_are_told(said: dict[str, Any], tmp_path: Path) -> None:
    coded, _, _ = copies("olmoe", tmp_path, AFFINE)
    config = json.loads((coded / "config.json").read_text())
    (coded / "config.json").write_text(json.dumps(config | {"quantization": AFFINE | said}))
    with pytest.raises(BadCheckpoint, match="that MLX quantized its weights"):
        run(coded, tmp_path / "x.ouzel")


def test_that_scales_of_another_shape_are_told(tmp_path: Path) -> None:
    coded, _, _ = copies("olmoe", tmp_path, AFFINE)
    tensors = read_raw(coded)
    dtype, shape, data = tensors["model.layers.0.self_attn.q_proj.scales"]
    tensors["model.layers.0.self_attn.q_proj.scales"] = dtype, (shape[0] // 2, shape[1]), data[: len(data) // 2]
    write_raw(coded, tensors)
    with pytest.raises(BadCheckpoint, match="cannot be converted"):
        run(coded, tmp_path / "x.ouzel")


def test_that_other_configs_stay_what_they_are() -> None:
    config = {"model_type": "olmoe", "quantization_config": {"bits": 4}}
    assert plain_config(config) == (config, None)


def test_that_a_look_up_offers_to_keep_its_bits_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    coded, _, _ = copies("olmoe", tmp_path, AFFINE)
    monkeypatch.setattr(lookup, "this_machine", lambda *rest: machine())
    looked = lookup.look_up(LookUp(1, str(coded), tmp_path), CancelToken())
    assert [(p.experts, p.trunk) for p in looked.precisions][:2] == [("keep", "keep"), ("q4", "q4")]


def test_that_a_pull_makes_the_same_container(tmp_path: Path) -> None:
    coded, _, _ = copies("qwen3_moe", tmp_path, AFFINE, "BF16")
    want = run(coded, tmp_path / "qwen.ouzel", "keep", "keep")
    with Hub({"me/qwen": Repo({f.name: f.read_bytes() for f in coded.iterdir()})}) as hub:
        pull(Wish("me/qwen", tmp_path / "pulled.ouzel", "keep", "keep", endpoint=hub.url), None, lambda progress: None, CancelToken())
    a, b = Container.open(want), Container.open(tmp_path / "pulled.ouzel")
    assert a.manifest.trunk == b.manifest.trunk
    assert all(np.array_equal(x.checksums, y.checksums) for x, y in zip(a.experts, b.experts, strict=True))
    a.close()
    b.close()
