"""The memory plan: what fits a RAM budget, decided before anything is allocated.

Order: trunk, least KV cache, least scratch and one MoE layer's working set are the floor. What is left goes to the context
(up to a quarter), longer prefill chunks (up to an eighth) and the expert cache (the rest, at most all experts).
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.arch.spec import ArchSpec
from engine.config import EngineConfig
from engine.container.format import PAGE, EmbedEntry, rounded
from engine.cores import performance_cores
from engine.errors import BadRequest, OverBudget
from engine.experts.streamer import ExpertStreamer, HasExperts
from engine.machine import memory
from engine.model.embedding import EmbedRows
from engine.model.layer import rope_of
from engine.model.scratch import Widths, scratch_bytes
from engine.model.state import kv_bytes
from kernels_pyx.attention import Rope

MIN_CONTEXT = 1024
LONGEST_DEFAULT_CONTEXT = 8192  # without --ctx; longer contexts are asked for, since their prefill takes minutes
CHUNKS = (512, 256, 128, 64, 32, 16)
LOGIT_ROWS = 9  # a decode step verifies at most 8 draft tokens
# Python objects of an open model (specs, views, tables), thread stacks and allocator slack; checked by the budget test.
OVERHEAD = 10_000_000
DRAFT_INDEX = 240  # bytes a token of the n-gram index: its id and four dictionary entries, measured


class Planned(HasExperts, Protocol):
    """What a plan is made from: an open container, or a model that is not written yet."""

    @property
    def name(self) -> str:
        """For messages."""

    @property
    def arch(self) -> ArchSpec:
        """Its architecture."""

    @property
    def trunk_bytes(self) -> int:
        """What stays in memory of the weights."""

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
    context: int
    chunk: int
    n_slots: int
    n_records: int
    slot_bytes: int
    threads: int
    exact: bool
    kv_dtype: str

    @property
    def total_bytes(self) -> int:
        """Everything that will be allocated."""
        return self.trunk_bytes + self.kv_bytes + self.scratch_bytes + self.cache_bytes + self.overhead_bytes


def plan(container: Planned, config: EngineConfig) -> MemoryPlan:
    """How `config` is met by this container on this machine. Raises OverBudget with the floor, BadRequest for odd values."""
    return Planner(container, config).plan()


class Planner:
    """One model under one configuration, and what each choice costs. Raises BadRequest for odd values."""

    def __init__(self, container: Planned, config: EngineConfig) -> None:
        self.container, self.config, self.spec = container, config, container.arch
        self.trunk_bytes = rounded(container.trunk_bytes, PAGE)
        self.widths = Widths.of(self.spec)
        self.threads = performance_cores() if config.threads is None else config.threads
        if not 1 <= self.threads <= 256:
            raise BadRequest(f"{self.threads} threads is not possible; choose 1 to 256.")
        self.kv_dtype = "f32" if config.exact else self.spec.kv_dtype
        self.slot_bytes = max((e.layout.stride for e in container.experts), default=0)
        self.n_records = sum(e.n_experts for e in container.experts)
        # Under one layer's working set a decode step would wait for each of its experts in turn.
        self.least_slots = min(self.widths.top_k, self.n_records)

        c = config
        if c.context is not None and not 16 <= c.context <= self.spec.max_context:
            raise BadRequest(f"A context of {c.context} tokens is not possible; this model takes 16 to {self.spec.max_context}.")
        if c.chunk is not None and not 1 <= c.chunk <= 4096:
            raise BadRequest(f"A prefill chunk of {c.chunk} rows is not possible; choose 1 to 4096.")
        self.least_context = c.context or min(MIN_CONTEXT, self.spec.max_context)
        self.least_chunk = c.chunk or CHUNKS[-1]

    def floor(self) -> int:
        """The least budget."""
        return self.fixed(self.least_context, self.least_chunk) + self.cache(self.least_slots)

    def plan(self) -> MemoryPlan:
        """What to allocate. Raises OverBudget."""
        c, least_context, least_chunk, floor = self.config, self.least_context, self.least_chunk, self.floor()
        budget = self.default_budget(floor, least_chunk) if c.budget_bytes is None else c.budget_bytes
        if budget < floor:
            raise OverBudget(
                f"{self.container.name} needs at least {mb(floor)} of memory at a context of {least_context} tokens, "
                f"but the limit is {mb(budget)}. Raise the limit to {mb(floor)} or more, or choose a smaller model.",
                floor,
                budget,
            )
        spare = budget - floor
        context = c.context or self.longest_context(least_context, spare // 4)
        chunk = c.chunk or self.longest_chunk(context, least_chunk, spare // 8)
        left = budget - self.fixed(context, chunk)
        n_slots = max(self.least_slots, min(self.slots_in(left), self.n_records))
        kv, scratch, cache = kv_bytes(self.spec, context, chunk, self.kv_dtype), self.scratch(chunk), self.cache(n_slots)
        if c.budget_bytes is None:  # nobody asked for more than what is used
            budget = max(floor, self.trunk_bytes + kv + scratch + cache + self.overhead(context))
        return MemoryPlan(
            budget_bytes=budget,
            floor_bytes=floor,
            trunk_bytes=self.trunk_bytes,
            kv_bytes=kv,
            scratch_bytes=scratch,
            cache_bytes=cache,
            overhead_bytes=self.overhead(context),
            context=context,
            chunk=chunk,
            n_slots=n_slots,
            n_records=self.n_records,
            slot_bytes=self.slot_bytes,
            threads=self.threads,
            exact=c.exact,
            kv_dtype=self.kv_dtype,
        )

    def scratch(self, chunk: int) -> int:
        """Activations, rotations, embedding rows on their way in, and what the kernels keep beside them."""
        ropes = {rope_of(layer.mixer) for layer in self.spec.layers}
        tables = sum(Rope(1, _as_array(r.inv_freq)).nbytes for r in ropes if r is not None) * chunk
        rows = EmbedRows.nbytes_for(self.container.embed) if self.container.embed else 0
        return scratch_bytes(self.widths, chunk, LOGIT_ROWS, self.threads, self.config.exact) + tables + rows

    def fixed(self, context: int, chunk: int) -> int:
        """All but the expert cache."""
        kv = kv_bytes(self.spec, context, chunk, self.kv_dtype)
        return self.trunk_bytes + kv + self.scratch(chunk) + self.overhead(context)

    def overhead(self, context: int) -> int:
        """Python's own objects, the index of n-gram drafts among them."""
        return OVERHEAD + (DRAFT_INDEX * context if self.config.draft == "ngram" else 0)

    def cache(self, n_slots: int) -> int:
        """The expert cache."""
        return ExpertStreamer.nbytes_for(self.container, n_slots)

    def slots_in(self, nbytes: int) -> int:
        """The most experts whose cache takes at most nbytes."""
        if not self.slot_bytes:
            return 0
        n = min(max(nbytes // self.slot_bytes, 0), self.n_records)
        while n > 0 and self.cache(n) > nbytes:
            n -= 1
        return n

    def longest_context(self, least: int, spare: int) -> int:
        """The longest multiple of 256 whose caches take at most `spare` more than the least context's."""
        longest, base = min(LONGEST_DEFAULT_CONTEXT, self.spec.max_context), self.fixed(least, CHUNKS[-1])
        candidates = range(longest, least, -256)
        return next((n for n in candidates if self.fixed(n, CHUNKS[-1]) - base <= spare), least)

    def longest_chunk(self, context: int, least: int, spare: int) -> int:
        """The longest of CHUNKS that takes at most `spare` more than the least."""
        base = self.fixed(context, least)
        return next((n for n in CHUNKS if n <= context and self.fixed(context, n) - base <= spare), least)

    def default_budget(self, floor: int, chunk: int) -> int:
        """All experts where they fit in 60% of the memory that is free now (cgroup limits count), else that share of it."""
        share = memory().available_bytes * 6 // 10
        longest = min(LONGEST_DEFAULT_CONTEXT, self.spec.max_context)
        wanted = self.fixed(self.config.context or longest, self.config.chunk or CHUNKS[0]) + self.cache(self.n_records)
        # spare // 4 of the budget must reach the long context, spare // 8 the long chunk.
        kv_part = 4 * (self.fixed(longest, chunk) - self.fixed(min(MIN_CONTEXT, longest), chunk))
        chunk_part = 8 * (self.fixed(longest, CHUNKS[0]) - self.fixed(longest, chunk))
        return max(min(max(wanted, floor + kv_part, floor + chunk_part), share), min(floor, memory().limit_bytes))


def mb(nbytes: int) -> str:
    """Bytes for people, rounded up so that the number is enough: "132 MB", "2.15 GB"."""
    if nbytes < 1_000_000_000:
        return f"{-(-nbytes // 1_000_000)} MB"
    return f"{-(-nbytes // 10_000_000) / 100:.2f} GB"


def _as_array(values: tuple[float, ...]) -> npt.NDArray[np.float32]:
    return np.asarray(values, np.float32)
