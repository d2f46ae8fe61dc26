"""The flags that commands share, and what they make of the requests."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from engine import paths
from engine.cli.sizes import parse_size
from engine.config import DRAFTS, KV_KINDS, MOST_PARALLEL, EngineConfig
from engine.experts.lookahead import MODES


def model_names(incomplete: str) -> list[str]:
    """Names of the models here that begin so, for the shell's completion."""
    names = [p.name.removesuffix(paths.SUFFIX) for p in paths.installed_models()]
    return [name for name in names if name.startswith(incomplete)]


def one_of(*words: str) -> Callable[[str], list[str]]:
    """Those of the words that begin so, for the shell's completion."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


ModelName = Annotated[
    str | None,
    typer.Option("--model", help="A container's path or name; else the last used.", metavar="MODEL", autocompletion=model_names),
]
Budget = Annotated[int | None, typer.Option("--budget", help="Memory limit, as 500M or 2G.", parser=parse_size, metavar="SIZE")]
Threads = Annotated[int | None, typer.Option("--threads", help="Compute threads; the performance cores that it may use if left out.")]
Context = Annotated[int | None, typer.Option("--ctx", help="Context length in tokens; what fits the memory limit if left out.")]
Exact = Annotated[bool, typer.Option("--exact", help="Decoded weights and f32 activations instead of int8 ones: slower.")]
Chunk = Annotated[int | None, typer.Option("--chunk", help="Prompt tokens computed at once.")]
Draft = Annotated[
    str | None,
    typer.Option(
        "--draft",
        help="Guess ahead while that gains: from what was said before (ngram), with the model's own layers for that (mtp), with all that "
        "there is (auto, the default), with a small model of the same tokenizer beside them (its name or path), or off.",
        metavar="auto|ngram|mtp|off|MODEL",
    ),
]
RecordDrafts = Annotated[
    Path | None, typer.Option("--record-drafts", help="Append each decision about drafts to a file, as JSON lines.", metavar="FILE")
]
Lookahead = Annotated[
    str,
    typer.Option(
        "--lookahead",
        help="Read the next layer's likely experts early: auto does while it gains.",
        metavar="auto|on|off",
        autocompletion=one_of(*MODES),
    ),
]
WarmStart = Annotated[
    bool, typer.Option("--warm-start/--no-warm-start", help="Begin with the experts in memory that earlier sessions used most.")
]
RecordRoutes = Annotated[
    Path | None, typer.Option("--record-routes", help="Append the experts of each decoded token to a trace.", metavar="FILE")
]
Kv = Annotated[
    str, typer.Option("--kv", help="How keys and values are kept: q8 takes about half of f16's memory.", metavar="|".join(KV_KINDS))
]
Parallel = Annotated[
    int,
    typer.Option(
        "--parallel",
        min=1,
        max=MOST_PARALLEL,
        help="Answers computed together: an expert that several need is read once. Each takes a context's memory of its own, which the "
        "experts in memory then lack.",
    ),
]
Temperature = Annotated[float | None, typer.Option("--temperature", help="0 takes the likeliest token; the model's own if left out.")]
TopK = Annotated[int | None, typer.Option("--top-k", help="Draw from the k likeliest tokens; 0 is off.")]
TopP = Annotated[float | None, typer.Option("--top-p", help="Draw from the likeliest tokens that hold this probability; 1 is off.")]
MinP = Annotated[float | None, typer.Option("--min-p", help="Leave out tokens under this share of the likeliest one's; 0 is off.")]
Penalty = Annotated[float | None, typer.Option("--repetition-penalty", help="Over 1 makes used tokens less likely; 1 is off.")]
Seed = Annotated[int | None, typer.Option("--seed", help="The same seed and request give the same answer.")]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="Cut the answer after so many tokens.")]
Stop = Annotated[list[str] | None, typer.Option("--stop", help="End the answer at this text; may be given several times.")]
Think = Annotated[bool | None, typer.Option("--think/--no-think", help="Whether the model thinks before it answers, where it can.")]
System = Annotated[str | None, typer.Option("--system", help="What the model is told before the conversation.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ModelArgument = Annotated[
    str, typer.Argument(help="A container's path, or its name in the models folder.", metavar="MODEL", autocompletion=model_names)
]


def engine_config(
    model: Path,
    budget: int | None,
    threads: int | None,
    ctx: int | None,
    exact: bool,
    chunk: int | None,
    draft: str | None = None,
    lookahead: str = "auto",
    warm_start: bool = True,
    record_routes: Path | None = None,
    record_drafts: Path | None = None,
    kv: str = "auto",
    parallel: int = 1,
) -> EngineConfig:
    """How a model is opened; a usage error for a draft model that is not there, a lookahead or a kind of cache that does not exist.

    Without a word about drafts they are on, except where routes are recorded, which rows of rejected drafts would blur.
    """
    if draft is None:
        draft = "off" if record_routes is not None else "auto"
    draft_model: Path | None = None
    if draft not in DRAFTS:
        draft, draft_model = "auto", _draft_model(draft)
    if lookahead not in MODES:
        raise typer.BadParameter(f"{lookahead!r} is no kind of lookahead; choose {', '.join(MODES)}.", param_hint="--lookahead")
    if kv not in KV_KINDS:
        raise typer.BadParameter(f"{kv!r} is no way to keep keys and values; choose {', '.join(KV_KINDS)}.", param_hint="--kv")
    config = EngineConfig(model, budget, ctx, threads, exact, chunk, draft)
    config = replace(config, lookahead=lookahead, warm_start=warm_start, record_routes=record_routes)
    return replace(config, record_drafts=record_drafts, kv=kv, draft_model=draft_model, parallel=parallel)


def _draft_model(name: str) -> Path:
    """The container that is to draft. Raises a usage error where there is none."""
    path = paths.find_model(name) if name.strip() else Path()
    if name.strip() and path.exists():
        return path
    raise typer.BadParameter(
        f"{name!r} is no kind of draft and no model that is there; choose {', '.join(DRAFTS)}, or a container's path or name.",
        param_hint="--draft",
    )
