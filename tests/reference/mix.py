"""Kimi K3's attention residuals in float64: a block reads a softmax mixture of the streams kept so far."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tests.reference.norm import rms_norm

F64 = npt.NDArray[np.float64]


def mix(streams: Sequence[F64], norm: F64, query: F64, eps: float) -> F64:
    """streams [T, d] each, oldest first -> [T, d]; a stream's score is query . rms_norm(stream, norm), token by token."""
    values = np.stack(streams, 1)
    scores = rms_norm(values, norm, eps) @ query
    p = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("tb,tbd->td", p / p.sum(-1, keepdims=True), values)
