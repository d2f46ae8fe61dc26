"""A container that was made elsewhere, taken in: checked, copied and checked again, or linked to. It appears whole or not at all."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from engine.cancel import CancelToken
from engine.container.files import forget, open_once, pieces
from engine.container.format import MANIFEST
from engine.container.manifest import Manifest, read_manifest
from engine.container.placed import all_copies, table_of
from engine.container.reader import must_be_container
from engine.container.storage import FolderLock, reading, sync_folder, writing
from engine.container.verify import verify
from engine.errors import BadContainer, BadRequest, StorageError
from engine.setup.convert import need_space
from engine.words import joined, say

Progress = Callable[[str, int, int], None]
MANY = 3  # problems that a sentence names


def adopt(source: Path, target: Path, progress: Progress, cancel: CancelToken, link: bool = False) -> None:
    """Check the container `source`, then make `target` a copy of it, or a link to it.

    What an interrupted copy has left is used by the next one. progress(phase, done, total) in bytes: "verify", "copy", "verify". Raises
    BadContainer (all damage, nothing is made), BadRequest, StorageError, InUse, Cancelled.
    """
    source, target = source.expanduser().absolute(), target.expanduser().absolute()
    must_be_container(source)
    with writing(target):
        if target.exists() or target.is_symlink():
            same = target.exists() and target.samefile(source)
            if same:
                raise BadRequest(say("{target} is there already: nothing is left to do; it was not changed.", target=target))
            raise BadRequest(say("{target} exists already. Choose another name, or remove it first; it was not changed.", target=target))
    _must_be_whole(source, say("Copy it anew from where it was made, or convert the model again."), progress, cancel)
    if link:
        _link(source, target)
        return
    with reading(source):
        files = _files(source, read_manifest(source))
        need_space(target, sum(f.stat().st_size for f in files.values()), _there(target, files))
    work = target.with_name(target.name + ".partial")
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        work.mkdir(exist_ok=True)
        lock = FolderLock(work / "lock", target)
        try:
            _copy(files, work / "container", progress, cancel)
            _must_be_whole(
                work / "container", say("The drive may be failing. Start again: what is damaged is copied anew."), progress, cancel
            )
            (work / "container").rename(target)
            sync_folder(target.parent)
        finally:
            lock.close()
        shutil.rmtree(work, ignore_errors=True)


def _link(source: Path, target: Path) -> None:
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            target.symlink_to(source, target_is_directory=True)
        except (RuntimeError, PermissionError) as e:  # a system without links, or without the right to make them
            raise StorageError(
                say("{target} cannot be a link here ({why}). Import the model without --link, which copies it.", target=target, why=e)
            ) from e
        sync_folder(target.parent)


def _must_be_whole(path: Path, way: str, progress: Progress, cancel: CancelToken) -> None:
    problems = verify(path, progress, cancel)
    if not problems:
        return
    for p in problems:  # a draft's damaged files would be taken for good ones
        if path.name == "container" and p.file != MANIFEST:
            (path / p.file).unlink(missing_ok=True)
    more = [say("and {count} more", count=len(problems) - MANY)] if problems[MANY:] else []
    told = joined("; ", [*(joined(": ", [p.file, p.what]) for p in problems[:MANY]), *more])
    raise BadContainer(
        say("{path} is damaged: {told}. {way}", path=path, told=told, way=way), "\n".join(f"{p.file}: {p.what}" for p in problems)
    )


def _files(source: Path, m: Manifest) -> dict[str, Path]:
    """Where each file of the copy comes from, by its name there; the manifest last. Raises BadRequest, BadContainer."""
    names = [m.trunk.file, m.checksums_file, *m.files, *([m.embed.file] if m.embed else [])]
    out = {name: source / name for name in names}
    for e, copies in zip(m.experts, all_copies(source, m, table_of(source, m)), strict=True):
        whole = next((c for c in copies if c.nbytes == e.layout.stride), None)
        if whole is None:
            raise BadRequest(
                say(
                    "The experts of {source} are spread over several drives. Bring them together first: ouzel volumes "
                    "{source} --gather; or import it with --link.",
                    source=source,
                )
            )
        out[(Path(m.volumes[e.volume]) / e.file).as_posix()] = whole.path
    return out | {MANIFEST: source / MANIFEST}


def _there(target: Path, files: dict[str, Path]) -> int:
    """Bytes that an earlier copy has left."""
    folder = target.with_name(target.name + ".partial") / "container"
    return sum((folder / name).stat().st_size for name in files if (folder / name).is_file())


def _copy(files: dict[str, Path], folder: Path, progress: Progress, cancel: CancelToken) -> None:
    """Copy what is not there in its size; the manifest last."""
    sizes = {name: path.stat().st_size for name, path in files.items()}
    done, total = 0, sum(sizes.values())
    for name, path in files.items():
        out = folder / name
        out.parent.mkdir(parents=True, exist_ok=True)
        if name == MANIFEST or not out.is_file() or out.stat().st_size != sizes[name]:
            draft = out.with_name(out.name + ".new")
            with draft.open("wb") as file:
                for piece in pieces(path, sizes[name], cancel):
                    file.write(piece)
                    progress("copy", done + file.tell(), total)
                file.flush()
                os.fsync(file.fileno())
            with open_once(draft) as written:  # so that the check reads the drive
                forget(written, 0, sizes[name])
            draft.replace(out)
        done += sizes[name]
        progress("copy", done, total)
    for inner in {p.parent for p in map(folder.joinpath, files)} | {folder}:
        sync_folder(inner)
