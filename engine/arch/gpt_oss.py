"""gpt-oss 20b and 120b. Read from: transformers 5.23 `modeling_gpt_oss.py`, OpenAI's `gpt_oss/torch/model.py`; model card arXiv 2508.10925.

GQA with biases, sinks and alternating windows; softmax over the chosen logits; experts in MXFP4 with biases and a clamped
SwiGLU. Traps: gate and up rows are interleaved; yarn's ramp is not rounded (truncate false); the router has a bias; a sink is
a logit whose probability is dropped.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import Activation, ArchSpec, ExpertSpec, Gqa, LayerSpec, Moe, Router, Source
from engine.words import say

ALPHA = 1.702


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a gpt_oss config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d, n_layers, heads = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.positive("num_attention_heads")
    d_head, kv_heads = r.positive("head_dim"), r.positive("num_key_value_heads")
    r.only("hidden_act", "silu")
    r.only("attention_bias", True)
    r.ignore("initial_context_length", "experts_per_token")
    quantization = r.may("quantization_config", dict, {})
    if quantization.get("quant_method") != "mxfp4":
        r.fault(say("names no MXFP4 experts; only gpt-oss as published by OpenAI is read"), "quantization_config")
    eps, rope = r.need("rms_norm_eps", float), read_rope(r, d_head)
    kinds = r.layer_types(n_layers, sliding_attention="window", full_attention="full")
    kinds = kinds or tuple("full" if i % 2 else "window" for i in range(n_layers))
    window = r.positive("sliding_window")
    mixers = {
        k: Gqa(heads, kv_heads, d_head, rope, qkv_bias=True, o_bias=True, window=window if k == "window" else None, sinks=True)
        for k in ("window", "full")
    }
    moe = Moe(
        n_experts=r.positive("num_local_experts"),
        top_k=r.positive("num_experts_per_tok"),
        d_expert=r.positive("intermediate_size"),
        router=Router("topk_softmax", renormalize=False, logit_bias=True),
        act=Activation("swiglu_clamp", (r.may("swiglu_alpha", float, ALPHA), r.may("swiglu_limit", float, 7.0))),
        bias=True,
    )
    layers = tuple(LayerSpec(mixers[k], moe, eps) for k in kinds)
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors, experts = names.outer(d, vocab, tied), []
    for i, k in enumerate(kinds):
        p = f"model.layers.{i}."
        tensors += names.norms(i, p, d) + names.gqa(i, p + "self_attn.", d, mixers[k])
        tensors.append(names.trunk(f"layers.{i}.router", p + "mlp.router.weight", (moe.n_experts, d), "router"))
        tensors.append(names.trunk(f"layers.{i}.router_bias", p + "mlp.router.bias", (moe.n_experts,), "vector"))
        experts.append(ExpertSpec(i, moe.n_experts, d, moe.d_expert, d, _parts(p + "mlp.experts.")))
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        "gpt_oss", d, vocab, max_context, layers, eps, tied, tuple(tensors), tuple(experts),
        bos_token=bos[0] if bos else None, end_tokens=ends,
    )


def _parts(p: str) -> dict[str, Source]:
    """Stacked experts: gate is the even, up the odd rows of gate_up."""
    out = {}
    for part, word, start, step in (("gate", "gate_up", 0, 2), ("up", "gate_up", 1, 2), ("down", "down", 0, 1)):
        out[part] = Source(f"{p}{word}_proj", start=start, step=step)
        out[part + "_bias"] = Source(f"{p}{word}_proj_bias", start=start, step=step)
    return out
