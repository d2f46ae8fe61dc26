"""Decoding with drafts against decoding without, on the same prompts in turn, by kind of task.

    python -m benchmarks drafts [--json]
    python -m benchmarks.drafts [--ram MODEL] [--disk MODEL] [--share 0.25] [--rounds 3] [--tokens 96] [--json]

Two engines are open on one model; each prompt is answered by both (the likeliest tokens), in changing order, and their answers must be
equal. A ratio is tokens/s with drafts over tokens/s without, the median over prompts and rounds; "together" is over all kinds but plain.
RAM: the starter with all experts in memory. Disk: the starter widened four times (benchmarks/widen.py: 2.3 GB, real text and
routing), with memory for a share of its experts.
"""

import argparse
import json
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.draft_prompts import PROMPTS
from benchmarks.widen import default_folder, widened
from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.container.reader import Container
from engine.generate.session import Session
from engine.model.model import Model
from engine.model.plan import Planner, plan
from engine.requests import Message
from engine.stats import AnswerStats
from engine.text.text import Text
from tests.starter_cache import built_starter

CONTEXT, CHUNK, TOKENS, ROUNDS, SHARE = 1024, 256, 96, 3, 0.25


@dataclass(frozen=True, slots=True)
class Pair:
    """One prompt, answered with drafts and without."""

    drafted: AnswerStats
    plain: AnswerStats

    @property
    def ratio(self) -> float:
        """Of speeds."""
        return self.plain.seconds_decode / self.drafted.seconds_decode


def opened(path: Path, share: float, draft: str, stack: ExitStack) -> Session:
    """A session over a model with room for this share of its experts."""
    container = Container.open(path)
    stack.callback(container.close)
    config = EngineConfig(path, context=CONTEXT, chunk=CHUNK, draft=draft)
    planner = Planner(container, config)
    slots = max(planner.least_slots, round(planner.n_records * share))
    config = replace(config, budget_bytes=planner.fixed(CONTEXT, CHUNK) + planner.cache(slots) + 8_000_000)
    model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
    stack.callback(model.close)
    session = Session(model, Text.open(path))
    stack.callback(session.close)
    return session


def answered(session: Session, prompt: str, draft: str, tokens: int) -> tuple[str, AnswerStats]:
    """The likeliest answer to a conversation of this prompt alone."""
    session.reset()
    pieces: list[str] = []
    ask = (Message("user", prompt),)
    stats = session.generate(ask, Sampling(0, max_tokens=tokens), CancelToken(), pieces.append, lambda done, total: None, draft)
    return "".join(pieces), stats


def compare(path: Path, share: float, rounds: int, tokens: int) -> dict[str, list[Pair]]:
    """Pairs by kind."""
    out: dict[str, list[Pair]] = {kind: [] for kind in PROMPTS}
    with ExitStack() as stack:
        sessions = {draft: opened(path, share, draft, stack) for draft in ("off", "ngram")}
        for turn in range(rounds + 1):  # the first round warms caches and tells costs
            for kind, prompts in PROMPTS.items():
                for prompt in prompts:
                    order = ("off", "ngram") if turn % 2 else ("ngram", "off")
                    got = {draft: answered(sessions[draft], prompt, draft, tokens) for draft in order}
                    if got["off"][0] != got["ngram"][0]:
                        raise AssertionError(f"drafts changed the answer to {prompt!r}")
                    if turn:
                        out[kind].append(Pair(got["ngram"][1], got["off"][1]))
    return out


def figures(pairs: dict[str, list[Pair]]) -> dict[str, dict[str, float]]:
    """Ratio, tokens a step, share of drafts kept and MB read a token, by kind."""
    out: dict[str, dict[str, float]] = {"ratio": {}, "tokens_per_step": {}, "kept": {}, "mb_per_token": {}, "plain_mb_per_token": {}}
    kinds = pairs | {"together": [p for kind, some in pairs.items() if kind != "plain" for p in some]}
    for kind, some in kinds.items():
        c = [p.drafted.counters for p in some]
        tokens = sum(p.drafted.answer_tokens for p in some)
        out["ratio"][kind] = median(p.ratio for p in some)
        out["tokens_per_step"][kind] = median(
            (p.drafted.answer_tokens - 1) / max(p.drafted.answer_tokens - 1 - p.drafted.counters.drafts_accepted, 1) for p in some
        )
        out["kept"][kind] = sum(s.drafts_accepted for s in c) / max(sum(s.drafts_proposed for s in c), 1)
        out["mb_per_token"][kind] = sum(s.bytes_read for s in c) / tokens / 1e6
        out["plain_mb_per_token"][kind] = sum(p.plain.counters.bytes_read for p in some) / tokens / 1e6
    return out


def measure(
    ram: Path | None = None, disk: Path | None = None, share: float = SHARE, rounds: int = ROUNDS, tokens: int = TOKENS
) -> dict[str, Any]:
    """The table's figures; "ratio" by place and kind."""
    disk = disk or widened(4, default_folder())
    told = {
        "disk": figures(compare(disk, share, max(rounds - 1, 1), tokens)),
        "ram": figures(compare(ram or built_starter(), 1.0, rounds, tokens)),
    }
    return {key: {place: f[key] for place, f in told.items()} for key in told["ram"]}


def told(result: dict[str, Any]) -> str:
    """A table: kinds by figures, for each place."""
    lines = []
    for place in result["ratio"]:
        lines.append(f"{place:<10}  speed  tokens/step   kept  MB/token (plain)")
        for kind in result["ratio"][place]:
            ratio, steps, kept, mb, plain = (f[place][kind] for f in result.values())
            lines.append(f"  {kind:<8} {ratio:6.2f} {steps:12.2f} {kept:6.0%} {mb:9.2f} ({plain:.2f})")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drafts")
    parser.add_argument("--ram", type=Path)
    parser.add_argument("--disk", type=Path)
    parser.add_argument("--share", type=float, default=SHARE)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args()
    result = measure(o.ram, o.disk, o.share, o.rounds, o.tokens)
    print(json.dumps(result) if o.json else told(result))


if __name__ == "__main__":
    main()
