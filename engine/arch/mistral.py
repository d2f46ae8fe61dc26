"""Mistral 7B, Nemo and Small, dense; the 7B drafts for Mixtral 8x7B. Read from: transformers 5.23 `modeling_mistral.py`; arXiv 2310.06825.

GQA without biases or norms. Traps: the first release has a sliding window of 4096 in every layer, later ones have none; Nemo's heads are
narrower than hidden_size / num_attention_heads.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch.plain_dense import decoder
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Gqa

DENSE = True


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a mistral config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    n_layers, heads, eps = r.positive("num_hidden_layers"), r.positive("num_attention_heads"), r.may("rms_norm_eps", float, 1e-6)
    d_head = r.positive_or("head_dim", r.positive("hidden_size") // heads)
    mixer = Gqa(
        heads, r.positive_or("num_key_value_heads", heads), d_head, read_rope(r, d_head, 10000.0),
        window=r.positive_or("sliding_window", None),
    )
    return decoder(r, "mistral", [mixer] * n_layers, eps)
