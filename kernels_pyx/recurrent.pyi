"""The delta rule with short convolutions (Kimi delta attention, gated delta net): state, and one step of a layer."""

from typing import Final

import numpy as np
import numpy.typing as npt

from kernels_pyx.compute import Compute, Rows

class DeltaState:
    """What one layer keeps: a [d_key, d_value] matrix a value head, and a ring of the inputs of the last tokens.

    A step of at most `replay` rows can be taken back, row by row, until the next one: the matrices stay where they are and the
    next step replays what was kept. A longer step moves them to its end.
    """

    nbytes: Final[int]
    def __init__(
        self, n_key_heads: int, n_value_heads: int, d_key: int, d_value: int, conv: int, replay: int, per_channel: bool,
        memory: npt.NDArray[np.uint8] | None = None,
    ) -> None: ...  # memory: nbytes_for zeroed bytes at a multiple of 64, instead of own
    @staticmethod
    def nbytes_for(n_key_heads: int, n_value_heads: int, d_key: int, d_value: int, conv: int, replay: int, per_channel: bool) -> int: ...
    @property
    def least(self) -> int: ...  # the length that it cannot go back behind, but to 0
    def reset(self) -> None: ...  # an empty sequence
    matrices: npt.NDArray[np.float32]  # [n_value_heads, d_key, d_value padded to 16]: views for saving and loading
    ring: npt.NDArray[np.float32]
    held: npt.NDArray[np.int64]  # [n_key_heads]: tokens that the matrices hold

class Delta:
    """One layer: q, k, v through short convolutions and silu, unit keys and queries, decay, delta rule, norm, gate.

    conv_q, conv_k, conv_v [conv, channels]; decay_bias [d_key * n_value_heads or n_value_heads] added to the decay input;
    decay_log [n_value_heads]; norm [d_value]. Log decay: -exp(decay_log) softplus(z), or floor * sigmoid(exp(decay_log) z).
    gate: "sigmoid" | "silu".
    """

    def __init__(
        self, n_key_heads: int, n_value_heads: int, d_key: int, d_value: int, *,
        conv_q: npt.NDArray[np.float32], conv_k: npt.NDArray[np.float32], conv_v: npt.NDArray[np.float32],
        decay_bias: npt.NDArray[np.float32], decay_log: npt.NDArray[np.float32], per_channel: bool, floor: float | None,
        norm: npt.NDArray[np.float32], norm_eps: float, gate: str,
    ) -> None: ...
    def __call__(
        self, c: Compute, q: Rows, k: Rows, v: Rows, decay: Rows, beta: Rows, gate: Rows, n: int, position: int, state: DeltaState,
        out: Rows, first: int = 0,
    ) -> None:
        """Rows first.. are tokens position..position+n-1, before any function; out [n, n_value_heads * d_value] may be gate.
        Raises IndexError where the state cannot stand at `position`, ValueError for other shapes, Interrupted: a short step then
        leaves the state as it was, a longer one may have spoiled it, which `least` > position tells."""
