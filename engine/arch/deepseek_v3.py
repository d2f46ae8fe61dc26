"""DeepSeek-V3, R1, V3.1; Kimi K2, K2-Thinking and K2.5's text. Read from: transformers 5.23 `modeling_deepseek_v3.py`; arXiv 2412.19437.

Latent attention with rotated shared key dims, sigmoid router with groups, the first layers dense. Traps: rope pairs are
interleaved; yarn's mscale enters the softmax scale squared; the latent norms have eps 1e-6 whatever rms_norm_eps says;
layers past num_hidden_layers are for multi-token prediction and no part of the model; K2.5 wraps the text's config.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import latent, names, sigmoid_moe
from engine.arch.read import ConfigReader
from engine.arch.spec import ArchSpec

MODEL_TYPES = ("kimi_k2", "kimi_k25")

def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a deepseek_v3 config.json. Raises UnsupportedModel."""
    r, prefix = ConfigReader.text(config, "language_model.")
    d = r.positive("hidden_size")
    r.only("hidden_act", "silu")
    r.quantized("fp8", "int4")
    r.ignore("aux_loss_alpha", "seq_aux")
    eps = r.may("rms_norm_eps", float, 1e-6)
    mixer = latent.read_mla(r)
    moe = sigmoid_moe.read_moe(r)
    layers = sigmoid_moe.read_layers(r, mixer, moe, eps)
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    model = prefix + "model."
    tensors = names.outer(d, vocab, tied, model, prefix + "lm_head.weight")
    for i, layer in enumerate(layers):
        p = f"{model}layers.{i}."
        tensors += names.norms(i, p, d) + latent.tensors(i, p + "self_attn.", d, mixer) + sigmoid_moe.ffn(i, p + "mlp.", d, layer)
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    skipped = sigmoid_moe.further_layers(r, model, len(layers))
    offered = sigmoid_moe.further(r, model, d, mixer, moe, len(layers), eps, lambda i, p: latent.tensors(i, p, d, mixer))
    r.done()
    return ArchSpec(
        "deepseek_v3", d, vocab, max_context, layers, eps, tied, tuple(tensors), sigmoid_moe.experts(model, d, layers),
        bos_token=bos[0] if bos else None, end_tokens=ends,
        skipped=(*skipped, "vision_tower.", "mm_projector."), offered=offered,
    )
