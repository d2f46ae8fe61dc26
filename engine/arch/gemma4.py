"""Gemma 4: 26B-A4B, and 31B, which is dense; the text of them. Read from: transformers 5.23 `modeling_gemma4.py`.

Five sliding layers to one full layer; a dense FFN and, with experts, these beside it, each between its own norms; the stream is
scaled at the end of a layer. Traps: norms have plain weights, not 1 + w; attention scale is 1; full layers have wider and
fewer heads and use the raw key projection as values, normed without weight; their rope turns only a quarter of the pairs but
counts exponents over the whole head; the router reads the raw residual; embeddings times sqrt(d_model); logits are capped; what full
layers have otherwise is in global_head_dim and num_global_key_value_heads, or, where transformers 5 wrote the config, in per_layer_config.
Left out: E2B and E4B, whose layers have embeddings of their own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.rope import rope_of
from engine.arch.spec import Activation, ArchSpec, Dense, ExpertSpec, Gqa, LayerSpec, Moe, Router, Source, TensorSpec
from engine.words import say

DENSE = True
MODEL_TYPES = ("gemma4_text",)
WIDTH = ("moe_intermediate_size", "expert_intermediate_size")  # the later and the earlier word for it
NORMS = {
    "attn_norm": "input_layernorm", "attn_post_norm": "post_attention_layernorm", "ffn_norm": "pre_feedforward_layernorm",
    "ffn_post_norm": "post_feedforward_layernorm",
}  # fmt: skip
NORMS_WITH_EXPERTS = {
    "attn_norm": "input_layernorm", "attn_post_norm": "post_attention_layernorm", "ffn_norm": "pre_feedforward_layernorm_2",
    "shared.norm": "pre_feedforward_layernorm", "shared.post_norm": "post_feedforward_layernorm_1",
    "experts_post_norm": "post_feedforward_layernorm_2", "ffn_post_norm": "post_feedforward_layernorm",
}  # fmt: skip


def spec(config: Mapping[str, Any], family: str = "gemma4") -> ArchSpec:
    """The architecture of a gemma4 config.json. Raises UnsupportedModel."""
    r, outer = ConfigReader.text(config, "model.language_model.", "model.")
    d, n_layers = r.positive("hidden_size"), r.positive("num_hidden_layers")
    for key, value in (
        ("hidden_activation", "gelu_pytorch_tanh"), ("attention_bias", False), ("num_kv_shared_layers", 0),
        ("hidden_size_per_layer_input", 0), ("use_double_wide_mlp", False), ("attention_k_eq_v", True),
    ):
        r.only(key, value)
    r.only("use_bidirectional_attention", "vision", False)
    r.quantized()
    r.ignore("vocab_size_per_layer_input")
    eps = r.need("rms_norm_eps", float)
    kinds = r.layer_types(n_layers, sliding_attention="sliding", full_attention="full")
    kinds = kinds or tuple("full" if i % 6 == 5 else "sliding" for i in range(n_layers))
    mixers = _mixers(r, eps, kinds)
    ffn = _ffn(r)
    layers = tuple(LayerSpec(mixers[k], ffn, eps, residual="sandwich", scalar=True) for k in kinds)
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, True)
    tensors, experts = names.outer(d, vocab, tied, outer), list[ExpertSpec]()
    for i, layer in enumerate(layers):
        p = f"{outer}layers.{i}."
        tensors += _layer(i, p, d, layer)
        if isinstance(ffn, Moe):
            experts.append(ExpertSpec(i, ffn.n_experts, d, ffn.d_expert, d, _parts(p + "experts.", ffn.d_expert)))
    max_context, softcap = r.positive("max_position_embeddings"), r.may("final_logit_softcapping", float, None)
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        family, d, vocab, max_context, layers, eps, tied, tuple(tensors), tuple(experts),
        bos_token=bos[0] if bos else None, end_tokens=ends, embed_scale=d**0.5, logit_softcap=softcap,
        skipped=tuple(f"model.{part}." for part in ("vision_tower", "vision_embedder", "embed_vision", "audio_tower", "embed_audio")),
    )


def _ffn(r: ConfigReader) -> Dense | Moe:
    act = Activation("gelu_tanh")
    dense = Dense(r.positive("intermediate_size"), act)
    if not r.may("enable_moe_block", bool, False) and not r.is_bad("enable_moe_block"):
        r.only("num_experts")
        r.ignore("top_k_experts", *WIDTH)
        return dense
    return Moe(
        n_experts=r.positive("num_experts"),
        top_k=r.positive("top_k_experts"),
        d_expert=r.positive_of(*WIDTH),
        router=Router("softmax", renormalize=True, input_scale=True, per_expert_scale=True, shown="probabilities"),
        act=act,
        shared=dense,
        sandwich=True,
    )


def _mixers(r: ConfigReader, eps: float, kinds: Sequence[str]) -> dict[str, Gqa]:
    heads, ropes = r.positive("num_attention_heads"), r.need_sub("rope_parameters")
    kv_heads, d_head = r.positive("num_key_value_heads"), r.positive("head_dim")
    shapes = {"sliding": (kv_heads, d_head, r.positive("sliding_window")), "full": (*_full(r, kinds, kv_heads), None)}
    out = {}
    for kind, (kv_heads, d_head, window) in shapes.items():
        rope = rope_of(ropes.need_sub(f"{kind}_attention"), r, d_head, None)
        out[kind] = Gqa(
            heads, kv_heads, d_head, rope, qk_norm="head", qk_norm_eps=eps, window=window,
            v_from_k=window is None, value_norm=True, scale=1.0,
        )
    ropes.done()
    return out


def _full(r: ConfigReader, kinds: Sequence[str], kv_heads: int) -> tuple[int, int]:
    """(kv heads, d_head) of the full layers; kv_heads: of the others."""
    listed = r.may("per_layer_config", dict, None)
    if listed is None:
        return r.positive("num_global_key_value_heads"), r.positive("global_head_dim")
    r.ignore("num_global_key_value_heads", "global_head_dim")
    layers = {int(i) if str(i).isdecimal() else -1 for i in listed}
    if layers != {i for i, k in enumerate(kinds) if k == "full"} or any(v != listed[next(iter(listed))] for v in listed.values()):
        if not r.is_bad("num_hidden_layers") and not r.is_bad("layer_types") and not r.is_bad("per_layer_config"):
            r.fault(say("has a per_layer_config that is not the same for the full layers, and them alone"), "per_layer_config")
        return kv_heads, 2
    one = ConfigReader({"of": next(iter(listed.values()), {})}, "config.json: per_layer_config", r).need_sub("of")
    out = one.positive_or("num_key_value_heads", kv_heads), one.positive("head_dim")
    one.done()
    return out


def _layer(i: int, p: str, d: int, layer: LayerSpec) -> list[TensorSpec]:
    ffn, t = layer.ffn, f"layers.{i}."
    assert isinstance(layer.mixer, Gqa)
    norms = NORMS_WITH_EXPERTS if isinstance(ffn, Moe) else NORMS
    out = [names.trunk(t + ours, f"{p}{theirs}.weight", (d,), "vector") for ours, theirs in norms.items()]
    out += names.gqa(i, p + "self_attn.", d, layer.mixer)
    if isinstance(ffn, Moe):
        assert ffn.shared is not None
        out += names.dense(i, p + "mlp.", d, ffn.shared.d_hidden, "shared")
        out.append(names.trunk(t + "router", p + "router.proj.weight", (ffn.n_experts, d), "router"))
        out.append(names.trunk(t + "router_input_scale", p + "router.scale", (d,), "vector"))
        out.append(names.trunk(t + "router_expert_scale", p + "router.per_expert_scale", (ffn.n_experts,), "vector"))
    else:
        out += names.dense(i, p + "mlp.", d, ffn.d_hidden)
    return [*out, names.trunk(t + "scalar", p + "layer_scalar", (1,), "vector")]


def _parts(p: str, d_expert: int) -> dict[str, Source]:
    """Stacked experts: the first d_expert rows of gate_up are gate."""
    fused = p + "gate_up_proj"
    return {"gate": Source(fused), "up": Source(fused, start=d_expert), "down": Source(p + "down_proj")}
