"""Reading ahead of the layers against not doing so, on the same tokens in turn.

    python -m benchmarks lookahead [--json]
    python -m benchmarks.lookahead [--models PATH...] [--shares 0.25,0.5] [--rates 400,0] [--tokens N] [--json]

Three engines are open on one model with a cache for a share of the experts: without lookahead ("off"), always with it ("on"), and deciding
by itself ("auto", the default of the program; what it tries out is part of its time). Each token is given to all three, in changing
order; their logits must be equal bit for bit. Speeds are over that of "off": the ratio of the seconds of all tokens, without the twentieth
of the tokens that disturbed the three most. rates: MB/s that each engine's reads are held to, 0 for the drive as it is.

Models: the starter, whose routing is real, and one with the widths of Qwen3-30B-A3B, four layers of 64 experts and random weights, on
which the next router is hard to foresee.
"""

import argparse
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.cli.bench import difference, prose
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import EngineError
from engine.model.model import Model
from engine.model.plan import Planner, plan
from engine.text.text import Text
from tests.arch import real
from tests.starter_cache import built_starter
from tests.written import write_random

MODES = ("off", "auto", "on")
SHARES, RATES, TOKENS, PROMPT, CONTEXT = (0.1, 0.25, 0.5, 0.8), (400.0, 0.0), 240, 64, 1024
RANDOM = {**real.QWEN3_30B_A3B, "num_hidden_layers": 4, "num_experts": 64}


def opened(path: Path, share: float, rate: float, mode: str, stack: ExitStack) -> Model:
    """A model with room for this share of its experts, whose reads are held to `rate` bytes per second (0: not held)."""
    container = Container.open(path)
    stack.callback(container.close)
    config = EngineConfig(path, context=CONTEXT, chunk=PROMPT, lookahead=mode)
    planner = Planner(container, config)
    slots = max(planner.least_slots, round(planner.n_records * share))
    config = replace(config, budget_bytes=planner.fixed(CONTEXT, PROMPT) + planner.cache(slots))
    model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
    stack.callback(model.close)
    model.streamer.limit(0, rate)
    return model


def compare(path: Path, share: float, rate: float, tokens: int) -> dict[str, float]:
    """Figures of one model, one cache size and one drive. rate: MB/s."""
    with ExitStack() as stack:
        models = {mode: opened(path, share, rate * 1e6, mode, stack) for mode in MODES}
        vocab = models["off"].spec.vocab_size
        try:
            ids = prose(Text.open(path), PROMPT)
        except EngineError:  # a model with random weights has no tokenizer
            ids = np.random.default_rng(2).integers(0, vocab, PROMPT).astype(np.int32)
        states = {mode: m.new_state() for mode, m in models.items()}
        logits = {mode: m.forward(ids, states[mode], "last").copy() for mode, m in models.items()}
        before = {mode: m.snapshot() for mode, m in models.items()}
        seconds = np.zeros((len(MODES), tokens))
        rng = np.random.default_rng(1)
        for t in range(tokens):
            token = np.array([drawn(logits["off"][-1], rng)], np.int32)
            for i in np.roll(range(len(MODES)), t):
                start = perf_counter()
                logits[MODES[i]] = models[MODES[i]].forward(token, states[MODES[i]], "all")
                seconds[i, t] = perf_counter() - start
            if any(not np.array_equal(logits["off"], logits[mode]) for mode in MODES):
                raise AssertionError("lookahead changed a result")
        done = {mode: difference(before[mode], m.snapshot()) for mode, m in models.items()}
        usual = seconds.max(0).argsort()[: tokens - tokens // 20]
        off, auto, on = seconds[:, usual].sum(1)
        figures: dict[str, float] = {"off_tokens_per_second": len(usual) / off, "auto": off / auto, "on": off / on}
        for mode, d in done.items():
            figures[f"{mode}_hits"] = d.expert_hits / max(d.expert_hits + d.expert_misses, 1)
            figures[f"{mode}_read_mb_per_token"] = d.bytes_read / tokens / 1e6
            figures[f"{mode}_wait_ms_per_token"] = 1e3 * d.seconds_read_wait / tokens
        for mode in ("auto", "on"):
            d = done[mode]
            figures |= {f"{mode}_reads": d.lookahead_reads, f"{mode}_used": d.lookahead_used}
            figures |= {f"{mode}_late": d.lookahead_late, f"{mode}_wasted": d.lookahead_wasted}
        return figures | {"auto_ends_on": float(models["auto"].streamer.counters().ahead_settled)}


def drawn(logits: npt.NDArray[np.float32], rng: np.random.Generator) -> int:
    """A token at temperature 0.8."""
    p = np.exp((logits.astype(np.float64) - logits.max()) / 0.8)
    return int(rng.choice(len(p), p=p / p.sum()))


def measure(
    models: Sequence[Path] = (), shares: Sequence[float] = SHARES, rates: Sequence[float] = RATES, tokens: int = TOKENS
) -> dict[str, dict[str, float]]:
    """Figures by model, cache size and drive."""
    random = Path(tempfile.mkdtemp(prefix="ouzel-"))
    try:
        if not models:
            models = [built_starter(), write_random(random / "random.ouzel", RANDOM, "q4", "q4")]
        return {
            f"{path.stem}, {share:.0%}, {f'{rate:.0f} MB/s' if rate else 'drive'}": compare(path, share, rate, tokens)
            for path, share, rate in product(models, shares, rates)
        }
    finally:
        shutil.rmtree(random)


def told(result: Mapping[str, Mapping[str, float]]) -> str:
    """A line for each case."""
    wide = max(len(name) for name in result)
    lines = [f"{'model, cached, reads at':<{wide}}  off tok/s   auto     on  hits off, on   MB/token      reads, used, late, wasted"]
    for name, r in result.items():
        counts = ", ".join(f"{r[f'on_{what}']:.0f}" for what in ("reads", "used", "late", "wasted"))
        lines.append(
            f"{name:<{wide}}  {r['off_tokens_per_second']:9.1f}  {r['auto']:5.2f}  {r['on']:5.2f}  {r['off_hits']:.1%}, {r['on_hits']:.1%} "
            f"{r['off_read_mb_per_token']:.2f}, {r['on_read_mb_per_token']:.2f}  {counts}; "
            f"auto ends {'on' if r['auto_ends_on'] else 'off'} after {r['auto_reads']:.0f} reads"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lookahead")
    parser.add_argument("--models", nargs="*", type=Path, default=[])
    parser.add_argument("--shares", type=lambda s: [float(x) for x in s.split(",")], default=SHARES)
    parser.add_argument("--rates", type=lambda s: [float(x) for x in s.split(",")], default=RATES)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--json", action="store_true")
    o = parser.parse_args()
    result: dict[str, Any] = measure(o.models, o.shares, o.rates, o.tokens)
    print(json.dumps(result) if o.json else told(result))


if __name__ == "__main__":
    main()
