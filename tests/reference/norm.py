"""RMS norm in float64 (Zhang and Sennrich 2019)."""

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]


def rms_norm(x: npt.ArrayLike, weight: npt.ArrayLike | None, eps: float) -> F64:
    """x [..., d] / sqrt(mean(x^2) + eps), times weight [d] where given."""
    a = np.asarray(x, np.float64)
    y = a / np.sqrt(np.mean(a * a, axis=-1, keepdims=True) + eps)
    return y if weight is None else y * np.asarray(weight, np.float64)
