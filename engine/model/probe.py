"""What looks into a forward pass."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]


class Probe(Protocol):
    """Sees a forward pass from inside; for tracing only. Arrays are views that the next block overwrites."""

    def hidden(self, layer: int, x: F32) -> None:
        """The residual stream [n, d_model] after `layer` (-1: the embedding)."""

    def last(self, x: F32) -> None:
        """What the last norm reads [n, d_model]."""

    def routes(self, layer: int, logits: F32, ids: npt.NDArray[np.int32], weights: F32) -> None:
        """A MoE layer's router logits [n, n_experts], chosen ids and weights [n, top_k] in router order."""
