"""MiniMax-M2. Read from: transformers 5.23 `modeling_minimax_m2.py`.

GQA with RMS norm of queries and keys over the whole width; sigmoid router with a bias for the choice, renormalized, no shared
expert. Traps: rotary_dim of each head's dims turn; the choice bias lies beside the gate, not under it; intermediate_size is the
expert width. Layers for multi-token prediction are left out: the configs name them (use_mtp, num_mtp_modules), but M2.5 and M2.7 publish no
tensors of them, and those of M2 are said to be no trained weights (issues 47 of MiniMax-M2, 8 of M2.5, 16 of M2.7; not answered there).
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader, Guess
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Gqa, LayerSpec, Moe, Router

PARTS = {"gate": "w1", "up": "w3", "down": "w2"}


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a minimax_m2 config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d, n_layers, heads = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.positive("num_attention_heads")
    d_head = r.positive_or("head_dim", d // heads)
    d_rotated = r.positive_or("rotary_dim", d_head)
    if "partial_rotary_factor" in r.may("rope_parameters", dict, {}):  # the same share, as transformers 5 writes it
        d_rotated = d_head
    r.only("hidden_act", "silu")
    r.only("qk_norm_type", "per_layer")
    r.only("scoring_func", "sigmoid")
    r.only("shared_intermediate_size", 0)
    for beta in ("layernorm_full_attention_beta", "layernorm_linear_attention_beta", "layernorm_mlp_beta"):
        r.only(beta, 1.0)
    r.only("attn_type_list", n_layers if isinstance(n_layers, Guess) else [1] * n_layers)
    r.only("sliding_window")
    r.quantized("fp8")
    r.ignore("use_mtp", "num_mtp_modules", "mtp_transformer_layers", "mlp_intermediate_size", "shared_moe_mode")
    eps = r.need("rms_norm_eps", float)
    mixer = Gqa(
        heads, r.positive("num_key_value_heads"), d_head, read_rope(r, d_rotated),
        qk_norm="width" if r.may("use_qk_norm", bool, True) else "none", qk_norm_eps=eps,
    )
    moe = Moe(
        n_experts=r.positive("num_local_experts"),
        top_k=r.positive("num_experts_per_tok"),
        d_expert=r.positive("intermediate_size"),
        router=Router("sigmoid", renormalize=True, choice_bias=r.may("use_routing_bias", bool, True)),
    )
    layers = tuple(LayerSpec(mixer, moe, eps) for _ in range(n_layers))
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied)
    for i in range(n_layers):
        p = f"model.layers.{i}."
        tensors += names.norms(i, p, d) + names.gqa(i, p + "self_attn.", d, mixer)
        tensors.append(names.trunk(f"layers.{i}.router", p + "block_sparse_moe.gate.weight", (moe.n_experts, d), "router"))
        if moe.router.choice_bias:
            bias = p + "block_sparse_moe.e_score_correction_bias"
            tensors.append(names.trunk(f"layers.{i}.router_choice_bias", bias, (moe.n_experts,), "vector"))
    experts = [
        names.experts(i, f"model.layers.{i}.block_sparse_moe.experts.{{expert}}.{{part}}.weight", d, moe, PARTS) for i in range(n_layers)
    ]
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        "minimax_m2", d, vocab, max_context, layers, eps, tied, tuple(tensors), tuple(experts),
        bos_token=bos[0] if bos else None, end_tokens=ends, skipped=("model.mtp.",),
    )
