"""Contract 3: peak resident memory, less that after imports, stays under the limit from the floor up, tokenizer and drafts included."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.plan import Planner
from engine.model.resident import config_of, resident_bytes

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="resets the peak through /proc")


def measure(path: Path, budget: int, exact: bool, *more: str) -> dict[str, int]:
    """Two turns in a process of its own; see benchmarks/budget_run.py."""
    command = [sys.executable, "-m", "benchmarks.budget_run", str(path), str(budget), "1024", str(int(exact)), *more]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    result: dict[str, int] = json.loads(run.stdout)
    return result


def floor_of(path: Path, **options: object) -> int:
    container = Container.open(path)
    floor = Planner(container, EngineConfig(path, context=1024, threads=2, **options)).floor()  # type: ignore[arg-type]
    container.close()
    return floor


@pytest.mark.parametrize(("exact", "more"), [(False, 0), (False, 40_000_000), (False, 150_000_000), (True, 0)])
def test_that_peak_memory_stays_under_the_limit(starter: Path, exact: bool, more: int) -> None:
    budget = floor_of(starter, exact=exact, draft="ngram") + more
    got = measure(starter, budget, exact)
    assert got["peak_bytes"] <= budget
    assert got["prompt_tokens"] > got["chunk"] or more > 100_000_000  # several chunks under the tight limits
    assert got["drafts"] > 0
    assert abs(got["allocated_bytes"] - got["planned_bytes"]) <= 0.01 * got["planned_bytes"]


def test_that_a_draft_model_beside_it_stays_under_the_limit_too(starter: Path, tmp_path: Path) -> None:
    """The starter under another name drafts for the starter."""
    small = tmp_path / "small.ouzel"
    small.symlink_to(starter, target_is_directory=True)
    container, draft = Container.open(starter), Container.open(small)
    config = EngineConfig(starter, context=1024, threads=2, draft="auto", draft_model=small)
    budget = Planner(container, config, None, resident_bytes(draft, config_of(config))).floor()
    container.close()
    draft.close()
    got = measure(starter, budget, False, "-", str(small))
    assert got["peak_bytes"] <= budget
    assert got["drafting_seconds"] > 0
    assert abs(got["allocated_bytes"] - got["planned_bytes"]) <= 0.01 * got["planned_bytes"]


# Three answers together to prompts of several chunks, twice; prints bytes of peak and plan.
TOGETHER = """
import json, sys
from pathlib import Path
from benchmarks.budget_run import DRAWN, TURNS, status
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.generate.turn import Heard
from engine.machine import trim_heap
from engine.requests import Message
from engine.worker.opened import OpenModel

trim_heap()
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS:")
config = EngineConfig(Path(sys.argv[1]), budget_bytes=int(sys.argv[2]), context=1024, threads=2, draft="auto", parallel=3)
opened = OpenModel(config, lambda phase, fraction: None, CancelToken())
heard = Heard(lambda piece: None, lambda done, total: None)
for turn in TURNS:
    turns = [opened.session.begin([Message("user", f"{n} {turn}")], DRAWN, CancelToken(), heard, "auto") for n in range(3)]
    while not all(t.over for t in turns):
        opened.session.step(turns)
    assert all(t.stats is not None for t in turns)
m = opened.model
print(json.dumps({"peak": status("VmHWM:") - before, "planned": m.plan.total_bytes, "allocated": opened.session.snapshot().memory_bytes}))
opened.close()
"""


def test_that_several_answers_together_stay_under_the_limit_too(starter: Path) -> None:
    budget = floor_of(starter, draft="auto", parallel=3)
    run = subprocess.run([sys.executable, "-c", TOGETHER, str(starter), str(budget)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    got = json.loads(run.stdout)
    assert got["peak"] <= budget and abs(got["allocated"] - got["planned"]) <= 0.01 * got["planned"]


def test_that_the_starter_s_floor_is_at_most_140_mb(starter: Path) -> None:
    assert floor_of(starter) <= 140_000_000
