"""Mixtral: Mixtral-8x7B and 8x22B. Read from: transformers 5.23 `modeling_mixtral.py`; paper arXiv 2401.04088.

GQA without biases or norms; every layer routed, softmax over all experts, always renormalized over the chosen.
Traps: experts are w1 (gate), w3 (up), w2 (down) under block_sparse_moe; sliding_window is null in the released models.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Gqa, LayerSpec, Moe, Router

PARTS = {"gate": "w1", "up": "w3", "down": "w2"}


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a mixtral config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d, n_layers, heads = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.positive("num_attention_heads")
    d_head = r.positive_or("head_dim", d // heads)
    r.only("hidden_act", "silu")
    eps = r.may("rms_norm_eps", float, 1e-5)
    mixer = Gqa(
        heads, r.positive("num_key_value_heads"), d_head, read_rope(r, d_head, 1e6), window=r.positive_or("sliding_window", None)
    )
    moe = Moe(
        n_experts=r.positive("num_local_experts"),
        top_k=r.positive("num_experts_per_tok"),
        d_expert=r.positive("intermediate_size"),
        router=Router("softmax", renormalize=True),
    )
    layers = tuple(LayerSpec(mixer, moe, eps) for _ in range(n_layers))
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied)
    for i, layer in enumerate(layers):
        tensors += names.pre_norm_layer(i, d, layer)
        p = f"model.layers.{i}.block_sparse_moe."
        tensors.append(names.trunk(f"layers.{i}.router", p + "gate.weight", (moe.n_experts, d), "router"))
    experts = [
        names.experts(i, f"model.layers.{i}.block_sparse_moe.experts.{{expert}}.{{part}}.weight", d, moe, PARTS) for i in range(n_layers)
    ]
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        "mixtral", d, vocab, max_context, layers, eps, tied, tuple(tensors), tuple(experts),
        bos_token=bos[0] if bos else None, end_tokens=ends,
    )
