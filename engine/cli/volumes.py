"""`ouzel volumes`: the drives of a model's experts, and moving them to others."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.client import choose
from engine.cli.console import Waiting, say
from engine.cli.sizes import human
from engine.container.manifest import read_manifest
from engine.container.placed import table_of
from engine.container.reader import Container
from engine.container.volumes import HEAVIEST, HOME, Placement, Table, mirror, spread
from engine.errors import BadRequest
from engine.events import Converting
from engine.setup.moving import Mover
from engine.setup.speed import RATE_READ, as_weights, file_rate, folder_rate


def volumes(
    model: options.ModelArgument,
    folders: Annotated[list[Path] | None, typer.Argument(help="Folders on other drives.", metavar="FOLDER")] = None,
    spread_: Annotated[bool, typer.Option("--spread", help="Divide each expert over the model's folder and FOLDER...")] = False,
    mirror_: Annotated[bool, typer.Option("--mirror", help="Keep all experts in the model's folder and in each FOLDER.")] = False,
    gather: Annotated[bool, typer.Option("--gather", help="Bring all experts back into the model's folder.")] = False,
    locate: Annotated[bool, typer.Option("--locate", help="Say where a volume lies now: FOLDER is the old and the new place.")] = False,
    weights: Annotated[
        str | None,
        typer.Option(help="With --spread: parts, the model's own folder first, 0 to leave it out; else by measured rates.", metavar="1,2"),
    ] = None,
    as_object: options.Json = False,
) -> None:
    """Show the drives of a model's experts, or move the experts. A move that was interrupted goes on when started again."""
    given, path = folders or [], choose(model)
    _check(given, spread_, mirror_, gather, locate, weights)
    if (spread_ or mirror_) and not read_manifest(path).experts:
        raise BadRequest(f"{path} has no experts: all of it stays in memory, so that other drives would bring nothing.")
    if not (spread_ or mirror_ or gather or locate):
        told = measured(path)
        typer.echo(json.dumps(told) if as_object else described(told))
        return
    with Mover(path) as mover, Waiting() as waiting:
        if locate:
            mover.locate(given[0], given[1])
            say(f"{path} finds its volume in {given[1].expanduser().absolute()} from now on.")
            return
        others = [mover.volume(f) for f in given]
        if gather:
            goal = HOME
        elif mirror_:
            goal = mirror([0, *others])
        else:
            goal = spread([0, *others], _weights(weights, len(given) + 1) or by_rates(mover, others))
        mover.move(goal, lambda phase, done, total: waiting.show(Converting(0, phase, done, total)), CancelToken())
    say(f"The experts of {path} lie in {' and '.join(str(p) for p in mover.table.paths(path))} now.")


def _check(given: Sequence[Path], spread_: bool, mirror_: bool, gather: bool, locate: bool, weights: str | None) -> None:
    if spread_ + mirror_ + gather + locate > 1:
        raise typer.BadParameter("Choose one of --spread, --mirror, --gather and --locate.", param_hint="volumes")
    wanted = "one or more" if spread_ or mirror_ else "two" if locate else "no"
    if (not given) if wanted == "one or more" else len(given) != {"two": 2, "no": 0}[wanted]:
        raise typer.BadParameter(f"Give {wanted} folders with this; see ouzel volumes --help.", param_hint="FOLDER")
    if len({f.expanduser().absolute() for f in given}) != len(given):
        raise typer.BadParameter("A folder is named twice.", param_hint="FOLDER")
    if weights is not None and not spread_:
        raise typer.BadParameter("Weights go with --spread.", param_hint="--weights")


def _weights(text: str | None, n: int) -> list[int] | None:
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != n or not all(p.strip().isascii() and p.strip().isdigit() and int(p) <= HEAVIEST for p in parts):
        raise typer.BadParameter(f"{text!r} is not {n} whole numbers of 0 to {HEAVIEST} with commas between.", param_hint="--weights")
    out = [int(p) for p in parts]
    if not any(out):
        raise typer.BadParameter("One weight at least is over 0.", param_hint="--weights")
    return out


def by_rates(mover: Mover, others: Sequence[int]) -> list[int]:
    """Weights from measured rates, or those of an interrupted or earlier spread over the same volumes."""
    volumes_ = (0, *sorted(others))
    for place in mover.table.placements:
        if place.mode == "spread" and place.volumes == volumes_:
            return [place.weights[volumes_.index(v)] for v in (0, *others)]
    paths = mover.table.paths(mover.path)
    rates = [folder_rate(paths[v], CancelToken()) for v in (0, *others)]
    for v, rate in zip((0, *others), rates, strict=True):
        say(f"{paths[v]}: {human(rate)}/s")
    return as_weights(rates)


def measured(path: Path) -> dict[str, Any]:
    """The volumes with bytes, rate and state. Raises BadContainer, StorageError."""
    container = Container.open(path)
    try:
        table = table_of(container.path, container.manifest)
        out = []
        for at, (folder, volume) in enumerate(zip(table.paths(container.path), container.volumes, strict=True)):
            files = [(c.path, f.n_experts * c.nbytes) for f in container.experts for c in f.copies if c.volume == at]
            large = max(files, key=lambda f: f[1], default=None)
            rate = file_rate(large[0], CancelToken()) if large and large[1] >= RATE_READ else None
            out.append(
                {"folder": str(folder), "bytes": sum(n for _, n in files), "bytes_per_second": rate, "problem": volume.problem or None}
            )
        return {"model": container.name, "layers": [_told(p, table) for p in table.placements], "volumes": out}
    finally:
        container.close()


def _told(place: Placement, table: Table) -> dict[str, Any]:
    n = sum(table.placements[i] == place for i in table.layers)
    return {"mode": place.mode, "volumes": list(place.volumes), "weights": list(place.weights), "layers": n}


def described(told: dict[str, Any]) -> str:
    """The volumes as a table."""
    lines = [told["model"]]
    for i, v in enumerate(told["volumes"]):
        rate = "-" if v["bytes_per_second"] is None else f"{human(v['bytes_per_second'])}/s"
        lines.append(f"  {i}  {human(v['bytes']):>9}  {rate:>11}  {v['folder']}")
        if v["problem"]:
            lines.append(f"     {v['problem']}")
    if not any(p["layers"] for p in told["layers"]):
        return "\n".join([*lines, "  no experts: all of it is in memory"])
    for p in told["layers"]:
        what = "spread" if p["mode"] == "spread" else "mirrored" if len(p["volumes"]) > 1 else "whole"
        weights = f" by {':'.join(map(str, p['weights']))}" if p["weights"] else ""
        lines.append(f"  {p['layers']} layers {what} on {', '.join(map(str, p['volumes']))}{weights}")
    if len(told["layers"]) > 1:
        lines.append("  A move was interrupted; start it again to finish it.")
    return "\n".join(lines)
