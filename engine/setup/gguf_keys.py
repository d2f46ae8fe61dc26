"""What the families' configs have in common, read from a GGUF file's metadata: sizes, heads, rope, experts."""

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from engine.setup.gguf_metadata import Metadata
from engine.setup.source import TensorInfo
from engine.words import say

Config = dict[str, Any]
Tensors = Mapping[str, TensorInfo]
SOFTMAX, SIGMOID = 1, 2  # ggml's numbers of router functions
LOW, HIGH = 1.0, 4.0  # of Llama 3.1's rope: low_freq_factor and high_freq_factor of all releases
# Files made before expert_group_count was written lack it; the released models with these experts have these groups: (n_group, topk_group).
GROUPS = {("deepseek_v2", 160): (8, 3), ("deepseek_v3", 256): (8, 4)}


def layers_with(tensors: Collection[str], name: str) -> set[int]:
    """The layers that have the tensor blk.N.name."""
    return {int(t.split(".")[1]) for t in tensors if t.startswith("blk.") and t.endswith("." + name) and t.split(".")[1].isdecimal()}


def common(m: Metadata, tensors: Tensors, model_type: str, rope: bool = True) -> Config:
    """What every config has; rope: with one rope for all layers."""
    embedding = tensors.get("token_embd.weight")
    bos, eos = m.general("tokenizer.ggml.bos_token_id", int), m.general("tokenizer.ggml.eos_token_id", int)
    m.only("vocab_size", *([embedding.shape[0]] if embedding else []))
    out: Config = {
        "model_type": model_type,
        "hidden_act": "silu",
        "hidden_size": m.whole("embedding_length"),
        "num_hidden_layers": m.whole("block_count"),
        "num_attention_heads": m.same("attention.head_count", m.whole("block_count")),
        "max_position_embeddings": m.whole("context_length"),
        "rms_norm_eps": m.real("attention.layer_norm_rms_epsilon"),
        "vocab_size": embedding.shape[0] if embedding else len(m.values.get("tokenizer.ggml.tokens", ())),
        "tie_word_embeddings": "output.weight" not in tensors,
    }
    if bos is not None:
        out["bos_token_id"] = bos
    if eos is not None:
        out["eos_token_id"] = eos
    if rope:
        out |= {"rope_theta": m.real("rope.freq_base", 10000.0), "rope_scaling": scaling(m)}
    return out


def scaling(m: Metadata) -> Config | None:
    """rope_scaling, None where positions are not scaled."""
    kind = m.text("rope.scaling.type", "none")
    keys = {
        "factor": "rope.scaling.factor", "original_max_position_embeddings": "rope.scaling.original_context_length",
        "beta_fast": "rope.scaling.yarn_beta_fast", "beta_slow": "rope.scaling.yarn_beta_slow",
        "attention_factor": "rope.scaling.yarn_attn_factor",
    }  # fmt: skip
    m.only("rope.scaling.yarn_ext_factor", 1.0)
    if kind == "none":
        m.ignore(*keys.values())
        return None
    if kind not in ("linear", "yarn"):
        m.problems.append(
            say(
                "its metadata say {arch}.rope.scaling.type = {kind}, but only none, linear or yarn is supported",
                arch=m.arch,
                kind=f"{kind!r:.40}",
            )
        )
        return None
    out: Config = {"type": kind, "factor": m.real("rope.scaling.factor")}
    if kind == "linear":
        m.ignore(*keys.values())
        return out
    if m.has("rope.scaling.original_context_length"):
        out["original_max_position_embeddings"] = m.whole("rope.scaling.original_context_length")
    for key in ("beta_fast", "beta_slow", "attention_factor"):
        if m.has(keys[key]):
            out[key] = m.real(keys[key])
    return out


def llama3(m: Metadata, config: Config) -> Config | None:
    """Llama 3.1's rope, which a GGUF holds as what each frequency is divided by; None where the file has none.

    The two wavelengths between which it is mixed are 8192 and 2048 tokens in all releases, but only their ratio is taken for granted.
    """
    factors = np.asarray(m.vector("rope_freqs.weight"), np.float64)
    if not len(factors) or (factors == 1).all():
        return None
    d, factor = 2 * len(factors), float(factors.max())
    waves = 2 * math.pi * config["rope_theta"] ** (np.arange(0, d, 2) / d)
    for original in (1 << n for n in range(5, 21)):
        smooth = np.clip((original / waves - LOW) / (HIGH - LOW), 0, 1)
        if np.allclose(factors, 1 / ((1 - smooth) / factor + smooth), rtol=1e-4):
            named = {"low_freq_factor": LOW, "high_freq_factor": HIGH, "original_max_position_embeddings": original}
            return {"rope_type": "llama3", "factor": factor, **named}
    m.problems.append(say("its rope_freqs.weight scales positions in a way that is not Llama 3.1's, which alone is supported"))
    return None


def heads(m: Metadata, config: Config) -> None:
    """Heads of one width, each rotated as a whole."""
    n, heads = config["num_hidden_layers"], config["num_attention_heads"]
    config["num_key_value_heads"] = m.same("attention.head_count_kv", n)
    d_head = config["head_dim"] = m.whole("attention.key_length", config["hidden_size"] // max(heads, 1))
    m.only("attention.value_length", d_head)


def whole_rope(m: Metadata, config: Config) -> None:
    """All of a head turns."""
    m.only("rope.dimension_count", config["head_dim"])


def dense(m: Metadata, config: Config) -> Config:
    """One FFN for all layers, and no experts."""
    m.only("expert_count", 0)
    m.only("expert_used_count", 0)
    return {"intermediate_size": m.same("feed_forward_length", config["num_hidden_layers"])}


def experts(m: Metadata, config: Config, count: str, used: str = "num_experts_per_tok") -> None:
    """How many there are and how many are chosen, under the family's keys."""
    config |= {count: m.whole("expert_count"), used: m.whole("expert_used_count")}
    m.ignore("expert_chunk_feed_forward_length", "moe_every_n_layers")


def plain_router(m: Metadata) -> None:
    """Softmax over all experts, no groups, no shared ones, no layers after the last."""
    m.only("expert_gating_func", 0, SOFTMAX)
    for key in ("expert_group_count", "expert_group_used_count"):
        m.only(key, 0, 1)
    for key in ("expert_shared_count", "nextn_predict_layers"):
        m.only(key, 0)
    m.ignore("leading_dense_block_count")  # seen by the tensors of each layer


def width(m: Metadata) -> int:
    """Rows of an expert; files of the first months have it in another key."""
    return m.whole("expert_feed_forward_length", m.whole("feed_forward_length", 0) // max(m.whole("expert_used_count", 1), 1))


def deepseek_moe(m: Metadata, config: Config, gating: int) -> Config:
    """The routed layers in DeepSeek's spelling, and what comes after the last layer."""
    experts(m, config, "n_routed_experts")
    family, n_experts = str(config["model_type"]), config["n_routed_experts"]
    groups = GROUPS.get((family, n_experts), (1, 1))
    if m.whole("expert_gating_func", gating) not in (0, gating):
        m.problems.append(
            say(
                "its metadata say {arch}.expert_gating_func = {value}, which is not supported here",
                arch=m.arch,
                value=m.whole("expert_gating_func", 0),
            )
        )
    further = m.whole("nextn_predict_layers", 0)
    config["num_hidden_layers"] -= further
    scale = m.real("expert_weights_scale", 1.0) or 1.0  # 0 where it was not said
    if further:
        config["num_nextn_predict_layers"] = further
    return config | {
        "moe_intermediate_size": m.whole("expert_feed_forward_length"),
        "intermediate_size": m.whole("feed_forward_length"),
        "n_shared_experts": m.whole("expert_shared_count", 0),
        "first_k_dense_replace": m.whole("leading_dense_block_count", 0),
        "routed_scaling_factor": scale,
        "n_group": m.whole("expert_group_count", groups[0]) or 1,
        "topk_group": m.whole("expert_group_used_count", groups[1]) or 1,
    }
