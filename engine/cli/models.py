"""`ouzel models` and `remove`: what is on this computer, what could be, and making room."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from engine import paths
from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.console import Waiting, say
from engine.cli.sizes import human
from engine.errors import BadRequest, typed
from engine.events import Loading
from engine.model.refusals import mb
from engine.offers import Verdict
from engine.setup.catalogue import Entry
from engine.setup.installed import Installed, Unfinished, installed, to_remove, unfinished
from engine.setup.installed import remove as take_away
from engine.setup.judge import judged_catalogue, this_machine
from engine.setup.verdict import Machine
from engine.stats import number


def models(
    catalogue: Annotated[bool, typer.Option("--catalogue", help="Models that could be had, and how each would run here.")] = False,
    folder: Annotated[Path | None, typer.Option(help="Where models are, instead of the models folder.", metavar="FOLDER")] = None,
    again: Annotated[bool, typer.Option("--again", help="Test the drive anew for --catalogue; else once a week.")] = False,
    as_object: options.Json = False,
) -> None:
    """List the models on this computer, drives that are missing included, and those that are being made; or, with --catalogue, those
    that could be.
    """
    place = paths.models_dir() if folder is None else folder.expanduser().absolute()
    if catalogue:
        with Waiting() as waiting:
            machine = this_machine(place, CancelToken(), lambda f: waiting.show(Loading(0, "drive", f)), again)
        found = judged_catalogue(machine, CancelToken())
        typer.echo(json.dumps(_catalogue_json(machine, found)) if as_object else "\n".join(_catalogue(machine, found, place)))
        return
    here, drafts = installed(None if folder is None else place), unfinished(place)
    if as_object:
        value = {"folder": str(place), "models": [_plain(asdict(m)) for m in here], "unfinished": [_plain(asdict(d)) for d in drafts]}
        typer.echo(json.dumps(value))
        return
    typer.echo("\n".join(_listed(here, drafts)) or f"There are no models in {place} yet. The first `ouzel chat` makes the starter.")


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    return {k: str(v) if isinstance(v, Path) else [str(p) for p in v] if isinstance(v, tuple) else v for k, v in value.items()}


def _listed(here: list[Installed], drafts: list[Unfinished]) -> list[str]:
    lines = []
    for m in here:
        what = m.problem or f"{m.family}, {_formats(m)}, from {mb(m.floor_bytes)} of memory"
        lines.append(f"{m.name:<24}{human(m.nbytes):>9}  {what}")
        lines.append(f"{'':24}{'':9}  {m.path}" + (f" -> {m.link}" if m.link else ""))
    for d in drafts:
        named = d.name if paths.find_model(d.name) == d.path else d.path
        state = "half removed" if d.removed else "being made now" if d.busy else "half made"
        lines.append(f"{d.name:<24}{human(d.nbytes):>9}  {state}; `{typed('ouzel', 'remove', named)}` discards it")
    return lines


def _formats(m: Installed) -> str:
    experts = sorted({fmt for role, fmt in m.formats.items() if role.startswith("experts")})
    trunk = sorted({fmt for role, fmt in m.formats.items() if not role.startswith("experts")})
    return f"experts {'+'.join(experts)}, trunk {'+'.join(trunk)}" if experts else f"dense, {'+'.join(trunk)}"


def _catalogue(machine: Machine, found: list[tuple[Entry, Verdict]], folder: Path) -> list[str]:
    m = machine.memory
    lines = [
        f"This computer: {human(machine.memory_bytes)} of memory, {human(machine.available_bytes)} free; {m.threads} threads, "
        f"{human(m.read_rate)}/s; {human(machine.free_bytes)} free in {folder}, which reads {human(machine.drive.rate)}/s."
    ]
    for entry, v in found:
        params = f"{v.parameters / 1e9:.1f}B, dense"
        if v.active_parameters < v.parameters:
            params = f"{v.parameters / 1e9:.0f}B, {v.active_parameters / 1e9:.1f}B active"
        lines += [
            "",
            f"{entry.name}: {v.level}" + (f", about {number(v.tokens_per_second)} tokens/s" if v.tokens_per_second else ""),
            f"  {entry.repo}; {params}; {entry.licence} ({entry.licence_link})",
            f"  {entry.about}",
            f"  download {human(v.download_bytes or 0)}; disk {human(v.disk_bytes)}; memory from {mb(v.floor_bytes)}, "
            f"better {human(v.recommended_bytes)}",
            *(f"  {line}" for line in (*v.reasons, *v.helps)),
        ]
    return lines


def _catalogue_json(machine: Machine, found: list[tuple[Entry, Verdict]]) -> dict[str, Any]:
    entries = [{**asdict(e), "config": dict(e.config), "verdict": asdict(v)} for e, v in found]
    return {"machine": asdict(machine), "models": entries}


def remove(
    model: options.ModelArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_object: options.Json = False,
) -> None:
    """Remove a model from this computer, and what is left of unfinished attempts to make it."""
    path = paths.find_model(model)
    found = to_remove(path)
    if found.listed:
        what = f"{path}, whose drive is not connected, from the list; its files stay where they are"
    elif found.link is not None:
        what = f"the link {path}; the model that it points at, {found.link}, stays"
    else:
        parts = [name for name, there in (("the model", found.whole), ("its unfinished draft", found.draft)) if there]
        what = f"{' and '.join(parts)} {path} ({human(found.nbytes)})"
    if not yes:
        if not sys.stdin.isatty():
            raise BadRequest(f"This would remove {what}. Say so with --yes.")
        if not typer.confirm(f"Remove {what}?", err=True):
            say("Nothing was removed.")
            return
    removed = take_away(path)
    if as_object:
        typer.echo(json.dumps(_plain(asdict(removed))))
    else:
        say(f"Removed {what}.")
