"""OLMoE: OLMoE-1B-7B. Read from: transformers 5.23 `modeling_olmoe.py`; paper arXiv 2409.02060.

Multi-head attention with RMS norm of queries and keys over the whole width; every layer routed, softmax over all experts
without renormalization. Traps: intermediate_size is the expert width; clip_qkv may clamp q, k and v before the norm's rotation.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Gqa, LayerSpec, Moe, Router

PARTS = {"gate": "gate_proj", "up": "up_proj", "down": "down_proj"}


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of an olmoe config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d, n_layers, heads = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.positive("num_attention_heads")
    d_head = r.positive_or("head_dim", d // heads)
    r.only("hidden_act", "silu")
    r.only("clip_qkv")  # clamps after the norm, which Gqa.clip does not; the released models have null
    eps = r.may("rms_norm_eps", float, 1e-5)
    mixer = Gqa(
        heads, r.positive_or("num_key_value_heads", heads), d_head, read_rope(r, d_head, 10000.0), qk_norm="width", qk_norm_eps=eps,
        qkv_bias=(bias := r.may("attention_bias", bool, False)), o_bias=bias,
    )
    moe = Moe(
        n_experts=r.positive("num_experts"),
        top_k=r.positive("num_experts_per_tok"),
        d_expert=r.positive("intermediate_size"),
        router=Router("softmax", renormalize=r.may("norm_topk_prob", bool, False)),
    )
    layers = tuple(LayerSpec(mixer, moe, eps) for _ in range(n_layers))
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied)
    for i, layer in enumerate(layers):
        tensors += names.pre_norm_layer(i, d, layer)
        tensors.append(names.trunk(f"layers.{i}.router", f"model.layers.{i}.mlp.gate.weight", (moe.n_experts, d), "router"))
    experts = [names.experts(i, f"model.layers.{i}.mlp.experts.{{expert}}.{{part}}.weight", d, moe, PARTS) for i in range(n_layers)]
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        "olmoe", d, vocab, max_context, layers, eps, tied, tuple(tensors), tuple(experts),
        bos_token=bos[0] if bos else None, end_tokens=ends,
    )
