"""`ouzel pull`: a model from a hub, converted while it comes."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from engine import paths
from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.console import Waiting, say
from engine.cli.containers import Mtp, TrunkFormat, check_formats
from engine.cli.pulling import PullJob, chat_meanwhile
from engine.cli.sizes import human
from engine.container.draft import discard as discard_draft
from engine.errors import BadRequest, Cancelled, typed
from engine.events import Loading, Looked
from engine.model.refusals import mb
from engine.requests import LookUp, PullModel
from engine.setup.lookup import look_up, usual_experts
from engine.setup.naming import source_of
from engine.setup.roles import EXPERTS
from engine.setup.wish import pending
from engine.stats import number
from engine.worker.kept import KeptPulls


def pull_model(
    source: Annotated[
        str,
        typer.Argument(help="A repository on the hub, OWNER/NAME or its address; or a checkpoint's folder here.", metavar="OWNER/NAME"),
    ],
    out: Annotated[Path | None, typer.Argument(help="The container to make; NAME.ouzel in the models folder if left out.")] = None,
    experts: Annotated[
        str | None, typer.Option(help="Format of the experts; the one that suits the model if left out.", metavar="|".join(EXPERTS))
    ] = None,
    trunk: TrunkFormat = "q4",
    mtp: Mtp = "keep",
    revision: Annotated[str | None, typer.Option(help="A branch, tag or commit; the main branch if left out.")] = None,
    look: Annotated[bool, typer.Option("--look", help="Only say what it is, what it needs and how it would run here.")] = False,
    chat: Annotated[
        bool, typer.Option("--chat", help="Talk with the model as soon as its trunk is there, while the rest comes.")
    ] = False,
    discard: Annotated[bool, typer.Option("--discard", help="Only remove what an unfinished download of OUT left.")] = False,
    as_object: options.Json = False,
) -> None:
    """Fetch a model from the hub and convert it while it comes; the checkpoint itself is never stored.

    What was interrupted goes on where it was when the same command is given again. Gated models need an access token: see `ouzel login`,
    or the variable HF_TOKEN. The hub is that of `ouzel network`, or HF_ENDPOINT where that is set.
    """
    check_formats(experts or "q4", trunk, mtp)
    given = source_of(source, revision)
    if given.kind == "folder" and not given.path.exists():
        raise BadRequest(
            f"There is nothing at {given.path}. Name a model on the hub as OWNER/NAME, as Qwen/Qwen3-30B-A3B, or a checkpoint's folder "
            f"here. Some models that are known to run: {typed('ouzel', 'models', '--catalogue')}"
        )
    target = (out or paths.models_dir() / f"{given.name}{paths.SUFFIX}").expanduser().absolute()
    if look:
        found = _looked(LookUp(0, source, target.parent, revision, mtp))
        typer.echo(json.dumps(asdict(found)) if as_object else described(found))
        return
    if discard:
        _discard(target)
        return
    request = PullModel(0, source, target, experts or usual_experts(given), trunk, revision, mtp=mtp)
    if chat:
        chat_meanwhile(request)
        say(f"{target} is ready. Talk with it: {typed('ouzel', 'chat', '--model', target)}")
        return
    job = PullJob(request)
    job.start()
    try:
        job.watch()
    except (KeyboardInterrupt, Cancelled):
        say("What is there is kept: the same command goes on with it, and --discard removes it.")
        raise
    if as_object:
        typer.echo(json.dumps({"path": str(target), "bytes": job.last.done if job.last else 0}))
    else:
        say(f"{target} is ready. Talk with it: {typed('ouzel', 'chat', '--model', target)}")


def _looked(request: LookUp) -> Looked:
    with Waiting() as waiting:
        return look_up(request, CancelToken(), lambda fraction: waiting.show(Loading(0, "drive", fraction)))


def described(found: Looked) -> str:
    """What a source is and how it would run, for people."""
    gate = ", for accounts that accepted its licence" if found.gated else ""
    lines = [f"{found.name} ({found.family}), {human(found.source_bytes)} to read; licence {found.licence or 'not named'}{gate}"]
    for p in found.precisions:
        v, kept = p.verdict, ", as published" if p.as_published else ""
        lines += [
            "",
            (f"all weights {p.trunk}{kept}: {v.level}" if p.dense else f"experts {p.experts}{kept}, trunk {p.trunk}: {v.level}")
            + (f", about {number(v.tokens_per_second)} tokens/s" if v.tokens_per_second else ""),
            f"  disk {human(v.disk_bytes)}, while it is made {human(v.disk_peak_bytes)}; memory from {mb(v.floor_bytes)}, "
            f"better {human(v.recommended_bytes)}",
            *(f"  {line}" for line in (*v.reasons, *v.helps)),
        ]
    return "\n".join(lines)


def _discard(target: Path) -> None:
    begun = pending(target)
    KeptPulls(paths.home()).drop(target)
    if discard_draft(target):
        say(f"What was there of {target} is removed" + (f" (from {begun['repo']})." if begun else "."))
    else:
        say(f"There is no unfinished download or conversion of {target}.")
