"""One model under one limit, in a process of its own: `python -m benchmarks.budget_run MODEL BUDGET CONTEXT EXACT [CGROUP|- [DRAFT]]`.

Opens the model as the program does, reads a prompt of several chunks, writes an answer with drafts, takes a second turn, and prints
one JSON object. CGROUP: the memory cgroup that the process was started in; its limit is set to what it holds before opening, and BUDGET.
DRAFT: a draft model beside it.
"""

import json
import resource
import sys
import time
from pathlib import Path

import engine.text.hf  # noqa: F401  # opening imports it, and what imports take is not part of the limit
from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.machine import trim_heap
from engine.requests import Message
from engine.worker.opened import OpenModel

TURNS = ("The river comes down from the hills through a narrow valley. " * 50, "Say that again, and then once more. " * 3)
WRITTEN = 48
DRAWN = Sampling(temperature=0.8, top_k=40, top_p=0.95, min_p=0.02, repetition_penalty=1.1, seed=1, max_tokens=WRITTEN)


def status(key: str) -> int:
    """Bytes of an entry of /proc/self/status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(key))


def limit(group: Path, budget: int) -> int:
    """Set the group's limit to what it holds now and `budget`; returns it."""
    v1 = (group / "memory.limit_in_bytes").exists()
    own = int((group / ("memory.usage_in_bytes" if v1 else "memory.current")).read_text())
    (group / ("memory.limit_in_bytes" if v1 else "memory.max")).write_text(str(own + budget))
    return own + budget


def main(model: str, budget: int, context: int, exact: bool, group: Path | None, draft: Path | None = None) -> dict[str, float]:
    """What the run took."""
    trim_heap()
    Path("/proc/self/clear_refs").write_text("5")  # the peak restarts at what is resident now
    before = status("VmRSS:")
    allowed = limit(group, budget) if group is not None else 0
    faults, start = major_faults(), time.perf_counter()
    config = EngineConfig(Path(model), budget_bytes=budget, context=context, exact=exact, threads=2, draft="auto", draft_model=draft)
    opened = OpenModel(config, lambda phase, fraction: None, CancelToken())
    messages: list[Message] = []
    prompt = 0
    for turn, sampling in zip(TURNS, (Sampling(temperature=0.0, max_tokens=WRITTEN), DRAWN), strict=True):
        messages.append(Message("user", turn))
        said: list[str] = []
        stats = opened.session.generate(
            messages, sampling, CancelToken(), said.append, lambda done, total: None, draft="auto"
        )
        messages.append(Message("assistant", "".join(said)))
        prompt = max(prompt, stats.counters.tokens_prefilled)
    m = opened.model
    result = {
        "peak_bytes": status("VmHWM:") - before,
        "seconds": time.perf_counter() - start,
        "major_faults": major_faults() - faults,
        "prompt_tokens": prompt,
        "chunk": m.plan.chunk,
        "n_slots": m.plan.n_slots,
        "planned_bytes": m.plan.total_bytes,
        "allocated_bytes": opened.session.snapshot().memory_bytes,
        "drafts": opened.session.snapshot().drafts_proposed,
        "drafting_seconds": opened.session.snapshot().seconds_drafting,
        "cgroup_bytes": allowed,
    }
    opened.close()
    return result


def major_faults() -> int:
    """Pages that this process waited for a drive for."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt


if __name__ == "__main__":
    name, nbytes, tokens, f32, *rest = sys.argv[1:]
    print(json.dumps(main(name, int(nbytes), int(tokens), f32 == "1", *(None if r == "-" else Path(r) for r in [*rest, "-"][:2]))))
