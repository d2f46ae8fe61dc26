"""Hit rates of the expert cache on routing traces, next to published policies, LRU and the clairvoyant optimum.

    python -m benchmarks cache [--json]
    python -m benchmarks.cache TRACE.jsonl... [--json]

Without files: all `trace_*.jsonl` of the folder OUZEL_TRACES, else of ../shared/traces beside this repository, and routes that the
starter (OUZEL_STARTER, else the one of this user) records now, with what its engine counts and what a warm start gains.

Rates are those of a trace's second half: caches are warm, and LOGIT is fitted, from the first half. Sizes are slots: a half and a whole
working set W (the experts of one token), and shares of all experts. In ours each slot counts, also those that experts only pass through;
LFUd-4 with bypass and LOGIT keep as many experts and pass the others through memory that they do not count.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import cache_engine
from benchmarks.cache_baselines import DecayedCounts, Logit, fit_logit, hit_rate, values_of
from engine.errors import BadRequest, EngineError
from engine.experts import simulator, trace

SHARES = (0.05, 0.10, 0.20)
SHOWN = {
    "ours": "ours",
    "lfud4_bypass": "LFUd-4 with bypass",
    "logit": "LOGIT",
    "logit_bypass": "LOGIT with order and bypass",
    "lru": "LRU",
    "optimum": "optimum",
}
WARM = {"hits in percent": "hit", "of the prompt": "prompt_hit", "first token, ms": "first_token_ms", "MB read": "mb_read"}


def folder() -> Path:
    """Where published traces are. Raises BadRequest where there are none."""
    named = os.environ.get("OUZEL_TRACES")
    path = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "traces"
    if not sorted(path.glob("trace_*.jsonl")):
        raise BadRequest(f"There are no traces (trace_*.jsonl) in {path}. Name their folder in OUZEL_TRACES, or give files.")
    return path


def name_of(path: Path) -> str:
    """trace_kimi_300.jsonl is "kimi"."""
    return re.sub(r"^trace_|_\d+$", "", path.stem)


def n_experts(steps: Sequence[trace.Step]) -> int:
    """Experts of a layer: the next power of two above the largest id."""
    return 1 << max(max(ids) for step in steps for ids in step).bit_length()


def sizes(steps: Sequence[trace.Step]) -> dict[str, int]:
    """Slots by column name."""
    working_set = sum(len(ids) for ids in steps[-1])
    total = len(steps[0]) * n_experts(steps)
    columns = {"W/2": working_set // 2, "W": working_set}
    return columns | {f"{share:.0%}": max(round(share * total), 1) for share in SHARES}


def rates(steps: Sequence[trace.Step], columns: dict[str, int]) -> dict[str, dict[str, float]]:
    """Hit rate in percent on the second half, by column and policy."""
    half, width = len(steps) // 2, n_experts(steps)
    simulated = {"ours": simulator.replay, "lru": simulator.lru, "optimum": simulator.optimum}
    out = {c: {name: 100 * policy(steps, n, half).hit_rate for name, policy in simulated.items()} for c, n in columns.items()}
    if len({len(ids) for step in steps for ids in step}) > 1:
        return out  # steps of several rows: the others are defined for one token a step
    routes = np.array(steps, np.int64)
    n_layers, fit = routes.shape[1], fit_logit(routes[:half], width)
    counts = values_of(routes, width, DecayedCounts(n_layers, width, 4.0))
    chances = values_of(routes, width, Logit(n_layers, width, fit))
    for c, n in columns.items():
        out[c]["lfud4_bypass"] = 100 * hit_rate(routes, counts, n, half, True)
        out[c]["logit"] = 100 * hit_rate(routes, chances, n, half, False)
        out[c]["logit_bypass"] = 100 * hit_rate(routes, chances, n, half, True, True)
    return out


def measure(files: Sequence[Path] = ()) -> dict[str, Any]:
    """hit[trace][size][policy] in percent; slots[trace][size]; margin: the least of ours less LFUd-4 with bypass, by trace.

    Without files also disagreement[size], engine less replay in points, and warm_start. What is missing is said on standard error.
    """
    result: dict[str, Any] = {"hit": {}, "slots": {}, "margin": {}}
    traces = {name_of(path): trace.read(path) for path in files}
    if not files:
        try:
            traces = {name_of(path): trace.read(path) for path in sorted(folder().glob("trace_*.jsonl"))}
        except EngineError as e:
            print(e, file=sys.stderr)
        path = cache_engine.starter()
        with cache_engine.own_home() as home:
            traces |= {f"recorded_{name}": steps for name, steps in cache_engine.recorded(path, home).items()}
            result["disagreement"] = cache_engine.disagreement(path, sizes(traces["recorded_chat"]))
        result["warm_start"] = cache_engine.warm_start(path)
    for name, steps in traces.items():
        columns = sizes(steps)
        if len(steps) < 4:
            raise BadRequest(f"The trace {name} has {len(steps)} steps, too few for two halves. Record a longer answer.")
        hit = result["hit"][name] = rates(steps, columns)
        result["slots"][name] = columns
        if all("lfud4_bypass" in row for row in hit.values()):
            result["margin"][name] = min(row["ours"] - row["lfud4_bypass"] for row in hit.values())
    return result


def told(result: dict[str, Any]) -> str:
    """One table a trace: policies down, sizes across."""
    lines = []
    for name, hit in result["hit"].items():
        title = f"{name}, hits in percent"
        lines.append(f"\n{title:32}" + "".join(f"{f'{c} ({n})':>12}" for c, n in result["slots"][name].items()))
        for policy, words in SHOWN.items():
            row = [columns[policy] for columns in hit.values() if policy in columns]
            if row:
                lines.append(f"  {words:30}" + "".join(f"{rate:12.1f}" for rate in row))
    if "disagreement" in result:
        row = "".join(f"{points:12.2f}" for points in result["disagreement"].values())  # type: ignore[assignment]
        lines.append(f"\n{'engine less replay, in points':32}{row}")
        w = result["warm_start"]
        lines.append(f"\nwarm start, half of the starter's experts, {cache_engine.TOKENS} tokens")
        for words, key in WARM.items():
            lines.append(f"  {words:30}cold {w[f'cold_{key}']:8.1f}   warm {w[f'warm_{key}']:8.1f}")
    return "\n".join(lines).lstrip("\n")


def main() -> int:
    """Replay files, or the published traces."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="*", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line instead of tables")
    args = parser.parse_args()
    try:
        result = measure(args.traces)
    except EngineError as e:
        print(e, file=sys.stderr)
        return 1
    print(json.dumps(result) if args.json else told(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
