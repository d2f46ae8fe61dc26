"""Float64 references of products: activations by block, gated FFNs, int8 activations as the fast arithmetic defines them."""

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]


def int8_rows(x: npt.NDArray[np.float32]) -> F64:
    """x [n, cols] as codes times scale: per block of 32 columns scale = max|x| / 127, codes rounded to even."""
    n, cols = x.shape
    padded = np.zeros((n, -(-cols // 32), 32), np.float32)
    padded.reshape(n, -1)[:, :cols] = x
    most = np.abs(padded).max(axis=2, keepdims=True)
    inverse = np.divide(np.float32(127), most, out=np.zeros_like(most), where=most > 0)
    codes = np.rint(padded * inverse).astype(np.float64)
    return (codes * (most / np.float32(127))).reshape(n, -1)[:, :cols]


def rms_norm(x: F64, weight: F64, eps: float) -> F64:
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps) * weight


def sigmoid(x: F64) -> F64:
    return 1 / (1 + np.exp(-x))


def activate(act: str, g: F64, u: F64, params: tuple[float, ...]) -> F64:
    if act == "silu":
        return g * sigmoid(g) * u
    if act == "gelu_tanh":
        return 0.5 * g * (1 + np.tanh(np.sqrt(2 / np.pi) * (g + 0.044715 * g**3))) * u
    if act == "swiglu_clamp":
        alpha, limit = params
        g = np.minimum(g, limit)
        return g * sigmoid(alpha * g) * (np.clip(u, -limit, limit) + 1)
    beta, linear = params
    return beta * np.tanh(g / beta) * sigmoid(g) * linear * np.tanh(u / linear)
