"""Gemma 4 (26B-A4B), the text of it. Read from: transformers 5.23 `modeling_gemma4.py`.

Five sliding layers to one full layer; a dense FFN and routed experts side by side, each between its own norms; the stream is
scaled at the end of a layer. Traps: norms have plain weights, not 1 + w; attention scale is 1; full layers have wider and
fewer heads and use the raw key projection as values, normed without weight; their rope turns only a quarter of the pairs but
counts exponents over the whole head; the router reads the raw residual; embeddings times sqrt(d_model); logits are capped.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.rope import rope_of
from engine.arch.spec import Activation, ArchSpec, Dense, ExpertSpec, Gqa, LayerSpec, Moe, Router, Source, TensorSpec

MODEL_TYPES = ("gemma4_text",)


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a gemma4 config.json. Raises UnsupportedModel."""
    r, outer = ConfigReader.text(config, "model.language_model.", "model.")
    d, n_layers = r.positive("hidden_size"), r.positive("num_hidden_layers")
    act = Activation("gelu_tanh")
    for key, value in (
        ("hidden_activation", "gelu_pytorch_tanh"), ("attention_bias", False), ("enable_moe_block", True), ("num_kv_shared_layers", 0),
        ("hidden_size_per_layer_input", 0), ("use_double_wide_mlp", False), ("attention_k_eq_v", True),
    ):
        r.only(key, value)
    r.only("use_bidirectional_attention", "vision", False)
    r.quantized()
    r.ignore("vocab_size_per_layer_input")
    eps = r.need("rms_norm_eps", float)
    kinds = r.layer_types(n_layers, sliding_attention="sliding", full_attention="full")
    kinds = kinds or tuple("full" if i % 6 == 5 else "sliding" for i in range(n_layers))
    mixers = _mixers(r, eps)
    moe = Moe(
        n_experts=r.positive("num_experts"),
        top_k=r.positive("top_k_experts"),
        d_expert=r.positive("moe_intermediate_size"),
        router=Router("softmax", renormalize=True, input_scale=True, per_expert_scale=True, shown="probabilities"),
        act=act,
        shared=Dense(r.positive("intermediate_size"), act),
        sandwich=True,
    )
    layers = tuple(LayerSpec(mixers[k], moe, eps, residual="sandwich", scalar=True) for k in kinds)
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, True)
    tensors = names.outer(d, vocab, tied, outer)
    for i, layer in enumerate(layers):
        tensors += _layer(i, f"{outer}layers.{i}.", d, layer, moe)
    parts = [_parts(f"{outer}layers.{i}.experts.", moe.d_expert) for i in range(n_layers)]
    experts = [ExpertSpec(i, moe.n_experts, d, moe.d_expert, d, p) for i, p in enumerate(parts)]
    max_context, softcap = r.positive("max_position_embeddings"), r.may("final_logit_softcapping", float, None)
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        "gemma4", d, vocab, max_context, layers, eps, tied, tuple(tensors), tuple(experts),
        bos_token=bos[0] if bos else None, end_tokens=ends, embed_scale=d**0.5, logit_softcap=softcap,
        skipped=("model.vision_tower.", "model.embed_vision.", "model.audio_tower.", "model.embed_audio."),
    )


def _mixers(r: ConfigReader, eps: float) -> dict[str, Gqa]:
    heads, ropes = r.positive("num_attention_heads"), r.need_sub("rope_parameters")
    shapes = {
        "sliding": (r.positive("num_key_value_heads"), r.positive("head_dim"), r.positive("sliding_window")),
        "full": (r.positive("num_global_key_value_heads"), r.positive("global_head_dim"), None),
    }
    out = {}
    for kind, (kv_heads, d_head, window) in shapes.items():
        rope = rope_of(ropes.need_sub(f"{kind}_attention"), r, d_head, None)
        out[kind] = Gqa(
            heads, kv_heads, d_head, rope, qk_norm="head", qk_norm_eps=eps, window=window,
            v_from_k=window is None, value_norm=True, scale=1.0,
        )
    ropes.done()
    return out


def _layer(i: int, p: str, d: int, layer: LayerSpec, moe: Moe) -> list[TensorSpec]:
    assert isinstance(layer.mixer, Gqa) and moe.shared is not None
    t = f"layers.{i}."
    norms = {
        "attn_norm": "input_layernorm", "attn_post_norm": "post_attention_layernorm", "ffn_norm": "pre_feedforward_layernorm_2",
        "shared.norm": "pre_feedforward_layernorm", "shared.post_norm": "post_feedforward_layernorm_1",
        "experts_post_norm": "post_feedforward_layernorm_2", "ffn_post_norm": "post_feedforward_layernorm",
    }
    out = [names.trunk(t + ours, f"{p}{theirs}.weight", (d,), "vector") for ours, theirs in norms.items()]
    out += names.gqa(i, p + "self_attn.", d, layer.mixer) + names.dense(i, p + "mlp.", d, moe.shared.d_hidden, "shared")
    return [
        *out,
        names.trunk(t + "router", p + "router.proj.weight", (moe.n_experts, d), "router"),
        names.trunk(t + "router_input_scale", p + "router.scale", (d,), "vector"),
        names.trunk(t + "router_expert_scale", p + "router.per_expert_scale", (moe.n_experts,), "vector"),
        names.trunk(t + "scalar", p + "layer_scalar", (1,), "vector"),
    ]


def _parts(p: str, d_expert: int) -> dict[str, Source]:
    """Stacked experts: the first d_expert rows of gate_up are gate."""
    fused = p + "gate_up_proj"
    return {"gate": Source(fused), "up": Source(fused, start=d_expert), "down": Source(p + "down_proj")}
