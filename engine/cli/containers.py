"""`ouzel convert`, `plan` and `verify`: making a container, its memory plan, its health."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.client import Client, choose
from engine.cli.console import Waiting, say
from engine.cli.sizes import human
from engine.container.reader import Container
from engine.container.verify import verify as check
from engine.events import Converting
from engine.model.plan import MemoryPlan
from engine.model.plan import plan as make_plan
from engine.requests import Convert

EXPERT_FORMATS = ("q4", "q8", "bf16", "f32", "mxfp4")
TRUNK_FORMATS = ("q4", "q8", "bf16", "f32")


def convert(
    folder: Annotated[Path, typer.Argument(help="A model's folder as published: config.json and safetensors files.", metavar="FOLDER")],
    out: Annotated[Path, typer.Argument(help="The container to make, NAME.ouzel.", metavar="OUT")],
    experts: Annotated[str, typer.Option(help="Format of the experts.", metavar="|".join(EXPERT_FORMATS))] = "q4",
    trunk: Annotated[str, typer.Option(help="Format of everything else.", metavar="|".join(TRUNK_FORMATS))] = "q4",
) -> None:
    """Convert a model's folder into a container. A conversion that was interrupted goes on where it was."""
    for name, value, known in (("--experts", experts, EXPERT_FORMATS), ("--trunk", trunk, TRUNK_FORMATS)):
        if value not in known:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}.", param_hint=name)
    with Client() as engine, Waiting() as waiting:
        engine.do(Convert(engine.next_id(), folder.absolute(), out.absolute(), experts, trunk), waiting.show)
    say(f"{out} is ready. Talk with it: ouzel chat --model {out}")


def plan(
    model: options.ModelArgument,
    budget: options.Budget = None,
    threads: options.Threads = None,
    ctx: options.Context = None,
    exact: options.Exact = False,
    chunk: options.Chunk = None,
    as_object: options.Json = False,
) -> None:
    """Say how a model would use its memory here, without loading it."""
    container = Container.open(choose(model))
    try:
        p = make_plan(container, options.engine_config(container.path, budget, threads, ctx, exact, chunk))
    finally:
        container.close()
    if as_object:
        typer.echo(json.dumps({"model": container.name, **asdict(p), "total_bytes": p.total_bytes}))
    else:
        typer.echo(described(container.name, p))


def described(name: str, p: MemoryPlan) -> str:
    """The plan as a table."""
    cached = f"{p.n_slots} of {p.n_records} experts, {human(p.slot_bytes)} each" if p.n_records else "no experts"
    rows = [
        ("trunk", human(p.trunk_bytes), ""),
        ("expert cache", human(p.cache_bytes), cached),
        ("context", human(p.kv_bytes), f"{p.context} tokens, {p.kv_dtype}"),
        ("scratch", human(p.scratch_bytes), f"chunks of {p.chunk} rows, {p.threads} threads, {'exact' if p.exact else 'fast'}"),
        ("overhead", human(p.overhead_bytes), ""),
        ("total", human(p.total_bytes), ""),
        ("limit", human(p.budget_bytes), ""),
        ("least limit", human(p.floor_bytes), ""),
    ]
    lines = [f"  {what:<13}{size:>9}  {note}".rstrip() for what, size, note in rows]
    return "\n".join([name, *lines])


def verify(model: options.ModelArgument, as_object: options.Json = False) -> None:
    """Read a whole container and check every checksum."""
    path = choose(model)
    with Waiting() as waiting:
        problems = check(path, lambda phase, done, total: waiting.show(Converting(0, phase, done, total)), CancelToken())
    if as_object:
        typer.echo(json.dumps({"path": str(path), "problems": [{"file": str(p.file), "what": p.what} for p in problems]}))
    elif problems:
        for problem in problems:
            typer.echo(f"{problem.file}: {problem.what}")
        say(f"{path} has {len(problems)} problems. Convert the model again, or copy the container anew.")
    else:
        typer.echo(f"{path} is whole.")
    if problems:
        raise typer.Exit(1)
