"""A whole model in float64 from its published checkpoint: the layer walk that the engine must agree with."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.arch.spec import ArchSpec, Delta, Dense, Gqa, LayerSpec, Mla
from tests.reference.delta import delta, sigmoid
from tests.reference.ffn import dense, moe
from tests.reference.gqa import GqaReference
from tests.reference.mix import mix
from tests.reference.mla import mla
from tests.reference.norm import rms_norm
from tests.reference.source import Checkpoint, Trunk

F64 = npt.NDArray[np.float64]


@dataclass
class Walk:
    """Outputs of one forward pass: hidden [L + 1] of [T, d_model], routing a MoE layer, final [T, d_model], logits [T, vocab]."""

    hidden: list[F64] = field(default_factory=list)
    routing: list[tuple[int, F64, npt.NDArray[np.int32], F64]] = field(default_factory=list)
    final: F64 = field(default_factory=lambda: np.empty(0))
    logits: F64 = field(default_factory=lambda: np.empty(0))


def gqa(m: Gqa, w: Trunk, h: F64) -> F64:
    """h [T, d_model] normed -> what is added to the stream."""

    def project(part: str) -> F64:
        y = h @ w[part].T
        return np.asarray(y + w[part + "_bias"] if part + "_bias" in w else y)

    k = project("k")
    heads = GqaReference(
        m.n_heads, m.n_kv_heads, m.d_head, m.d_head, None if m.rope is None else np.asarray(m.rope.inv_freq, np.float32),
        factor=1.0 if m.rope is None else m.rope.factor, interleaved=m.rope is not None and m.rope.interleaved, norm=m.qk_norm,
        q_norm=w["q_norm"] if m.qk_norm != "none" else None, k_norm=w["k_norm"] if m.qk_norm != "none" else None,
        norm_eps=m.qk_norm_eps, value_norm=m.value_norm, scale=m.scale, softcap=m.softcap, sinks=w["sinks"] if m.sinks else None,
        window=m.window,
    )
    out = heads(project("q"), k, k if m.v_from_k else project("v"))
    if m.gate:
        out = out * sigmoid(project("gate"))
    return np.asarray(out @ w["o"].T + (w["o_bias"] if m.o_bias else 0))


def _mixer(layer: LayerSpec, w: Trunk, x: F64) -> F64:
    m, h = layer.mixer, x if layer.residual == "after" else rms_norm(x, w["attn_norm"], layer.norm_eps)
    if isinstance(m, Gqa):
        out = gqa(m, w.at("attn."), h)
    elif isinstance(m, Mla):
        out = mla(m, w.at("attn."), h)
    else:
        assert isinstance(m, Delta)
        out = delta(m, w.at("attn."), h)
    return rms_norm(out, w["attn_post_norm"], layer.norm_eps) if layer.residual in ("sandwich", "after") else out


def walk(spec: ArchSpec, checkpoint: Checkpoint, ids: npt.NDArray[np.int32]) -> Walk:
    """Run the tokens ids [T]."""
    out, trunk = Walk(), Trunk(checkpoint, spec)
    experts = {e.layer: e for e in spec.experts}
    x, kept = trunk["embed"][ids] * np.float32(spec.embed_scale), list[F64]()
    out.hidden.append(x)
    for i, layer in enumerate(spec.layers):
        w, eps = trunk.at(f"layers.{i}."), layer.norm_eps

        def ffn(x: F64, i: int = i, layer: LayerSpec = layer, w: Trunk = w) -> F64:
            if isinstance(layer.ffn, Dense):
                return dense(layer.ffn, w.at("ffn."), x if layer.residual == "after" else rms_norm(x, w["ffn_norm"], layer.norm_eps))
            return moe(layer, experts[i], w, checkpoint, x, lambda *seen: out.routing.append((i, *seen)))

        if layer.residual == "attention":
            h = mix([*kept, x], w["attn_mix_norm"], w["attn_mix"], eps)
            if layer.keep:
                kept, x = [*kept, x], np.zeros_like(x)
            x = x + _mixer(layer, w, h)
            x = x + ffn(mix([*kept, x], w["ffn_mix_norm"], w["ffn_mix"], eps))
        else:
            x = x + layer.multiplier * _mixer(layer, w, x)
            y = layer.multiplier * ffn(x)
            x = x + (rms_norm(y, w["ffn_post_norm"], eps) if layer.residual in ("sandwich", "after") else y)
        if layer.scalar:
            x = x * w["scalar"]
        out.hidden.append(x)
    if kept:
        x = mix([*kept, x], trunk["mix_norm"], trunk["mix"], spec.final_norm_eps)
    out.final = rms_norm(x, trunk["norm"], spec.final_norm_eps)
    out.logits = out.final @ trunk["embed" if spec.tied else "head"].T * spec.logit_scale
    if spec.logit_softcap is not None:
        out.logits = spec.logit_softcap * np.tanh(out.logits / spec.logit_softcap)
    return out
