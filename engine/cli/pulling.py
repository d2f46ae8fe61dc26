"""A pull on a thread of its own, watched in the terminal, or going on behind a chat with what is there."""

import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType

from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from engine.cancel import CancelToken
from engine.cli import options
from engine.cli.chat import Conversation, converse
from engine.cli.client import Client
from engine.cli.console import error_console, say
from engine.cli.sizes import human
from engine.requests import PullModel
from engine.setup.make import make
from engine.setup.transfer import Progress

STATES = {
    "looking": "Looking", "checking": "Checking the checkpoint", "downloading": "Downloading", "converting": "Converting",
    "copying": "Copying", "stalled": "Stalled", "waiting": "Waiting", "no space": "Drive full", "verifying": "Checking", "done": "Done",
}  # fmt: skip


class PullJob:
    """Carries out `request` once started; whoever starts it calls `finish` or `keep`."""

    def __init__(self, request: PullModel) -> None:
        self.request, self.cancel = request, CancelToken()
        self.startable = threading.Event()
        self.last: Progress | None = None
        self._problem: list[BaseException] = []
        self._thread = threading.Thread(target=self._work, name="pull")

    def _work(self) -> None:
        try:
            make(self.request, self._report, self.cancel, self.startable.set)
        except BaseException as e:
            self._problem.append(e)

    def _report(self, p: Progress) -> None:
        self.last = p

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def going(self) -> bool:
        """Whether it has not ended."""
        return self._thread.is_alive()

    def watch(self, enough: Callable[[], bool] = lambda: False) -> None:
        """Show progress until the end or until it is enough; Ctrl-C pauses the pull. Raises what ended it."""

        def interrupted(number: int, frame: FrameType | None) -> None:
            self.cancel.cancel()

        before = signal.signal(signal.SIGINT, interrupted)
        try:
            self._watch(enough)
        finally:
            signal.signal(signal.SIGINT, before)
        if self._problem:
            raise self._problem[0]

    def _watch(self, enough: Callable[[], bool]) -> None:
        """Where nobody watches, a line whenever the state changes."""
        console = error_console()
        rate = TextColumn("{task.fields[rate]}")
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), rate, TimeRemainingColumn())
        state, task = "", TaskID(0)
        with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
            if console.is_terminal:
                task = bar.add_task("Looking", total=None, rate="")
            while self.going and not enough():
                self._thread.join(0.2)
                if (p := self.last) is None:
                    continue
                with suppress(OSError):
                    if console.is_terminal:
                        bar.update(task, description=words(p), completed=p.done, total=p.total or None, rate=f"{human(int(p.rate))}/s")
                    elif p.state != state:
                        console.print(f"{words(p)} ...", markup=False)
                state = p.state

    def status(self) -> str:
        """How far it is, in a line."""
        if self._problem:
            return f"The download has ended: {self._problem[0]}"
        if (p := self.last) is None:
            return "Looking"
        share = f", {human(p.done)} of {human(p.total)} ({100 * p.done // p.total} %)" if p.total else ""
        return words(p) + share + (f", {human(int(p.rate))}/s" if p.rate else "")

    def pause(self) -> None:
        """End it, and keep what is there."""
        self.cancel.cancel()
        self._thread.join()


def made_of(source: Path, target: Path, experts: str, trunk: str, mtp: str = "keep") -> None:
    """Convert what lies at `source`, a folder or a .gguf file, to the container `target`. Raises what the work ends with."""
    job = PullJob(PullModel(0, str(source.expanduser().absolute()), target.expanduser().absolute(), experts, trunk, mtp=mtp))
    job.start()
    try:
        job.watch()
    finally:
        job.pause()


def words(p: Progress) -> str:
    """The state for people."""
    return STATES[p.state] + (f": {p.text}" if p.text else "")


def chat_meanwhile(request: PullModel) -> None:
    """Pull, and talk with the model as soon as its trunk is there. Raises what the pull or the opening ends with."""
    job = PullJob(replace(request, start_now=True))
    job.start()
    try:
        job.watch(job.startable.is_set)
        with Client() as engine:
            info = engine.open_at(request.target, lambda path: options.engine_config(path, None, None, None, False, None, None))
            if sys.stdin.isatty() and job.going:
                say("The download goes on behind this chat: /status tells how far it is. What an answer needs comes first.")
            converse(Conversation(engine, info, info.defaults, None, None, False, job.status))
        if job.going:
            say("The rest is still coming. Ctrl-C keeps what is there: the same command goes on with it later.")
        job.watch()
    finally:
        job.pause()
