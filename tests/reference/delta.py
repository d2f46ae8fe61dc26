"""The delta rule with short convolutions in float64, token by token: Kimi delta attention and gated delta net.

Source: Kimi Linear (arXiv 2510.26692) section 3; Gated Delta Networks (arXiv 2412.06464) section 3. The constant under the
root of the key norm is 1e-6, added, not a clamp, as both release codes have it.
"""

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Delta
from tests.reference.norm import rms_norm
from tests.reference.source import Trunk

F64 = npt.NDArray[np.float64]
L2_EPS = 1e-6


def sigmoid(x: F64) -> F64:
    """1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-x)))


def delta(m: Delta, w: Trunk, h: F64) -> F64:
    """h [T, d_model] normed -> what is added to the stream; w: the layer's attn tensors."""
    z = (h @ w["decay_a"].T if m.decay_rank is not None else h) @ w["decay"].T
    gate = (h @ w["gate_a"].T if m.gate_rank is not None else h) @ w["gate"].T
    q, k, v = (h @ w[part].T for part in "qkv")
    convs = tuple(w[f"{part}_conv"] for part in "qkv")
    out = recur(m, (q, k, v), convs, z, w["decay_bias"], w["decay_log"], h @ w["beta"].T, gate, w["o_norm"])
    return out @ w["o"].T


def conv(x: F64, taps: F64) -> F64:
    """Causal depthwise convolution and silu: x [T, C], taps [K, C], the last tap is now; zeros before the start."""
    k = len(taps)
    padded = np.concatenate([np.zeros((k - 1, x.shape[1])), x])
    y = sum(padded[j : j + len(x)] * taps[j] for j in range(k))
    return np.asarray(y * sigmoid(y))


def recur(
    m: Delta, qkv: tuple[F64, F64, F64], convs: tuple[F64, F64, F64], z: F64, bias: F64, log: F64, b: F64, gate: F64, norm: F64
) -> F64:
    """Projections [T, ...] before convolution -> gated, normed outputs [T, n_value_heads * d_value]."""
    t, share = len(z), m.n_value_heads // m.n_key_heads
    q, k, v = (conv(x, c) for x, c in zip(qkv, convs, strict=True))
    q, k = (x.reshape(t, m.n_key_heads, m.d_key) for x in (q, k))
    q, k = (np.repeat(x / np.sqrt((x * x).sum(-1, keepdims=True) + L2_EPS), share, axis=1) for x in (q, k))
    v, gate = (x.reshape(t, m.n_value_heads, m.d_value) for x in (v, gate))
    a, z = np.exp(log)[:, None], (z + bias).reshape(t, m.n_value_heads, -1)
    g = m.decay.floor * sigmoid(a * z) if m.decay.floor is not None else -a * np.logaddexp(0, z)
    state, out = np.zeros((m.n_value_heads, m.d_key, m.d_value)), np.empty_like(v)
    for i in range(t):
        state = np.exp(g[i])[:, :, None] * state
        missing = v[i] - np.einsum("hk,hkv->hv", k[i], state)
        state = state + np.einsum("hk,hv->hkv", k[i], sigmoid(b[i])[:, None] * missing)
        out[i] = np.einsum("hk,hkv->hv", q[i] * m.d_key**-0.5, state)
    y = rms_norm(out, norm, m.norm_eps) * (sigmoid(gate) if m.gate_act == "sigmoid" else gate * sigmoid(gate))
    return np.asarray(y).reshape(t, -1)
