"""Ours beside llama.cpp on the same weights, and beside the machine's own limits: `python -m benchmarks peers [--json]`.

    python -m benchmarks.peers [--model starter|qwen3] [--times 4] [--threads 2] [--rounds 3] [--folder DIR] [--json]

The model is the starter widened 4 times (benchmarks/widen.py): real text and routing, 2.3 GB; llama.cpp has its bits in GGUF
(benchmarks/gguf_copy.py). Each run is a process of its own that reads a prompt of 512 tokens of held-out text and writes the likeliest
tokens after it; ours and the peer's take turns, on an empty page cache, and figures are medians over the rounds.

RAM: no limit, the peer may repack its weights. Quarter: both in a memory cgroup with room for the interpreter, what ours always needs
(trunk, keys and values, scratch) and a quarter of the experts; the peer maps its file, unpacked, and its threads do not spin.

--model qwen3 is 8 layers in the shapes of Qwen3-30B-A3B with random weights (9 GB for both files): its routing says nothing.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.gguf_copy import gguf_copy
from benchmarks.peers_limit import forget, limited
from benchmarks.widen import default_folder, widened
from engine.config import EngineConfig
from engine.container.format import MANIFEST
from engine.container.reader import Container
from engine.errors import EngineError
from engine.model.plan import Planner
from kernels_pyx.aio import DEMAND, Arena, DirectFile, Reader
from tests.arch.real import QWEN3_30B_A3B
from tests.written import write_random

EVAL = Path(__file__).parents[1] / "tests" / "data" / "starter" / "eval.jsonl"
TIMES, CONTEXT, PROMPT, DECODE, ROUNDS = 4, 1024, 512, 64, 3
WINDOWS = (0, 12, 20, 28, 36, 44)  # one of each source
WARM, TOP_K = 40, 8
CALM = {"OMP_WAIT_POLICY": "PASSIVE", "GOMP_SPINCOUNT": "0"}  # a peer that spins loses the core that it waits for


@dataclass(frozen=True)
class Job:
    """What a run gets. prompts: token ids; budget: bytes of ours; repack and flash: choices of llama.cpp.

    An answer ends after `decode` tokens or `patience` seconds: under a memory limit the peer may need seconds for each.
    """

    model: str
    threads: int
    prompts: list[list[int]]
    warm: list[int]
    context: int = CONTEXT
    decode: int = DECODE
    warm_decode: int = 2
    patience: float = 15.0
    budget: int | None = None
    repack: bool = True
    flash: bool = True


@dataclass(frozen=True)
class Sides:
    """Both files of one model, and the memory that ours always needs."""

    ours: Path
    peer: Path
    fixed: int
    quarter: int
    container: Container


def sides(container: Path, gguf: Path) -> Sides:
    """Sizes of a model whose files are there."""
    c = Container.open(container)
    planner = Planner(c, EngineConfig(container, context=CONTEXT, chunk=PROMPT))
    return Sides(container, gguf, planner.fixed(CONTEXT, PROMPT), planner.cache(-(-planner.n_records // 4)), c)


def windows() -> list[list[int]]:
    """Held-out text, 512 token ids each."""
    return [json.loads(line)["ids"] for line in EVAL.read_text().splitlines()]


def run(module: str, job: Job, limit: int | None, files: list[Path]) -> dict[str, Any]:
    """One process on an empty page cache; its JSON. Raises EngineError with its last words."""
    forget(files)
    with limited(limit) as held:
        command = held.wrap([sys.executable, "-m", f"benchmarks.{module}", json.dumps(asdict(job))])
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **CALM}, check=False)
        if done.returncode:
            raise EngineError(f"benchmarks.{module} ended with {done.returncode}.", done.stderr[-2000:])
        return {**json.loads(done.stdout.splitlines()[-1]), "limit": held.kind}


def rounds(s: Sides, threads: int, quarter: bool, n: int, imported: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """n runs of ours and of the peer in turn."""
    text = windows()
    out = []
    files = [s.peer, *(p for p in s.ours.rglob("*") if p.is_file())]
    for i in range(n):
        job = Job(str(s.ours), threads, [text[WINDOWS[i % len(WINDOWS)]]], text[WARM][:8])
        budget = s.fixed + s.quarter if quarter else None
        limit = budget + imported if budget else None
        pair = [("peers_ours", replace(job, budget=budget)), ("llama_run", replace(job, model=str(s.peer), repack=not quarter))]
        results = {module: run(module, j, limit, files) for module, j in (pair if i % 2 == 0 else pair[::-1])}
        out.append((results["peers_ours"], results["llama_run"]))
    return out


def bound(s: Sides, ours: dict[str, Any], disk_rate: float) -> float:
    """Tokens/s over the bound of the machine, over all steps of one run of ours.

    A step takes at least: the trunk's bytes (head included) at the memory rate, and in each MoE layer the larger of what is missing at
    the disk's rate and its experts' bytes at the memory rate. The bytes that a step read, less guesses that nobody used, are dealt evenly
    to its layers, which can only shorten the bound.
    """
    memory, c, counted = ours["memory_rate"], s.container, ours["runs"][0]["decode_counters"]
    wasted = counted["lookahead_wasted"] * c.experts[0].layout.stride
    useful = 1 - wasted / max(counted["bytes_read"], 1)
    layers = len(c.experts)
    experts = c.experts[0].layout.nbytes * TOP_K / memory
    took = least = 0.0
    for seconds, nbytes in ours["runs"][0]["steps"]:
        took += seconds
        least += c.trunk_bytes / memory + layers * max(useful * nbytes / layers / disk_rate, experts)
    return least / took


def disk_rate(s: Sides) -> float:
    """Bytes/s of direct reads of whole experts, as the engine does them. Nothing looks at the bytes, so several go to the same memory."""
    forget([])
    experts = s.container.experts[:6]
    n, stride = experts[0].n_experts, experts[0].layout.stride
    files, arena, reader = [DirectFile(str(e.path)) for e in experts], Arena(n * stride), Reader()
    at = stride * np.arange(n, dtype=np.int64)
    began = perf_counter()
    for file in files:
        reader.submit(file, at, arena.address + at, stride, at, DEMAND)
    while reader.pending:
        reader.reap(True)
    took = perf_counter() - began
    reader.close()
    for file in files:
        file.close()
    arena.close()
    return len(files) * n * stride / took


def compared(s: Sides, n: int = ROUNDS, threads: int = 2) -> dict[str, Any]:
    """All figures of one model."""
    agree: list[float] = []
    conditions: dict[str, Any] = {}
    out: dict[str, Any] = {"conditions": conditions, "threads": threads, "rounds": n, "prompt": PROMPT, "decoded": DECODE}
    imported = 0
    for name in ("ram", "quarter"):
        rate = disk_rate(s)
        results = rounds(s, threads, name == "quarter", n, imported)
        imported = max(side["imported"] for pair in results for side in pair)
        for what in ("decode", "prefill"):
            pairs = [(a["runs"][0][what], b["runs"][0][what]) for a, b in results]
            out[f"{what}_{name}"] = statistics.median(a / b for a, b in pairs)
            out[f"{what}_{name}_ours"], out[f"{what}_{name}_peer"] = (statistics.median(side) for side in zip(*pairs, strict=True))
        agree += [_same(a["runs"][0]["ids"], b["runs"][0]["ids"]) for a, b in results]
        out[f"over_bound_{name}"] = statistics.median(bound(s, a, rate) for a, _ in results)
        out[f"memory_rate_{name}"] = statistics.median(a["memory_rate"] for a, _ in results)
        out[f"disk_rate_{name}"] = rate
        counters = [a["runs"][0]["decode_counters"] for a, _ in results]
        hits, misses = (sum(c[f"expert_{what}"] for c in counters) for what in ("hits", "misses"))
        out[f"hit_rate_{name}"] = hits / (hits + misses)
        conditions[f"held_by_{name}"] = results[0][0]["limit"]
        conditions[f"runs_{name}"] = [{w: (a["runs"][0][w], b["runs"][0][w]) for w in ("decode", "prefill")} for a, b in results]
    out["limit_bytes"], out["slots"], out["experts"] = s.fixed + s.quarter + imported, results[0][0]["slots"], results[0][0]["records"]
    out["same_ids"] = statistics.mean(agree)
    out["over_bound"] = min(out["over_bound_ram"], out["over_bound_quarter"])
    return out


def _same(a: list[int], b: list[int]) -> float:
    """The share of the answer that both write before they first differ."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))) / min(len(a), len(b))


def files(times: int = TIMES, folder: Path | None = None) -> Sides:
    """The widened starter on both sides."""
    container = widened(times, folder)
    return sides(container, gguf_copy(container, container.with_suffix(".gguf")))


def random_files(folder: Path | None = None) -> Sides:
    """Qwen3-30B-A3B's shapes, 8 layers deep, on both sides."""
    target = (folder or default_folder()) / "qwen3-8-layers.ouzel"
    if not (target / MANIFEST).exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        write_random(target, {**QWEN3_30B_A3B, "num_hidden_layers": 8}, "q4", "q4")
    return sides(target, gguf_copy(target, target.with_suffix(".gguf")))


def measure() -> dict[str, Any]:
    """Ratios of ours over llama.cpp's, and over the machine's bound."""
    return compared(files())


def told(r: dict[str, Any], model: str = f"starter widened {TIMES} times") -> str:
    """The table for people."""
    lines = [
        f"{model}, {r['threads']} threads, prompts of {r['prompt']} tokens, {r['decoded']} written, medians of "
        f"{r['rounds']} rounds; answers are the same for {r['same_ids']:.0%} of their length"
    ]
    for name, title in (("ram", "all in RAM"), ("quarter", f"{r['limit_bytes'] / 1e6:.0f} MB: {r['slots']} of {r['experts']} experts")):
        lines.append(f"{title} ({r['conditions'][f'held_by_{name}']})")
        for what in ("decode", "prefill"):
            key = f"{what}_{name}"
            lines.append(f"  {what:<8} ours {r[key + '_ours']:8.2f} tokens/s   llama.cpp {r[key + '_peer']:8.2f}   ratio {r[key]:.2f}")
        lines.append(
            f"  decode over the machine's bound {r[f'over_bound_{name}']:.2f}; hits {r[f'hit_rate_{name}']:.1%}; memory "
            f"{r[f'memory_rate_{name}'] / 1e9:.1f} GB/s, drive {r[f'disk_rate_{name}'] / 1e9:.2f} GB/s"
        )
    return "\n".join(lines)


def main() -> None:
    """As measure, with choices."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=("starter", "qwen3"), default="starter")
    parser.add_argument("--times", type=int, default=TIMES, help="how much wider the starter is")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--folder", type=Path, help="where the models are kept")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    a = parser.parse_args()
    both = files(a.times, a.folder) if a.model == "starter" else random_files(a.folder)
    result = compared(both, a.rounds, a.threads)
    print(json.dumps(result) if a.json else told(result, both.container.name))


if __name__ == "__main__":
    main()
