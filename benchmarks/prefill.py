"""Prefill under a quarter of the model's memory: what a prompt reads, and how soon Stop stops it.

The model has four layers in the shapes of Qwen3-30B-A3B and random weights (2.3 GB, written to the folder for temporary files, then
deleted); the limit is a quarter of it, which caches fewer experts than one layer has. The cache is empty before each prompt.
Stops come at random points while two other processes use all the CPU they get: in prefill from a drive, in a chunk at 16K tokens of
context, in the encoding of a long text, and in opening with a limit of 3 GB or more.
"""

import multiprocessing
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import Cancelled
from engine.generate.encoding import Encoder
from engine.model.model import Model
from engine.model.plan import plan
from engine.text.text import Text
from tests.arch import real
from tests.starter_cache import built_starter
from tests.written import write_random

LAYERS, PROMPT, LONG, FAR = 4, 512, 2048, 16384
STOPS = {"reading": 60, "far": 40, "text": 30, "opening": 30}
OPENED_BYTES = 3_300_000_000
TEXT = "The water ouzel walks into the stream, and the stream is cold. " * 40_000  # 2.5 MB


class Used:
    """Notes which experts were asked for."""

    def __init__(self) -> None:
        self.keys: set[tuple[int, int]] = set()

    def note(self, ordinal: int, experts: npt.NDArray[np.int32], rows: int, uses: npt.NDArray[np.int32] | None) -> None:
        """See engine.experts.streamer.Recorder."""
        self.keys.update((ordinal, e) for e in experts.tolist())


def opened(container: Container, config: EngineConfig, cancel: CancelToken | None = None) -> Model:
    """A model with an empty cache."""
    return Model(container, config, plan(container, config), lambda fraction: None, cancel or CancelToken())


def prefill(model: Model, ids: npt.NDArray[np.int32], cancel: CancelToken | None = None) -> None:
    """All ids, in chunks of the plan, onto an empty state."""
    state = model.new_state()
    for at in range(0, len(ids), model.plan.chunk):
        model.forward(ids[at : at + model.plan.chunk], state, "last", cancel)


def amplification(container: Container, config: EngineConfig, n: int) -> dict[str, float]:
    """Bytes of experts that a prompt of n tokens reads over the bytes of those that it uses."""
    model = opened(container, config)
    model.streamer.recorder = used = Used()
    ids = np.random.default_rng(n).integers(0, model.spec.vocab_size, n).astype(np.int32)
    start = time.perf_counter()
    prefill(model, ids)
    seconds = time.perf_counter() - start
    read = model.streamer.counters().bytes_read
    distinct = sum(container.experts[ordinal].layout.stride for ordinal, _ in used.keys)
    p = model.plan
    model.close()
    share = p.n_slots / max(e.n_experts for e in container.experts)
    return {
        "ratio": read / distinct, "chunks": -(-n // p.chunk), "chunk": p.chunk, "slots_per_layer": share, "tokens_per_second": n / seconds,
    }  # fmt: skip


def _burn() -> None:
    while True:
        sum(range(1000))


@contextmanager
def burners(n: int = 2) -> Iterator[None]:
    """Processes that use all the CPU they get."""
    running = [multiprocessing.get_context("spawn").Process(target=_burn, daemon=True) for _ in range(n)]
    for p in running:
        p.start()
    try:
        yield
    finally:
        for p in running:
            p.kill()
            p.join()


def stopped_after(work: Callable[[CancelToken], object], seconds: float) -> float | None:
    """Milliseconds from a cancel after `seconds` to the end of the work; None where the work was done before."""
    token, asked = CancelToken(), [0.0]

    def stop() -> None:
        asked[0] = time.perf_counter()
        token.cancel()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        work(token)
    except Cancelled:
        return 1000 * (time.perf_counter() - asked[0])
    finally:
        ended = time.perf_counter()
        timer.cancel()
        timer.join()
    return 1000 * (ended - asked[0]) if 0 < asked[0] < ended else None


def stops(work: Callable[[CancelToken], object], n: int, seed: int) -> list[float]:
    """Milliseconds of n stops at random points of the work."""
    start = time.perf_counter()
    work(CancelToken())
    whole = time.perf_counter() - start
    points, out = random.Random(seed), list[float]()
    for _ in range(3 * n):
        if len(out) < n and (ms := stopped_after(work, points.uniform(0.0, 0.95 * whole))) is not None:
            out.append(ms)
    return out


def stop_times(container: Container, config: EngineConfig) -> dict[str, list[float]]:
    """Milliseconds of each stop, by where it came."""
    out: dict[str, list[float]] = {}
    rng = np.random.default_rng(0)
    with burners():
        model = opened(container, config)
        ids = rng.integers(0, model.spec.vocab_size, LONG).astype(np.int32)
        out["reading"] = stops(lambda token: prefill(model, ids[: 2 * PROMPT], token), STOPS["reading"], 1)
        model.close()

        model = opened(container, replace(config, budget_bytes=None, context=FAR, chunk=PROMPT))
        state = model.new_state()

        def far(token: CancelToken) -> None:
            state.truncate(0)
            state.commit(FAR - PROMPT)  # keys of zeros cost what others cost
            model.forward(ids[:PROMPT], state, "last", token)

        out["far"] = stops(far, STOPS["far"], 2)
        model.close()

        encoder = Encoder(Text.open(built_starter()), len(TEXT))
        out["text"] = stops(lambda token: encoder.encode(TEXT, "\0", False, token), STOPS["text"], 3)

        large = replace(config, budget_bytes=OPENED_BYTES, context=2 * FAR)
        out["opening"] = stops(lambda token: opened(container, large, token).close(), STOPS["opening"], 4)
    return out


def measure() -> dict[str, Any]:
    """Figures; see `told`."""
    folder = Path(tempfile.mkdtemp(prefix="ouzel-"))
    try:
        shape = {**real.QWEN3_30B_A3B, "num_hidden_layers": LAYERS}
        container = Container.open(write_random(folder / "prefill.ouzel", shape, "q4", "q4-all"))
        whole = container.trunk_bytes + sum(e.n_experts * e.layout.stride for e in container.experts)
        config = EngineConfig(container.path, budget_bytes=whole // 4, context=4096, threads=2)
        short, long = amplification(container, config, PROMPT), amplification(container, config, LONG)
        times = stop_times(container, config)
    finally:
        shutil.rmtree(folder)
    return {
        "read_amplification": short["ratio"],
        "stop_ms": max(max(ms) for ms in times.values()),
        "long_amplification": long["ratio"],
        "long_chunks": long["chunks"],
        "chunk": long["chunk"],
        "slots_per_layer": long["slots_per_layer"],
        "tokens_per_second": short["tokens_per_second"],
        "long_tokens_per_second": long["tokens_per_second"],
        "stop_ms_by_place": {place: max(ms) for place, ms in times.items()},
        "stop_ms_median": {place: float(np.median(ms)) for place, ms in times.items()},
        "stops": {place: len(ms) for place, ms in times.items()},
    }


def told(result: dict[str, Any]) -> str:
    """For people."""
    lines = [
        f"a quarter of the model, {result['slots_per_layer']:.0%} of a layer's experts cached, chunks of {result['chunk']} rows",
        f"  {PROMPT} tokens   {result['read_amplification']:.3f} times the experts used, {result['tokens_per_second']:.0f} tokens/s",
        f"  {LONG} tokens  {result['long_amplification']:.3f} times in {result['long_chunks']} chunks, "
        f"{result['long_tokens_per_second']:.0f} tokens/s",
        "  stop, ms       worst   median   of",
    ]
    for place, worst in result["stop_ms_by_place"].items():
        lines.append(f"    {place:<10} {worst:8.1f} {result['stop_ms_median'][place]:8.1f} {result['stops'][place]:4d}")
    return "\n".join(lines)
