"""Hit rates of the expert cache on routing traces, next to LRU and to the clairvoyant optimum; no model is needed.

    python -m benchmarks.cache TRACE.jsonl... [--half-lives 2,4,8,16] [--json]

Sizes: a half and a whole working set (the experts of one token), and shares of all experts. Caches are empty at first.
"""

import argparse
import json
import sys
from pathlib import Path

from engine.errors import EngineError
from engine.experts import simulator, trace
from engine.experts.policy import HALF_LIFE

SHARES = (0.05, 0.10, 0.20)


def sizes(steps: list[trace.Step]) -> dict[str, int]:
    """Slots by column name. The number of experts of a layer is taken as the next power of two above the largest id."""
    working_set = sum(len(ids) for ids in steps[-1])
    n_experts = len(steps[0]) << max(max(ids) for step in steps for ids in step).bit_length()
    columns = {"W/2": working_set // 2, "W": working_set}
    return columns | {f"{share:.0%}": max(round(share * n_experts), 1) for share in SHARES}


def measure(steps: list[trace.Step], half_lives: list[float]) -> dict[str, dict[str, float]]:
    """Hit rate by policy and column."""
    columns = sizes(steps)
    out = {"LRU": {c: simulator.lru(steps, n).hit_rate for c, n in columns.items()}}
    for h in half_lives:
        name = f"decayed counts, half-life {h:g}" + (" (ours)" if h == HALF_LIFE else "")
        out[name] = {c: simulator.replay(steps, n, h).hit_rate for c, n in columns.items()}
    out["optimum"] = {c: simulator.optimum(steps, n).hit_rate for c, n in columns.items()}
    return out


def main() -> int:
    """Print a table a trace."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--half-lives", default=f"{HALF_LIFE:g}", help="token steps, separated by commas")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    args = parser.parse_args()
    try:
        half_lives = [float(h) for h in args.half_lives.split(",")]
        if min(half_lives) <= 0:
            raise ValueError
    except ValueError:
        parser.error(f"--half-lives takes positive numbers such as 4,8,16, not {args.half_lives!r}")
    results = {}
    for path in args.traces:
        try:
            steps = trace.read(path)
        except EngineError as e:
            print(e, file=sys.stderr)
            return 1
        results[path.name] = {"steps": len(steps), "layers": len(steps[0]), "slots": sizes(steps), "hit_rate": measure(steps, half_lives)}
        if not args.json:
            print_table(path.name, results[path.name])
    if args.json:
        print(json.dumps(results, indent=1))
    return 0


def print_table(name: str, result: dict[str, object]) -> None:
    """One trace's rates, policies down, sizes across."""
    slots, rates = result["slots"], result["hit_rate"]
    assert isinstance(slots, dict) and isinstance(rates, dict)
    print(f"\n{name}: {result['steps']} steps, {result['layers']} layers")
    print(f"{'':36}" + "".join(f"{f'{c} ({n})':>13}" for c, n in slots.items()))
    for policy, row in rates.items():
        print(f"{policy:36}" + "".join(f"{rate:13.1%}" for rate in row.values()))


if __name__ == "__main__":
    sys.exit(main())
