"""Weights of the tiny checkpoints: NumPy's Philox keyed by (seed, tensor name), so the same numbers everywhere, in any order.

Each kind of tensor has a range that keeps activations near 1 and makes every term of the maths visible in the logits: some
rows are so small that a norm's epsilon matters, gates reach their clamps, biases decide choices.
"""

import hashlib
import re
import zlib

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
VOCAB = 384
TIED = ("gemma4", "gemma4_unified", "gemma3_text", "qwen2", "qwen3", "qwen3_5")  # a large one as the head would repeat the last token
ONE_PLUS = ("qwen3_next", "qwen3_5_moe", "qwen3_5", "gemma3_text")  # norms published as w - 1


def family_seed(family: str, seed: int) -> int:
    """One number a family and seed."""
    return (seed << 32) ^ zlib.crc32(family.encode())


def normal(seed: int, name: str, shape: tuple[int, ...]) -> F32:
    """Standard normal numbers that belong to this seed and name."""
    key = [seed, int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")]
    return np.random.Generator(np.random.Philox(key=key)).standard_normal(shape, dtype=np.float32)


def draw(seed: int, family: str, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.floating]:
    """Values of the tensor `name`; seed is family_seed's."""
    n = normal(seed, name, shape)
    leaf = name.rsplit(".", 1)[-1]
    if leaf in ("e_score_correction_bias", "expert_bias") or (leaf.endswith("bias") and leaf != "dt_bias"):
        return n * 0.1
    for pattern, value in (
        ("sinks", n),
        ("A_log", 0.7 + 0.5 * n),
        ("dt_bias", n - 2.0),
        ("layer_scalar", 0.8 + 0.1 * n),
        ("scale", 1 + 0.2 * n),
        ("per_expert_scale", 1 + 0.2 * n),
    ):
        if leaf == pattern:
            return value
    return _matrix(n, family, name, shape)


def _matrix(n: F32, family: str, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.floating]:
    rows, fan_in = np.arange(len(n)), np.sqrt(shape[-1])
    if re.search(r"norm(_\d)?\.weight$", name):
        if family.startswith("gemma4") and name.endswith("language_model.norm.weight"):
            return 8 + 1.6 * n  # the tied head's logits must reach the soft cap
        return 0.2 * n if family in ONE_PLUS and "linear_attn.norm" not in name else 1 + 0.2 * n
    if "conv1d" in name:
        return n * 0.5
    if name.endswith("_res_proj.weight"):
        return n * 0.25
    if "embed_tokens" in name:
        return n * (0.06 if family in TIED else 0.7) * np.array([1, 0.2, 0.02])[rows % 3, None]
    if re.search(r"(q_a_proj|kv_a_proj_with_mqa)\.weight$", name):
        return n / fan_in * np.where(rows < 32, 0.03, 1.0)[:, None]
    if (family.startswith("kimi") and re.search(r"[qk]_proj\.weight$", name)) or name.endswith("in_proj_qkvz.weight"):
        return n / fan_in * np.where(rows < (32 if "qkvz" in name else 16), 0.02, 1.0)[:, None]
    if (re.search(r"(gate|router|router\.proj)\.weight$", name) and len(shape) == 2) or name == "lm_head.weight":
        return n * 2 / fan_in
    return n / fan_in


def gpt_oss_expert(seed: int, name: str, shape: tuple[int, ...]) -> F32:
    """One gpt-oss expert stack [experts, rows, cols] before MXFP4: scattered block scales, rows that reach the clamp."""
    experts, rows, cols = shape
    w = normal(seed, name, shape) / np.sqrt(cols)
    w = w * np.where(np.isin(np.arange(rows) % 8, (0, 3)), 6, 1)[:, None]
    scale = np.exp2(np.round(normal(seed, name + "#", (experts, rows, cols // 32, 1))))
    return np.asarray(w * scale.repeat(32, -1).reshape(w.shape), np.float32)
