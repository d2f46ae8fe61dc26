"""From any source to a container, through one door: a repository is pulled, what lies on this computer is converted, or copied."""

from collections.abc import Callable

from engine.cancel import CancelToken
from engine.requests import PullModel
from engine.setup.adopt import adopt
from engine.setup.convert import convert
from engine.setup.naming import source_of
from engine.setup.pull import Pull, Wish, pull
from engine.setup.token import load
from engine.setup.transfer import Report, Transfer

STATES = {"check": "checking", "trunk": "converting", "experts": "converting", "verify": "verifying", "copy": "copying"}
Step = Callable[[str, int, int], None]


def make(request: PullModel, report: Report, cancel: CancelToken, startable: Callable[[], None] = lambda: None) -> None:
    """Carry out a PullModel; what an earlier call left is taken up. startable() is called once the model can be opened, with start_now.

    Raises BadRequest, NeedsToken, HubError, UnsupportedModel, BadCheckpoint, StorageError, Cancelled.
    """
    source = source_of(request.source, request.revision)
    if source.kind == "container":
        _in_steps(report, cancel, lambda step, stop: adopt(source.path, request.target, step, stop))
        return
    if source.kind != "hub":
        formats = request.experts, request.trunk
        _in_steps(report, cancel, lambda step, stop: convert(source.path, request.target, *formats, step, stop))
        return
    token = load(cancel=cancel)
    wish = Wish(
        source.repo, request.target, request.experts, request.trunk, source.revision, trunk_first=request.start_now
    )

    def opened(work: Pull) -> None:
        if request.start_now:
            startable()

    pull(wish, token.value if token else None, report, cancel, opened)


def _in_steps(report: Report, cancel: CancelToken, work: Callable[[Step, CancelToken], None]) -> None:
    """Work that tells (phase, bytes done, bytes in all), as the states of a transfer."""
    transfer = Transfer(report, cancel)
    phase, done = "", 0

    def progress(now: str, at: int, total: int) -> None:
        nonlocal phase, done
        done = at
        if STATES.get(now, now) != phase:
            phase = transfer.state = STATES.get(now, now)
            transfer.measure(total, lambda: done)

    with transfer.watched():
        work(progress, transfer.cancel)
    transfer.state = "done"
    transfer.tell()
