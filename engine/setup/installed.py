"""Which models are on this computer, which are being made, and how one is removed."""

import math
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from engine import paths
from engine.arch.spec import ArchSpec
from engine.config import EngineConfig
from engine.container.format import MANIFEST
from engine.container.placed import volume_folders
from engine.container.reader import Container
from engine.container.storage import FolderLock, Hold, InUse, writing
from engine.errors import BadRequest, EngineError, typed
from engine.model.plan import Planner
from engine.setup import known
from engine.setup.known import Known
from engine.words import say, sentence

DRAFT, REMOVING = paths.DRAFT, ".removing"


@dataclass(frozen=True, slots=True)
class Installed:
    """A container. nbytes: on disk; formats: by role, as its manifest has them; floor_bytes: its least memory limit.

    problem: why it cannot be opened, a sentence, else empty; family, formats and floor_bytes are then empty or 0. link: where it lies
    really, where the models folder has only a link to it. lost: the folders that it lacks now, as known.Known has them.
    """

    name: str
    path: Path
    link: Path | None
    nbytes: int
    family: str
    formats: dict[str, str]
    parameters: int
    floor_bytes: int
    problem: str
    lost: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a conversion or a download has made so far of `path`. nbytes: on disk; busy: a process works on it now.

    removed: it is what a removal that was killed has left.
    """

    name: str
    path: Path
    nbytes: int
    busy: bool
    removed: bool = False


def installed(folder: Path | None = None) -> list[Installed]:
    """The containers in `folder` by name; if left out, in the models folder, and those known elsewhere, on missing drives included."""
    if folder is not None:
        return [look_at(p) for p in sorted(_entries(folder, paths.SUFFIX)) if p.is_dir()]
    lost = {k.path: k.lost for k in known.models()}
    return [look_at(p, lost.get(p, ())) for p in dict.fromkeys([*paths.installed_models(), *lost])]


def look_at(path: Path, lost: tuple[Path, ...] = ()) -> Installed:
    """One container, whole or not."""
    if path in lost:
        gone = say(
            "{path} is not there now. Connect its drive. If it is gone for good, `{command}` takes it off this list.",
            path=path.readlink() if path.is_symlink() else path,
            command=typed("ouzel", "remove", path),
        )
        return Installed(path.name.removesuffix(paths.SUFFIX), path, _link(path), 0, "", {}, 0, 0, gone, lost)
    family, formats, parameters, floor, problem = "", dict[str, str](), 0, 0, ""
    try:
        container = Container.open(path)
        with ExitStack() as undo:
            undo.callback(container.close)
            family, formats = container.arch.model_type, dict(container.manifest.formats)
            parameters, floor = _parameters(container.arch), Planner(container, EngineConfig(path, draft="auto")).floor()
    except EngineError as e:
        problem = sentence(e)
    name = path.name.removesuffix(paths.SUFFIX)
    return Installed(name, path, _link(path), size_of(path), family, formats, parameters, floor, problem, lost)


def _link(path: Path) -> Path | None:
    return path.resolve() if path.is_symlink() else None


def _parameters(arch: ArchSpec) -> int:
    """Without the layer for further tokens, as publishers count."""
    beside = {t.name for t in arch.mtp.tensors} if arch.mtp is not None else set()
    own = (e for e in arch.experts if e.layer < len(arch.layers))
    experts = sum(e.n_experts * math.prod(e.shape(part)) for e in own for part in e.parts)
    return experts + sum(math.prod(t.shape) for t in arch.tensors if t.name not in beside)


def unfinished(folder: Path | None = None) -> list[Unfinished]:
    """What is being made in `folder`, the models folder if left out, or was left there half made or half removed."""
    folder, out = folder or paths.models_dir(), []
    for suffix in (DRAFT, REMOVING):
        for p in sorted(_entries(folder, paths.SUFFIX + suffix)):
            target = p.with_name(p.name.removesuffix(suffix))
            out.append(Unfinished(target.name.removesuffix(paths.SUFFIX), target, size_of(p), is_busy(p), suffix == REMOVING))
    return out


def _entries(folder: Path, suffix: str) -> Iterator[Path]:
    with suppress(OSError):
        yield from (p for p in folder.iterdir() if p.name.endswith(suffix))


def is_busy(draft: Path) -> bool:
    """Whether a process works on this draft now."""
    lock = draft / "lock"
    if not lock.is_file():
        return False
    try:
        FolderLock(lock, draft).close()
    except InUse:
        return True
    except OSError:
        return False
    return False


def size_of(path: Path) -> int:
    """Bytes of all files below a folder; links below it are not followed."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                total += (Path(folder) / name).lstat().st_size
    return total


@dataclass(frozen=True, slots=True)
class Removal:
    """What `remove` would remove. link: only this link goes, and what it points at stays. listed: only an entry of the list goes, of a
    model whose drive is missing.
    """

    path: Path
    link: Path | None
    whole: bool
    draft: bool
    nbytes: int
    listed: bool = False


def to_remove(path: Path) -> Removal:
    """What there is of the model at `path`: a container, a draft of it, or both. Raises BadRequest where it is neither."""
    if not path.is_symlink() and Known(path, (path,)) in known.models():
        return Removal(path, None, False, False, 0, True)
    link = path.resolve() if path.is_symlink() else None
    whole = link is not None or (path.suffix == paths.SUFFIX and (path / MANIFEST).is_file())
    beside = [path.with_name(path.name + end) for end in (DRAFT, REMOVING)] if path.name else []  # a drive's root has no name
    left = [p for p in beside if p.is_dir() and not p.is_symlink()]
    if path.suffix != paths.SUFFIX or not (whole or left):
        raise BadRequest(
            say(
                "{path} is no model: a folder NAME{suffix} with a {manifest}. Remove other files with your file manager.",
                path=path,
                suffix=paths.SUFFIX,
                manifest=MANIFEST,
            )
        )
    if paths.is_bundled(path):
        raise BadRequest(say("{path} came with Ouzel and goes when Ouzel is removed. Nothing was changed.", path=path))
    mine = ([path] if whole and link is None else []) + left
    sizes = [size_of(p) for p in mine + [folder for p in mine for folder in volume_folders(p)]]
    return Removal(path, link, whole, bool(left), sum(sizes))


def remove(path: Path) -> Removal:
    """Remove the model at `path` and what is left of drafts of it; what a link points at stays.

    Raises BadRequest, InUse (it is open or being made; nothing is changed then), StorageError.
    """
    found = to_remove(path)
    if found.listed:
        known.forget(path)
        paths.forget_model(path)
        return found
    draft, removing = path.with_name(path.name + DRAFT), path.with_name(path.name + REMOVING)
    with writing(path), ExitStack() as held:
        if (draft / "lock").is_file():
            lock = FolderLock(draft / "lock", path)
            held.callback(lock.close)
        if found.link is not None:
            path.unlink()
        elif found.whole:
            hold = Hold(path / MANIFEST, True, say("{path} is open in another Ouzel. Close it there first.", path=path))
            held.callback(hold.close)
            _remove_tree(removing)
            if sys.platform == "win32":  # where nothing that is open can be renamed
                hold.close()
            path.rename(removing)  # a kill from here on leaves no half model
        for left in (removing, draft):
            _remove_tree(left)
    paths.forget_model(path)
    known.forget(path)
    return found


def _remove_tree(path: Path) -> None:
    """A folder of ours with the experts that it has on other drives, those first, so that a kill between leaves the way to them."""
    if path.is_dir() and not path.is_symlink():
        for folder in volume_folders(path):
            shutil.rmtree(folder)
        shutil.rmtree(path)
