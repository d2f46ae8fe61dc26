"""One run of our engine for benchmarks/peers.py, in a process of its own: `python -m benchmarks.peers_ours JOB`, JOB as in peers.Job.

The last line is a JSON object: tokens/s of each prompt and each answer, what was written, and what the engine counted.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import psutil

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.model import Model
from engine.model.plan import plan
from engine.model.state import State
from kernels_pyx.linear import read_loop

CHUNK = 512


def main(job: dict[str, Any]) -> dict[str, Any]:
    """Warm up, then read each prompt and write `decode` likeliest tokens after it."""
    imported = psutil.Process().memory_info().rss
    container = Container.open(Path(job["model"]))
    config = EngineConfig(
        container.path, context=job["context"], chunk=CHUNK, threads=job["threads"], budget_bytes=job["budget"], draft="off"
    )
    model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
    rate = _memory_rate(model)
    state = model.new_state()
    _write(model, state, _read(model, state, job["warm"]), job["warm_decode"], [], job["patience"])
    out: dict[str, Any] = {"imported": imported, "slots": model.plan.n_slots, "records": model.plan.n_records, "runs": []}
    for prompt in job["prompts"]:
        state = model.new_state()
        before, began = model.snapshot(), perf_counter()
        logits = _read(model, state, prompt)
        middle, prefilled = model.snapshot(), perf_counter()
        steps: list[tuple[float, int]] = []
        ids = _write(model, state, logits, job["decode"], steps, job["patience"])
        after = model.snapshot()
        out["runs"].append({
            "prefill": len(prompt) / (prefilled - began),
            "decode": len(ids) / sum(seconds for seconds, _ in steps),
            "ids": ids,
            "steps": steps,
            "prefill_counters": {k: v - asdict(before)[k] for k, v in asdict(middle).items()},
            "decode_counters": {k: v - asdict(middle)[k] for k, v in asdict(after).items()},
        })  # fmt: skip
    out["memory_rate"] = max(rate, _memory_rate(model))
    out["peak"] = psutil.Process().memory_info().rss
    model.close()
    return out


def _memory_rate(model: Model) -> float:
    """Bytes/s of a plain read loop over the trunk where it lies, with the engine's threads; the best of five."""
    trunk = model._weights._arena.array
    trunk = trunk[: trunk.nbytes // 64 * 64]
    times = []
    for _ in range(5):
        began = perf_counter()
        read_loop(model.compute, trunk)
        times.append(perf_counter() - began)
    return float(trunk.nbytes / min(times))


def _read(model: Model, state: State, ids: list[int]) -> np.ndarray:
    logits = np.empty(0)
    for at in range(0, len(ids), CHUNK):
        last = at + CHUNK >= len(ids)
        logits = model.forward(np.array(ids[at : at + CHUNK], np.int32), state, "last" if last else "none")  # type: ignore[assignment]
    return logits


def _write(model: Model, state: State, logits: np.ndarray, n: int, steps: list[tuple[float, int]], patience: float) -> list[int]:
    """n likeliest ids, fewer where they take more than `patience` seconds; steps gets seconds and bytes read of each."""
    ids: list[int] = []
    start = perf_counter()
    while len(ids) < n and perf_counter() - start < patience:
        began, had = perf_counter(), model.streamer.counters().bytes_read
        ids.append(int(logits[-1].argmax()))
        logits = model.forward(np.array(ids[-1:], np.int32), state, "all")
        steps.append((perf_counter() - began, model.streamer.counters().bytes_read - had))
    return ids


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
