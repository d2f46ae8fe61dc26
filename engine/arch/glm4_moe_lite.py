"""GLM-4.7-Flash and its kin. Read from: transformers 5.23 `modeling_glm4_moe_lite.py`.

DeepSeek-V3's layers under another name: latent attention, sigmoid router. Traps: the latent norms have eps 1e-6 though
rms_norm_eps is 1e-5; rope pairs are interleaved; the last layer of a release is for multi-token prediction.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import latent, names, sigmoid_moe
from engine.arch.read import ConfigReader
from engine.arch.spec import ArchSpec


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a glm4_moe_lite config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d = r.positive("hidden_size")
    r.only("hidden_act", "silu")
    r.quantized()
    eps = r.need("rms_norm_eps", float)
    mixer = latent.read_mla(r)
    moe = sigmoid_moe.read_moe(r)
    layers = sigmoid_moe.read_layers(r, mixer, moe, eps)
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied)
    for i, layer in enumerate(layers):
        p = f"model.layers.{i}."
        tensors += names.norms(i, p, d) + latent.tensors(i, p + "self_attn.", d, mixer) + sigmoid_moe.ffn(i, p + "mlp.", d, layer)
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    skipped = sigmoid_moe.further_layers(r, "model.", len(layers))
    offered = sigmoid_moe.further(r, "model.", d, mixer, moe, len(layers), eps, lambda i, p: latent.tensors(i, p, d, mixer))
    r.done()
    return ArchSpec(
        "glm4_moe_lite", d, vocab, max_context, layers, eps, tied, tuple(tensors), sigmoid_moe.experts("model.", d, layers),
        bos_token=bos[0] if bos else None, end_tokens=ends, skipped=skipped, offered=offered,
    )
