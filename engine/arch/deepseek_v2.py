"""DeepSeek-V2, V2-Lite, Coder-V2. Read from: transformers 5.23 `modeling_deepseek_v2.py`; paper arXiv 2405.04434.

Latent attention as V3; softmax router without renormalization. Traps: groups count by their best expert ("group_limited_greedy");
rope pairs are interleaved; routed_scaling_factor multiplies the weights; V2-Lite projects queries directly.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import latent, names, sigmoid_moe
from engine.arch.read import ConfigReader
from engine.arch.spec import ArchSpec, Dense, Moe, Router


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a deepseek_v2 config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d = r.positive("hidden_size")
    r.only("hidden_act", "silu")
    r.quantized()
    r.only("mlp_bias", False)
    r.ignore("aux_loss_alpha", "seq_aux")
    eps = r.may("rms_norm_eps", float, 1e-6)
    mixer = latent.read_mla(r)
    layers = sigmoid_moe.read_layers(r, mixer, read_moe(r), eps)
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied)
    for i, layer in enumerate(layers):
        p = f"model.layers.{i}."
        tensors += names.norms(i, p, d) + latent.tensors(i, p + "self_attn.", d, mixer) + sigmoid_moe.ffn(i, p + "mlp.", d, layer)
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        "deepseek_v2", d, vocab, max_context, layers, eps, tied, tuple(tensors), sigmoid_moe.experts("model.", d, layers),
        bos_token=bos[0] if bos else None, end_tokens=ends,
    )


def read_moe(r: ConfigReader) -> Moe:
    """The routed layers: softmax over all experts, best group first where topk_method says so."""
    r.only("scoring_func", "softmax")
    r.only("norm_topk_prob", False)
    r.only("moe_layer_freq", 1)
    r.only("topk_method", "greedy", "group_limited_greedy")
    grouped = r.may("topk_method", str, "greedy") == "group_limited_greedy"
    groups, kept = r.positive_or("n_group", 1), r.positive_or("topk_group", 1)
    width, n_shared = r.positive("moe_intermediate_size"), r.count("n_shared_experts")
    return Moe(
        n_experts=r.positive("n_routed_experts"),
        top_k=r.positive("num_experts_per_tok"),
        d_expert=width,
        router=Router(
            "softmax",
            renormalize=False,
            scale=r.may("routed_scaling_factor", float, 1.0),
            groups=groups if grouped else 1,
            topk_groups=kept if grouped else 1,
        ),
        shared=Dense(n_shared * width) if n_shared else None,
    )
