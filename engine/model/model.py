"""An open model: its memory under one plan, the sequences that it holds, and one step after another."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from time import monotonic, perf_counter
from typing import Literal

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest, Cancelled
from engine.experts.streamer import ExpertStreamer
from engine.experts.trace import RouteFile
from engine.model.clock import Clock
from engine.model.embedding import EmbedRows
from engine.model.filling import Filling
from engine.model.plan import MemoryPlan, spec_for, unused
from engine.model.probe import F32, Probe
from engine.model.scratch import Scratch, Widths, arena_bytes
from engine.model.state import State
from engine.model.step import Part, spans
from engine.model.walk import Walk
from engine.model.watch import Watch
from engine.model.weights import Weights
from engine.stats import Snapshot
from engine.words import say
from kernels_pyx.compute import Compute, Interrupted


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
            self._walk = Walk(
                self.spec, plan, container, self._weights, self._embed_rows, self._scratch, self.compute, self.streamer, self.clock,
                self._route_file,
            )
            self._room = room
            undo.callback(self._unbind)
            self._close = undo.pop_all()

    probe: Probe | None

    def _unbind(self) -> None:
        """Let go of all views into memory that is given back."""
        self._walk.close()
        self._states = []
        del self._scratch

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
            out = self._walk.forward(parts, at, n, decoded, cancel or CancelToken(), self.probe)
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

    def further(self, token: int, depth: int, state: State, cancel: CancelToken | None = None) -> F32 | None:
        """Logits [vocab] of the token after `token`, by the layer for further tokens; None where it has nothing to go by.

        depth 0: `token` comes after the text whose state is held; depth k: after k tokens that were drafted with depths before.
        Valid until the next call. The text's state stays as it is. Raises as `forward`.
        """
        mtp, position = self._walk.mtp, state.length - 1 + depth
        if mtp is None or state.further is None or position >= state.context or (row := mtp.row_before(state)) is None:
            return None
        self._watch.over(cancel)
        start = perf_counter()
        try:
            out = self._walk.further(
                token, row if depth == 0 else None, position, state.further, cancel or CancelToken(), self.probe
            )
        except Interrupted:
            raise Cancelled(say("Stopped.")) from None
        self.clock.decode += perf_counter() - start
        return out

    def whole(self) -> None:
        """The container, which was in the making, was adopted. Between steps."""
        self.streamer.finished(self.container.experts)
        if self._embed_rows is not None and self.container.embed is not None:
            self._embed_rows.renamed(self.container.path / self.container.embed.file)

    def final_norm(self, x: F32) -> F32:
        """The last norm of rows x [n, d_model] of the residual stream, as the head sees them."""
        return self._walk.final_norm(x)

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
        beside = self._walk.nbytes + self._scratch.own_bytes + (self._embed_rows.nbytes if self._embed_rows else 0)
        return {
            "trunk": self._weights.nbytes,
            "kv": self._kv.nbytes,
            "scratch": self._room.nbytes + beside,
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
