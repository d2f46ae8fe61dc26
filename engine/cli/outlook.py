"""`ouzel plan --config CONFIG.json`: what a whole model would need, from its config alone."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.cli.sizes import human
from engine.config import EngineConfig
from engine.model.refusals import mb
from engine.setup.outlook import RECOMMENDED_TOKENS, Outlook, outlook
from engine.setup.unwritten import Unwritten, read_config


def look(
    path: Path, experts: str, trunk: str, mtp: str, config: EngineConfig, draft: Callable[[int], int] | None = None
) -> tuple[str, Outlook]:
    """The name and numbers of the model whose config.json is at `path`; draft: bytes of a draft model by the context.

    Raises UnsupportedModel, BadCheckpoint, OverBudget, BadRequest.
    """
    path = path.expanduser().absolute()
    name = path.name if path.is_dir() else path.parent.name if path.name == "config.json" else path.stem
    return name, outlook(Unwritten(name, read_config(path), experts, trunk, mtp=mtp == "keep"), config, draft)


def as_json(name: str, o: Outlook) -> dict[str, Any]:
    """All numbers; the plan's own keys lie under "plan"."""
    plan = {**asdict(o.plan), "total_bytes": o.plan.total_bytes}
    return {"model": name, **asdict(o), "parameters": o.parameters, "plan": plan}


def described(name: str, o: Outlook) -> str:
    """The numbers as two tables: the model's weights by role, what it needs."""
    lines = [f"{name} ({o.family}, {_count(o.parameters)} parameters)"]
    for role, r in o.roles.items():
        where = "" if r.resident else "  on disk"
        lines.append(f"  {role:<13}{human(r.nbytes):>9}  {_count(r.parameters)} parameters, {' and '.join(r.formats)}{where}")
    share, dense = o.recommended_slots / max(o.plan.n_records, 1), not o.plan.n_records
    recommended = "all of it is in memory" if dense else f"caches {share:.0%} of the experts: what {RECOMMENDED_TOKENS} tokens use"
    programs = f"{mb(o.floor_bytes + o.for_programs_bytes)} for serve and batch; " if o.for_programs_bytes else ""
    leaner = f"{human(o.leaner_floor_bytes)} if q4 took 4.5 bits a weight"
    needs = [
        ("least limit", mb(o.floor_bytes), f"at a context of {o.context} tokens; {programs}{leaner}"),
        ("recommended", human(o.recommended_bytes), recommended),
        ("disk", human(o.disk_bytes), ""),
        *([] if dense else [("experts/token", human(o.token_expert_bytes), "read where none is cached")]),
        ("context/token", human(o.per_token_bytes), f"{o.plan.kv_dtype}; {human(o.plan.kv_bytes)} in all"),
        *([("draft model", human(o.plan.draft_bytes), "")] if o.plan.draft_bytes else []),
    ]
    p = o.plan
    lines += [f"  {what:<13}{size:>9}  {note}".rstrip() for what, size, note in needs]
    cached = "no experts" if dense else f"{p.n_slots} of {p.n_records} experts cached, {human(p.slot_bytes)} each"
    lines.append(f"With a limit of {human(p.budget_bytes)}: {cached}; context {p.context}, chunks of {p.chunk} rows.")
    return "\n".join(lines)


def _count(n: int) -> str:
    return f"{n / 1e9:.2f}G" if n >= 10**9 else f"{n / 1e6:.1f}M"
