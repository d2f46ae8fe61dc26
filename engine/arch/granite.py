"""Granite 3, dense: 2B and 8B. Read from: transformers 5.23 `modeling_granite.py`.

As Llama with four multipliers (of muP). Traps: attention_multiplier takes the place of 1 / sqrt(head_dim); residual_multiplier scales what
a block adds, not the stream; logits are divided by logits_scaling.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch.plain_dense import decoder
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Gqa

DENSE = True


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a granite config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    n_layers, heads, eps = r.positive("num_hidden_layers"), r.positive("num_attention_heads"), r.may("rms_norm_eps", float, 1e-6)
    d_head = r.positive_or("head_dim", r.positive("hidden_size") // heads)
    r.only("mlp_bias", False)
    bias = r.may("attention_bias", bool, False)
    mixer = Gqa(
        heads, r.positive_or("num_key_value_heads", heads), d_head, read_rope(r, d_head, 10000.0), qkv_bias=bias, o_bias=bias,
        scale=r.real("attention_multiplier", 1.0),
    )
    return decoder(
        r, "granite", [mixer] * n_layers, eps, multiplier=r.real("residual_multiplier", 1.0),
        embed_scale=r.real("embedding_multiplier", 1.0), logit_scale=1 / r.real("logits_scaling", 1.0),
    )
