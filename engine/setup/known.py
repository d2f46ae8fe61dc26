"""Models that were opened or made outside the models folder, and models whose drive is missing now: they are listed, never lost.

known.json in the home folder has path and manifest checksum of the former. An entry goes only when it is asked for, since a drive that is
not connected looks as if its files were removed.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine import paths
from engine.container.format import MANIFEST
from engine.container.manifest import read_manifest
from engine.container.placed import find, table_of
from engine.container.storage import write_whole, writing
from engine.container.strict import Malformed, parse_object, read_limited
from engine.container.volumes import wrong_folder
from engine.errors import BadRequest, EngineError, StorageError
from engine.setup.moving import Mover
from engine.words import say

LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Known:
    """lost: the folders without which the model cannot be opened now: its own, or volumes of its experts; empty where it can."""

    path: Path
    lost: tuple[Path, ...] = ()


def models() -> tuple[Known, ...]:
    """The models of the models folder, links to drives that are missing included, a bundle's starter, then those known elsewhere."""
    folder, elsewhere = paths.models_dir(), _read()
    here: list[Path] = []
    with suppress(OSError):
        here = sorted(p for p in folder.iterdir() if p.suffix == paths.SUFFIX and (p.is_symlink() or p.is_dir()))
    out = []
    starter = [p for p in (paths.starter_path(),) if paths.is_bundled(p)]
    for path in dict.fromkeys([*here, *starter, *elsewhere]):
        if (path / MANIFEST).is_file():
            out.append(Known(path, _lost_volumes(path)))
        elif path.is_symlink() or path in elsewhere:
            out.append(Known(path, (path,)))
    return tuple(out)


def _lost_volumes(path: Path) -> tuple[Path, ...]:
    """A mirror that is missing is not lost: the model opens without it. Nor is what is damaged: opening says what is wrong."""
    try:
        m = read_manifest(path)
        missing = tuple(f.path for f in table_of(path, m).folders if wrong_folder(f, m.checksum))
    except (EngineError, OSError):
        return ()
    if missing:
        try:
            find(path, m)
        except (EngineError, OSError):
            return missing
    return ()


def remember(path: Path) -> None:
    """Note a model that lies outside the models folder. A home that cannot be written does not stop the chat."""
    path = path.expanduser().absolute()
    if path.parent == paths.models_dir() or paths.is_bundled(path):
        return
    with suppress(EngineError, OSError):
        checksum = read_manifest(path).checksum
        known = _read()
        if known.get(path) != checksum:
            _write({**known, path: checksum})


def forget(path: Path) -> None:
    """Take a model off the list."""
    known = _read()
    if known.pop(path, None) is not None:
        _write(known)


def locate(path: Path, lost: Path, new: Path) -> Path:
    """A folder that the model at `path` lost lies at `new` now, or in it; the model's path from now on.

    Raises BadRequest, BadContainer, InUse, StorageError where it is not that folder; nothing is changed then.
    """
    new = new.expanduser().absolute()
    if lost != path:
        with Mover(path) as mover:
            mover.locate(lost, new)
        return path
    found = next((p for p in (new, new / path.name) if (p / MANIFEST).is_file()), None)
    if found is None:
        raise BadRequest(
            say("{new} holds no model {name}. Choose the folder that was {target}.", new=new, name=path.name, target=_target(path))
        )
    try:
        checksum = read_manifest(found).checksum
    except OSError as e:
        raise StorageError(say("{found} cannot be read ({why}). Check its drive.", found=found, why=e.strerror or e)) from e
    known = _read()
    if known.get(path, checksum) != checksum:
        raise BadRequest(
            say(
                "{found} is another model than the one that was {path}. Choose its folder, or open this one by itself.",
                found=found,
                path=path,
            )
        )
    if path.is_symlink():
        with writing(path):
            draft = path.with_name(path.name + ".new")
            draft.unlink(missing_ok=True)
            draft.symlink_to(found, target_is_directory=True)
            draft.replace(path)
        return path
    known.pop(path, None)
    _write(known)
    remember(found)
    return found


def _target(path: Path) -> Path:
    return path.readlink() if path.is_symlink() else path


def _file() -> Path:
    return paths.home() / "known.json"


def _read() -> dict[Path, str]:
    """A file that is damaged counts as none."""
    try:
        value = parse_object(read_limited(_file(), LIMIT))
    except (Malformed, OSError):
        return {}
    found = {Path(k): v for k, v in value.items() if isinstance(v, str) and "\0" not in k}
    return {path: checksum for path, checksum in found.items() if path.is_absolute()}


def _write(known: dict[Path, str]) -> None:
    with writing(_file()):
        _file().parent.mkdir(parents=True, exist_ok=True)
        write_whole(_file(), json.dumps({str(p): c for p, c in known.items()}, indent=1).encode())
