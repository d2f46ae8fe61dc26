"""`ouzel convert`, `plan` and `verify`: making a container, its memory plan, its health."""

import json
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from engine.cancel import CancelToken
from engine.cli import options, outlook
from engine.cli.client import choose
from engine.cli.console import Waiting, say
from engine.cli.pulling import made_of
from engine.cli.sizes import human
from engine.config import EngineConfig
from engine.container.format import MANIFEST
from engine.container.reader import Container
from engine.container.verify import Problem
from engine.container.verify import verify as check
from engine.errors import BadRequest, typed
from engine.events import Converting
from engine.model.plan import MemoryPlan, Planner
from engine.model.plan import plan as make_plan
from engine.model.refusals import mb
from engine.model.resident import config_of, resident_bytes
from engine.setup.further import MTP
from engine.setup.roles import EXPERTS, TRUNK
from engine.text.text import Text
from engine.worker.beside import Beside

ExpertFormat = Annotated[str, typer.Option("--experts", help="Format of the experts.", metavar="|".join(EXPERTS))]
TrunkFormat = Annotated[
    str, typer.Option("--trunk", help="Format of everything else; q4 leaves head and embedding at 8 bits.", metavar="|".join(TRUNK))
]

Mtp = Annotated[
    str,
    typer.Option(
        "--mtp", help="Keep the layer for further tokens that some models bring along, to draft with, or drop it.", metavar="|".join(MTP)
    ),
]


def convert(
    folder: Annotated[Path, typer.Argument(help="A model's folder as published, or a .gguf file.", metavar="FOLDER")],
    out: Annotated[Path, typer.Argument(help="The container to make, NAME.ouzel.", metavar="OUT")],
    experts: ExpertFormat = "q4",
    trunk: TrunkFormat = "q4",
    mtp: Mtp = "keep",
    as_object: options.Json = False,
) -> None:
    """Convert a model's folder into a container. All of it is checked first, and everything wrong with it is told at once. A conversion
    that was interrupted goes on where it was; on a full drive it waits until there is room.
    """
    check_formats(experts, trunk, mtp)
    if (folder / MANIFEST).exists():
        raise BadRequest(f"{folder} is converted already. Open it as a model, or take it in: {typed('ouzel', 'import', folder)}")
    made_of(folder, out, experts, trunk, mtp)
    if as_object:
        typer.echo(json.dumps({"path": str(out)}))
    say(f"{out} is ready. Talk with it: {typed('ouzel', 'chat', '--model', out)}")


def check_formats(experts: str, trunk: str, mtp: str = "keep") -> None:
    """Raises BadParameter for a format that does not exist."""
    for name, value, known in (("--experts", experts, EXPERTS), ("--trunk", trunk, TRUNK), ("--mtp", mtp, MTP)):
        if value not in known:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}.", param_hint=name)


def plan(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A container's path, or its name in the models folder.", metavar="MODEL", autocompletion=options.model_names
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="A model's config.json, instead of MODEL.", metavar="CONFIG.json")] = None,
    experts: ExpertFormat = "q4",
    trunk: TrunkFormat = "q4",
    mtp: Mtp = "keep",
    budget: options.Budget = None,
    threads: options.Threads = None,
    ctx: options.Context = None,
    exact: options.Exact = False,
    chunk: options.Chunk = None,
    kv: options.Kv = "auto",
    parallel: options.Parallel = 1,
    draft: options.Draft = None,
    as_object: options.Json = False,
) -> None:
    """Say how a model would use its memory here, without loading it; with --config, before it is downloaded or converted.

    --experts, --trunk and --mtp go with --config: what it would be converted to. The context is then 4096 tokens if left out.
    """
    if (model is None) == (config is None):
        raise typer.BadParameter("Give a model, or --config with a config.json.", param_hint="MODEL")
    with ExitStack() as opened:
        path = choose(model) if config is None else config
        wanted = options.engine_config(path, budget, threads, ctx, exact, chunk, draft, kv=kv, parallel=parallel)
        wanted = replace(wanted, programs=parallel > 1)  # several answers at once are for programs alone
        if config is not None:
            beside = _alone(wanted, opened)
            check_formats(experts, trunk, mtp)
            name, seen = outlook.look(config, experts, trunk, mtp, wanted, beside)
            typer.echo(json.dumps(outlook.as_json(name, seen)) if as_object else outlook.described(name, seen))
            return
        container = opened.enter_context(closing(Container.open(path)))
        beside = _beside(wanted, container, opened)
        p = make_plan(container, wanted, beside)
        more = Planner(container, wanted).for_programs
    if as_object:
        typer.echo(json.dumps({"model": container.name, **asdict(p), "total_bytes": p.total_bytes, "for_programs_bytes": more}))
    else:
        typer.echo(described(container.name, p, more))


def _beside(config: EngineConfig, container: Container, opened: ExitStack) -> Callable[[int], int] | None:
    """What a draft model takes by the context, None where there is none. Raises as Beside where it is none for this model."""
    if config.draft_model is None:
        return None
    with closing(Text.open(container.path)) as text:
        return opened.enter_context(closing(Beside(config, container, text))).bytes_at()


def _alone(config: EngineConfig, opened: ExitStack) -> Callable[[int], int] | None:
    """The same beside a model of which there is only the config, so that nobody can say yet whether it drafts for that."""
    if config.draft_model is None:
        return None
    return resident_bytes(opened.enter_context(closing(Container.open(config.draft_model))), config_of(config))


def described(name: str, p: MemoryPlan, for_programs: int) -> str:
    """The plan as a table; for_programs: bytes that `ouzel serve` and `ouzel batch` take more than other commands."""
    of_each = f"{p.parallel} of " if p.parallel > 1 else ""
    cached = f"{p.n_slots} of {p.n_records} experts, {human(p.slot_bytes)} each" if p.n_records else "no experts"
    rows = [
        ("trunk", human(p.trunk_bytes), ""),
        ("expert cache", human(p.cache_bytes), cached),
        ("context", human(p.kv_bytes), f"{of_each}{p.context} tokens, {p.kv_dtype}, {human(p.token_bytes)} a token"),
        ("scratch", human(p.scratch_bytes), f"chunks of {p.chunk} rows, {p.threads} threads, {'exact' if p.exact else 'fast'}"),
        *([("draft model", human(p.draft_bytes), "")] if p.draft_bytes else []),
        ("overhead", human(p.overhead_bytes), f"{human(for_programs)} of it for programs" if p.parallel > 1 else ""),
        ("total", human(p.total_bytes), ""),
        ("limit", human(p.budget_bytes), ""),
        ("least limit", mb(p.floor_bytes), "" if p.parallel > 1 else f"{mb(p.floor_bytes + for_programs)} for serve and batch"),
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
        say(f"{path} has {len(problems)} problem{'s'[: len(problems) > 1]}." + _mend(path, problems))
    else:
        typer.echo(f"{path} is whole.")
    if problems:
        raise typer.Exit(1)


def _mend(path: Path, problems: list[Problem]) -> str:
    """How to, where it can be done: a repair goes by the manifest."""
    return "" if any(p.file == MANIFEST for p in problems) else f" Mend it: {typed('ouzel', 'repair', path)}"
