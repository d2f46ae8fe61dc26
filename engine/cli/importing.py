"""`ouzel import`: a GGUF file, a checkpoint's folder or a finished container of this computer becomes a model here."""

import json
from pathlib import Path
from typing import Annotated

import typer

from engine import paths
from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.console import Waiting, say
from engine.cli.containers import Mtp, check_formats
from engine.cli.pulling import made_of
from engine.container.format import MANIFEST
from engine.errors import BadRequest, typed
from engine.events import Converting
from engine.setup.adopt import adopt
from engine.setup.gguf_parts import plain_name
from engine.setup.opening import gguf_in
from engine.setup.roles import EXPERTS, KEEP, TRUNK

FORMAT = "keep: as many bits as the source has, in its own blocks where ours are the same; q4 where it is in full precision."


def import_model(
    source: Annotated[Path, typer.Argument(help="A .gguf file (of several parts any), a model's folder, or a NAME.ouzel.")],
    out: Annotated[Path | None, typer.Argument(help="The container to make; NAME.ouzel in the models folder if left out.")] = None,
    experts: Annotated[str, typer.Option("--experts", help=FORMAT, metavar="|".join(EXPERTS))] = KEEP,
    trunk: Annotated[str, typer.Option("--trunk", help=FORMAT, metavar="|".join(TRUNK))] = KEEP,
    mtp: Mtp = "keep",
    link: Annotated[bool, typer.Option("--link", help="Leave a NAME.ouzel where it is and only link to it.")] = False,
    as_object: options.Json = False,
) -> None:
    """Take in a model that is on this computer already. GGUF files and folders are converted, with everything wrong with them told first;
    a container that was made elsewhere is checked and copied.
    """
    check_formats(experts, trunk, mtp)
    source = source.expanduser().absolute()
    container = (source.is_dir() and (source / MANIFEST).exists()) or source.name.endswith(paths.SUFFIX)
    target = (out or _named(source)).expanduser().absolute()
    if container:
        with Waiting() as waiting:
            adopt(source, target, lambda phase, done, total: waiting.show(Converting(0, phase, done, total)), CancelToken(), link)
    else:
        if link:
            raise BadRequest(f"{source} is no container, so it cannot be linked to. Leave --link out: it is converted then.")
        made_of(source, target, experts, trunk, mtp)
    if as_object:
        typer.echo(json.dumps({"path": str(target)}))
    say(f"{target} is ready. Talk with it: {typed('ouzel', 'chat', '--model', target)}")


def _named(source: Path) -> Path:
    file = gguf_in(source)
    name = plain_name(file) if file is not None else source.name.removesuffix(paths.SUFFIX)
    return paths.models_dir() / f"{name}{paths.SUFFIX}"
