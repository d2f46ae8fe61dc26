"""`ouzel bench`: how fast a model reads and writes on this machine, and where the time goes."""

import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.client import choose
from engine.cli.console import Waiting
from engine.cli.sizes import human
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.errors import BadRequest
from engine.events import Loading
from engine.model.model import Model
from engine.model.plan import plan
from engine.stats import Snapshot
from engine.text.text import Text

# Ordinary prose, so that routing is what a model meets in use.
PASSAGE = """The river comes down from the hills through a narrow valley, and in dry summers one can cross it on stones. People
who live along it know where the deep places are. In spring, when the snow melts, it carries branches and gravel past the old
mill, and the sound of it fills the houses at night. A small brown bird lives here the whole year. It stands on a wet rock, bows
twice, and walks into the water as if there were no surface at all. Under the stream it runs along the ground, turns pebbles over
with its beak, and comes up again a few metres away, dry, with a larva that it chose among all the others. """


@dataclass(frozen=True, slots=True)
class Result:
    """Medians over repeats (prefill) and steps (decode). Shares are of the decode steps' wall time; python: in no kernel and no wait."""

    model: str
    isa: str
    threads: int
    arithmetic: str
    budget_bytes: int
    memory_bytes: int
    n_slots: int
    n_records: int
    prompt_tokens: int
    decoded_tokens: int
    load_seconds: float
    prefill_tokens_per_second: float
    decode_tokens_per_second: float
    decode_hit_rate: float | None
    decode_bytes_per_token: float
    prefill_bytes: float
    read_bytes_per_second: float | None
    lookahead: str
    lookahead_reads: int
    lookahead_used: int
    lookahead_late: int
    lookahead_wasted: int
    lookahead_seconds_saved: float
    lookahead_on: bool
    share_read_wait: float
    share_experts: float
    share_attention: float
    share_rest: float
    share_python: float


def bench(
    model: options.ModelArgument,
    budget: options.Budget = None,
    threads: options.Threads = None,
    ctx: options.Context = None,
    exact: options.Exact = False,
    chunk: options.Chunk = None,
    lookahead: options.Lookahead = "auto",
    kv: options.Kv = "auto",
    prompt: Annotated[int, typer.Option(help="Prompt tokens.", min=2)] = 256,
    tokens: Annotated[int, typer.Option(help="Tokens to decode.", min=1)] = 64,
    repeats: Annotated[int, typer.Option(help="Times to do both.", min=1)] = 3,
    as_object: options.Json = False,
) -> None:
    """Measure tokens/s, cache hits, bytes read and where a step's time goes."""
    config = options.engine_config(choose(model), budget, threads, ctx, exact, chunk, lookahead=lookahead, kv=kv)
    result = measure(config, prompt, tokens, repeats)
    typer.echo(json.dumps(asdict(result)) if as_object else described(result))


def measure(config: EngineConfig, n_prompt: int, n_decode: int, repeats: int) -> Result:
    """Read n_prompt tokens of prose and write n_decode likeliest ones, `repeats` times in one open model."""
    start = perf_counter()
    with ExitStack() as opened, Waiting() as waiting:
        container = Container.open(config.model)
        opened.callback(container.close)
        memory_plan = plan(container, config)
        if n_prompt + n_decode > memory_plan.context:
            raise BadRequest(
                f"{n_prompt} prompt tokens and {n_decode} more do not fit the context of {memory_plan.context}. "
                "Ask for fewer with --prompt and --tokens, or for more context with --ctx."
            )
        engine = Model(container, config, memory_plan, lambda f: waiting.show(Loading(0, "trunk", f)), CancelToken())
        opened.callback(engine.close)
        waiting.clear()
        load_seconds = perf_counter() - start
        ids = prose(Text.open(container.path), n_prompt)
        runs = [_Run(engine, ids, n_decode) for _ in range(repeats)]
        decode = [difference(r.prefilled, r.end) for r in runs]
        prefill = [difference(r.start, r.prefilled) for r in runs]
        steps = [s for r in runs for s in r.steps]
        wall, hits = sum(steps), sum(d.expert_hits for d in decode)
        accesses = hits + sum(d.expert_misses for d in decode)
        reading = sum(d.read_seconds for d in decode + prefill)
        waited = sum(d.seconds_read_wait for d in decode)
        return Result(
            model=container.name,
            isa=engine.compute.isa,
            threads=memory_plan.threads,
            arithmetic="exact" if memory_plan.exact else "fast",
            budget_bytes=memory_plan.budget_bytes,
            memory_bytes=engine.memory_bytes,
            n_slots=memory_plan.n_slots,
            n_records=memory_plan.n_records,
            prompt_tokens=n_prompt,
            decoded_tokens=n_decode,
            load_seconds=load_seconds,
            prefill_tokens_per_second=n_prompt / median(r.prefill_seconds for r in runs),
            decode_tokens_per_second=1 / median(steps),
            decode_hit_rate=hits / accesses if accesses else None,
            decode_bytes_per_token=sum(d.bytes_read for d in decode) / len(steps),
            prefill_bytes=median(d.bytes_read for d in prefill),
            read_bytes_per_second=sum(d.bytes_read for d in decode + prefill) / reading if reading else None,
            lookahead=config.lookahead,
            lookahead_reads=sum(d.lookahead_reads for d in decode),
            lookahead_used=sum(d.lookahead_used for d in decode),
            lookahead_late=sum(d.lookahead_late for d in decode),
            lookahead_wasted=sum(d.lookahead_wasted for d in decode),
            lookahead_seconds_saved=sum(d.lookahead_seconds_saved for d in decode),
            lookahead_on=engine.snapshot().lookahead_on,
            share_read_wait=waited / wall,
            share_experts=sum(d.seconds_experts for d in decode) / wall,
            share_attention=sum(d.seconds_attention for d in decode) / wall,
            share_rest=sum(d.seconds_rest for d in decode) / wall,
            share_python=max(1 - (sum(r.kernel_seconds for r in runs) + waited) / wall, 0.0),
        )


class _Run:
    """One prompt and its continuation: counters at the start, after the prompt and at the end; seconds of each decode step."""

    def __init__(self, engine: Model, ids: npt.NDArray[np.int32], n_decode: int) -> None:
        state, chunk = engine.new_state(), engine.plan.chunk
        self.start, began = engine.snapshot(), perf_counter()
        for at in range(0, len(ids), chunk):
            logits = engine.forward(ids[at : at + chunk], state, "last" if at + chunk >= len(ids) else "none")
        self.prefill_seconds, self.prefilled = perf_counter() - began, engine.snapshot()
        self.steps: list[float] = []
        in_kernels = engine.compute.seconds
        for _ in range(n_decode):
            began = perf_counter()
            logits = engine.forward(np.array([logits[-1].argmax()], np.int32), state, "all")
            self.steps.append(perf_counter() - began)
        self.kernel_seconds, self.end = engine.compute.seconds - in_kernels, engine.snapshot()


def difference(before: Snapshot, after: Snapshot) -> Snapshot:
    """What happened between two snapshots."""
    values = asdict(after)
    return Snapshot(**{name: values[name] - value for name, value in asdict(before).items()})


def prose(text: Text, n: int) -> npt.NDArray[np.int32]:
    """n token ids of the passage, repeated as often as needed."""
    ids = text.encode(PASSAGE)
    return np.resize(np.array(ids, np.int32), n)


def described(r: Result) -> str:
    """The result for people."""
    hit_rate = "-" if r.decode_hit_rate is None else f"{r.decode_hit_rate:.1%}"
    speed = "nothing read" if r.read_bytes_per_second is None else f"{human(r.read_bytes_per_second)}/s while reading"
    shares = {"experts": r.share_experts, "attention": r.share_attention, "waiting for reads": r.share_read_wait, "rest": r.share_rest}
    return "\n".join(
        [
            f"{r.model}: {r.isa}, {r.threads} threads, {r.arithmetic}; {human(r.memory_bytes)} of {human(r.budget_bytes)}; "
            + (f"{r.n_slots} of {r.n_records} experts cached" if r.n_records else "no experts: all of it is in memory"),
            f"  loading   {r.load_seconds:8.2f} s",
            f"  prefill   {r.prefill_tokens_per_second:8.1f} tokens/s over {r.prompt_tokens} tokens, {human(r.prefill_bytes)} read",
            f"  decode    {r.decode_tokens_per_second:8.1f} tokens/s over {r.decoded_tokens} tokens, "
            f"{human(r.decode_bytes_per_token)} read for each",
            f"  hits      {hit_rate:>8} of a decode step's experts were cached; {speed}",
            f"  ahead     {_ahead(r)}",
            "  decode's time: " + ", ".join(f"{name} {share:.1%}" for name, share in shares.items()),
            f"  of which Python {r.share_python:.1%}",
        ]
    )


def _ahead(r: Result) -> str:
    """What reading ahead of the layers did."""
    if not r.lookahead_reads:
        return f"lookahead {r.lookahead}: nothing was read early"
    return (
        f"lookahead {r.lookahead} ({'on' if r.lookahead_on else 'off'} in the end): {r.lookahead_reads} experts read early, "
        f"{r.lookahead_used} used, {r.lookahead_late} late, {r.lookahead_wasted} wasted; about {r.lookahead_seconds_saved:+.2f} s saved"
    )
