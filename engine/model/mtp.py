"""The layer for further tokens: it follows the text beside the model, and drafts from what the head last read.

Position i of its cache belongs to token i's hidden row h_i and token i + 1. A prompt's rows and accepted tokens go through its attention
alone, which is all that its cache needs; a drafted token takes the whole layer, its experts and the head. What it feeds to itself for a
second drafted token stands in for a row that the model has not computed; the next step writes the true one over it.
"""

import numpy as np
import numpy.typing as npt

from engine.arch.spec import ArchSpec, Mtp
from engine.arch.spec import Rope as RopeSpec
from engine.cancel import CancelToken
from engine.container.format import RecordLayout
from engine.experts.streamer import ExpertStreamer
from engine.model.clock import Clock
from engine.model.layer import Layer
from engine.model.scratch import Scratch
from engine.model.state import Kept
from engine.model.weights import Weights
from kernels_pyx.attention import Rope
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Linear
from kernels_pyx.rows import rms_norm

F32 = npt.NDArray[np.float32]


class MtpBlock:
    """Bound to its weights and buffers. Its own buffers: `hidden`, whose row 1 + i is the i-th row that the head read in the last
    step, and `last`, what its own head read.
    """

    def __init__(
        self, m: Mtp, spec: ArchSpec, w: Weights, ropes: dict[RopeSpec, Rope], s: Scratch, clock: Clock,
        experts: tuple[int, RecordLayout, ExpertStreamer] | None,
    ) -> None:
        self._layer = Layer(m.layer, m.index, w, ropes, s, 0, clock, experts)
        self.routed = self._layer.routed
        self._embed_norm, self._hidden_norm = w.vector("mtp.embed_norm"), w.vector("mtp.hidden_norm")
        self._norm, self._eps = w.vector("mtp.norm"), m.norm_eps
        self._project = Linear([w.matrix("mtp.project")])
        self._head = Linear([w.matrix("embed" if spec.tied else "head")])
        self._wide, self._s, self._d = s.rows("mtp_wide", 2 * spec.d_model), s, spec.d_model
        assert s.mtp_hidden is not None and s.mtp_last is not None
        self.hidden, self.last = s.mtp_hidden, s.mtp_last

    def keep(self, c: Compute, rows: Rows, n: int, norm: F32, eps: float, pending: int | None) -> None:
        """Remember what the head reads of n rows; pending: the kept row that goes before them, as row 0."""
        if pending is not None:
            self.hidden.array[0] = self.hidden.array[pending]
        rms_norm(c, rows, n, norm, eps, self._s.h)
        self.hidden.array[1 : n + 1] = self._s.h.array[:n]

    def follow(self, c: Compute, first: int, n: int, position: int, kept: Kept) -> None:
        """Fill the cache at position..position+n-1 from kept rows first..; the stream holds the embeddings of the tokens after them."""
        self._join(c, self.hidden.array[first : first + n], n)
        self._layer.attend(c, n, position, kept)

    def draft(self, c: Compute, row: int | None, position: int, kept: Kept, cancel: CancelToken, logits: Rows) -> None:
        """One row: logits of the token after that whose embedding the stream holds; row: of the kept ones, None: its own last one."""
        self._join(c, self.last.array[:1] if row is None else self.hidden.array[row : row + 1], 1)
        self._layer.forward(c, 1, position, kept, cancel)
        rms_norm(c, self._s.x, 1, self._norm, self._eps, self.last)
        self._head(c, self.last, 1, (logits,))

    def _join(self, c: Compute, hidden: F32, n: int) -> None:
        s, d = self._s, self._d
        rms_norm(c, s.x, n, self._embed_norm, self._eps, s.h)
        self._wide.array[:n, :d] = s.h.array[:n]
        s.x.array[:n] = hidden
        rms_norm(c, s.x, n, self._hidden_norm, self._eps, s.h)
        self._wide.array[:n, d:] = s.h.array[:n]
        self._project(c, self._wide, n, (s.x,))
