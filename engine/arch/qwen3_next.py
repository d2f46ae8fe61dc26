"""Qwen3-Next: 80B-A3B, Coder-Next. Read from: transformers 5.23 `modeling_qwen3_next.py`.

Three gated delta nets to one gated attention; softmax router, a shared expert scaled by sigmoid(gate . h). Traps: norms are
published as w - 1, but the delta net's output norm is plain; in_proj_qkvz and in_proj_ba are grouped by key head; q_proj holds
[query, gate] of each head; a quarter of the dims turns.
"""

from collections.abc import Mapping
from typing import Any

from engine.arch import gated_delta, names
from engine.arch.read import ConfigReader
from engine.arch.rope import read_rope
from engine.arch.spec import ArchSpec, Delta, Dense, LayerSpec, Mixer, TensorSpec


def spec(config: Mapping[str, Any]) -> ArchSpec:
    """The architecture of a qwen3_next config.json. Raises UnsupportedModel."""
    r = ConfigReader(config)
    d, n_layers, heads = r.positive("hidden_size"), r.positive("num_hidden_layers"), r.positive("num_attention_heads")
    d_head = r.positive_or("head_dim", d // heads)
    r.only("hidden_act", "silu")
    r.quantized("fp8")
    eps = r.need("rms_norm_eps", float)
    mixers: dict[str, Mixer] = {
        "full": gated_delta.read_attention(r, eps, d_head, read_rope(r, d_head, 10000.0)),
        "linear": gated_delta.read_delta(r, eps),
    }
    moe, dense = gated_delta.read_moe(r, r.may("norm_topk_prob", bool, True)), Dense(r.positive("intermediate_size"))
    step, only_dense = r.positive_or("decoder_sparse_step", 1), r.indices("mlp_only_layers")
    layers = tuple(
        LayerSpec(mixers[kind], moe if i not in only_dense and (i + 1) % step == 0 else dense, eps)
        for i, kind in enumerate(gated_delta.kinds(r, n_layers))
    )
    vocab, tied = r.positive("vocab_size"), r.may("tie_word_embeddings", bool, False)
    tensors = names.outer(d, vocab, tied, one_plus=True)
    for i, layer in enumerate(layers):
        p = f"model.layers.{i}."
        tensors += gated_delta.layer_tensors(i, p, d, layer)
        if isinstance(layer.mixer, Delta):
            tensors += _inputs(f"layers.{i}.attn.", p + "linear_attn.", d, layer.mixer)
    max_context = r.positive("max_position_embeddings")
    bos, ends = r.ids("bos_token_id"), r.ids("eos_token_id")
    offered = gated_delta.further(n_layers, d, LayerSpec(mixers["full"], moe, eps), eps)
    r.done()
    return ArchSpec(
        "qwen3_next", d, vocab, max_context, layers, eps, tied, tuple(tensors), gated_delta.experts("model.", d, layers),
        bos_token=bos[0] if bos else None, end_tokens=ends, skipped=("mtp.",), offered=offered,
    )


def _inputs(a: str, p: str, d: int, m: Delta) -> list[TensorSpec]:
    """Projections grouped by key head: [q, k, v of its value heads, z of them] and [b of them, a of them]."""
    share = m.n_value_heads // m.n_key_heads
    cuts = {"q": (0, m.d_key), "k": (m.d_key, m.d_key), "v": (2 * m.d_key, share * m.d_value)}
    cuts["gate"] = (2 * m.d_key + share * m.d_value, share * m.d_value)
    qkvz, ba = p + "in_proj_qkvz.weight", p + "in_proj_ba.weight"
    return [
        *(names.trunk(a + k, qkvz, (m.n_key_heads * n, d), "attn", start=at, groups=m.n_key_heads) for k, (at, n) in cuts.items()),
        names.trunk(a + "beta", ba, (m.n_value_heads, d), "router", groups=m.n_key_heads),
        names.trunk(a + "decay", ba, (m.n_value_heads, d), "router", start=share, groups=m.n_key_heads),
    ]
