"""Peak memory over the limit, from the least limit to the whole model: free, in f32, and inside a memory cgroup of just that size.

Each run is a process of its own (benchmarks/budget_run.py) with the starter model. The ratio is its peak resident memory, less what it
held after its imports, over the limit. In the cgroup the limit is what the process held and the budget: a run that takes more is killed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from engine.cgroup import folders
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.plan import Planner
from tests.starter_cache import built_starter

STEPS, CONTEXT = 6, 1024


def budgets(model: Path, exact: bool) -> list[int]:
    """From the least limit to one that holds all experts, STEPS of them."""
    container = Container.open(model)
    asked = EngineConfig(model, context=CONTEXT, exact=exact, threads=2, draft="ngram")
    floor = Planner(container, asked).floor()
    whole = Planner(container, replace(asked, chunk=512))
    most = whole.fixed(CONTEXT, 512) + whole.cache(whole.n_records)
    container.close()
    return [floor + (most - floor) * i // (STEPS - 1) for i in range(STEPS)]


def run(model: Path, budget: int, exact: bool, group: Path | None = None) -> dict[str, Any]:
    """One process; {"killed": True} where it did not end by itself."""
    command = [sys.executable, "-m", "benchmarks.budget_run", str(model), str(budget), str(CONTEXT), str(int(exact))]
    if group is not None:  # joined before the imports, which are the interpreter's own
        command = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh", *command, str(group)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        return {"killed": True}
    if done.returncode:
        raise RuntimeError(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@contextmanager
def cgroup() -> Iterator[Path | None]:
    """An empty memory cgroup under our own; None where none can be made."""
    made = None
    for folder, v1 in folders("memory"):
        path = folder / f"ouzel-{os.getpid()}"
        with suppress(OSError):
            path.mkdir()
            if v1 or (path / "memory.max").exists():
                made = path
                break
            path.rmdir()
    try:
        yield made
    finally:
        if made is not None:
            made.rmdir()


def measure() -> dict[str, Any]:
    """Ratios by limit in MB, of each kind of run; killed: runs that the cgroup ended."""
    model = built_starter()
    out: dict[str, Any] = {"peak_over_budget": {}, "peak_over_budget_f32": {}, "peak_over_budget_cgroup": {}, "plan_error": 0.0}
    free: dict[int, dict[str, Any]] = {}
    for exact, key in ((False, "peak_over_budget"), (True, "peak_over_budget_f32")):
        for budget in budgets(model, exact):
            r = run(model, budget, exact)
            out[key][mega(budget)] = r["peak_bytes"] / budget
            out["plan_error"] = max(out["plan_error"], abs(r["allocated_bytes"] / r["planned_bytes"] - 1))
            if not exact:
                free[budget] = r
    slower: list[float] = []
    killed = faults = 0
    for budget, alone in free.items():
        with cgroup() as group:
            if group is None:
                break
            r = run(model, budget, False, group)
        if "killed" in r:
            killed += 1
            continue
        out["peak_over_budget_cgroup"][mega(budget)] = r["peak_bytes"] / budget
        slower.append(r["seconds"] / alone["seconds"])
        faults = max(faults, r["major_faults"])
    if slower or killed:
        out |= {"cgroup_killed": killed, "cgroup_seconds_over_free": median(slower) if slower else 0.0, "cgroup_major_faults": faults}
    return out


def mega(nbytes: int) -> str:
    """A limit as a key: MB."""
    return f"{nbytes / 1e6:.1f}"


def told(result: dict[str, Any]) -> str:
    """For people."""
    lines = ["peak over the limit, less what the process held before   (limit in MB: ratio)"]
    for key, name in (
        ("peak_over_budget", "f16 keys"), ("peak_over_budget_f32", "f32, exact"), ("peak_over_budget_cgroup", "in a cgroup"),
    ):  # fmt: skip
        lines.append(f"  {name:<12} " + "  ".join(f"{mb}: {ratio:.3f}" for mb, ratio in result[key].items()))
    if "cgroup_killed" in result:
        lines.append(
            f"  in the cgroup {result['cgroup_killed']} runs were killed; the others took {result['cgroup_seconds_over_free']:.2f} times "
            f"as long as free, with at most {result['cgroup_major_faults']} major faults"
        )
    else:
        lines.append("  no memory cgroup can be made here")
    lines.append(f"  the plan and the buffers differ by at most {result['plan_error']:.2%}")
    return "\n".join(lines)
