"""Qwen3-MoE: Qwen3-30B-A3B, Qwen3-235B-A22B, Qwen3-Coder. Read from: transformers 5.23 `modeling_qwen3_moe.py`.

GQA with per-head RMS norm of queries and keys, no biases; softmax router over all experts, no shared expert.
Traps: head_dim is explicit (queries are wider than the hidden size); a layer is dense where decoder_sparse_step or
mlp_only_layers says so.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Dense, Gqa, LayerSpec, Moe, Router

PARTS = {"gate": "gate_proj", "up": "up_proj", "down": "down_proj"}


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a qwen3_moe config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d, n_layers, heads = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.positive("num_attention_heads")
    d_head = r.positive_or("head_dim", d // heads)
    r.only("hidden_act", "silu")
    r.only("use_sliding_window", False)
    r.ignore("sliding_window", "max_window_layers")
    eps = r.need("rms_norm_eps", float)
    mixer = Gqa(
        heads, r.positive("num_key_value_heads"), d_head, read_rope(r, d_head), qk_norm="head", qk_norm_eps=eps,
        qkv_bias=(bias := r.may("attention_bias", bool, False)), o_bias=bias,
    )
    moe = Moe(
        n_experts=r.positive_of("num_experts", "num_local_experts"),
        top_k=r.positive("num_experts_per_tok"),
        d_expert=r.positive("moe_intermediate_size"),
        router=Router("softmax", renormalize=r.may("norm_topk_prob", bool, False)),
    )
    dense = Dense(r.positive("intermediate_size"))
    step, only_dense = r.positive_or("decoder_sparse_step", 1), r.indices("mlp_only_layers")

    def is_moe(i: int) -> bool:
        return i not in only_dense and (i + 1) % step == 0

    layers = tuple(LayerSpec(mixer, moe if is_moe(i) else dense, eps) for i in range(n_layers))
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied)
    for i, layer in enumerate(layers):
        tensors += names.pre_norm_layer(i, d, layer)
        if is_moe(i):
            tensors.append(names.trunk(f"layers.{i}.router", f"model.layers.{i}.mlp.gate.weight", (moe.n_experts, d), "router"))
    experts = [
        names.experts(i, f"model.layers.{i}.mlp.experts.{{expert}}.{{part}}.weight", d, moe, PARTS) for i in range(n_layers) if is_moe(i)
    ]
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        "qwen3_moe", d, vocab, max_context, layers, eps, tied, tuple(tensors), tuple(experts),
        bos_token=bos[0] if bos else None, end_tokens=ends,
    )
