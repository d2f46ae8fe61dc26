"""`ouzel repair`: what is broken in a container, made whole."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.client import choose
from engine.cli.console import Waiting
from engine.events import Converting
from engine.setup.repair import repair as mend


def repair(
    model: options.ModelArgument,
    source: Annotated[
        Path | None, typer.Option("--from", help="The checkpoint on this computer that it was made of.", metavar="FOLDER")
    ] = None,
    as_object: options.Json = False,
) -> None:
    """Read a whole container and make good what is broken: from copies on other drives, else from the repository that it came from, of
    which only the ranges are fetched that this needs.
    """
    path = choose(model)
    with Waiting() as waiting:
        done = mend(path, source, lambda phase, at, total: waiting.show(Converting(0, phase, at, total)), CancelToken())
    if as_object:
        typer.echo(json.dumps({"path": str(path), **asdict(done)}))
    elif not done.anything:
        typer.echo(f"{path} is whole.")
    else:
        records = f"{done.records} {'expert or row' if done.records == 1 else 'experts or rows'}" if done.records else ""
        copies = f" ({done.from_copies} from copies on other drives)" if done.from_copies else ""
        typer.echo(f"{path} is whole again: {' and '.join(filter(None, (records + copies, ', '.join(done.files))))}.")
