"""The model: weights bound once, and the layer walk that turns token ids into logits."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from itertools import pairwise
from time import monotonic, perf_counter
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Rope as RopeSpec
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest, Cancelled
from engine.experts.streamer import ExpertStreamer
from engine.experts.trace import RouteFile
from engine.model.clock import Clock
from engine.model.embedding import EmbedRows
from engine.model.filling import Filling
from engine.model.layer import Layer, rope_of
from engine.model.mtp import MtpBlock
from engine.model.plan import MemoryPlan, spec_for, unused
from engine.model.scratch import Scratch, Widths, arena_bytes
from engine.model.state import Kept, State
from engine.model.step import Part, Span, spans, wanted_rows
from engine.model.watch import Watch
from engine.model.weights import Weights
from engine.stats import Snapshot
from engine.words import say
from kernels_pyx.attention import Rope
from kernels_pyx.compute import Compute, Interrupted, Rows
from kernels_pyx.linear import Linear
from kernels_pyx.mix import Mix
from kernels_pyx.rows import rms_norm, scale, soft_cap

F32 = npt.NDArray[np.float32]


class Probe(Protocol):
    """Sees a forward pass from inside; for tracing only. Arrays are views that the next block overwrites."""

    def hidden(self, layer: int, x: F32) -> None:
        """The residual stream [n, d_model] after `layer` (-1: the embedding)."""

    def last(self, x: F32) -> None:
        """What the last norm reads [n, d_model]."""

    def routes(self, layer: int, logits: F32, ids: npt.NDArray[np.int32], weights: F32) -> None:
        """A MoE layer's router logits [n, n_experts], chosen ids and weights [n, top_k] in router order."""


class Model:
    """One open container under one memory plan. One thread at a time may call it; `cancel` may come from any."""

    def __init__(
        self,
        container: Container,
        config: EngineConfig,
        plan: MemoryPlan,
        progress: Callable[[float], None],
        cancel: CancelToken,
        on_memory: Callable[[float], None] = lambda fraction: None,
    ) -> None:
        """on_memory(fraction): of having the memory that is written later, then progress(fraction): of the trunk, read and checked.

        Raises OverBudget where the system has not the memory, BadContainer, StorageError, Cancelled within 100 ms.
        """
        self.container, self.config, self.plan, self.spec = container, config, plan, spec_for(container.arch, config)
        self.clock, self.probe = Clock(), None
        self._states: list[State] = []
        widths = Widths.of(self.spec)
        rows = max(plan.chunk, plan.logit_rows)
        self._route_file: RouteFile | None = None
        with ExitStack() as undo:
            if config.record_routes is not None:
                n_routed = sum(e.layer < len(self.spec.layers) for e in container.experts)
                if not container.experts:
                    raise BadRequest(
                        say("{name} has no experts whose use could be recorded. Leave --record-routes out.", name=container.name)
                    )
                self._route_file = undo.enter_context(closing(RouteFile(config.record_routes, n_routed)))
            filling = Filling(plan.kv_bytes + plan.scratch_bytes + plan.cache_bytes, on_memory, cancel)
            self._kv = undo.enter_context(closing(filling.arena(plan.kv_bytes)))
            room = undo.enter_context(closing(filling.arena(arena_bytes(widths, *plan.rows, plan.threads, plan.exact))))
            self._scratch = Scratch(widths, *plan.rows, room)
            kernels = room.take(Compute.scratch_bytes_for(plan.threads, plan.exact, rows, widths.widest))
            self.compute = Compute(plan.threads, plan.exact, rows, widths.widest, memory=kernels)
            undo.callback(self.compute.close)
            self._watch = Watch(self.compute)
            self.streamer = ExpertStreamer(
                container, plan.n_slots, config.direct, lookahead=config.lookahead, progress=filling.next(plan.cache_bytes)
            )
            undo.callback(self.streamer.close)
            on_memory(1.0)
            self._weights = Weights(container, progress, cancel, config.direct, unused(container.arch, config))
            undo.callback(self._weights.close)
            self._embed_rows: EmbedRows | None = None
            if container.embed is not None:
                self._embed_rows = EmbedRows(container.path / container.embed.file, container.embed, container.embed_checksums)
                undo.callback(self._embed_rows.close)
            self._bind()
            self._room = room
            undo.callback(self._unbind)
            self._close = undo.pop_all()

    probe: Probe | None

    def _bind(self) -> None:
        spec, w, s = self.spec, self._weights, self._scratch
        self._ropes: dict[RopeSpec, Rope] = {}
        for layer in spec.all_layers:
            r = rope_of(layer.mixer)
            if r is not None and r not in self._ropes:
                freq = np.asarray(r.inv_freq, np.float32)
                self._ropes[r] = Rope(self.plan.chunk, freq, factor=r.factor, interleaved=r.interleaved)
        self._tables = tuple(self._ropes.values())
        self._layers: list[Layer] = []
        experts = {e.layer: (n, e.layout, self.streamer) for n, e in enumerate(self.container.experts)}
        n_kept = 0
        for i, layer in enumerate(spec.layers):
            self._layers.append(Layer(layer, i, w, self._ropes, s, n_kept, self.clock, experts.get(i)))
            n_kept += layer.keep
        for block, following in pairwise(x.moe for x in self._layers if x.moe is not None):
            block.look_ahead_to(following)
        self._mtp: MtpBlock | None = None
        if (m := spec.mtp) is not None:
            self._mtp = MtpBlock(m, spec, w, self._ropes, s, self.clock, experts.get(m.index))
        self._mix = Mix(w.vector("mix_norm"), w.vector("mix"), spec.final_norm_eps) if n_kept else None
        self._last = s.rows("block", spec.d_model) if n_kept else s.x
        head = w.matrix("embed" if spec.tied else "head")
        self._head = Linear([head], norm=w.vector("norm"), eps=spec.final_norm_eps)

    def _unbind(self) -> None:
        """Let go of all views into memory that is given back."""
        self._layers, self._tables, self._states, self._mix, self._mtp = [], (), [], None, None
        self._ropes.clear()
        del self._scratch, self._last, self._head

    def new_state(self, lane: int = 0) -> State:
        """One of the sequences that the plan has memory for, lane < plan.parallel, emptied; the same one for the same lane."""
        p = self.plan
        while len(self._states) < p.parallel:
            self._states.append(State(self.spec, p.context, p.chunk, p.kv_dtype, self._kv, p.checkpoints))
        self._states[lane].truncate(0)
        return self._states[lane]

    def forward(
        self, ids: npt.NDArray[np.int32], state: State, logits: Literal["none", "last", "all"], cancel: CancelToken | None = None
    ) -> F32:
        """Append ids [n], n <= plan.chunk, to the state; logits [m, vocab] of no, the last or all rows. See forward_parts."""
        return self.forward_parts([Part(ids, state, logits)], cancel)[0]

    def forward_parts(self, parts: Sequence[Part], cancel: CancelToken | None = None) -> list[F32]:
        """One step over rows of several sequences, at most plan.chunk together; the logits [m, vocab] that each part wants.

        A row's bits do not depend on the rows beside it. Parts that want all logits come first. Results are valid until the next
        call; at most plan.logit_rows rows of logits come without a copy. Raises ContextFull, BadRequest (an id outside the vocabulary),
        StorageError, BadContainer, Cancelled; each state is then as before, or at an earlier checkpoint where a recurrent layer had
        moved on.
        """
        at = spans(parts, self.plan.chunk, self.spec.vocab_size)
        n, decoded = at[-1].first + at[-1].n, sum(s.n for p, s in zip(parts, at, strict=True) if p.logits == "all")
        self._watch.over(cancel)
        start, waited = perf_counter(), self.clock.read_wait
        self.clock.began = start
        try:
            out = self._walk(parts, at, n, decoded, cancel or CancelToken())
        except BaseException as error:
            for part in parts:
                part.state.recover()
            if isinstance(error, Interrupted):
                raise Cancelled(say("Stopped.")) from None
            raise
        finally:
            self.clock.began = None
        for state in self._states:
            state.known = (0, 0)
        for part, span in zip(parts, at, strict=True):
            part.state.commit(span.n)
            part.state.known = (span.position, part.state.length)
        if self._route_file is not None:
            self._route_file.step_done(decoded > 0)
        self.clock.steps += 1
        seconds = perf_counter() - start
        self.streamer.lookahead.stepped(n, seconds, self.clock.read_wait - waited)
        self.clock.stepped(seconds, n - decoded, decoded)
        return out

    def _walk(self, parts: Sequence[Part], at: Sequence[Span], n: int, decoded: int, cancel: CancelToken) -> list[F32]:
        c, s, probe, states = self.compute, self._scratch, self.probe, [part.state for part in parts]
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
        if self._mtp is not None:
            pending = self._mtp.keep(c, self._last, n, self._weights.vector("norm"), self.spec.final_norm_eps, at, states)
        out = self._wanted(parts, at)
        if self._mtp is not None and pending is not None:
            self._follow(self._mtp, parts, at, pending, cancel)
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
            self._embed_rows.lookup(ids, self._scratch.x, self.spec.embed_scale, cancel)
        else:
            self._weights.matrix("embed").lookup(ids, self._scratch.x, self.spec.embed_scale)

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
        mtp.follow(self.compute, rows, follow, kept)

    def further(self, token: int, depth: int, state: State, cancel: CancelToken | None = None) -> F32 | None:
        """Logits [vocab] of the token after `token`, by the layer for further tokens; None where it has nothing to go by.

        depth 0: `token` comes after the text whose state is held; depth k: after k tokens that were drafted with depths before.
        Valid until the next call. The text's state stays as it is. Raises as `forward`.
        """
        mtp, s, cancel = self._mtp, self._scratch, cancel or CancelToken()
        position = state.length - 1 + depth
        if mtp is None or state.further is None or position >= state.context or (row := mtp.row_before(state)) is None:
            return None
        self._watch.over(cancel)
        start = perf_counter()
        try:
            self._embed(np.asarray([token], np.int32), cancel)
            for table in self._tables:
                table.fill(position, 1)
            mtp.draft(self.compute, row if depth == 0 else None, position, state.further, cancel, s.logits)
        except Interrupted:
            raise Cancelled(say("Stopped.")) from None
        if self.probe is not None and mtp.routed is not None:
            k = s.routes
            self.probe.routes(len(self.spec.layers), mtp.routed.logits.array[:1], k.ids[:1], k.weights[:1])
        self._finish_logits(1)
        self.clock.decode += perf_counter() - start
        out: F32 = s.logits.array[0]
        return out

    def _logits(self, first: int, end: int) -> F32:
        """Logits of rows first..end of the residual stream; rows beyond the buffer's are copied out piece by piece."""
        s, pieces, most = self._scratch, [], self.plan.logit_rows
        for at in range(first, end, most):
            m = min(most, end - at)
            self._head(self.compute, self._last, m, (s.logits,), False, at)
            self._finish_logits(m)
            if end - first <= most:
                return s.logits.array[:m]
            pieces.append(s.logits.array[:m].copy())
        return np.concatenate(pieces)

    def _finish_logits(self, n: int) -> None:
        """What the family does to n rows of what the head gives."""
        if self.spec.logit_scale != 1.0:
            scale(self.compute, self._scratch.logits, n, self.spec.logit_scale)
        if self.spec.logit_softcap is not None:
            soft_cap(self.compute, self._scratch.logits, n, self.spec.logit_softcap)

    def whole(self) -> None:
        """The container, which was in the making, was adopted. Between steps."""
        self.streamer.finished(self.container.experts)
        if self._embed_rows is not None and self.container.embed is not None:
            self._embed_rows.renamed(self.container.path / self.container.embed.file)

    def final_norm(self, x: F32) -> F32:
        """The last norm of rows x [n, d_model] of the residual stream, as the head sees them."""
        rows, out = Rows(*x.shape), Rows(*x.shape)
        rows.array[:] = x
        rms_norm(self.compute, rows, len(x), self._weights.vector("norm"), self.spec.final_norm_eps, out)
        return out.array

    def snapshot(self) -> Snapshot:
        """The counters now; what generation alone knows (drafts, decoded tokens) is left at 0 for the session to fill in."""
        clock, experts, embed = self.clock, self.streamer.counters(), self._embed_rows
        embed_seconds = embed.read_seconds if embed else 0.0
        began = clock.began  # a long step that is under way counts too
        total = clock.prefill + clock.decode + (perf_counter() - began if began is not None else 0.0)
        return Snapshot(
            time=monotonic(),
            tokens_prefilled=clock.tokens_prefilled,
            forward_steps=clock.steps,
            expert_hits=experts.hits,
            expert_misses=experts.misses,
            expert_evictions=experts.evictions,
            bytes_read=experts.bytes_read + (embed.bytes_read if embed else 0),
            read_seconds=experts.read_seconds + embed_seconds,
            lookahead_reads=experts.ahead_reads,
            lookahead_used=experts.ahead_used,
            lookahead_late=experts.ahead_late,
            lookahead_wasted=experts.ahead_wasted,
            lookahead_seconds_saved=experts.ahead_seconds_saved,
            lookahead_on=experts.ahead_settled,
            seconds_read_wait=clock.read_wait + embed_seconds,
            seconds_experts=clock.experts,
            seconds_attention=clock.attention,
            seconds_rest=max(total - clock.read_wait - embed_seconds - clock.experts - clock.attention, 0.0),
            seconds_prefill=clock.prefill,
            seconds_decode=clock.decode,
            memory_bytes=self.memory_bytes,
            budget_bytes=self.plan.budget_bytes,
            context_used=max((state.length for state in self._states), default=0),
            context_limit=self.plan.context,
        )

    @property
    def allocated(self) -> dict[str, int]:
        """Bytes of the buffers that exist now, by the roles of the plan; "overhead" is what is set aside for Python's own objects."""
        tables = sum(rope.nbytes for rope in self._tables) + self._scratch.own_bytes
        embed = self._embed_rows.nbytes if self._embed_rows else 0
        return {
            "trunk": self._weights.nbytes,
            "kv": self._kv.nbytes,
            "scratch": self._room.nbytes + tables + embed,
            "cache": self.streamer.nbytes,
            "overhead": self.plan.overhead_bytes,
        }

    @property
    def locked(self) -> bool:
        """Whether the system keeps the trunk in RAM."""
        return self._weights.locked

    @property
    def why_unlocked(self) -> str:
        """The system's words where it refused to lock memory, else empty."""
        return self._weights.why_unlocked

    @property
    def memory_bytes(self) -> int:
        """Bytes that are allocated under the budget now."""
        return sum(self.allocated.values())

    def close(self) -> None:
        """Stop the threads and give all memory back; idempotent."""
        self._watch.end()
        self._close.close()
