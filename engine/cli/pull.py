"""`ouzel pull`: a model from a hub, converted while it comes."""

import json
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from engine import paths
from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.console import error_console, say
from engine.cli.containers import ExpertFormat, TrunkFormat, check_formats
from engine.cli.sizes import human
from engine.setup.pull import Wish, pending, pull
from engine.setup.transfer import Progress

STATES = {
    "looking": "Looking", "downloading": "Downloading", "stalled": "Stalled", "waiting": "Waiting", "no space": "Drive full",
    "verifying": "Checking", "done": "Done",
}  # fmt: skip


def pull_model(
    repo: Annotated[str, typer.Argument(help="A repository on the hub, OWNER/NAME.", metavar="OWNER/NAME")],
    out: Annotated[Path | None, typer.Argument(help="The container to make; NAME.ouzel in the models folder if left out.")] = None,
    experts: ExpertFormat = "q4",
    trunk: TrunkFormat = "q4",
    revision: Annotated[str | None, typer.Option(help="A branch, tag or commit; the main branch if left out.")] = None,
    discard: Annotated[bool, typer.Option("--discard", help="Only remove what an unfinished download of OUT left.")] = False,
    as_object: options.Json = False,
) -> None:
    """Fetch a model from the hub and convert it while it comes; the checkpoint itself is never stored.

    What was interrupted goes on where it was when the same command is given again. Gated models need an access token in HF_TOKEN; the
    hub is HF_ENDPOINT where that is set.
    """
    check_formats(experts, trunk)
    target = (out or paths.models_dir() / f"{repo.rpartition('/')[2]}{paths.SUFFIX}").absolute()
    if discard:
        _discard(target)
        return
    cancel, token = CancelToken(), os.environ.get("HF_TOKEN", "").strip() or None
    problem: list[BaseException] = []
    seen: list[Progress] = []

    def work() -> None:
        try:
            pull(Wish(repo, target, experts, trunk, revision), token, seen.append, cancel)
        except BaseException as e:
            problem.append(e)

    def interrupted(number: int, frame: FrameType | None) -> None:
        cancel.cancel()

    before = signal.signal(signal.SIGINT, interrupted)
    thread = threading.Thread(target=work, name="pull")
    thread.start()
    try:
        _watch(thread, seen)
    finally:
        signal.signal(signal.SIGINT, before)
    if problem:
        raise problem[0]
    if as_object:
        typer.echo(json.dumps({"path": str(target), "bytes": seen[-1].done}))
    else:
        say(f"{target} is ready. Talk with it: ouzel chat --model {target}")


def _watch(thread: threading.Thread, seen: list[Progress]) -> None:
    """Show the newest progress until the thread ends; where nobody watches, a line whenever the state changes."""
    console = error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    state, task = "", TaskID(0)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        if console.is_terminal:
            task = bar.add_task("Looking", total=None, rate="")
        while thread.is_alive():
            thread.join(0.2)
            if not seen:
                continue
            p = seen[-1]
            del seen[:-1]
            with suppress(OSError):
                words = STATES[p.state] + (f": {p.text}" if p.text else "")
                if console.is_terminal:
                    bar.update(task, description=words, completed=p.done, total=p.total or None, rate=f"{human(int(p.rate))}/s")
                elif p.state != state:
                    console.print(f"{words} ...", markup=False)
            state = p.state


def _discard(target: Path) -> None:
    from engine.container.draft import discard  # noqa: PLC0415  this command alone

    begun = pending(target)
    if discard(target):
        say(f"What was there of {target} is removed" + (f" (from {begun['repo']})." if begun else "."))
    else:
        say(f"There is no unfinished download or conversion of {target}.")
