"""OLMo 2, dense: 1B to 32B. Read from: transformers 5.23 `modeling_olmo2.py`; arXiv 2501.00656.

GQA or multi-head attention with RMS norms of queries and keys over the whole width. Traps: blocks read the stream as it is and their
output is normed before it is added; there is no norm before them.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Dense, Gqa, LayerSpec

DENSE = True
NORMS = {"attn_post_norm": "post_attention_layernorm", "ffn_post_norm": "post_feedforward_layernorm"}


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of an olmo2 config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d, n_layers, heads = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.positive("num_attention_heads")
    d_head, eps = r.positive_or("head_dim", d // heads), r.may("rms_norm_eps", float, 1e-5)
    r.only("hidden_act", "silu")
    r.quantized()
    bias = r.may("attention_bias", bool, False)
    mixer = Gqa(
        heads, r.positive_or("num_key_value_heads", heads), d_head, read_rope(r, d_head, 10000.0), qk_norm="width", qk_norm_eps=eps,
        qkv_bias=bias, o_bias=bias,
    )
    ffn = Dense(r.positive("intermediate_size"))
    layer = LayerSpec(mixer, ffn, eps, residual="after")
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied)
    for i in range(n_layers):
        p = f"model.layers.{i}."
        tensors += [names.trunk(f"layers.{i}.{ours}", f"{p}{theirs}.weight", (d,), "vector") for ours, theirs in NORMS.items()]
        tensors += names.gqa(i, p + "self_attn.", d, mixer)
        tensors += names.dense(i, p + "mlp.", d, ffn.d_hidden)
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        "olmo2", d, vocab, max_context, (layer,) * n_layers, eps, tied, tuple(tensors), (), bos_token=bos[0] if bos else None,
        end_tokens=ends,
    )
