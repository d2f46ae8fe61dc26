"""The walk through the layers, which turns token ids into logits: blocks bound once to weights and to buffers that they share."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from engine.arch.spec import ArchSpec
from engine.arch.spec import Rope as RopeSpec
from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.experts.streamer import ExpertStreamer
from engine.experts.trace import RouteFile
from engine.model.clock import Clock
from engine.model.embedding import EmbedRows
from engine.model.layer import Layer, rope_of
from engine.model.mtp import MtpBlock
from engine.model.plan import MemoryPlan
from engine.model.probe import F32, Probe
from engine.model.scratch import Scratch
from engine.model.state import Kept
from engine.model.step import Part, Span, wanted_rows
from engine.model.weights import Weights
from kernels_pyx.attention import Rope
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Linear
from kernels_pyx.mix import Mix
from kernels_pyx.rows import rms_norm, scale, soft_cap


class Walk:
    """All layers of a model and its head. mtp: the layer for further tokens, where it is to draft."""

    def __init__(
        self, spec: ArchSpec, plan: MemoryPlan, container: Container, w: Weights, embed_rows: EmbedRows | None, s: Scratch,
        compute: Compute, streamer: ExpertStreamer, clock: Clock, route_file: RouteFile | None,
    ) -> None:
        self._spec, self._weights, self._scratch, self._embed_rows, self._route_file = spec, w, s, embed_rows, route_file
        self._compute, self._most = compute, plan.logit_rows
        self._ropes: dict[RopeSpec, Rope] = {}
        for layer in spec.all_layers:
            r = rope_of(layer.mixer)
            if r is not None and r not in self._ropes:
                freq = np.asarray(r.inv_freq, np.float32)
                self._ropes[r] = Rope(plan.chunk, freq, factor=r.factor, interleaved=r.interleaved)
        self._tables = tuple(self._ropes.values())
        self._layers: list[Layer] = []
        experts = {e.layer: (n, e.layout, streamer) for n, e in enumerate(container.experts)}
        n_kept = 0
        for i, layer in enumerate(spec.layers):
            self._layers.append(Layer(layer, i, w, self._ropes, s, n_kept, clock, experts.get(i)))
            n_kept += layer.keep
        for block, following in pairwise(x.moe for x in self._layers if x.moe is not None):
            block.look_ahead_to(following)
        self.mtp: MtpBlock | None = None
        if (m := spec.mtp) is not None:
            self.mtp = MtpBlock(m, spec, w, self._ropes, s, clock, experts.get(m.index))
        self._mix = Mix(w.vector("mix_norm"), w.vector("mix"), spec.final_norm_eps) if n_kept else None
        self._last = s.rows("block", spec.d_model) if n_kept else s.x
        head = w.matrix("embed" if spec.tied else "head")
        self._head = Linear([head], norm=w.vector("norm"), eps=spec.final_norm_eps)

    def forward(
        self, parts: Sequence[Part], at: Sequence[Span], n: int, decoded: int, cancel: CancelToken, probe: Probe | None
    ) -> list[F32]:
        """The logits [m, vocab] that each part wants; at: where its rows lie among the n of the step, the first `decoded` of which decode.

        Valid until the next call. Raises what reads raise, Cancelled, Interrupted.
        """
        c, s, states = self._compute, self._scratch, [part.state for part in parts]
        self._embed(parts[0].ids if len(parts) == 1 else np.concatenate([part.ids for part in parts]), cancel)
        for table in self._tables:
            for first, count, position in at:
                table.fill(position, count, first)
        if probe is not None:
            probe.hidden(-1, s.x.array[:n])
        for i, (layer, kept) in enumerate(zip(self._layers, zip(*(state.caches for state in states), strict=True), strict=True)):
            layer.forward(c, n, at, kept, cancel)
            if self._route_file is not None and layer.routed is not None:
                self._route_file.note(layer.routed.ordinal, s.routes.ids[: decoded or n])
            if probe is not None:
                if layer.routed is not None:
                    k = s.routes
                    probe.routes(i, layer.routed.logits.array[:n], k.ids[:n], k.weights[:n])
                probe.hidden(i, s.x.array[:n])
        if self._mix is not None:
            self._mix(c, (*s.kept, s.x), n, self._last)
        if probe is not None:
            probe.last(self._last.array[:n])
        pending = None
        if self.mtp is not None:
            pending = self.mtp.keep(c, self._last, n, self._weights.vector("norm"), self._spec.final_norm_eps, at, states)
        out = self._wanted(parts, at)
        if self.mtp is not None and pending is not None:
            self._follow(self.mtp, parts, at, pending, cancel)
        return out

    def _wanted(self, parts: Sequence[Part], at: Sequence[Span]) -> list[F32]:
        """The logits of each part; the rows that are wanted are moved together."""
        each = wanted_rows(parts, at)
        rows = [row for some in each for row in some]
        first = rows[0] if rows else 0
        for k, row in enumerate(rows):
            if row != first + k:  # an earlier row that nobody wants gives way
                self._last.array[first + k] = self._last.array[row]
        logits = self._logits(first, first + len(rows)) if rows else self._scratch.logits.array[:0]
        out, begin = [], 0
        for some in each:
            out.append(logits[begin : begin + len(some)])
            begin += len(some)
        return out

    def _embed(self, ids: npt.NDArray[np.int32], cancel: CancelToken) -> None:
        """The stream begins with the embeddings of ids."""
        if self._embed_rows is not None:
            self._embed_rows.lookup(ids, self._scratch.x, self._spec.embed_scale, cancel)
        else:
            self._weights.matrix("embed").lookup(ids, self._scratch.x, self._spec.embed_scale)

    def _follow(self, mtp: MtpBlock, parts: Sequence[Part], at: Sequence[Span], pending: Sequence[bool], cancel: CancelToken) -> None:
        """Let the layer for further tokens read the rows that the head has just read, and the one before them where it is there."""
        ids, rows, follow, kept, first = list[npt.NDArray[np.int32]](), list[int](), list[Span](), list[Kept](), 0
        for k, (part, span) in enumerate(zip(parts, at, strict=True)):
            skipped = int(not pending[k])
            if (n := span.n - skipped) and part.state.further is not None:
                ids.append(part.ids[skipped:])
                rows.append(span.first + k + skipped)
                follow.append(Span(first, n, span.position - 1 + skipped))
                kept.append(part.state.further)
                first += n
        if not ids:
            return
        self._embed(np.concatenate(ids), cancel)
        for table in self._tables:
            for begin, n, position in follow:
                table.fill(position, n, begin)
        mtp.follow(self._compute, rows, follow, kept)

    def further(self, token: int, row: int | None, position: int, kept: Kept, cancel: CancelToken, probe: Probe | None) -> F32:
        """Logits [vocab] of the token after `token`, by the layer for further tokens; row: of those that it keeps, None: its own last."""
        mtp, s = self.mtp, self._scratch
        assert mtp is not None
        self._embed(np.asarray([token], np.int32), cancel)
        for table in self._tables:
            table.fill(position, 1)
        mtp.draft(self._compute, row, position, kept, cancel, s.logits)
        if probe is not None and mtp.routed is not None:
            k = s.routes
            probe.routes(len(self._spec.layers), mtp.routed.logits.array[:1], k.ids[:1], k.weights[:1])
        self._finish_logits(1)
        out: F32 = s.logits.array[0]
        return out

    def _logits(self, first: int, end: int) -> F32:
        """Logits of rows first..end of the residual stream; rows beyond the buffer's are copied out piece by piece."""
        s, pieces, most = self._scratch, [], self._most
        for at in range(first, end, most):
            m = min(most, end - at)
            self._head(self._compute, self._last, m, (s.logits,), False, at)
            self._finish_logits(m)
            if end - first <= most:
                return s.logits.array[:m]
            pieces.append(s.logits.array[:m].copy())
        return np.concatenate(pieces)

    def _finish_logits(self, n: int) -> None:
        """What the family does to n rows of what the head gives."""
        if self._spec.logit_scale != 1.0:
            scale(self._compute, self._scratch.logits, n, self._spec.logit_scale)
        if self._spec.logit_softcap is not None:
            soft_cap(self._compute, self._scratch.logits, n, self._spec.logit_softcap)

    def final_norm(self, x: F32) -> F32:
        """The last norm of rows x [n, d_model] of the residual stream, as the head sees them."""
        rows, out = Rows(*x.shape), Rows(*x.shape)
        rows.array[:] = x
        rms_norm(self._compute, rows, len(x), self._weights.vector("norm"), self._spec.final_norm_eps, out)
        return out.array

    @property
    def nbytes(self) -> int:
        """Bytes of the tables of positions."""
        return sum(rope.nbytes for rope in self._tables)

    def close(self) -> None:
        """Let go of all views into memory that is given back; once."""
        self._layers, self._tables, self._mix, self.mtp = [], (), None, None
        self._ropes.clear()
        del self._scratch, self._last, self._head
