"""Llama 2 to 3.3, dense, and what is built like it: SmolLM2, TinyLlama. Read from: transformers 5.23 `modeling_llama.py`.

GQA without biases or norms in the releases. Traps: from 3.1 on low frequencies of the rope are stretched ("llama3"); attention_bias,
where it is true, reaches the output projection too.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch.plain_dense import decoder
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Gqa

DENSE = True


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a llama config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    n_layers, heads, eps = r.positive("num_hidden_layers"), r.positive("num_attention_heads"), r.may("rms_norm_eps", float, 1e-6)
    d_head = r.positive_or("head_dim", r.positive("hidden_size") // heads)
    r.only("mlp_bias", False)
    r.only("rope_interleaved", False)
    r.ignore("is_llama_config", "transformers.js_config")
    bias = r.may("attention_bias", bool, False)
    mixer = Gqa(
        heads, r.positive_or("num_key_value_heads", heads), d_head, read_rope(r, d_head, 10000.0), qkv_bias=bias, o_bias=bias
    )
    return decoder(r, "llama", [mixer] * n_layers, eps)
