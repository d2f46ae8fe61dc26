"""Mixtures of residual streams (Kimi K3's attention residuals) and sigmoid output gates."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kernels_pyx.compute import Compute, Rows

class Mix:
    """out = sum_b softmax_b(query . rms_norm(stream_b, norm)) stream_b, row by row; norm and query [d]."""

    def __init__(self, norm: npt.NDArray[np.float32], query: npt.NDArray[np.float32], eps: float) -> None: ...
    def __call__(self, c: Compute, streams: Sequence[Rows], n: int, out: Rows) -> None:
        """streams: 1 to 32 buffers [n, d], oldest first; out is none of them."""

def gate(c: Compute, x: Rows, gate: Rows, n: int) -> None: ...  # x *= sigmoid(gate)
