"""What a whole model would need, before it is downloaded: memory from the floor up, disk, bytes by role. Same planner as an open model."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.config import EngineConfig
from engine.container.format import PARTS
from engine.errors import UnsupportedModel
from engine.model.plan import CHUNKS, MemoryPlan, Planner
from engine.setup.unwritten import Unwritten
from engine.words import say
from kernels_pyx.linear import packed_bytes

DEFAULT_CONTEXT = 4096
# Tokens in a row share many experts: a cache of what a few tokens use holds most of what the next one asks for.
RECOMMENDED_TOKENS = 4
MTP = "mtp"
Q4_BITS, LEANER_BITS = 5.0, 4.5  # bits a weight of q4, and of the format that is printed beside it


@dataclass(frozen=True, slots=True)
class Role:
    """What all tensors of a role weigh. resident: they stay in memory."""

    parameters: int
    nbytes: int
    formats: tuple[str, ...]
    resident: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """Bytes. Of `layers` layers moe_layers choose top_k experts each. floor: the least memory limit at this context; leaner_floor: with q4
    at 4.5 bits instead of 5.

    recommended: a limit at which what RECOMMENDED_TOKENS tokens use is cached: recommended_slots of all experts. disk: of the
    container. per_token: what one more token of context takes, beyond all windows. for_programs: what serving and batches take beyond the
    floor. plan: at the limit that was asked for, else at the recommended one.
    """

    family: str
    layers: int
    moe_layers: int
    top_k: int
    context: int
    floor_bytes: int
    leaner_floor_bytes: int
    recommended_bytes: int
    recommended_slots: int
    token_expert_bytes: int
    disk_bytes: int
    per_token_bytes: int
    for_programs_bytes: int
    roles: dict[str, Role]
    plan: MemoryPlan
    records: int  # experts of all those layers

    @property
    def parameters(self) -> int:
        """Of the whole text model, without the layer for further tokens, as publishers count."""
        return sum(r.parameters for name, r in self.roles.items() if not name.startswith(MTP))

    @property
    def active_parameters(self) -> int:
        """Those that a token uses: the trunk without an embedding that is not the head, and its experts."""
        beside = {"experts", MTP, f"{MTP} experts", *(("embed",) if "head" in self.roles else ())}
        trunk = sum(r.parameters for name, r in self.roles.items() if name not in beside)
        share = self.top_k * self.moe_layers / max(self.records, 1)
        return trunk + int(self.roles["experts"].parameters * share if "experts" in self.roles else 0)


def must_run(model: Unwritten) -> None:
    """Raises UnsupportedModel where the kernels have a limit that `model` exceeds, such as the width of a head."""
    try:
        Planner(model, EngineConfig(Path())).floor()
    except ValueError as e:
        raise UnsupportedModel(
            say(
                "The config.json describes a model that is not run here: {why}. If it is as published, this version "
                "does not run the model.",
                why=e,
            )
        ) from e


def outlook(model: Unwritten, config: EngineConfig, draft: Callable[[int], int] | None = None) -> Outlook:
    """The numbers of `model`; config.context defaults to DEFAULT_CONTEXT; draft: bytes of a draft model by the context.

    Raises UnsupportedModel, BadRequest, OverBudget.
    """
    must_run(model)
    config = replace(config, context=config.context or min(DEFAULT_CONTEXT, model.arch.max_context))
    planner = Planner(model, config, draft=draft)
    context = planner.least_context
    own = model.experts[: len(model.experts) - len(model.arch.mtp.experts)] if model.arch.mtp is not None else model.experts
    n_moe = len(own)  # of a plain step
    slots = min(RECOMMENDED_TOKENS * planner.widths.top_k * n_moe, planner.n_records)
    floor = planner.floor()
    recommended = max(planner.fixed(context, config.chunk or max(CHUNKS)) + planner.cache(slots), floor)
    config = replace(config, budget_bytes=recommended if config.budget_bytes is None else config.budget_bytes)
    p = Planner(model, config, draft=draft).plan()
    return Outlook(
        family=model.arch.model_type,
        layers=len(model.arch.layers),
        moe_layers=n_moe,
        top_k=planner.widths.top_k,
        context=context,
        floor_bytes=floor,
        leaner_floor_bytes=floor - int(_q4_bytes(model, planner.least_slots) * (1 - LEANER_BITS / Q4_BITS)),
        recommended_bytes=recommended,
        recommended_slots=slots,
        token_expert_bytes=planner.widths.top_k * sum(e.layout.stride for e in own),
        disk_bytes=model.layout.nbytes,
        per_token_bytes=planner.token_bytes(),
        for_programs_bytes=0 if config.programs else planner.for_programs,
        roles=dict(_roles(model)),
        plan=p,
        records=sum(e.n_experts for e in own),
    )


def _q4_bytes(model: Unwritten, n_slots: int) -> int:
    """Bytes in q4 that the floor holds."""
    trunk = sum(t.nbytes for t in model.layout.tensors.values() if t.fmt == "q4")
    if not model.experts:
        return trunk
    largest = max(model.experts, key=lambda e: e.layout.stride).layout
    parts = [largest.part(name) for name in PARTS]
    return trunk + n_slots * sum(packed_bytes(fmt, rows, cols) for fmt, _, rows, cols in parts if fmt == "q4")


def _roles(model: Unwritten) -> Iterator[tuple[str, Role]]:
    """Each role of the trunk that the model has, then the experts; "mtp" and "mtp experts" are the layer for further tokens."""
    further = {t.name for t in model.arch.mtp.tensors} if model.arch.mtp is not None else set()
    found: dict[str, Role] = {}
    for t in model.arch.tensors:
        entry = model.layout.tensors.get(t.name)
        fmt, nbytes = (entry.fmt, entry.nbytes) if entry else (model.embed.fmt, model.embed.nbytes) if model.embed else ("", 0)
        role = MTP if t.name in further else t.role
        r = found.get(role, Role(0, 0, (), entry is not None))
        found[role] = Role(r.parameters + math.prod(t.shape), r.nbytes + nbytes, tuple(sorted({*r.formats, fmt})), r.resident)
    yield from found.items()
    n_own = len(model.experts) - (len(model.arch.mtp.experts) if model.arch.mtp is not None else 0)
    for name, which in (("experts", slice(n_own)), (f"{MTP} experts", slice(n_own, None))):
        entries, specs = model.experts[which], model.arch.experts[which]
        if entries:
            formats = tuple(sorted({e.layout.part(p)[0] for e in entries for p in PARTS}))
            n = sum(e.n_experts * math.prod(e.shape(part)) for e in specs for part in e.parts)
            yield name, Role(n, sum(e.n_experts * e.layout.stride for e in entries), formats, False)
