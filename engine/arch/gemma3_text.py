"""Gemma 3, dense: 270M and 1B, and the text of 4B to 27B. Read from: transformers 5.23 `modeling_gemma3.py`; arXiv 2503.19786.

Five sliding layers to one full layer, each block between two norms. Traps: all norms are published as w - 1; sliding layers turn by
rope_local_base_freq, full ones by rope_theta; query_pre_attn_scalar in place of the heads' width; embeddings times sqrt(d_model); from 4B
on the published text_config leaves out what is transformers' default.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope, rope_of
from engine.arch.spec import Activation, ArchSpec, Dense, Gqa, LayerSpec, TensorSpec

DENSE = True
MODEL_TYPES = ("gemma3",)
DEFAULTS = {
    "vocab_size": 262208, "num_attention_heads": 8, "num_key_value_heads": 4, "rms_norm_eps": 1e-6, "sliding_window": 4096,
    "max_position_embeddings": 131072,
}  # fmt: skip
THETA, LOCAL_THETA = 1e6, 10000.0
NORMS = {
    "attn_norm": "input_layernorm", "attn_post_norm": "post_attention_layernorm", "ffn_norm": "pre_feedforward_layernorm",
    "ffn_post_norm": "post_feedforward_layernorm",
}  # fmt: skip


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a gemma3_text config.json, or of a gemma3 one. Raises UnsupportedModel."""
    if isinstance(inner := config.get("text_config"), Mapping):
        config = {**config, "text_config": DEFAULTS | dict(inner)}
    r, outer = ConfigReader.text(config, "language_model.model.", "model.")
    d, n_layers, eps = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.need("rms_norm_eps", float)
    for key, value in (("hidden_activation", "gelu_pytorch_tanh"), ("attention_bias", False), ("use_bidirectional_attention", False)):
        r.only(key, value)
    r.only("attn_logit_softcapping")
    r.quantized()
    r.ignore("cache_implementation")
    kinds = r.layer_types(n_layers, sliding_attention="sliding", full_attention="full")
    every = r.positive_or("sliding_window_pattern", r.positive_or("_sliding_window_pattern", 6))
    mixers = _mixers(r, eps)
    ffn = Dense(r.positive("intermediate_size"), Activation("gelu_tanh"))
    kinds = kinds or tuple("sliding" if (i + 1) % every else "full" for i in range(n_layers))
    layers = tuple(LayerSpec(mixers[k], ffn, eps, residual="sandwich") for k in kinds)
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, True)
    tensors = names.outer(d, vocab, tied, outer, one_plus=True)
    for i, layer in enumerate(layers):
        tensors += _layer(i, f"{outer}layers.{i}.", d, layer)
    max_context, softcap = r.positive("max_position_embeddings"), r.may("final_logit_softcapping", float, None)
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        "gemma3_text", d, vocab, max_context, layers, eps, tied, tuple(tensors), (), bos_token=bos[0] if bos else None, end_tokens=ends,
        embed_scale=d**0.5, logit_softcap=softcap, skipped=("vision_tower.", "multi_modal_projector."),
    )


def _mixers(r: ConfigReader, eps: float) -> dict[str, Gqa]:
    heads, kv_heads, d_head = r.positive("num_attention_heads"), r.positive("num_key_value_heads"), r.positive_or("head_dim", 256)
    window, scale = r.positive("sliding_window"), r.real("query_pre_attn_scalar", 256.0) ** -0.5
    if (ropes := r.sub("rope_parameters")) is not None:
        by_kind = {kind: rope_of(ropes.need_sub(f"{kind}_attention"), r, d_head, None) for kind in ("sliding", "full")}
        ropes.done()
        r.ignore("rope_theta", "rope_local_base_freq", "rope_scaling")
    else:
        local = r.real("rope_local_base_freq", LOCAL_THETA, 1.0)
        by_kind = {"sliding": rope_of(None, r, d_head, local), "full": read_rope(r, d_head, THETA)}
    return {
        kind: Gqa(
            heads, kv_heads, d_head, rope, qk_norm="head", qk_norm_eps=eps, window=window if kind == "sliding" else None, scale=scale
        )
        for kind, rope in by_kind.items()
    }


def _layer(i: int, p: str, d: int, layer: LayerSpec) -> list[TensorSpec]:
    assert isinstance(layer.mixer, Gqa) and isinstance(layer.ffn, Dense)
    out = [names.trunk(f"layers.{i}.{ours}", f"{p}{theirs}.weight", (d,), "vector", one_plus=True) for ours, theirs in NORMS.items()]
    out += names.gqa(i, p + "self_attn.", d, layer.mixer, one_plus=True)
    return out + names.dense(i, p + "mlp.", d, layer.ffn.d_hidden)
