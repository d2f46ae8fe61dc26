"""What the verdict expects against what runs measure: `python -m benchmarks verdict [--json]`.

Two containers, the starter and the starter widened four times (2.3 GB), with slots for some shares of their experts; OUZEL_BENCH_MODELS
names others. The verdict sees the config alone, and memory and drive as they are measured just before and just after each run. The run
feeds 64 tokens of ordinary text, then 64 more one by one; the first 16 of these warm up and do not count. `factor` is expected over
measured tokens/s or the other way round, whichever is over 1; `factor_with_hits` the same with the run's own hit rate in place of the
expected one, so that routing and seconds can be told apart.
"""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.quality import EVAL
from benchmarks.widen import widened
from engine.cancel import CancelToken
from engine.cli.bench import difference
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.machine import memory
from engine.model.model import Model
from engine.model.plan import Planner, plan
from engine.paths import SUFFIX
from engine.setup import speed
from engine.setup.memory_speed import MemorySpeed, measured
from engine.setup.outlook import outlook
from engine.setup.speed import DriveSpeed, drive_speed
from engine.setup.unwritten import Unwritten
from engine.setup.verdict import Machine, token_seconds, verdict
from tests.starter_cache import built_starter

SHARES = (0.06, 0.12, 0.25, 0.5, 1.0)
CONTEXT, PROMPT, WARM, STEPS = 1024, 64, 16, 64


@contextmanager
def opened(path: Path, share: float) -> Iterator[Model]:
    """The model with room for this share of its experts."""
    with ExitStack() as stack:
        container = Container.open(path)
        stack.callback(container.close)
        config = EngineConfig(path, context=CONTEXT, chunk=PROMPT)
        planner = Planner(container, config)
        slots = max(planner.least_slots, round(planner.n_records * share))
        config = replace(config, budget_bytes=planner.fixed(CONTEXT, PROMPT) + planner.cache(slots))
        model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
        stack.callback(model.close)
        yield model


def run(model: Model) -> dict[str, float]:
    """Median seconds of a step, and the hit rate."""
    ids = np.array(json.loads(EVAL.read_text().splitlines()[0])["ids"], np.int32)
    state = model.new_state()
    model.forward(ids[:PROMPT], state, "last")
    seconds, before = [], model.snapshot()
    for i in range(PROMPT, PROMPT + STEPS):
        if i == PROMPT + WARM:
            before = model.snapshot()
        began = perf_counter()
        model.forward(ids[i : i + 1], state, "all")
        seconds.append(perf_counter() - began)
    done, n = difference(before, model.snapshot()), STEPS - WARM
    accesses = done.expert_hits + done.expert_misses
    waits = {"read_wait": done.seconds_read_wait / n, "experts": done.seconds_experts / n, "attention": done.seconds_attention / n}
    return {"seconds": median(seconds[WARM:]), "mean_seconds": mean(seconds[WARM:]), "hit_rate": done.expert_hits / accesses, **waits}


def facts(path: Path, threads: int) -> tuple[MemorySpeed, DriveSpeed]:
    """Memory and drive now."""
    return measured(threads, CancelToken()), drive_speed(path.parent, CancelToken(), again=True)


def between(a: tuple[MemorySpeed, DriveSpeed], b: tuple[MemorySpeed, DriveSpeed]) -> tuple[MemorySpeed, DriveSpeed]:
    """The means of two measurements."""
    m = replace(a[0], **{k: (getattr(a[0], k) + getattr(b[0], k)) / 2 for k in ("read_rate", "product_rate", "call_seconds")})
    rows = tuple(tuple((x + y) / 2 for x, y in zip(r, s, strict=True)) for r, s in zip(a[1].seconds, b[1].seconds, strict=True))
    return m, replace(a[1], seconds=rows)


def compare(path: Path, share: float) -> dict[str, Any]:
    """One model with one cache."""
    with opened(path, share) as model:
        threads, p = model.plan.threads, model.plan
        before = facts(path, threads)
        ran = run(model)
        m, d = between(before, facts(path, threads))
        config = dict(model.container.config)
    now = memory()
    machine = Machine(now.limit_bytes, now.available_bytes, m, d, 0)
    asked = EngineConfig(path, budget_bytes=p.budget_bytes, context=CONTEXT, chunk=PROMPT, threads=threads)
    o = outlook(Unwritten(path.stem, config), asked)
    if o.plan.n_slots != p.n_slots:
        raise AssertionError(f"the config alone gives {o.plan.n_slots} slots, the container {p.n_slots}")
    v = verdict(machine, o, installed=True)
    rate = 1 / ran["seconds"]
    with_hits = 1 / token_seconds(machine, o, 1 - ran["hit_rate"])
    return {
        "slots": p.n_slots, "records": p.n_records, "measured": rate, "expected": v.tokens_per_second, "slowest": v.slowest,
        "fastest": v.fastest, "hit_measured": ran["hit_rate"], "hit_expected": v.hit_rate, "factor": factor(v.tokens_per_second, rate),
        "factor_with_hits": factor(with_hits, rate), "run": ran, "memory": asdict(m), "drive": asdict(d),
    }  # fmt: skip


def factor(a: float, b: float) -> float:
    return max(a / b, b / a)


def measure() -> dict[str, Any]:
    """runs[model][share]; worst_factor over all of them, and the share of runs within the range that was told."""
    speed.SECONDS = 1.5  # of each drive test: there are two a run
    named = [Path(p) for p in os.environ.get("OUZEL_BENCH_MODELS", "").split(os.pathsep) if p]
    models = {p.name.removesuffix(SUFFIX): p for p in named} or {"starter": built_starter(), "starter x4": widened(4)}
    runs = {name: {f"{share:.0%}": compare(path, share) for share in SHARES} for name, path in models.items()}
    every = [r for by_share in runs.values() for r in by_share.values()]
    return {
        "runs": runs,
        "worst_factor": max(r["factor"] for r in every),
        "median_factor": median(r["factor"] for r in every),
        "within_range": mean(r["slowest"] <= r["measured"] <= r["fastest"] for r in every),
    }


def told(result: dict[str, Any]) -> str:
    heads = f"{'':12}{'cached':>7}{'expected':>10}{'range':>16}{'measured':>10}{'factor':>8}{'same hits':>10}"
    lines = [f"{heads}{'hits expected, measured':>25}"]
    for name, runs in result["runs"].items():
        for share, r in runs.items():
            span = f"{r['slowest']:.1f} to {r['fastest']:.1f}"
            lines.append(
                f"{name:12}{share:>7}{r['expected']:10.1f}{span:>16}{r['measured']:10.1f}{r['factor']:8.2f}{r['factor_with_hits']:10.2f}"
                f"{r['hit_expected']:16.1%}{r['hit_measured']:9.1%}"
            )
    worst, middle, within = result["worst_factor"], result["median_factor"], result["within_range"]
    lines.append(f"worst factor {worst:.2f}, median {middle:.2f}, {within:.0%} within the range")
    return "\n".join(lines)
