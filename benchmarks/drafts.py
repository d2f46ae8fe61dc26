"""Decoding with drafts against decoding without, on the same prompts in turn, by kind of task.

    python -m benchmarks drafts [--json]
    python -m benchmarks.drafts [--ram MODEL] [--disk MODEL] [--mtp MODEL] [--share 0.25] [--rounds 3] [--tokens N] [--limit 7]
                                [--only PLACE] [--json]

Two engines are open on one model; each prompt is answered by both (the likeliest tokens), one right after the other in changing order,
and their answers must be equal. A ratio is tokens/s with drafts over tokens/s without, the median over prompts and rounds; "together" is
over all kinds but plain. A short answer of each kind comes first, to warm caches and tell costs. A comparison ends after `--limit`
minutes, at the pair of answers that it is at; kinds take turns, so that each then has its share of "pairs".
RAM: the starter with all experts in memory. Disk: the starter widened four times (benchmarks/widen.py: 2.3 GB, real text and
routing), with memory for a share of its experts. These two draft from the text alone.

"sources": the same model on disk with a draft model beside it, and n-grams too: the starter itself, which is the same function, so that
nearly all its drafts are right (a bound), and the starter with the layers left out that do least (benchmarks/skip.py), an honest small
model; on a part of the prompts.

"mtp": a model that brought a layer for further tokens along, with all experts in memory, which drafts by that alone.
"""

import argparse
import json
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

from benchmarks.draft_prompts import PROMPTS
from benchmarks.skip import skipped
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
from engine.worker.beside import Beside
from tests.starter_cache import built_starter

CONTEXT, CHUNK, ROUNDS, SHARE = 1024, 256, 3, 0.25
TOKENS, WARM_TOKENS = {"ram": 96, "disk": 64, "sources": 48, "mtp": 96}, 24
LIMIT = 7.0  # minutes of a comparison
SMALL_LAYERS = 24  # of the starter's 30


@dataclass(frozen=True, slots=True)
class Pair:
    """One prompt, answered with drafts and without."""

    drafted: AnswerStats
    plain: AnswerStats

    @property
    def ratio(self) -> float:
        """Of speeds."""
        return self.plain.seconds_decode / self.drafted.seconds_decode


def opened(path: Path, share: float, draft: str, stack: ExitStack, draft_model: Path | None = None, exact: bool = False) -> Session:
    """A session over a model with room for this share of its experts, and for a draft model where there is one."""
    container = Container.open(path)
    stack.callback(container.close)
    config = EngineConfig(path, context=CONTEXT, chunk=CHUNK, draft=draft, exact=exact)
    planner = Planner(container, config)
    slots = max(planner.least_slots, round(planner.n_records * share))
    config = replace(config, budget_bytes=planner.fixed(CONTEXT, CHUNK) + planner.cache(slots) + 8_000_000)
    text, small = Text.open(path), None
    model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
    stack.callback(model.close)
    if draft_model is not None:
        beside = Beside(replace(config, draft_model=draft_model), container, text)
        stack.callback(beside.close)
        small = beside.open(CONTEXT, lambda fraction: None, CancelToken())
    session = Session(model, text, draft_model=small)
    stack.callback(session.close)
    return session


def answered(session: Session, prompt: str, draft: str, tokens: int) -> tuple[str, AnswerStats]:
    """The likeliest answer to a conversation of this prompt alone."""
    session.reset()
    pieces: list[str] = []
    ask = (Message("user", prompt),)
    stats = session.generate(ask, Sampling(0, max_tokens=tokens), CancelToken(), pieces.append, lambda done, total: None, draft)
    return "".join(pieces), stats


def compare(
    path: Path, share: float, rounds: int, tokens: int, kind_of_draft: str = "ngram", draft_model: Path | None = None, most: int = 99,
    limit: float = LIMIT,
) -> dict[str, list[Pair]]:
    """Pairs by kind, of at most `most` prompts a kind; at least one of each, and no more after `limit` minutes."""
    out: dict[str, list[Pair]] = {kind: [] for kind in PROMPTS}
    with ExitStack() as stack:
        sessions = {draft: opened(path, share, draft, stack, draft_model if draft != "off" else None) for draft in ("off", kind_of_draft)}
        end = monotonic() + 60 * limit
        for prompts in PROMPTS.values():
            for draft, session in sessions.items():
                answered(session, prompts[0], draft, WARM_TOKENS)
        for turn, i, kind in product(range(rounds), range(min(most, max(map(len, PROMPTS.values())))), PROMPTS):
            if i >= len(PROMPTS[kind]) or (monotonic() > end and out[kind]):
                continue
            order = ("off", kind_of_draft) if (turn + i) % 2 else (kind_of_draft, "off")
            got = {draft: answered(sessions[draft], PROMPTS[kind][i], draft, tokens) for draft in order}
            if got["off"][0] != got[kind_of_draft][0]:
                raise AssertionError(f"drafts changed the answer to {PROMPTS[kind][i]!r}")
            out[kind].append(Pair(got[kind_of_draft][1], got["off"][1]))
    return out


def figures(pairs: dict[str, list[Pair]]) -> dict[str, dict[str, float]]:
    """Ratio, tokens a step, share of drafts kept and MB read a token, by kind."""
    out: dict[str, dict[str, float]] = {
        "ratio": {}, "tokens_per_step": {}, "kept": {}, "mb_per_token": {}, "plain_mb_per_token": {}, "drafting_share": {},
        "ngram_kept": {}, "ngram_share": {}, "model_kept": {}, "model_share": {}, "mtp_kept": {}, "mtp_share": {}, "pairs": {},
    }  # fmt: skip
    kinds = pairs | {"together": [p for kind, some in pairs.items() if kind != "plain" for p in some]}
    for kind, some in kinds.items():
        c = [p.drafted.counters for p in some]
        tokens = sum(p.drafted.answer_tokens for p in some)
        out["ratio"][kind] = median(p.ratio for p in some)
        out["tokens_per_step"][kind] = median(
            (p.drafted.answer_tokens - 1) / max(p.drafted.answer_tokens - 1 - p.drafted.counters.drafts_accepted, 1) for p in some
        )
        out["drafting_share"][kind] = sum(s.seconds_drafting for s in c) / max(sum(p.drafted.seconds_decode for p in some), 1e-9)
        out["pairs"][kind] = len(some)
        for source in ("ngram", "model", "mtp"):
            proposed = sum(getattr(s, f"drafts_{source}_proposed") for s in c)
            out[f"{source}_kept"][kind] = sum(getattr(s, f"drafts_{source}_accepted") for s in c) / max(proposed, 1)
            out[f"{source}_share"][kind] = proposed / max(sum(s.drafts_proposed for s in c), 1)
        out["kept"][kind] = sum(s.drafts_accepted for s in c) / max(sum(s.drafts_proposed for s in c), 1)
        out["mb_per_token"][kind] = sum(s.bytes_read for s in c) / tokens / 1e6
        out["plain_mb_per_token"][kind] = sum(p.plain.counters.bytes_read for p in some) / tokens / 1e6
    return out


def sources(disk: Path, share: float, rounds: int, tokens: int, limit: float) -> dict[str, dict[str, dict[str, float]]]:
    """Figures with a draft model beside the model on disk."""
    small = {"same function": built_starter(), f"{SMALL_LAYERS} of 30 layers": skipped(SMALL_LAYERS)}
    return {name: figures(compare(disk, share, rounds, tokens, "auto", path, 1, limit)) for name, path in small.items()}


def measure(
    ram: Path | None = None, disk: Path | None = None, mtp: Path | None = None, share: float = SHARE, rounds: int = ROUNDS, tokens: int = 0,
    limit: float = LIMIT, only: str = "",
) -> dict[str, Any]:
    """The table's figures; "ratio" by place and kind; "sources": the same by draft model. tokens: of an answer, 0: as TOKENS has it; only:
    "disk", "ram", "sources" or "mtp", which needs a model.
    """
    disk = disk or (widened(4, default_folder()) if only in ("", "disk", "sources") else None)
    places, lengths = {}, {place: tokens or n for place, n in TOKENS.items()}
    if disk is not None and only in ("", "disk"):
        places["disk"] = figures(compare(disk, share, max(rounds - 1, 1), lengths["disk"], limit=limit))
    if only in ("", "ram"):
        places["ram"] = figures(compare(ram or built_starter(), 1.0, rounds, lengths["ram"], limit=limit))
    if mtp is not None and only in ("", "mtp"):
        places["mtp"] = figures(compare(mtp, 1.0, rounds, lengths["mtp"], "mtp", limit=limit))
    result: dict[str, Any] = _turned(places)
    if disk is not None and only in ("", "sources"):
        result["sources"] = _turned(sources(disk, share, max(rounds - 2, 1), lengths["sources"], limit))
    return result


def _turned(places: dict[str, dict[str, dict[str, float]]]) -> dict[str, Any]:
    """{place: {figure: ...}} as {figure: {place: ...}}."""
    return {key: {place: f[key] for place, f in places.items()} for key in next(iter(places.values()), {})}


def told(result: dict[str, Any]) -> str:
    """A table: kinds by figures, for each place and each draft model."""
    lines = []
    for group in (result, result.get("sources", {})):
        for place in group.get("ratio", {}):
            other = "mtp" if place == "mtp" else "model"
            lines.append(f"{place:<16}  speed  pairs  tokens/step   kept (text, {other})  of them {other}'s  drafting   MB/token (plain)")
            for kind in group["ratio"][place]:
                f = {key: group[key][place][kind] for key in group if key != "sources"}
                kept = f"{f['kept']:6.0%} ({f['ngram_kept']:4.0%}, {f[f'{other}_kept']:4.0%})"
                read = f"{f['mb_per_token']:10.2f} ({f['plain_mb_per_token']:.2f})"
                shares = f"{f[f'{other}_share']:15.0%} {f['drafting_share']:9.0%}"
                lines.append(f"  {kind:<14} {f['ratio']:6.2f} {f['pairs']:6} {f['tokens_per_step']:12.2f} {kept} {shares} {read}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drafts")
    parser.add_argument("--ram", type=Path)
    parser.add_argument("--disk", type=Path)
    parser.add_argument("--mtp", type=Path, help="a model with a layer for further tokens")
    parser.add_argument("--share", type=float, default=SHARE)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--tokens", type=int, default=0, help=f"of an answer; else {TOKENS}")
    parser.add_argument("--limit", type=float, default=LIMIT, help="minutes of a comparison")
    parser.add_argument("--only", choices=("disk", "ram", "sources", "mtp"), default="")
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args()
    if o.only == "mtp" and o.mtp is None:
        parser.error("--only mtp needs a model: --mtp MODEL")
    result = measure(o.ram, o.disk, o.mtp, o.share, o.rounds, o.tokens, o.limit, o.only)
    print(json.dumps(result) if o.json else told(result))


if __name__ == "__main__":
    main()
