"""The memory plan: what fits a RAM budget, decided before anything is allocated.

Order: trunk, least KV cache, least scratch and one MoE layer's working set are the floor. What is left goes to the context
(up to a quarter), then to longer prefill chunks and the expert cache, so that a usual turn takes least.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.arch.spec import ArchSpec
from engine.config import KV_KINDS, MOST_PARALLEL, REQUEST_BYTES, EngineConfig
from engine.container.format import PAGE, EmbedEntry, rounded
from engine.container.spans import Span, in_memory
from engine.cores import performance_cores
from engine.errors import BadRequest, OverBudget
from engine.experts.sizes import HasExperts, spare_slots, streamer_bytes
from engine.machine import memory
from engine.model import checkpoints
from engine.model.embedding import EmbedRows
from engine.model.layer import rope_of
from engine.model.refusals import over_free, over_limit
from engine.model.scratch import Widths, scratch_bytes
from engine.model.state import checkpoint_bytes, kv_bytes
from engine.words import say
from kernels_pyx.attention import Rope

MIN_CONTEXT = 1024
LONGEST_DEFAULT_CONTEXT = 8192  # without --ctx; longer contexts are asked for, since their prefill takes minutes
CHUNKS = (512, 1024, 256, 128, 64, 32, 16)  # of those that take equally long the first is taken; the last is the least
READ_TOKENS, WRITTEN_TOKENS = 1024, 384  # of a usual turn, which weighs chunks (fewer reads of the prompt) against slots (of the answer)
FAR = 1 << 16  # tokens; beyond every sliding window
PASS = 1 / 8  # what reading an expert from memory takes of reading it from a drive
LOGIT_ROWS, MOST_LOGIT_ROWS = 5, 9  # the rows of a decode step: a token and its drafts; further rows are copied out
PLACES_SHARE = 16  # checkpoints take at most this part of the budget over the floor, or what is left when all experts fit
WIDE_SHARE = 8  # the budget over the floor is at least so many times what the further rows take, before they are there
# Python objects of an open model, what drawing a token takes, thread stacks, page tables, allocator slack; checked by the budget test.
OVERHEAD = 8_700_000
TOKEN_BYTES = 300  # of an entry of the tokenizer's vocabulary with its merge, measured after the allocator gave back what reading took
# A process of its own for the tokenizer, beyond its entries: Python, the library and what encoding a long text leaves there; measured.
APART_BYTES = 27_000_000
GRAMMAR_BYTES, GRAMMAR_TOKEN = 8_000_000, 420  # the library of grammars with a grammar, and a token in its tree, measured
# Of each further answer beside one: a part that is always there, and by token of its context and of the vocabulary, measured.
BESIDE_BYTES, BESIDE_TOKEN, BESIDE_WORD = 100_000, 60, 8
DRAFT_INDEX = 240  # bytes a token of the n-gram index: its id and four dictionary entries, measured


class Planned(HasExperts, Protocol):
    """What a plan is made from: an open container, or a model that is not written yet."""

    @property
    def name(self) -> str:
        """For messages."""

    @property
    def arch(self) -> ArchSpec:
        """Its architecture."""

    def spans(self, without: Collection[str] = ()) -> tuple[Span, ...]:
        """What stays in memory of the trunk where these tensors are not needed."""

    @property
    def embed(self) -> EmbedEntry | None:
        """The embedding, where it is read from a file."""


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Bytes by purpose; total_bytes <= budget_bytes. n_slots experts of slot_bytes are cached of n_records in the model."""

    budget_bytes: int
    floor_bytes: int  # the least budget at this context (MIN_CONTEXT where the context is free) and arithmetic
    trunk_bytes: int
    kv_bytes: int
    scratch_bytes: int
    cache_bytes: int
    overhead_bytes: int
    draft_bytes: int  # of a draft model beside this one
    context: int
    chunk: int
    logit_rows: int  # rows of a step whose logits are kept at once
    n_slots: int
    n_records: int
    slot_bytes: int
    checkpoints: int  # of each sequence: places to go back to, of kv_bytes
    parallel: int  # sequences, of kv_bytes, each of `context` tokens
    threads: int
    exact: bool
    kv_dtype: str
    token_bytes: int  # of one more token of context, of all sequences, beyond all windows

    @property
    def rows(self) -> tuple[int, int, int]:
        """Of a step: all, those whose logits are kept at once, and sequences at most."""
        return self.chunk, self.logit_rows, self.parallel

    @property
    def total_bytes(self) -> int:
        """Everything that will be allocated."""
        return self.trunk_bytes + self.kv_bytes + self.scratch_bytes + self.cache_bytes + self.overhead_bytes + self.draft_bytes


def plan(container: Planned, config: EngineConfig, draft: Callable[[int], int] | None = None) -> MemoryPlan:
    """How `config` is met by this container on this machine, in the memory that is free now.

    draft: bytes of a draft model by the context, see engine.model.resident. Raises OverBudget with the floor, BadRequest for odd values.
    """
    # What opening has taken until here is part of the overhead and no longer free.
    return Planner(container, config, memory().available_bytes + OVERHEAD, draft).plan()


def further_bytes(container: Planned, config: EngineConfig, context: int, chunk: int) -> int:
    """What a second answer at a time takes beside one, with a context of its own; a third takes as much again."""
    one, two = (Planner(container, replace(config, parallel=n, chunk=None)).fixed(context, chunk) for n in (1, 2))
    return two - one


def larger_context(container: Planned, config: EngineConfig, context: int, draft: Callable[[int], int] | None = None) -> int:
    """The context after this one, twice as long or the model's longest, where limit and free memory have room; 0 where they have not."""
    longer, free = min(2 * context, container.arch.max_context), memory().available_bytes + OVERHEAD
    limit = free if config.budget_bytes is None else min(config.budget_bytes, free)
    fits = longer > context and Planner(container, replace(config, context=longer), free, draft).floor() <= limit
    return longer if fits else 0


def spec_for(arch: ArchSpec, config: EngineConfig) -> ArchSpec:
    """What of a model runs: the layer for further tokens only where it is to draft."""
    return arch if config.draft in ("auto", "mtp") else replace(arch, mtp=None)


def unused(arch: ArchSpec, config: EngineConfig) -> frozenset[str]:
    """Tensors of the trunk that `spec_for` leaves out; another way of drafting needs them, so that the model is opened anew for it."""
    return frozenset(t.name for t in arch.mtp.tensors) if arch.mtp is not None and spec_for(arch, config).mtp is None else frozenset()


class Planner:
    """One model under one configuration, and what each choice costs. Raises BadRequest for odd values.

    available: bytes that the machine can give; None: another machine, about which nothing is known.
    """

    def __init__(
        self, container: Planned, config: EngineConfig, available: int | None = None, draft: Callable[[int], int] | None = None
    ) -> None:
        self.draft = draft or (lambda context: 0)
        self.container, self.config, self.available = container, config, available
        self.spec = spec_for(container.arch, config)
        self.trunk_bytes = rounded(in_memory(container.spans(unused(container.arch, config))), PAGE)
        self.widths = Widths.of(self.spec)
        self.threads = performance_cores() if config.threads is None else config.threads
        if not 1 <= self.threads <= 256:
            raise BadRequest(say("{threads} threads is not possible; choose 1 to 256.", threads=self.threads))
        if config.kv not in KV_KINDS:
            raise BadRequest(say("{kv} is no way to keep keys and values; choose {kinds}.", kv=repr(config.kv), kinds=", ".join(KV_KINDS)))
        self.kv_dtype = config.kv if config.kv != "auto" else "f32" if config.exact else self.spec.kv_dtype
        self.parallel = config.parallel
        if not 1 <= self.parallel <= MOST_PARALLEL:
            raise BadRequest(
                say(
                    "{parallel} answers at once are not possible; choose 1 to {most}.",
                    parallel=self.parallel,
                    most=MOST_PARALLEL,
                )
            )
        self.slot_bytes = max((e.layout.stride for e in container.experts), default=0)
        left_out = container.arch.mtp.experts if container.arch.mtp is not None and self.spec.mtp is None else ()
        self.n_records = sum(e.n_experts for e in container.experts[: len(container.experts) - len(left_out)])
        # Under one layer's working set a decode step would wait for each of its experts in turn.
        self.least_slots = min(self.widths.top_k + spare_slots(container), self.n_records)

        c = config
        if c.context is not None and not 16 <= c.context <= self.spec.max_context:
            raise BadRequest(
                say(
                    "A context of {context:,} tokens is not possible; this model takes 16 to {max_context:,}.",
                    context=c.context,
                    max_context=self.spec.max_context,
                )
            )
        if c.chunk is not None and not 1 <= c.chunk <= 4096:
            raise BadRequest(say("A prefill chunk of {chunk} rows is not possible; choose 1 to 4096.", chunk=c.chunk))
        self.least_context = c.context or min(MIN_CONTEXT, self.spec.max_context)
        self.least_chunk = c.chunk or min(CHUNKS[-1], self.least_context)
        if self.least_chunk < self.parallel:
            raise BadRequest(
                say(
                    "A chunk of {chunk} rows has no room for {parallel} answers at once; choose a longer one.",
                    chunk=c.chunk,
                    parallel=self.parallel,
                )
            )
        self.logit_rows = max(LOGIT_ROWS, self.parallel)

    def floor(self) -> int:
        """The least budget."""
        return self.fixed(self.least_context, self.least_chunk) + self.cache(self.least_slots)

    def plan(self) -> MemoryPlan:
        """What to allocate. Raises OverBudget."""
        c, floor = self.config, self.floor()
        budget = self.budget(floor)
        if budget - floor >= WIDE_SHARE * self._wide():
            self.logit_rows = MOST_LOGIT_ROWS
        context = c.context or self.longest_context((budget - floor) // 4)
        chunk = c.chunk or self.best_chunk(context, budget)
        left = budget - self.fixed(context, chunk)
        size = self.parallel * checkpoint_bytes(self.spec, context, chunk, self.kv_dtype)
        spare = max((budget - floor) // PLACES_SHARE, left - self.cache(self.n_records))
        places = self.places(size, min(spare, left - self.cache(self.least_slots)))
        n_slots = max(self.least_slots, min(self.slots_in(left - places * size), self.n_records))
        if c.budget_bytes is None:  # nobody asked for more than what is used
            budget = max(floor, self.made(0, floor, context, chunk, places, n_slots).total_bytes)
        return self.made(budget, floor, context, chunk, places, n_slots)

    def made(self, budget: int, floor: int, context: int, chunk: int, places: int, n_slots: int) -> MemoryPlan:
        """The plan with these choices."""
        return MemoryPlan(
            budget_bytes=budget,
            floor_bytes=floor,
            trunk_bytes=self.trunk_bytes,
            kv_bytes=self.kv(context, chunk, places),
            scratch_bytes=self.scratch(chunk),
            cache_bytes=self.cache(n_slots),
            overhead_bytes=self.overhead(context),
            draft_bytes=self.draft(context),
            context=context,
            chunk=chunk,
            logit_rows=self.logit_rows,
            n_slots=n_slots,
            n_records=self.n_records,
            slot_bytes=self.slot_bytes,
            checkpoints=places,
            parallel=self.parallel,
            threads=self.threads,
            exact=self.config.exact,
            kv_dtype=self.kv_dtype,
            token_bytes=self.token_bytes(),
        )

    def scratch(self, chunk: int) -> int:
        """Activations, rotations, embedding rows on their way in, and what the kernels keep beside them."""
        ropes = {rope_of(layer.mixer) for layer in self.spec.layers}
        tables = sum(Rope(1, _as_array(r.inv_freq)).nbytes for r in ropes if r is not None) * chunk
        rows = EmbedRows.nbytes_for(self.container.embed) if self.container.embed else 0
        return scratch_bytes(self.widths, chunk, self.logit_rows, self.parallel, self.threads, self.config.exact) + tables + rows

    def _wide(self) -> int:
        """What the logits of a step with many drafts take beyond those of one with few."""
        return 4 * (MOST_LOGIT_ROWS - max(LOGIT_ROWS, self.parallel)) * self.spec.vocab_size

    def kv(self, context: int, chunk: int, places: int = 0) -> int:
        """What all sequences keep, with so many checkpoints each."""
        return self.parallel * kv_bytes(self.spec, context, chunk, self.kv_dtype, places)

    def fixed(self, context: int, chunk: int) -> int:
        """All but the expert cache."""
        kv = self.kv(context, chunk)
        return self.trunk_bytes + kv + self.scratch(chunk) + self.overhead(context) + self.draft(context)

    def token_bytes(self) -> int:
        """What one more token of context takes, beyond all windows."""
        near, far = (self.kv(n, self.least_chunk) for n in (FAR, 2 * FAR))
        return (far - near) // FAR

    def overhead(self, context: int) -> int:
        """Python's own objects, the tokenizer and the index of n-gram drafts among them, and a download that still brings the model."""
        beside: int = getattr(self.container, "beside_bytes", 0)
        programs = self.for_programs if self.config.programs else 0
        drafts = DRAFT_INDEX * context if self.config.draft != "off" else 0
        apart = APART_BYTES if self.config.apart else 0
        further = (self.parallel - 1) * (BESIDE_BYTES + BESIDE_TOKEN * context + BESIDE_WORD * self.spec.vocab_size)
        return beside + apart + programs + further + OVERHEAD + TOKEN_BYTES * self.spec.vocab_size + drafts

    @property
    def for_programs(self) -> int:
        """What programs are given, which answers for people alone do not need: requests and grammars."""
        return REQUEST_BYTES + self.parallel * GRAMMAR_BYTES + GRAMMAR_TOKEN * self.spec.vocab_size

    def places(self, size: int, room: int) -> int:
        """Checkpoints of `size` bytes that fit."""
        return max(min(checkpoints.MOST, (room - PAGE) // size), 0) if size else 0

    def cache(self, n_slots: int) -> int:
        """The expert cache."""
        return streamer_bytes(self.container, n_slots)

    def slots_in(self, nbytes: int) -> int:
        """The most experts whose cache takes at most nbytes."""
        if not self.slot_bytes:
            return 0
        n = min(max(nbytes // self.slot_bytes, 0), self.n_records)
        while n > 0 and self.cache(n) > nbytes:
            n -= 1
        return n

    def longest_context(self, spare: int) -> int:
        """The longest multiple of 256 whose caches take at most `spare` more than the least context's."""
        least, longest = self.least_context, min(LONGEST_DEFAULT_CONTEXT, self.spec.max_context)
        base = self.fixed(least, self.least_chunk)
        candidates = range(longest, least, -256)
        return next((n for n in candidates if self.fixed(n, self.least_chunk) - base <= spare), least)

    def best_chunk(self, context: int, budget: int) -> int:
        """The chunk with which a usual turn takes least under this budget."""
        room = {n: budget - self.fixed(context, n) for n in (*CHUNKS, self.least_chunk) if n <= context}
        least = self.cache(self.least_slots)
        fitting = [n for n in room if room[n] >= least]
        return min(fitting, key=lambda n: self.turn_cost(n, self.slots_in(room[n])), default=self.least_chunk)

    def turn_cost(self, chunk: int, n_slots: int) -> float:
        """What a usual turn takes, about, in reads of an expert: each chunk reads those that it needs and that are not cached and
        passes all through memory once, each token of the answer reads its misses.

        Hit rates are taken as the square root of the share that is cached, near which they lie on traces (benchmarks/NOTES.md).
        """
        if not self.n_records:
            return 0.0
        share = n_slots / self.n_records
        used = 1.0 - (1.0 - self.widths.top_k / self.widths.n_experts) ** chunk
        prompt = math.ceil(READ_TOKENS / chunk) * used * self.n_records * (1.0 - share + PASS)
        return prompt + WRITTEN_TOKENS * self.widths.top_k * len(self.container.experts) * (1.0 - math.sqrt(share))

    def budget(self, floor: int) -> int:
        """The limit that counts: the one that was asked for or the default, and never more than the system can give now.

        Raises OverBudget where that is under the floor.
        """
        asked = self.config.budget_bytes
        if self.available is None:
            budget = floor if asked is None else asked
        elif asked is None:
            budget = min(max(self.wanted(floor), floor), max(self.available * 6 // 10, floor))
        else:
            budget = asked
        context = self.least_context
        who = self.container.name, floor, context, self.parallel, self.draft(context) > 0
        if budget < floor:
            raise OverBudget(over_limit(*who, budget), floor, budget)
        if self.available is None or budget <= self.available:
            return budget
        if self.available < floor:
            raise OverBudget(over_free(*who, self.available), floor, self.available)
        return self.available

    def wanted(self, floor: int) -> int:
        """A limit with which all experts fit beside a long context and chunk."""
        longest, chunk = self.config.context or min(LONGEST_DEFAULT_CONTEXT, self.spec.max_context), self.config.chunk or CHUNKS[0]
        context_part = 4 * (self.fixed(longest, self.least_chunk) - self.fixed(self.least_context, self.least_chunk))
        places = self.parallel * checkpoints.MOST * checkpoint_bytes(self.spec, longest, chunk, self.kv_dtype)
        everything = self.fixed(longest, chunk) + self._wide() + places + 2 * PAGE + self.cache(self.n_records)
        return max(everything, floor + context_part)


def _as_array(values: tuple[float, ...]) -> npt.NDArray[np.float32]:
    return np.asarray(values, np.float32)
