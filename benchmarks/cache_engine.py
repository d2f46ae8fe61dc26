"""The expert cache in a running engine: the starter's own routes, its counters against a replay of them, and cold against warm starts."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from unittest.mock import patch

from engine import paths
from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.container.reader import Container
from engine.experts import simulator, trace
from engine.experts.trace import RouteRecorder
from engine.model.plan import MemoryPlan, plan
from engine.requests import Message
from engine.setup.starter import build_starter
from engine.stats import Snapshot
from engine.worker import opened
from engine.worker.opened import OpenModel

PROMPTS = {
    "chat": "Tell me a long story about a lighthouse keeper who finds a letter in a bottle.",
    "code": "Write a Python program that reads a text file and counts how often each word occurs.",
}
EARLIER = (
    "Why do rivers bend?",
    "Write a short poem about autumn.",
    "How do I bake bread at home?",
    "What is a prime number? Show some Python.",
)
QUESTION = "Explain how a bicycle stays upright."
TOKENS = 32
RUNS = 5


def starter() -> Path:
    """The starter's container: OUZEL_STARTER, or the one of this user, which is built when missing. Raises EngineError."""
    named = os.environ.get("OUZEL_STARTER")
    path = Path(named) if named else paths.starter_path()
    if not named:
        build_starter(path, lambda phase, done, total: None, CancelToken())
    return path


@contextmanager
def own_home() -> Iterator[Path]:
    """A folder for everything that is written meanwhile."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, OUZEL_HOME=folder):
        yield Path(folder)


@contextmanager
def slots(n: int) -> Iterator[None]:
    """Models that are opened meanwhile cache n experts."""

    def planned(container: Container, config: EngineConfig) -> MemoryPlan:
        return replace(plan(container, config), n_slots=n)

    with patch.object(opened, "plan", planned):
        yield


@dataclass(frozen=True)
class Answer:
    """Seconds to the first token, and the counters at the opening, after the prompt and at the end."""

    first: float
    opened: Snapshot
    prompt: Snapshot
    end: Snapshot

    @property
    def hit_rate(self) -> float:
        """Of the decode steps, in percent."""
        return hit_rate(self.prompt, self.end)


def hit_rate(before: Snapshot, after: Snapshot) -> float:
    """Hits in percent between two snapshots."""
    hits, misses = after.expert_hits - before.expert_hits, after.expert_misses - before.expert_misses
    return 100 * hits / max(hits + misses, 1)


def ask(model: OpenModel, prompt: str, n_tokens: int, temperature: float = 0.8) -> Answer:
    """One answer in a new conversation."""
    session, marks = model.session, [model.model.snapshot()]
    session.reset()
    sampling = Sampling(temperature=temperature, repetition_penalty=1.15, seed=1, max_tokens=n_tokens)

    def on_prefill(done: int, total: int) -> None:
        if done == total:
            marks.append(model.model.snapshot())

    stats = session.generate([Message("user", prompt)], sampling, CancelToken(), lambda piece: None, on_prefill)
    return Answer(stats.seconds_to_first_token, marks[0], marks[-1], model.model.snapshot())


def open_model(config: EngineConfig) -> OpenModel:
    """Without progress."""
    return OpenModel(config, lambda phase, fraction: None, CancelToken())


def recorded(path: Path, folder: Path) -> dict[str, list[trace.Step]]:
    """Routes of the starter's decoded tokens, by prompt, as `--record-routes` writes them."""
    out = {}
    for name, prompt in PROMPTS.items():
        file = folder / f"{name}.jsonl"
        with closing(open_model(EngineConfig(path, context=1024, record_routes=file, warm_start=False))) as model:
            ask(model, prompt, 400)
        out[name] = trace.read(file)
    return out


def disagreement(path: Path, sizes: dict[str, int]) -> dict[str, float]:
    """By size, the engine's hit rate less that of a replay of all its steps, prompt included, in points."""
    out = {}
    for column, n in sizes.items():
        with slots(n), closing(open_model(EngineConfig(path, context=1024, chunk=64, lookahead="off", warm_start=False))) as model:
            model.model.streamer.recorder = recorder = RouteRecorder(len(model.container.experts))
            answer = ask(model, PROMPTS["chat"], 150)
            replayed = simulator.replay(recorder.steps, n, uses=recorder.uses, slot_bytes=model.model.plan.slot_bytes)
        out[column] = hit_rate(answer.opened, answer.end) - 100 * replayed.hit_rate
    return out


def warm_start(path: Path) -> dict[str, float]:
    """Half of the experts cached: cold against warm, medians of interleaved runs. Warm: four other answers were given in a session
    before, and the engine was idle after its opening until the cache was filled."""
    n = plan(Container.open(path), EngineConfig(path, context=1024)).n_records // 2
    config = EngineConfig(path, context=1024, chunk=64)
    answers: dict[bool, list[Answer]] = {False: [], True: []}
    with own_home(), slots(n):
        with closing(open_model(config)) as model:
            for prompt in EARLIER:
                ask(model, prompt, 100)
        kept = [(p, p.read_bytes()) for p in (paths.cache_dir() / "usage").iterdir()]
        for _ in range(RUNS):
            for warm in (False, True):
                for file, data in kept:
                    file.write_bytes(data)
                with closing(open_model(replace(config, warm_start=warm))) as model:
                    while model.idle(lambda: False):
                        pass
                    answers[warm].append(ask(model, QUESTION, TOKENS, 0.0))
    out: dict[str, float] = {}
    for warm, name in ((False, "cold"), (True, "warm")):
        out[f"{name}_hit"] = median(a.hit_rate for a in answers[warm])
        out[f"{name}_prompt_hit"] = median(hit_rate(a.opened, a.prompt) for a in answers[warm])
        out[f"{name}_first_token_ms"] = 1000 * median(a.first for a in answers[warm])
        out[f"{name}_mb_read"] = median(a.end.bytes_read - a.opened.bytes_read for a in answers[warm]) / 1e6
    return out
