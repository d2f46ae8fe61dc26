"""Multi-head latent attention in float64, expanded: keys and values of every head are built, nothing is absorbed.

Source: DeepSeek-V2 (arXiv 2405.04434), equations 37 to 47.
"""

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Mla
from tests.reference.norm import rms_norm
from tests.reference.rope import rotate
from tests.reference.source import Trunk

F64 = npt.NDArray[np.float64]


def mla(m: Mla, w: Trunk, h: F64) -> F64:
    """h [T, d_model] normed -> what is added to the stream; w: the layer's attn tensors."""
    t = len(h)
    low = h if m.d_q_latent is None else rms_norm(h @ w["q_a"].T, w["q_norm"], m.norm_eps)
    q = low @ w["q"].T
    kv = h @ w["kv_a"].T
    out = attend(m, q, kv, w["kv_norm"], w["k_up"], w["v_up"], np.arange(t))
    if m.gate:
        out = out / (1 + np.exp(-(h @ w["gate"].T)))
    return out @ w["o"].T


def attend(m: Mla, q: F64, kv: F64, kv_norm: F64, k_up: F64, v_up: F64, positions: npt.NDArray[np.int64]) -> F64:
    """q [T, H * (d_nope + d_rope)], kv [T, d_latent + d_rope], k_up [H * d_latent, d_nope], v_up [H * d_value, d_latent]."""
    t = len(q)
    latent, shared = rms_norm(kv[:, : m.d_latent], kv_norm, m.norm_eps), kv[:, None, m.d_latent :]
    q = q.reshape(t, m.n_heads, m.d_nope + m.d_rope)
    q_nope, q_rope = q[..., : m.d_nope], q[..., m.d_nope :]
    if m.rope is not None:
        freq = np.asarray(m.rope.inv_freq, np.float32)
        q_rope, shared = (rotate(x, positions, freq, m.rope.factor, m.rope.interleaved) for x in (q_rope, shared))
    keys = np.einsum("tl,hln->thn", latent, k_up.reshape(m.n_heads, m.d_latent, m.d_nope))
    values = np.einsum("tl,hvl->thv", latent, v_up.reshape(m.n_heads, m.d_value, m.d_latent))
    scores = np.einsum("ihd,jhd->hij", q_nope, keys) + np.einsum("ihd,jd->hij", q_rope, shared[:, 0])
    scores = np.where(np.tril(np.ones((t, t), bool)), scores * m.scale, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hij,jhv->ihv", p / p.sum(-1, keepdims=True), values).reshape(t, m.n_heads * m.d_value)
