"""What each memory limit and context length costs and brings for a model that is here: the planner's numbers, the verdict's speeds."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.cores import performance_cores
from engine.errors import EngineError, OverBudget
from engine.events import Estimated
from engine.experts.usage import F64, UsageFile
from engine.machine import memory
from engine.model.plan import Planner
from engine.model.resident import config_of, resident_bytes
from engine.offers import ContextOffer, LimitOffer
from engine.requests import Estimate
from engine.setup.hits import learned_hits
from engine.setup.judge import this_machine
from engine.setup.layout import layout_of
from engine.setup.memory_speed import memory_speed
from engine.setup.outlook import outlook
from engine.setup.unwritten import Unwritten
from engine.setup.verdict import Machine, verdict

STEPS, MORE = 20, 6  # limits that are looked at
UNIT = 10_000_000  # bytes that limits are multiples of
LEAST_CONTEXT = 512  # of those that are offered, each twice the one before


def estimate(request: Estimate, cancel: CancelToken, progress: Callable[[float], None] = lambda fraction: None) -> Estimated:
    """Some tenths of a second; seconds where drive and memory were not measured lately: progress(fraction) of the drive.

    Raises BadContainer, UnsupportedModel, BadRequest (no such context), StorageError, Cancelled.
    """
    small = request.config.draft_model
    with ExitStack() as opened:
        container = opened.enter_context(closing(Container.open(request.config.model)))
        beside: Container | None = None
        if small is not None:
            with suppress(EngineError):  # the model is then opened without it, and says why
                beside = opened.enter_context(closing(Container.open(small)))
        config = replace(request.config, model=container.path)
        here = this_machine(container.path.resolve().parent, cancel, progress)  # a link may lie on another drive
        available = memory().available_bytes + request.held_bytes
        if config.threads is not None and config.threads != performance_cores():
            here = replace(here, memory=memory_speed(config.threads, cancel))
        model = _Model(container, beside, config, replace(here, available_bytes=available))
        planner = model.planner(config)
        floor = planner.floor()
        limits = []
        for budget in _budgets(model, floor, planner.wanted(floor), available):
            cancel.check()
            limits += [offer] if (offer := model.offer(budget)) else []
        return Estimated(
            id=request.id,
            config=request.config,
            available_bytes=available,
            floor_bytes=floor,
            limits=tuple(limits),
            automatic=model.offer(None),
            chosen=None if config.budget_bytes is None else model.offer(config.budget_bytes),
            contexts=tuple(model.contexts(cancel)),
            longest_context=container.arch.max_context,
            direct=here.drive.direct,
        )


def _budgets(model: "_Model", floor: int, wanted: int, available: int) -> list[int]:
    """Whole UNITs from the least one that holds the floor to the most that is wanted and free; none where it does not fit.

    STEPS of them up to where all experts are in memory, since the speed does not change beyond, and MORE above.
    """
    first, last = -(-floor // UNIT), min(-(-wanted // UNIT), available // UNIT)
    if first > last:
        return []
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        offer = model.offer(middle * UNIT)
        if offer is not None and offer.n_slots == offer.n_records:
            high = middle
        else:
            low = middle + 1
    below = range(first, low, max(-(-(low - first) // STEPS), 1))
    above = range(low, last, max(-(-(last - low) // MORE), 1))
    return [n * UNIT for n in (*below, *above, last)]


class _Model:
    """A container under `config` on `machine`, whose available memory is what the model can have."""

    def __init__(self, container: Container, beside: Container | None, config: EngineConfig, machine: Machine) -> None:
        """beside: of the draft model, where there is one."""
        self._container, self._config, self._machine = container, config, machine
        self._draft = None if beside is None else resident_bytes(beside, config_of(config))
        self._usage: F64 | None = UsageFile(container).load() if container.experts else None
        unwritten = Unwritten(container.name, dict(container.config), layout=layout_of(container.manifest, container.arch))
        self._outlook = outlook(unwritten, replace(config, budget_bytes=None))

    def planner(self, config: EngineConfig) -> Planner:
        """As the engine would plan."""
        return Planner(self._container, config, self._machine.available_bytes, self._draft)

    def offer(self, budget: int | None) -> LimitOffer | None:
        """This limit, None for the default one; None where it cannot be had."""
        try:
            p = self.planner(replace(self._config, budget_bytes=budget)).plan()
        except OverBudget:
            return None
        o = replace(self._outlook, plan=p, context=p.context, floor_bytes=p.floor_bytes)
        learned = 0.0 if self._usage is None else learned_hits(self._usage, p.n_slots)
        v = verdict(self._machine, o, installed=True, learned_hits=learned)
        return LimitOffer(
            budget_bytes=p.budget_bytes if budget is None else budget,
            planned_bytes=p.total_bytes,
            context=p.context,
            n_slots=p.n_slots,
            n_records=p.n_records,
            hit_rate=v.hit_rate,
            drive_bytes=v.drive_bytes,
            # What was measured of this machine is fast arithmetic.
            tokens_per_second=0.0 if p.exact else v.tokens_per_second,
            slowest=0.0 if p.exact else v.slowest,
            fastest=0.0 if p.exact else v.fastest,
        )

    def contexts(self, cancel: CancelToken) -> Iterator[ContextOffer]:
        """The lengths that fit the memory there is, and the one of the config."""
        longest, asked = self._container.arch.max_context, self._config.context
        doubled = (LEAST_CONTEXT << n for n in range(longest.bit_length()))
        for context in sorted({*(n for n in doubled if n < longest), longest, *([] if asked is None else [asked])}):
            cancel.check()
            planner = self.planner(replace(self._config, context=context))
            floor = planner.floor()
            if floor > self._machine.available_bytes:
                return
            yield ContextOffer(context, planner.kv(context, planner.least_chunk), floor)
