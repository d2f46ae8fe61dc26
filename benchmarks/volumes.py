"""Experts on two drives against one: demand-bound decode where each drive is held to a rate by the reader itself.

The starter (OUZEL_STARTER names its container, else this user's) with the least cache, so that nearly every expert is read. One drive
of RATE; two equal ones; and one of RATE beside one of a quarter of it; mirrored and spread each, in turn. All give the same
tokens. OUZEL_DISK names the folder of the copies.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.cache_engine import starter
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.container.volumes import Placement, mirror, spread
from engine.model.model import Model
from engine.model.plan import plan
from engine.setup.moving import Mover

RATE = 60e6
ROUNDS, TOKENS, WARM = 5, 8, 3
CONTEXT = 256
Goal = Callable[[int], Placement]


class _Case:
    """An open model and its sequence; its drives are held to `rates`."""

    def __init__(self, path: Path, rates: tuple[float, ...], undo: ExitStack) -> None:
        container = Container.open(path)
        undo.callback(container.close)
        config = EngineConfig(path, context=CONTEXT, lookahead="off")
        config = EngineConfig(path, plan(container, config).floor_bytes, CONTEXT, lookahead="off")
        self.model = Model(container, config, plan(container, config), lambda fraction: None, CancelToken())
        undo.callback(self.model.close)
        for volume, rate in enumerate(rates):
            self.model.streamer.limit(volume, rate)
        self.state = self.model.new_state()
        self.row = self.model.forward(np.arange(100, 116, dtype=np.int32), self.state, "last")[-1]
        self.ids: list[int] = []
        self.seconds: list[float] = []
        self.step(WARM)

    def step(self, n: int) -> None:
        """Write n of the likeliest tokens."""
        start = perf_counter()
        for _ in range(n):
            self.ids.append(int(self.row.argmax()))
            self.row = self.model.forward(np.array(self.ids[-1:], np.int32), self.state, "all")[-1]
        self.seconds.append((perf_counter() - start) / n)


def measure() -> dict[str, Any]:
    """Ratios over one drive: `equal` and `quarter` are the lower of mirrored and spread."""
    cases: dict[str, tuple[Goal | None, tuple[float, ...]]] = {
        "one": (None, (RATE,)),
        "equal_mirrored": (lambda v: mirror([0, v]), (RATE, RATE)),
        "equal_spread": (lambda v: spread([0, v], [1, 1]), (RATE, RATE)),
        "quarter_mirrored": (lambda v: mirror([0, v]), (RATE, RATE / 4)),
        "quarter_spread": (lambda v: spread([0, v], [4, 1]), (RATE, RATE / 4)),
    }
    source = starter()
    with ExitStack() as undo:
        folder = Path(undo.enter_context(tempfile.TemporaryDirectory(dir=os.environ.get("OUZEL_DISK"))))
        opened = {}
        for name, (goal, rates) in cases.items():
            path = Path(shutil.copytree(source, folder / f"{name}.ouzel"))
            if goal is not None:
                with Mover(path) as mover:
                    mover.move(goal(mover.volume(folder)), lambda phase, done, total: None, CancelToken())
            opened[name] = _Case(path, rates, undo)
        for _ in range(ROUNDS):
            for case in opened.values():
                case.step(TOKENS)
        seconds = {name: median(case.seconds[1:]) for name, case in opened.items()}
        one = opened["one"]
        seen = one.model.streamer.counters()
        ratios = {name: seconds["one"] / s for name, s in seconds.items() if name != "one"}
        return {
            "equal": min(ratios["equal_mirrored"], ratios["equal_spread"]),
            "quarter": min(ratios["quarter_mirrored"], ratios["quarter_spread"]),
            **ratios,
            "one_tokens_per_second": 1 / seconds["one"],
            "one_share_of_rate": seen.bytes_read / seen.read_seconds / RATE,
            "same_tokens": int(all(case.ids == one.ids for case in opened.values())),
        }


def told(result: dict[str, Any]) -> str:
    """The ratios as a table."""
    lines = [f"decode over one drive of {RATE / 1e6:.0f} MB/s ({result['one_tokens_per_second']:.1f} tokens/s)", ""]
    for drives in ("equal", "quarter"):
        lines += [f"  {drives:<8} {how:<9}{result[f'{drives}_{how}']:6.2f}" for how in ("mirrored", "spread")]
    same = "the same tokens everywhere" if result["same_tokens"] else "THE TOKENS DIFFER"
    return "\n".join([*lines, "", f"  {same}; the one drive was busy at {result['one_share_of_rate']:.0%} of its rate"])
