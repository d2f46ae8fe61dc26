"""Qwen2 and Qwen2.5, dense: 0.5B to 72B. Read from: transformers 5.23 `modeling_qwen2.py`.

GQA with biases on q, k and v and none on o, which the config does not say. Traps: use_sliding_window is false in all releases,
whatever sliding_window says.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch.plain_dense import decoder
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Gqa

DENSE = True


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a qwen2 config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    n_layers, heads, eps = r.positive("num_hidden_layers"), r.positive("num_attention_heads"), r.need("rms_norm_eps", float)
    d_head = r.positive_or("head_dim", r.positive("hidden_size") // heads)
    r.only("use_sliding_window", False)
    r.only("use_mrope", False)
    r.ignore("sliding_window", "max_window_layers")
    r.layer_types(n_layers, full_attention="full")
    mixer = Gqa(heads, r.positive("num_key_value_heads"), d_head, read_rope(r, d_head), qkv_bias=True)
    return decoder(r, "qwen2", [mixer] * n_layers, eps)
