"""Qwen3.5, dense, the text of it; the small ones draft for Qwen3.5-MoE. Read from: transformers 5.23 `modeling_qwen3_5.py`.

As Qwen3.5-MoE with one gated FFN in place of router and experts, also in the layer for multi-token prediction. Traps: as there.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import gated_delta, names
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Dense, LayerSpec, Mixer

DENSE = True
MODEL_TYPES = ("qwen3_5_text",)


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a qwen3_5 config.json. Raises UnsupportedModel."""
    r, prefix = ConfigReader.text(config, "model.language_model.", "model.")
    d, n_layers, heads = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.positive("num_attention_heads")
    d_head = r.positive_or("head_dim", d // heads)
    r.only("hidden_act", "silu")
    r.only("attn_output_gate", True)
    r.only("mamba_ssm_dtype", "float32")
    r.quantized()
    r.ignore("mlp_only_layers")
    n_further, own_embeddings = r.count("mtp_num_hidden_layers"), r.may("mtp_use_dedicated_embeddings", bool, False)
    eps = r.need("rms_norm_eps", float)
    mixers: dict[str, Mixer] = {
        "full": gated_delta.read_attention(r, eps, d_head, read_rope(r, d_head, 10000.0, ignore=gated_delta.MULTIMODAL_ROPE)),
        "linear": gated_delta.read_delta(r, eps),
    }
    ffn = Dense(r.positive("intermediate_size"))
    layers = tuple(LayerSpec(mixers[kind], ffn, eps) for kind in gated_delta.kinds(r, n_layers))
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = [*names.outer(d, vocab, tied, prefix, one_plus=True), *gated_delta.tensors_apart(prefix, d, layers)]
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    further = n_further > 0 and not own_embeddings
    return ArchSpec(
        "qwen3_5", d, vocab, max_context, layers, eps, tied, tuple(tensors), (),
        bos_token=bos[0] if bos else None, end_tokens=ends, skipped=("mtp.", "model.visual."),
        offered=gated_delta.further(n_layers, d, LayerSpec(mixers["full"], ffn, eps), eps) if further else None,
    )
