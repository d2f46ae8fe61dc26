"""From any source to a container, through one door: a repository is pulled, what lies on this computer is converted, or copied."""

import shutil
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

from engine.apart import work
from engine.cancel import CancelToken
from engine.container.storage import DriveFull
from engine.requests import PullModel
from engine.setup.adopt import adopt
from engine.setup.convert import convert
from engine.setup.hub import HubError
from engine.setup.naming import source_of
from engine.setup.network import endpoint
from engine.setup.pull import Pull, pull
from engine.setup.token import load
from engine.setup.transfer import Report, Transfer
from engine.setup.wish import Wish, pending
from engine.words import say

STATES = {"check": "checking", "trunk": "converting", "experts": "converting", "verify": "verifying", "copy": "copying"}
WRITING = ("converting", "copying")
SPACE_S, TRY_S = 1.0, 10.0  # at least, and at most, between attempts on a full drive
MORE_SPACE = 2**24
Step = Callable[[str, int, int], None]


def make(
    request: PullModel, report: Report, cancel: CancelToken, startable: Callable[[], None] = lambda: None, apart: bool = False
) -> None:
    """Carry out a PullModel; what an earlier call left is taken up. startable() is called once the model can be opened, with start_now.

    apart: what is converted on this computer is so in a process of its own; what is pulled is not, since the engine may run it meanwhile.
    Raises BadRequest, NeedsToken, HubError, UnsupportedModel, BadCheckpoint, StorageError, Cancelled, apart also Ended.
    """
    source = source_of(request.source, request.revision)
    if source.kind == "container":
        _in_steps(request.target, report, cancel, lambda step, stop: adopt(source.path, request.target, step, stop))
        return
    if source.kind != "hub":
        what, mtp = (source.path, request.target, request.experts, request.trunk), request.mtp

        def converted(step: Step, stop: CancelToken) -> None:
            if apart:
                work("engine.setup.convert:convert", *what, progress=step, cancel=stop, mtp=mtp)
            else:
                convert(*what, step, stop, mtp)

        _in_steps(request.target, report, cancel, converted)
        return
    begun = pending(request.target.expanduser().absolute())
    # A download goes on at the hub where it began, whatever has been set since.
    at = str(begun["endpoint"]) if begun is not None and begun["repo"] == source.repo else None
    token = load(at, cancel)
    wish = Wish(source.repo, request.target, request.experts, request.trunk, source.revision, at, request.start_now, mtp=request.mtp)

    def opened(work: Pull) -> None:
        if request.start_now:
            startable()

    try:
        pull(wish, token.value if token else None, report, cancel, opened)
    except HubError as e:
        if type(e) is not HubError or at in (None, endpoint()):
            raise
        raise HubError(
            say("{why} This download began at {at}; to fetch it from {endpoint}, discard it first.", why=e, at=at, endpoint=endpoint()),
            e.details,
        ) from e


def _in_steps(target: Path, report: Report, cancel: CancelToken, steps: Callable[[Step, CancelToken], None]) -> None:
    """Work that tells (phase, bytes done, bytes in all), as the states of a transfer; on a full drive it waits and goes on."""
    transfer = Transfer(report, cancel)
    phase, done, left, begun = "", 0, 0, False

    def progress(now: str, at: int, total: int) -> None:
        nonlocal phase, done, left, begun
        done, left = at, total - at
        if STATES.get(now, now) != phase:
            transfer.text = ""
            phase = transfer.state = STATES.get(now, now)
            transfer.measure(total, lambda: done)
            begun = begun or phase in WRITING

    with transfer.watched():
        while True:
            try:
                steps(progress, transfer.cancel)
                break
            except DriveFull as e:
                if not begun:  # refused before anything was written
                    raise
                transfer.text = say("{left} MB are still to be written, but the drive is full", left=left // 1_000_000 + 1)
                transfer.state, phase = "no space", ""
                _wait_for_space(target, e, transfer.cancel)
    transfer.state = "done"
    transfer.tell()


def _wait_for_space(target: Path, full: DriveFull, cancel: CancelToken) -> None:
    """Until there is more space than when the drive was full. Raises Cancelled, `full` where the drive cannot be looked at."""
    drive, end = target.parent, monotonic() + SPACE_S
    try:
        least = shutil.disk_usage(drive).free + MORE_SPACE
        while monotonic() < end or (monotonic() < end + TRY_S and shutil.disk_usage(drive).free < least):
            cancel.check()
            sleep(0.02)
    except OSError:
        raise full from None
