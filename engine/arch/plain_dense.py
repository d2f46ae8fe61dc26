"""What dense families share: one gated FFN a layer, no experts; all of such a model stays in memory."""

from collections.abc import Sequence
from typing import Any

from engine.arch import names
from engine.arch.read import ConfigReader
from engine.arch.spec import ArchSpec, Dense, Gqa, LayerSpec


def decoder(r: ConfigReader, family: str, mixers: Sequence[Gqa], eps: float, multiplier: float = 1.0, **more: Any) -> ArchSpec:
    """The rest of a pre-norm decoder whose layers have these mixers, in the usual spelling. multiplier: of what a block adds.

    more: further fields of the ArchSpec. Raises UnsupportedModel.
    """
    d, ffn = r.positive("hidden_size"), Dense(r.positive("intermediate_size"))
    r.only("hidden_act", "silu")
    layers = tuple(LayerSpec(m, ffn, eps, "plain" if multiplier == 1.0 else "scaled", multiplier=multiplier) for m in mixers)
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied)
    for i, layer in enumerate(layers):
        tensors += names.pre_norm_layer(i, d, layer)
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    r.done()
    return ArchSpec(
        family, d, vocab, max_context, layers, eps, tied, tuple(tensors), (), bos_token=bos[0] if bos else None, end_tokens=ends, **more
    )
