"""The plan of a draft model: a small one beside another, in memory as a whole, one row of logits at a time."""

from collections.abc import Callable
from dataclasses import replace

from engine.config import EngineConfig
from engine.model.plan import MemoryPlan, Planned, Planner
from engine.model.state import checkpoint_bytes

CHUNK = 128  # rows of text that are read at once
PLACES = 3  # of a recurrent model: the last turn's end, and before and after what was drafted last
OVERHEAD = 4_000_000  # Python's objects of a second model; its vocabulary is not kept


def config_of(beside: EngineConfig) -> EngineConfig:
    """How the draft model of `beside` is opened. Raises ValueError where there is none."""
    if beside.draft_model is None:
        raise ValueError("There is no draft model.")
    return EngineConfig(beside.draft_model, threads=beside.threads, direct=beside.direct, lookahead="off", warm_start=False)


def resident_plan(container: Planned, config: EngineConfig, context: int) -> MemoryPlan:
    """What to allocate for a draft model that follows a text of `context` tokens, as far as it can."""
    planner = Planner(container, replace(config, context=min(context, container.arch.max_context), chunk=min(CHUNK, context)))
    planner.logit_rows = 1
    places = PLACES if checkpoint_bytes(planner.spec, planner.least_context, planner.least_chunk, planner.kv_dtype) else 0
    made = planner.made(0, 0, planner.least_context, planner.least_chunk, places, planner.n_records)
    made = replace(made, overhead_bytes=OVERHEAD)
    return replace(made, budget_bytes=made.total_bytes, floor_bytes=made.total_bytes)


def resident_bytes(container: Planned, config: EngineConfig) -> Callable[[int], int]:
    """The bytes of such a plan by the context, for the plan of the model beside."""
    return lambda context: resident_plan(container, config, context).total_bytes
