"""Released models at their real widths, two layers deep: `python -m benchmarks.real_sizes [--only NAME] [--folder DIR]`.

Each container has random weights (tests/written.py) in the shapes of the released config: embedding, head and two layers with experts,
one of each kind of mixer where the model has two. It runs under a limit that caches the same share of the experts as the recommended
limit of the whole model, context 4096: a prompt of 128 tokens at once, then tokens one by one; reads are unbuffered. Bytes and seconds
a layer are those of the real model; how often the cache hits says nothing about trained routers. A container is deleted before the next
is written; K3 gets 64 of its 896 experts a layer, since one layer of all takes 16 GB. Beside it stands the plan of the whole model.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.cancel import CancelToken
from engine.cli.outlook import described
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.model.model import Model
from engine.model.plan import Planner, plan
from engine.setup.outlook import Outlook, outlook
from engine.setup.unwritten import Unwritten
from engine.stats import Snapshot
from tests.arch import real
from tests.written import write_random

PROMPT, TOKENS, CONTEXT, TRUNK = 128, 24, 4096, "q4-all"


@dataclass(frozen=True)
class Case:
    """config: of the whole model. changes: what makes it two layers deep (of its text part). experts: their format."""

    config: Mapping[str, Any]
    changes: Mapping[str, Any]
    experts: str = "q4"

    def short(self) -> dict[str, Any]:
        """The config of the container that is written."""
        if "text_config" not in self.config:
            return {**self.config, **self.changes}
        return {**self.config, "text_config": {**self.config["text_config"], **self.changes}}


def _kimi(config: Mapping[str, Any], **more: object) -> dict[str, Any]:
    """One Kimi delta attention and one latent attention, both with experts."""
    mixers = {**config["linear_attn_config"], "kda_layers": [1], "full_attn_layers": [2]}
    return {"num_hidden_layers": 2, "first_k_dense_replace": 0, "linear_attn_config": mixers, **more}


_SLIDING = {"num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"]}
CASES = {
    "Kimi-K3": Case(real.KIMI_K3, _kimi(real.KIMI_K3["text_config"], num_experts=64), "mxfp4"),
    "Kimi-Linear-48B-A3B": Case(real.KIMI_LINEAR, _kimi(real.KIMI_LINEAR)),
    "Gemma-4-26B-A4B": Case(real.GEMMA_4, _SLIDING),
    "gpt-oss-20b": Case(real.GPT_OSS_20B, _SLIDING, "mxfp4"),
    "Qwen3-30B-A3B": Case(real.QWEN3_30B_A3B, {"num_hidden_layers": 2}),
}


def run(path: Path, whole: Outlook) -> dict[str, float]:
    """Seconds and bytes a token of the container at `path`, with the cached share that `whole` recommends."""
    container = Container.open(path)
    asked = EngineConfig(path, context=CONTEXT, chunk=PROMPT)
    planner = Planner(container, asked)
    slots = max(planner.least_slots, planner.n_records * whole.recommended_slots // whole.plan.n_records)
    budget = planner.fixed(CONTEXT, PROMPT) + planner.cache(slots)
    asked = replace(asked, budget_bytes=budget)
    model = Model(container, asked, plan(container, asked), lambda fraction: None, CancelToken())
    try:
        return {"budget_bytes": budget, "slots": slots, "records": planner.n_records, **_measured(model)}
    finally:
        model.close()
        container.close()


def _measured(model: Model) -> dict[str, float]:
    state, rng = model.new_state(), np.random.default_rng(1)
    ids = rng.integers(0, model.spec.vocab_size, PROMPT + TOKENS).astype(np.int32)
    snapshots: list[tuple[float, Snapshot]] = [(time.perf_counter(), model.snapshot())]
    model.forward(ids[:PROMPT], state, "last")
    snapshots.append((time.perf_counter(), model.snapshot()))
    for i in range(PROMPT, PROMPT + TOKENS):
        if not np.isfinite(model.forward(ids[i : i + 1], state, "all")).all():
            raise AssertionError("logits that are no numbers")
    snapshots.append((time.perf_counter(), model.snapshot()))
    out: dict[str, float] = {}
    for name, n, (t0, a), (t1, b) in zip(("prefill", "decode"), (PROMPT, TOKENS), snapshots, snapshots[1:], strict=False):
        out[f"{name}_seconds_per_token"] = (t1 - t0) / n
        out[f"{name}_bytes_per_token"] = (b.bytes_read - a.bytes_read) / n
        out[f"{name}_read_wait_per_token"] = (b.seconds_read_wait - a.seconds_read_wait) / n
        hits, misses = b.expert_hits - a.expert_hits, b.expert_misses - a.expert_misses
        out[f"{name}_hit_rate"] = hits / max(hits + misses, 1)
    return out


def outlook_of(case: Case, name: str) -> Outlook:
    """The plan of the whole model."""
    return outlook(Unwritten(name, dict(case.config), case.experts, TRUNK), EngineConfig(Path(), context=CONTEXT))


def one(name: str, folder: Path | None = None) -> dict[str, float]:
    """Write two layers of a released model at its widths, run them, and remove them."""
    case, place = CASES[name], Path(tempfile.mkdtemp(prefix="ouzel-", dir=folder))
    whole = outlook_of(case, name)
    try:
        start = time.perf_counter()
        path = write_random(place / f"{name}.ouzel", case.short(), case.experts, TRUNK)
        seconds = time.perf_counter() - start
        disk = sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
        n_experts = Container.open(path).experts[0].n_experts
        figures = {"write_seconds": seconds, "disk_bytes": disk, "experts": n_experts, **run(path, whole)}
    finally:
        shutil.rmtree(place)
    return figures | {
        "floor_bytes": whole.floor_bytes, "leaner_floor_bytes": whole.leaner_floor_bytes,
        "recommended_bytes": whole.recommended_bytes, "whole_disk_bytes": whole.disk_bytes,
    }  # fmt: skip


def measure(names: Iterable[str] = CASES, folder: Path | None = None) -> dict[str, dict[str, float]]:
    """The figures of each model; `folder` lies on a drive with 5 GB free."""
    return {name: one(name, folder) for name in names}


def told(result: Mapping[str, Mapping[str, float]]) -> str:
    """The numbers of two layers under the plan of each whole model."""
    return "\n\n".join(_told(name, outlook_of(CASES[name], name), r) for name, r in result.items())


def _told(name: str, whole: Outlook, r: Mapping[str, float]) -> str:
    lines = [
        described(name, whole),
        f"Two layers, written in {r['write_seconds']:.1f} s ({r['disk_bytes'] / 1e9:.2f} GB, {r['experts']:.0f} experts a layer), limit "
        f"{r['budget_bytes'] / 1e9:.2f} GB, {r['slots']:.0f} of {r['records']:.0f} experts cached:",
    ]
    for kind in ("prefill", "decode"):
        lines.append(
            f"  {kind:<8}{1000 * r[f'{kind}_seconds_per_token']:8.1f} ms a token, {1000 * r[f'{kind}_read_wait_per_token']:.1f} of them "
            f"waiting for {r[f'{kind}_bytes_per_token'] / 1e6:.1f} MB; {r[f'{kind}_hit_rate']:.0%} hits"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=CASES, help="one model")
    parser.add_argument("--folder", type=Path, help="where containers are written; a drive with 5 GB free")
    options = parser.parse_args()
    print(told(measure([options.only] if options.only else CASES, options.folder)))


if __name__ == "__main__":
    main()
