"""Answers computed together against the same ones one after the other, under the same memory limit.

    python -m benchmarks together [--json]
    python -m benchmarks.together --limit 200 --rounds 2 --share 0.2 --rate 0 --ways two four [--model CONTAINER] [--tokens 32]

The second form ends after so many seconds, between two rounds, and says how many rounds its medians are of.
Engines are open on the starter with a cache for a share of the experts: "after" answers one at a time, with drafts and without; "two" and
"four" have as many experts in memory and further conversations beside them, as a large model nearly has; "two_within" has its second
conversation within the limit of "after", which costs this small model much of its cache. The same four questions are answered by each in
turn, several times; their texts must be equal. Speeds are tokens of all answers over seconds from the first request to
the last answer's end, prompts included; bytes are those of experts read, a token. Reads are held to `rate` MB/s, 0 for the drive as it is.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.container.reader import Container
from engine.errors import EngineError
from engine.generate.session import Session
from engine.generate.turn import Heard, Turn
from engine.model.model import Model
from engine.model.plan import Planner, plan
from engine.requests import Message
from engine.text.text import Text
from tests.starter_cache import built_starter

# Answers at once, drafts, whether within the limit of one at a time.
WAYS = {
    "after": (1, "off", True), "after_drafts": (1, "auto", True), "two": (2, "off", False), "four": (4, "off", False),
    "two_within": (2, "off", True),
}  # fmt: skip
SHARES, RATES, ROUNDS, TOKENS, CONTEXT, CHUNK = (0.2, 0.5), (400.0, 0.0), 3, 96, 512, 128
QUESTIONS = (
    "Why do rivers bend?", "Write a short story about a lighthouse.", "List the steps to plant a tree.", "What is a binary search?",
)  # fmt: skip


def opened(path: Path, text: Text, share: float, rate: float, way: str, stack: ExitStack) -> Session:
    """A session with room for this share of the experts, or with the limit that this takes where one answers at a time."""
    container = Container.open(path)
    stack.callback(container.close)
    parallel, draft, within = WAYS[way]
    config = EngineConfig(path, context=CONTEXT, chunk=CHUNK, draft=draft, warm_start=False, parallel=parallel)
    planner = Planner(container, replace(config, parallel=1) if within else config)
    slots = max(planner.least_slots, round(planner.n_records * share))
    budget = planner.fixed(CONTEXT, CHUNK) + planner.cache(slots)
    config = replace(config, budget_bytes=max(budget, Planner(container, config).floor()))
    model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
    stack.callback(model.close)
    model.streamer.limit(0, rate * 1e6)
    return Session(model, text)


def answered(session: Session, way: str, most: int = TOKENS) -> tuple[list[str], int, float, int]:
    """(texts, tokens, seconds, bytes read) of all questions, `most` tokens each."""
    draft = WAYS[way][1]
    texts, running, tokens = [""] * len(QUESTIONS), list[Turn](), 0
    waiting: Iterator[int] = iter(range(len(QUESTIONS)))
    session.reset()
    start, before = perf_counter(), session.snapshot().bytes_read
    left = len(QUESTIONS)
    while left:
        while session.free() and (n := next(waiting, None)) is not None:

            def text(piece: str, n: int = n) -> None:
                texts[n] += piece

            sampling = Sampling(0.7, seed=n, max_tokens=most)
            heard = Heard(text, lambda done, total: None, text)
            running.append(session.begin([Message("user", QUESTIONS[n])], sampling, CancelToken(), heard, draft))
        session.step(running)
        for turn in [turn for turn in running if turn.over]:
            if turn.error is not None:
                raise turn.error
            assert turn.stats is not None
            running.remove(turn)
            tokens, left = tokens + turn.stats.answer_tokens, left - 1
    return texts, tokens, perf_counter() - start, session.snapshot().bytes_read - before


def compare(
    path: Path,
    share: float,
    rate: float,
    ways: Sequence[str] = tuple(WAYS),
    rounds: int = ROUNDS,
    most: int = TOKENS,
    until: float = float("inf"),
) -> dict[str, float]:
    """Figures of one cache and one drive. until: a time of perf_counter after which no round begins; the first two always do."""
    seen: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    with ExitStack() as stack:
        text = Text.open(path)
        sessions = {way: opened(path, text, share, rate, way, stack) for way in ways}
        said: list[str] | None = None
        took = 0.0
        for n in range(rounds + 1):
            start = perf_counter()
            if n > 1 and start + took > until:
                break
            for way in [*ways[n % len(ways) :], *ways[: n % len(ways)]]:
                texts, tokens, seconds, nbytes = answered(sessions[way], way, most)
                said = said or texts
                if texts != said:
                    raise EngineError(f"The answers computed as {way!r} are others than those one after the other.")
                if n:  # the first one fills the cache
                    seen[way].append((tokens / seconds, nbytes / tokens))
            took = perf_counter() - start
        slots = {f"{way}_slots": float(s._model.plan.n_slots) for way, s in sessions.items()}
    figures = {f"{way}_tokens_per_second": median(rate for rate, _ in runs) for way, runs in seen.items()}
    figures |= {f"{way}_mb_per_token": median(nbytes for _, nbytes in runs) / 1e6 for way, runs in seen.items()}
    ratios = {f"{way}_ratio": figures[f"{way}_tokens_per_second"] / figures["after_tokens_per_second"] for way in ways if way != "after"}
    return {"share": share, "rate": rate, "rounds": len(seen["after"]), **figures, **ratios, **slots}


def measure() -> dict[str, Any]:
    """All caches and drives; a row each."""
    path = built_starter()
    return {"rows": [compare(path, share, rate) for share, rate in product(SHARES, RATES)]}


def told(result: dict[str, Any]) -> str:
    """A table for people."""
    names = {"after_drafts": "with drafts", "two": "two together", "four": "four together", "two_within": "two within the limit"}
    ways = [way for way in names if f"{way}_ratio" in result["rows"][0]]
    lines = ["cache      drive  one after the other      " + "".join(f"{names[way]:<20}" for way in ways).rstrip()]
    for r in result["rows"]:
        drive = f"{r['rate']:.0f} MB/s" if r["rate"] else "as it is"
        cells = [f"{r['after_tokens_per_second']:6.1f} tokens/s {r['after_mb_per_token']:5.2f} MB"]
        cells += [f"{r[f'{way}_ratio']:5.2f} x {r[f'{way}_mb_per_token']:5.2f} MB" for way in ways]
        lines.append(f"{r['share']:4.0%}  {drive:>9}  " + "   ".join(cells))
    return "\n".join(lines)


def main(argv: list[str]) -> int:
    """The form that ends in time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--share", type=float, default=SHARES[0])
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--limit", type=float, default=200.0)
    parser.add_argument("--ways", nargs="+", choices=[way for way in WAYS if way != "after"], default=["two", "four"])
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args(argv)
    until, ways = perf_counter() + o.limit, ("after", *o.ways)
    row = compare(o.model or built_starter(), o.share, o.rate, ways, max(o.rounds, 1), o.tokens, until)
    print(json.dumps(row) if o.json else f"{told({'rows': [row]})}\nmedians of {row['rounds']} round(s)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
