"""GLM-4.5, GLM-4.5-Air, GLM-4.6. Read from: transformers 5.23 `modeling_glm4_moe.py`.

GQA with biases on q, k and v and, in some releases, per-head norms; DeepSeek-V3's sigmoid router; the first layers dense.
Traps: only partial_rotary_factor of each head turns; attention_bias does not reach the output projection; the last layer
of a release is for multi-token prediction.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import names, sigmoid_moe
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Gqa


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a glm4_moe config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d, heads = r.positive("hidden_size"), r.positive("num_attention_heads")
    d_head = r.positive_or("head_dim", d // heads)
    r.only("hidden_act", "silu")
    r.quantized("fp8")
    eps = r.need("rms_norm_eps", float)
    mixer = Gqa(
        heads, r.positive("num_key_value_heads"), d_head, read_rope(r, d_head, 10000.0),
        qk_norm="head" if r.may("use_qk_norm", bool, False) else "none", qk_norm_eps=eps, qkv_bias=r.may("attention_bias", bool, False),
    )
    moe = sigmoid_moe.read_moe(r)
    layers = sigmoid_moe.read_layers(r, mixer, moe, eps)
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied)
    for i, layer in enumerate(layers):
        p = f"model.layers.{i}."
        tensors += names.norms(i, p, d) + names.gqa(i, p + "self_attn.", d, mixer) + sigmoid_moe.ffn(i, p + "mlp.", d, layer)
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    skipped = sigmoid_moe.further_layers(r, "model.", len(layers))
    offered = sigmoid_moe.further(r, "model.", d, mixer, moe, len(layers), eps, lambda i, p: names.gqa(i, p, d, mixer))
    r.done()
    return ArchSpec(
        "glm4_moe", d, vocab, max_context, layers, eps, tied, tuple(tensors), sigmoid_moe.experts("model.", d, layers),
        bos_token=bos[0] if bos else None, end_tokens=ends, skipped=skipped, offered=offered,
    )
