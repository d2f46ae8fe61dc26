"""The layer for further tokens: it follows the text beside the model, and drafts from what the head last read.

Position i of its cache belongs to token i's hidden row h_i and token i + 1. A prompt's rows and accepted tokens go through its attention
alone, which is all that its cache needs; a drafted token takes the whole layer, its experts and the head. What it feeds to itself for a
second drafted token stands in for a row that the model has not computed; the next step writes the true one over it.
"""

from collections.abc import Sequence

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
from engine.model.state import Kept, State
from engine.model.step import Span
from engine.model.weights import Weights
from kernels_pyx.attention import Rope
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Linear
from kernels_pyx.rows import rms_norm

F32 = npt.NDArray[np.float32]


class MtpBlock:
    """Bound to its weights and buffers. Its own buffers: `hidden`, the rows that the head read in the last step, before those of
    each sequence room for one that goes before them; and `last`, what its own head read.
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

    def keep(
        self, c: Compute, rows: Rows, n: int, norm: F32, eps: float, spans: Sequence[Span], states: Sequence[State]
    ) -> list[bool]:
        """Remember what the head reads of n rows, which are `spans`; whether the kept row that goes before them is there too."""
        hidden = self.hidden.array
        # The row before these is lost where the text was cut or brought back: its place keeps what an earlier text wrote there.
        pending = [self.row_before(state) for state in states]
        before = [None if row is None else hidden[row].copy() for row in pending]
        rms_norm(c, rows, n, norm, eps, self._s.h)
        for k, (span, state) in enumerate(zip(spans, states, strict=True)):
            at = span.first + k
            if (row := before[k]) is not None:
                hidden[at] = row
            hidden[at + 1 : at + 1 + span.n] = self._s.h.array[span.first : span.first + span.n]
            state.known, state.known_row = (0, 0), at + 1  # until the step is whole
        return [row is not None for row in before]

    @staticmethod
    def row_before(state: State) -> int | None:
        """The row of `hidden` that belongs to the sequence's last token; None: it is lost."""
        begin, end = state.known
        return state.known_row + state.length - 1 - begin if begin < state.length <= end else None

    def follow(self, c: Compute, rows: Sequence[int], spans: Sequence[Span], kept: Sequence[Kept]) -> None:
        """Fill the caches with `spans` from kept rows rows[i]..; the stream holds the embeddings of the tokens after them."""
        n = sum(span.n for span in spans)
        self._join(c, [(row, span.n) for row, span in zip(rows, spans, strict=True)], n)
        self._layer.attend(c, n, spans, kept)

    def draft(self, c: Compute, row: int | None, position: int, kept: Kept, cancel: CancelToken, logits: Rows) -> None:
        """One row: logits of the token after that whose embedding the stream holds; row: of the kept ones, None: its own last one."""
        self._join(c, None if row is None else [(row, 1)], 1)
        self._layer.forward(c, 1, [Span(0, 1, position)], [kept], cancel)
        rms_norm(c, self._s.x, 1, self._norm, self._eps, self.last)
        self._head(c, self.last, 1, (logits,))

    def _join(self, c: Compute, rows: Sequence[tuple[int, int]] | None, n: int) -> None:
        """rows: (first, count) of the kept ones, n together; None: the one in `last`."""
        s, d = self._s, self._d
        rms_norm(c, s.x, n, self._embed_norm, self._eps, s.h)
        self._wide.array[:n, :d] = s.h.array[:n]
        if rows is None:
            s.x.array[:n] = self.last.array[:n]
        else:
            at = 0
            for first, count in rows:
                s.x.array[at : at + count] = self.hidden.array[first : first + count]
                at += count
        rms_norm(c, s.x, n, self._hidden_norm, self._eps, s.h)
        self._wide.array[:n, d:] = s.h.array[:n]
        self._project(c, self._wide, n, (s.x,))
