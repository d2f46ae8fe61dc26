"""A tiny checkpoint as a GGUF file, the way llama.cpp's conversion writes it: names by the gguf package's own map, keys by its writer."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
from gguf import MODEL_ARCH, GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize

from tests.oracle.checkpoint import DATA
from tests.reference.source import Checkpoint

Array = npt.NDArray[Any]
Arrays = dict[str, Array]
ARCH = {
    "qwen3_moe": MODEL_ARCH.QWEN3MOE, "qwen2_moe": MODEL_ARCH.QWEN2MOE, "olmoe": MODEL_ARCH.OLMOE, "mixtral": MODEL_ARCH.LLAMA,
    "gpt_oss": MODEL_ARCH.GPT_OSS, "glm4_moe": MODEL_ARCH.GLM4_MOE, "deepseek_v2": MODEL_ARCH.DEEPSEEK2,
    "deepseek_v3": MODEL_ARCH.DEEPSEEK2, "glm4_moe_lite": MODEL_ARCH.DEEPSEEK2, "gemma4": MODEL_ARCH.GEMMA4,
    "qwen3_next": MODEL_ARCH.QWEN3NEXT, "qwen3_5_moe": MODEL_ARCH.QWEN35MOE, "minimax_m2": MODEL_ARCH.MINIMAXM2,
    "kimi_linear": MODEL_ARCH.KIMI_LINEAR, "llama": MODEL_ARCH.LLAMA, "mistral": MODEL_ARCH.LLAMA, "qwen2": MODEL_ARCH.QWEN2,
    "qwen3": MODEL_ARCH.QWEN3, "granite": MODEL_ARCH.GRANITE, "gemma3": MODEL_ARCH.GEMMA3, "gemma4_unified": MODEL_ARCH.GEMMA4,
    "olmo2": MODEL_ARCH.OLMO2, "qwen3_5": MODEL_ARCH.QWEN35,
}  # fmt: skip
F32 = GGMLQuantizationType.F32
Kind = Callable[[str, Array], GGMLQuantizationType]
Change = Callable[[GGUFWriter, Arrays], None]


def read(folder: Path) -> tuple[dict[str, Any], Arrays]:
    """config.json, and all tensors: plain ones f32, codes u8."""
    return json.loads((folder / "config.json").read_text()), {n: t.copy() for n, t in Checkpoint.open(folder).tensors.items()}


def write(folder: Path, target: Path, kind: Kind = lambda name, a: F32, change: Change | None = None, per_part: int = 0) -> Path:
    """The GGUF file of a checkpoint. kind: the type of each tensor of two axes and more, given its GGUF name and values.

    change: sees the writer and the tensors before they are written. per_part: tensors of a part, where there are to be several.
    """
    config, arrays = read(folder)
    family = config["model_type"].removesuffix("_text")
    text = config.get("text_config", config)
    further = text.get("num_nextn_predict_layers", 0) or int("mtp.fc.weight" in arrays)
    arrays = {_counted(name.replace("model.language_model.", "model."), text["num_hidden_layers"]): a for name, a in arrays.items()}
    arch = ARCH[family]
    writer = GGUFWriter(target, gguf.MODEL_ARCH_NAMES[arch], split_max_tensors=per_part)
    keys(writer, family, text | {k: v for k, v in config.items() if k == "eos_token_id"}, further)
    vocabulary(writer, folder)
    done = laid_out(family, text, arrays)
    if change is not None:
        change(writer, done)
    names = gguf.get_tensor_name_map(arch, text["num_hidden_layers"] + further)
    for name, a in done.items():
        new = names.get_name(name, try_suffixes=(".weight", ".bias")) or name
        if a.dtype == np.uint8:
            writer.add_tensor(new, a, raw_dtype=GGMLQuantizationType.MXFP4)
            continue
        t = kind(new, a) if a.ndim > 1 and new.endswith("weight") and "norm" not in new and "conv1d" not in new else F32
        writer.add_tensor(new, a.astype(np.float32) if t == F32 else quantize(a.astype(np.float32), t), raw_dtype=None if t == F32 else t)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target if not per_part else min(target.parent.glob(f"{target.stem}-00001-of-*.gguf"))


def _counted(name: str, n_layers: int) -> str:
    """Qwen's layer for further tokens as the one after the last, which the conversion makes of it."""
    if name.startswith("mtp.layers.0."):
        return name.replace("mtp.layers.0.", f"model.layers.{n_layers}.")
    own = {"fc": "eh_proj", "pre_fc_norm_embedding": "enorm", "pre_fc_norm_hidden": "hnorm", "norm": "shared_head_norm"}
    return f"blk.{n_layers}.nextn.{own[name.split('.')[1]]}.weight" if name.startswith("mtp.") else name


def keys(w: GGUFWriter, family: str, c: dict[str, Any], further: int) -> None:
    latent = "kv_lora_rank" in c
    w.add_block_count(c["num_hidden_layers"] + further)
    if further:
        w.add_nextn_predict_layers(further)
    w.add_context_length(c.get("max_position_embeddings") or c["model_max_length"])
    w.add_embedding_length(c["hidden_size"])
    if "intermediate_size" in c:
        w.add_feed_forward_length(c["intermediate_size"])
    w.add_head_count(c["num_attention_heads"])
    if not latent and not family.startswith("gemma4"):
        w.add_head_count_kv(c["num_key_value_heads"])
    w.add_layer_norm_rms_eps(c["rms_norm_eps"])
    rope = c.get("rope_parameters") or c.get("rope_scaling") or {}
    theta = rope.get("rope_theta") or c.get("rope_theta")
    if theta:
        w.add_rope_freq_base(float(theta))
    if (rope.get("rope_type") or rope.get("type")) == "yarn":
        w.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        w.add_rope_scaling_factor(rope["factor"])
        w.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
        w.add_rope_scaling_yarn_beta_fast(rope["beta_fast"])
        w.add_rope_scaling_yarn_beta_slow(rope["beta_slow"])
        if "mscale_all_dim" in rope:
            w.add_rope_scaling_yarn_log_mul(0.1 * rope["mscale_all_dim"])
    n_experts = next((c[k] for k in ("num_experts", "num_local_experts", "n_routed_experts") if k in c), 0)
    if n_experts:
        w.add_expert_count(n_experts)
        w.add_expert_used_count(next(c[k] for k in ("num_experts_per_tok", "num_experts_per_token", "top_k_experts") if k in c))
    if "moe_intermediate_size" in c:
        w.add_expert_feed_forward_length(c["moe_intermediate_size"])
    if family in ("gpt_oss", "minimax_m2"):
        w.add_expert_feed_forward_length(c["intermediate_size"])
    d_head = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    if "head_dim" in c and not latent and not family.startswith("gemma4"):
        w.add_key_length(d_head)
        w.add_value_length(d_head)
    if family in ("deepseek_v2", "deepseek_v3", "glm4_moe_lite", "glm4_moe", "kimi_linear"):
        w.add_leading_dense_block_count(c["first_k_dense_replace"])
        w.add_expert_shared_count(c.get("n_shared_experts") or c["num_shared_experts"])
        w.add_expert_weights_scale(c["routed_scaling_factor"])
        if c.get("norm_topk_prob"):
            w.add_expert_weights_norm(True)
        w.add_expert_gating_func(gguf.ExpertGatingFuncType.SOFTMAX if family == "deepseek_v2" else gguf.ExpertGatingFuncType.SIGMOID)
        if c.get("n_group", 1) > 1:
            w.add_expert_group_count(c["n_group"])
            w.add_expert_group_used_count(c["topk_group"])
    if latent:
        w.add_kv_lora_rank(c["kv_lora_rank"])
        if c["q_lora_rank"]:
            w.add_q_lora_rank(c["q_lora_rank"])
        w.add_rope_dimension_count(c["qk_rope_head_dim"])
        w.add_key_length(c["kv_lora_rank"] + c["qk_rope_head_dim"])
        w.add_key_length_mla(c["qk_nope_head_dim"] + c["qk_rope_head_dim"])
        w.add_value_length_mla(c["v_head_dim"])
        if family == "kimi_linear":
            full = c["linear_attn_config"]["full_attn_layers"]
            w.add_head_count_kv([1 if i + 1 in full else 0 for i in range(c["num_hidden_layers"])])
            w.add_ssm_conv_kernel(c["linear_attn_config"]["short_conv_kernel_size"])
            w.add_kda_head_dim(c["linear_attn_config"]["head_dim"])
        else:
            w.add_head_count_kv(1)
            w.add_value_length(c["kv_lora_rank"])
        return
    own[family](w, c, d_head) if family in own else w.add_rope_dimension_count(d_head)


def _gpt_oss(w: GGUFWriter, c: dict[str, Any], d_head: int) -> None:
    w.add_sliding_window(c["sliding_window"])


def _qwen2(w: GGUFWriter, c: dict[str, Any], d_head: int) -> None:
    w.add_expert_shared_feed_forward_length(c["shared_expert_intermediate_size"])


def _delta(w: GGUFWriter, c: dict[str, Any], d_head: int) -> None:
    if "shared_expert_intermediate_size" in c:
        w.add_expert_shared_feed_forward_length(c["shared_expert_intermediate_size"])
    w.add_ssm_conv_kernel(c["linear_conv_kernel_dim"])
    w.add_ssm_state_size(c["linear_key_head_dim"])
    w.add_ssm_group_count(c["linear_num_key_heads"])
    w.add_ssm_time_step_rank(c["linear_num_value_heads"])
    w.add_ssm_inner_size(c["linear_value_head_dim"] * c["linear_num_value_heads"])
    w.add_full_attention_interval(c["full_attention_interval"])
    rope = c.get("rope_parameters", c)
    w.add_rope_dimension_count(int(d_head * rope["partial_rotary_factor"]))
    if "mrope_section" in rope:
        w.add_rope_dimension_sections([*rope["mrope_section"], 0])


def _gemma4(w: GGUFWriter, c: dict[str, Any], d_head: int) -> None:
    windows = [t == "sliding_attention" for t in c["layer_types"]]
    ropes = c["rope_parameters"]
    w.add_sliding_window(c["sliding_window"])
    w.add_sliding_window_pattern(windows)
    w.add_shared_kv_layers(0)
    w.add_embedding_length_per_layer_input(0)
    for add, n in ((w.add_key_length, "global_head_dim"), (w.add_value_length, "global_head_dim"), (w.add_key_length_swa, "head_dim")):
        add(c[n])
    w.add_value_length_swa(c["head_dim"])
    w.add_head_count_kv([c["num_key_value_heads"] if s else c["num_global_key_value_heads"] for s in windows])
    w.add_rope_dimension_count(c["global_head_dim"])
    w.add_rope_dimension_count_swa(c["head_dim"])
    w.add_rope_freq_base(ropes["full_attention"]["rope_theta"])
    w.add_rope_freq_base_swa(ropes["sliding_attention"]["rope_theta"])
    w.add_final_logit_softcapping(c["final_logit_softcapping"])


def _gemma3(w: GGUFWriter, c: dict[str, Any], d_head: int) -> None:
    w.add_sliding_window(c["sliding_window"])
    w.add_uint32(gguf.Keys.Attention.SLIDING_WINDOW_PATTERN.format(arch=w.arch), c["sliding_window_pattern"])
    w.add_rope_freq_base_swa(float(c["rope_local_base_freq"]))


def _mistral(w: GGUFWriter, c: dict[str, Any], d_head: int) -> None:
    w.add_rope_dimension_count(d_head)
    w.add_sliding_window(c["sliding_window"])


def _granite(w: GGUFWriter, c: dict[str, Any], d_head: int) -> None:
    w.add_rope_dimension_count(d_head)
    w.add_attention_scale(c["attention_multiplier"])
    w.add_embedding_scale(c["embedding_multiplier"])
    w.add_residual_scale(c["residual_multiplier"])
    w.add_logit_scale(c["logits_scaling"])


def _minimax(w: GGUFWriter, c: dict[str, Any], d_head: int) -> None:
    w.add_rope_dimension_count(c["rotary_dim"])
    w.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID)


own: dict[str, Callable[[GGUFWriter, dict[str, Any], int], None]] = {
    "gpt_oss": _gpt_oss,
    "qwen2_moe": _qwen2,
    "qwen3_next": _delta,
    "qwen3_5_moe": _delta,
    "qwen3_5": _delta,
    "gemma3": _gemma3,
    "gemma4": _gemma4,
    "gemma4_unified": _gemma4,
    "glm4_moe": lambda w, c, d: w.add_rope_dimension_count(int(d * c["partial_rotary_factor"])),
    "minimax_m2": _minimax,
    "mistral": _mistral,
    "granite": _granite,
}


def vocabulary(w: GGUFWriter, folder: Path) -> None:
    """The folder's byte-level tokenizer, up to the model's vocabulary."""
    size = json.loads((folder / "config.json").read_text())
    if not (folder / "tokenizer.json").exists():  # Kimi's ranks; any other of 384 tokens does
        folder = DATA / "qwen3_moe"
    tk = json.loads((folder / "tokenizer.json").read_text())
    size = size.get("text_config", size)["vocab_size"]
    ids = {i: t for t, i in tk["model"]["vocab"].items()} | {t["id"]: t["content"] for t in tk["added_tokens"]}
    special = {t["id"] for t in tk["added_tokens"]}
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("gpt-2")
    w.add_token_list([ids.get(i, f"[PAD{i}]") for i in range(size)])
    w.add_token_types([3 if i in special else 1 if i in ids else 5 for i in range(size)])
    w.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in tk["model"]["merges"]])
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    by_name = {t: i for i, t in ids.items()}
    w.add_bos_token_id(by_name[settings["bos_token"]])
    w.add_eos_token_id(by_name[settings["eos_token"]])
    w.add_pad_token_id(by_name[settings["pad_token"]])
    w.add_add_bos_token(False)
    template = folder / "chat_template.jinja"
    if template.exists():
        w.add_chat_template(template.read_text())


def _pairs(a: Array, heads: int) -> Array:
    return a.reshape(heads, 2, a.shape[0] // heads // 2, *a.shape[1:]).swapaxes(1, 2).reshape(a.shape)


def _nibbles(blocks: Array, scales: Array) -> Array:
    """MXFP4 of gpt-oss, columns in turn, as ggml's, column j beside j + 16."""
    codes = np.stack([blocks & 15, blocks >> 4], -1).reshape(*blocks.shape[:-1], 32)
    packed = codes[..., :16] | codes[..., 16:] << 4
    return np.concatenate([scales[..., None], packed], -1).reshape(*blocks.shape[:-2], -1)


def _stretched(c: dict[str, Any]) -> Array:
    """What llama.cpp's conversion writes for Llama 3.1: by how much each frequency is divided."""
    rope, d = c["rope_scaling"], c["head_dim"]
    factor, low, high, original = (rope[k] for k in ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"))
    out = []
    for i in range(0, d, 2):
        wave = 2 * np.pi * c["rope_theta"] ** (i / d)
        smooth = (original / wave - low) / (high - low)
        out.append(1.0 if wave < original / high else factor if wave > original / low else 1 / ((1 - smooth) / factor + smooth))
    return np.array(out, np.float32)


def _tiled(a: Array, key_heads: int, share: int, d: int, axis: int = 0) -> Array:
    a = np.moveaxis(a, axis, 0)
    return np.moveaxis(a.reshape(key_heads, share, d, *a.shape[1:]).swapaxes(0, 1).reshape(a.shape), 0, axis)


def laid_out(family: str, c: dict[str, Any], arrays: Arrays) -> Arrays:
    """The tensors as the conversion lays them out, under names that the package's map knows."""
    out: Arrays = {}
    stacks: dict[str, dict[int, Array]] = {}
    for name, a in arrays.items():
        parts = name.split(".")
        if "experts" in parts and (at := parts.index("experts")) and parts[at + 1].isdecimal():
            stacks.setdefault(".".join([*parts[: at + 1], *parts[at + 2 :]]), {})[int(parts[at + 1])] = a
        else:
            out.update(_one(family, c, name, a, arrays))
    return out | {name: np.stack([s[i] for i in range(len(s))]) for name, s in stacks.items()}


def _one(family: str, c: dict[str, Any], name: str, a: Array, every: Arrays) -> Arrays:
    layer = name.split(".")[2] if name.startswith("model.layers.") else ""
    if family in ("mixtral", "llama", "mistral", "granite") and name.endswith(("q_proj.weight", "k_proj.weight")):
        return {name: _pairs(a, c["num_attention_heads" if "q_proj" in name else "num_key_value_heads"])}
    if family == "llama" and name == "model.norm.weight":
        return {name: a, "rope_freqs.weight": _stretched(c)}
    if name.endswith("kv_b_proj.weight"):
        b = a.reshape(c["num_attention_heads"], -1, a.shape[1])
        k, v = b[:, : c["qk_nope_head_dim"]], b[:, c["qk_nope_head_dim"] :]
        return {name.replace("kv_b", "k_b"): np.ascontiguousarray(k.swapaxes(1, 2)), name.replace("kv_b", "v_b"): np.ascontiguousarray(v)}
    if name.endswith("e_score_correction_bias"):
        return {f"blk.{layer}.exp_probs_b.bias": a}
    if family == "gpt_oss":
        return _of_gpt_oss(name, layer, a, every)
    if family == "gemma3":
        return _of_gemma3(c, name, a)
    if family.startswith("gemma4"):
        plain = {"router.scale": "ffn_gate_inp.scale", "router.per_expert_scale": "ffn_down_exps.scale"}
        if own := next((new for old, new in plain.items() if name.endswith(old)), None):
            return {f"blk.{layer}.{own}": a}
        if name.endswith("layer_scalar"):
            return {name + ".weight": a}
        out = {name + ("" if name.endswith("weight") else ".weight"): a}
        if name == "model.norm.weight":
            half, turned = c["global_head_dim"] // 2, int(c["global_head_dim"] * 0.25 / 2)
            out["rope_freqs.weight"] = np.array([1.0] * turned + [1e30] * (half - turned), np.float32)
        return out
    if family in ("qwen3_next", "qwen3_5_moe", "qwen3_5"):
        return _of_delta(family, c, name, layer, a)
    if family == "kimi_linear":
        if name.endswith("A_log"):
            return {f"blk.{layer}.ssm_a": -np.exp(a).reshape(-1, 1)[: c["linear_attn_config"]["num_heads"]]}
        if name.endswith("dt_bias"):
            return {f"blk.{layer}.ssm_dt.bias": a}
        if "conv1d" in name:
            return {name: a.reshape(1, a.shape[0], 1, a.shape[-1])}
    return {name: a}


def _of_gemma3(c: dict[str, Any], name: str, a: Array) -> Arrays:
    """Norms as 1 + w. The scale of attention has no key: what it is here beside that of the heads' width goes into the queries' norm."""
    if not name.endswith("norm.weight"):
        return {name: a}
    scale = np.sqrt(c["head_dim"] / c["query_pre_attn_scalar"]) if name.endswith("q_norm.weight") else 1.0
    return {name: ((a.astype(np.float64) + 1) * scale).astype(np.float32)}


def _of_gpt_oss(name: str, layer: str, a: Array, every: Arrays) -> Arrays:
    if name.endswith("sinks"):
        return {name + ".weight": a}
    if name.endswith("_blocks"):
        rows = _nibbles(a, every[name.replace("_blocks", "_scales")])
        if "gate_up" in name:
            return {f"blk.{layer}.ffn_gate_exps.weight": rows[:, ::2].copy(), f"blk.{layer}.ffn_up_exps.weight": rows[:, 1::2].copy()}
        return {f"blk.{layer}.ffn_down_exps.weight": rows}
    if name.endswith("_scales"):
        return {}
    if name.endswith("gate_up_proj_bias"):
        return {f"blk.{layer}.ffn_gate_exps.bias": a[:, ::2].copy(), f"blk.{layer}.ffn_up_exps.bias": a[:, 1::2].copy()}
    return {f"blk.{layer}.ffn_down_exps.bias": a} if name.endswith("down_proj_bias") else {name: a}


def _of_delta(family: str, c: dict[str, Any], name: str, layer: str, a: Array) -> Arrays:
    heads, d_key, d = c["linear_num_key_heads"], c["linear_key_head_dim"], c["linear_value_head_dim"]
    share, keys = c["linear_num_value_heads"] // heads, c["linear_num_key_heads"] * c["linear_key_head_dim"]
    if family != "qwen3_next" and "linear_attn." in name:
        if "in_proj_qkv" in name or "conv1d" in name:
            a = np.concatenate([a[: 2 * keys], _tiled(a[2 * keys :], heads, share, d)])
        elif "in_proj_z" in name:
            a = _tiled(a, heads, share, d)
        elif name.endswith(("in_proj_a.weight", "in_proj_b.weight", "A_log", "dt_bias")):
            a = _tiled(a, heads, share, 1)
        elif "out_proj" in name:
            a = _tiled(a, heads, share, d, axis=1)
    if name.endswith("A_log"):
        return {f"blk.{layer}.ssm_a": -np.exp(a)}
    if name.endswith("dt_bias"):
        return {f"blk.{layer}.ssm_dt.bias": a}
    if "conv1d" in name:
        return {name: a.squeeze()}
    if "in_proj_qkvz" in name:
        blocks = a.reshape(heads, -1, a.shape[1])
        q, k, v, z = np.split(blocks, np.cumsum([d_key, d_key, share * d]), axis=1)
        flat = [x.reshape(-1, a.shape[1]) for x in (q, k, v)]
        return {f"blk.{layer}.attn_qkv.weight": np.concatenate(flat), f"blk.{layer}.attn_gate.weight": z.reshape(-1, a.shape[1])}
    if name.endswith("shared_expert_gate.weight"):
        return {name: a.reshape(-1)}
    if name.endswith(("norm.weight", "enorm.weight", "hnorm.weight", "shared_head_norm.weight")) and "linear_attn" not in name:
        return {name: a + 1}
    return {name: a}
