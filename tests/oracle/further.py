"""A tiny checkpoint with a layer for multi-token prediction: one more layer of the family's own shapes, named as published."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from tests.oracle.checkpoint import DATA, _stored, _write_shard
from tests.oracle.draw import draw, family_seed

FAMILIES = ("deepseek_v3", "glm4_moe", "glm4_moe_lite", "qwen3_next", "qwen3_5_moe", "qwen3_5")
OWN = {"embed_norm": "enorm", "hidden_norm": "hnorm", "project": "eh_proj", "norm": "shared_head.norm"}
MTP = {"embed_norm": "pre_fc_norm_embedding", "hidden_norm": "pre_fc_norm_hidden", "project": "fc", "norm": "norm"}
SHARD = "model-mtp.safetensors"


def names(family: str) -> dict[str, str]:
    """Published names of what is around the layer, and "layer": its prefix."""
    if family.startswith("qwen"):
        return {k: f"mtp.{v}.weight" for k, v in MTP.items()} | {"layer": "mtp.layers.0."}
    n = _config(family)["num_hidden_layers"]
    return {k: f"model.layers.{n}.{v}.weight" for k, v in OWN.items()} | {"layer": f"model.layers.{n}."}


def _config(family: str) -> dict[str, Any]:
    config = json.loads((DATA / family / "config.json").read_text())
    return config.get("text_config", config)


def with_further(checkpoint: Path, family: str, seed: int, dtype: str, folder: Path) -> Path:
    """`checkpoint` again in `folder`, with the layer."""
    shutil.copytree(checkpoint, folder, dirs_exist_ok=True)
    shards = json.loads((DATA / family / "tensors.json").read_text())
    shapes = {k: tuple(v) for part in shards for k, v in part.items()}
    whole = {m.group(1) for k in shapes if (m := re.match(r"(.*layers\.\d+\.)mlp\.(experts\.|gate_proj)", k))}
    like = max(p for p in whole if any(k.startswith(p + "self_attn.") for k in shapes))
    around, d = names(family), _config(family)["hidden_size"]
    new = {around["layer"] + k.removeprefix(like): s for k, s in shapes.items() if k.startswith(like)}
    new |= {around[k]: (d,) for k in ("embed_norm", "hidden_norm", "norm")} | {around["project"]: (d, 2 * d)}
    if not family.startswith("qwen"):  # copies of the model's own, which DeepSeek and GLM publish
        new |= {around["layer"] + "embed_tokens.weight": (8, d), around["layer"] + "shared_head.head.weight": (8, d)}
    key = family_seed(family, seed)
    arrays = {k: _stored(k, np.asarray(draw(key, family, k if "norm" in k else _plain(k), s), np.float32), dtype) for k, s in new.items()}
    _write_shard(folder / SHARD, arrays)
    first = {k: "model.safetensors" if len(shards) == 1 else f"model-{i + 1:05d}-of-{len(shards):05d}.safetensors"
             for i, part in enumerate(shards) for k in part}  # fmt: skip
    index = {"metadata": {}, "weight_map": first | dict.fromkeys(new, SHARD)}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    config = json.loads((folder / "config.json").read_text())
    text = config.get("text_config", config)
    text["mtp_num_hidden_layers" if family.startswith("qwen") else "num_nextn_predict_layers"] = 1
    if family == "qwen3_next":
        del text["mtp_num_hidden_layers"]  # its config says nothing of the layer
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def _plain(name: str) -> str:
    """A name that is drawn as a plain matrix; embeddings are never drawn twice."""
    return name.replace("embed_tokens", "embed_copy")
