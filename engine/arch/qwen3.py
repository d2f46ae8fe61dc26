"""Qwen3, dense: 0.6B to 32B; the small ones draft for Qwen3-MoE and Qwen3-Next. Read from: transformers 5.23 `modeling_qwen3.py`.

GQA with per-head RMS norm of queries and keys, no biases. Traps: head_dim is explicit (queries are wider than the hidden size); the
small ones tie the head to the embedding and publish it all the same.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch.plain_dense import decoder
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Gqa

DENSE = True


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a qwen3 config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    n_layers, heads = r.positive("num_hidden_layers"), r.positive("num_attention_heads")
    d_head, eps = r.positive_or("head_dim", 128), r.need("rms_norm_eps", float)
    r.only("use_sliding_window", False)
    r.ignore("sliding_window", "max_window_layers")
    r.layer_types(n_layers, full_attention="full")
    bias = r.may("attention_bias", bool, False)
    mixer = Gqa(
        heads, r.positive("num_key_value_heads"), d_head, read_rope(r, d_head), qk_norm="head", qk_norm_eps=eps, qkv_bias=bias, o_bias=bias
    )
    return decoder(r, "qwen3", [mixer] * n_layers, eps)
