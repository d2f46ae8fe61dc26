"""One door to all benchmarks: `python -m benchmarks NAME [--json]` (or `python3 dev.py bench NAME [--json]`).

A benchmark is a module NAME.py here with `measure() -> dict` (figures that JSON can hold) and `told(result) -> str` (a table for
people). What is compared runs in the same process or in turn with it, and figures are medians: a machine that slows down slows both sides.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

from engine.errors import EngineError

NAMES = {
    "kernels": "products over packed weights: share of a read loop, and against ggml",
    "attention": "attention and recurrences at long contexts against reading the weights",
    "engines": "two engines at once against one",
    "disk": "reads of experts against fio",
    "volumes": "experts on two drives against one",
    "cache": "hit rates of the expert cache against other policies and the optimum",
    "lookahead": "reading ahead against not doing so",
    "convert": "speed, memory and disk of a conversion, from a folder and from a hub",
    "drafts": "decoding with drafts against decoding without, by source and kind of task",
    "together": "answers computed together against one after the other: speed, and bytes read a token",
    "prefill": "bytes read by a prompt, and how soon Stop stops it",
    "budget": "peak memory over the limit",
    "peers": "decode and prefill against llama.cpp on the same weights, and against the machine's own limits",
    "sessions": "time to the first token of a late turn, held, restored and computed",
    "verdict": "expected speed, before a download, against measured runs",
    "quality": "perplexity and KL of formats and arithmetics",
    "transcript": "a growing answer, and a conversation of 200,000 tokens, in the window",
    "start": "from the start of the process to the window's first paint, against an empty window",
    "lateness": "how late the window's thread comes while the engine opens, reads, writes and converts",
    "real_sizes": "layers of released models at their real widths",
}


def main(argv: list[str]) -> int:
    """Run one benchmark; the exit code."""
    there = {name: what for name, what in NAMES.items() if Path(__file__).with_name(f"{name}.py").exists()}
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"  {name:<12}{what}" for name, what in there.items()),
    )
    parser.add_argument("name", choices=there, metavar="NAME")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line instead of a table")
    options = parser.parse_args(argv)
    module = importlib.import_module(f"benchmarks.{options.name}")
    try:
        result = module.measure()
    except EngineError as e:
        print(e, file=sys.stderr)
        return 1
    print(json.dumps(result) if options.json else module.told(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
