"""Write a tiny checkpoint folder from a seed, with NumPy alone: what `record.py` showed to PyTorch, bit for bit.

tests/data/oracle/FAMILY/ ships config.json, the tokenizer's files, tensors.json (published names, dtypes and shapes, in shards)
and expected_SEED_DTYPE.npz.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.oracle.draw import draw, family_seed, gpt_oss_expert
from tests.reference.mxfp4 import encode

DATA = Path(__file__).parents[1] / "data" / "oracle"
KEEP_F32 = re.compile(r"(e_score_correction_bias|expert_bias|A_log|dt_bias|[qkv]_conv1d\.weight|o_norm\.weight)$")
_CODES = {"F32": np.dtype("<f4"), "BF16": np.dtype("<u2"), "U8": np.dtype("u1")}


def write_checkpoint(family: str, seed: int, dtype: str, folder: Path) -> Path:
    """The checkpoint of this family and seed in `folder`; dtype "bf16" or "f32" is what its plain tensors are stored as."""
    folder.mkdir(parents=True, exist_ok=True)
    source = DATA / family
    for file in source.iterdir():
        if file.suffix != ".npz" and file.name != "tensors.json":
            shutil.copy(file, folder / file.name)
    shards = json.loads((source / "tensors.json").read_text())
    arrays = _arrays(family, family_seed(family, seed), {k: tuple(v) for part in shards for k, v in part.items()})
    index: dict[str, dict[str, Any]] = {"metadata": {}, "weight_map": {}}
    for i, part in enumerate(shards):
        name = "model.safetensors" if len(shards) == 1 else f"model-{i + 1:05d}-of-{len(shards):05d}.safetensors"
        _write_shard(folder / name, {k: _stored(k, arrays[k], dtype) for k in part})
        index["weight_map"].update(dict.fromkeys(part, name))
    if len(shards) > 1:
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def _arrays(family: str, seed: int, shapes: dict[str, tuple[int, ...]]) -> dict[str, npt.NDArray[np.generic]]:
    out: dict[str, npt.NDArray[np.generic]] = {}
    for name, shape in shapes.items():
        if name.endswith("_scales") or name.endswith("weight_scale"):
            continue  # written with its values
        if name.endswith("_blocks"):
            experts, rows, blocks, _ = shape
            packed, scale = encode(gpt_oss_expert(seed, name.removesuffix("_blocks"), (experts, rows, blocks * 32)))
            out[name], out[name.replace("_blocks", "_scales")] = packed.reshape(shape), scale
        elif name.endswith("weight_packed"):
            bare = name.removeprefix("language_model.").removesuffix("_packed")
            packed, scale = encode(np.asarray(draw(seed, family, bare, (shape[0], shape[1] * 2)), np.float32))
            out[name], out[name.replace("packed", "scale")] = packed, scale
        else:
            bare = name.removeprefix("language_model.") if family == "kimi_k3" else name
            out[name] = np.asarray(draw(seed, family, bare, shape), np.float32)
    if family == "kimi_k3":  # published padded from heads to head_dim; the tail is unused
        heads = json.loads((DATA / family / "config.json").read_text())["text_config"]["linear_attn_config"]["num_heads"]
        for name in (n for n in out if n.endswith("A_log")):
            out[name][heads:] = 0
    return out


def _stored(name: str, a: npt.NDArray[np.generic], dtype: str) -> tuple[str, npt.NDArray[np.generic]]:
    if a.dtype == np.uint8:
        return "U8", a
    if dtype == "f32" or KEEP_F32.search(name):
        return "F32", a
    bits = np.ascontiguousarray(a, np.float32).view(np.uint32)
    return "BF16", ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)  # round to nearest even


def _write_shard(path: Path, tensors: dict[str, tuple[str, npt.NDArray[np.generic]]]) -> None:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, (code, a) in tensors.items():
        header[name] = {"dtype": code, "shape": list(a.shape), "data_offsets": [at, at + a.nbytes]}
        at += a.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as f:
        f.write(len(text).to_bytes(8, "little") + text)
        for code, a in tensors.values():
            f.write(np.ascontiguousarray(a, _CODES[code]).tobytes())  # type: ignore[call-overload]
