"""Gated FFNs and Mixture of Experts in float64, every option of engine.arch.spec."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Activation, Dense, ExpertSpec, LayerSpec, Moe
from tests.reference.delta import sigmoid
from tests.reference.norm import rms_norm
from tests.reference.router import choose
from tests.reference.source import Checkpoint, Trunk

F64 = npt.NDArray[np.float64]


def activate(act: Activation, gate: F64, up: F64) -> F64:
    """act(gate, up): SwiGLU, GeGLU with tanh, gpt-oss's clamped SwiGLU, Kimi K3's SiTU."""
    if act.kind == "gelu_tanh":
        return np.asarray(0.5 * gate * (1 + np.tanh(np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3))) * up)
    if act.kind == "swiglu_clamp":
        alpha, limit = act.params
        gate, up = np.minimum(gate, limit), np.clip(up, -limit, limit)
        return np.asarray(gate * sigmoid(alpha * gate) * (up + 1))
    if act.kind == "situ":
        beta, linear = act.params
        return np.asarray(beta * np.tanh(gate / beta) * sigmoid(gate) * linear * np.tanh(up / linear))
    return np.asarray(gate * sigmoid(gate) * up)


def dense(spec: Dense, w: Trunk, h: F64) -> F64:
    """h [T, d_model] -> [T, d_model]."""
    out = activate(spec.act, h @ w["gate"].T, h @ w["up"].T) @ w["down"].T
    return np.asarray(out * sigmoid(h @ w["row_gate"].T)) if spec.row_gate else out


def routed(moe: Moe, e: ExpertSpec, checkpoint: Checkpoint, h: F64, ids: npt.NDArray[np.int32], weights: F64) -> F64:
    """The weighted sum of each row's experts."""
    out = np.zeros((len(h), e.d_out))

    def part(expert: int, name: str) -> F64:
        return checkpoint.read(e.source(expert, name), e.shape(name))

    for expert in np.unique(ids):
        rows, ranks = np.nonzero(ids == expert)
        gate, up = (h[rows] @ part(expert, name).T + (part(expert, name + "_bias") if moe.bias else 0) for name in ("gate", "up"))
        y = activate(moe.act, gate, up) @ part(expert, "down").T + (part(expert, "down_bias") if moe.bias else 0)
        np.add.at(out, rows, weights[rows, ranks, None] * y)
    return out


def moe(
    layer: LayerSpec, e: ExpertSpec, w: Trunk, checkpoint: Checkpoint, x: F64, see: Callable[[F64, npt.NDArray[np.int32], F64], None]
) -> F64:
    """x [T, d_model], not normed -> what the layer's FFN block adds (before a sandwich's last norm)."""
    spec, eps = layer.ffn, layer.norm_eps
    assert isinstance(spec, Moe)
    r, h = spec.router, rms_norm(x, w["ffn_norm"], eps)
    seen = rms_norm(x, w["router_input_scale"], eps) * x.shape[1] ** -0.5 if r.input_scale else h
    logits = seen @ w["router"].T + (w["router_bias"] if r.logit_bias else 0)
    ids, weights = choose(
        logits, spec.top_k, r.score, choice_bias=w["router_choice_bias"] if r.choice_bias else None, groups=r.groups,
        topk_groups=r.topk_groups, group_score=r.group_score, renormalize=r.renormalize, renorm_eps=r.renorm_eps, scale=r.scale,
        per_expert_scale=w["router_expert_scale"] if r.per_expert_scale else None,
    )
    see(logits, ids, weights)
    y = routed(spec, e, checkpoint, h @ w["latent.down"].T if spec.d_latent else h, ids, weights)
    if spec.d_latent:
        y = (rms_norm(y, w["latent.norm"], eps) if spec.latent_norm else y) @ w["latent.up"].T
    if spec.sandwich:
        assert spec.shared is not None
        y = rms_norm(y, w["experts_post_norm"], eps)
        side = dense(spec.shared, w.at("shared."), rms_norm(x, w["shared.norm"], eps))
        return y + rms_norm(side, w["shared.post_norm"], eps)
    return y + dense(spec.shared, w.at("shared."), h) if spec.shared else y
