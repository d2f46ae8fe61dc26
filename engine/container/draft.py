"""A container that is being written: NAME.ouzel.partial/ beside its target, taken up again after a kill, renamed when whole.

    lock        held by the one writer
    key         what is being written: source, formats, converter; a draft of something else is thrown away
    journal     which pieces of its files are there
    container/  what becomes NAME.ouzel
"""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.container.format import MANIFEST
from engine.container.manifest import Manifest, to_bytes
from engine.container.pieces import PieceFile, PieceStore
from engine.container.storage import FolderLock, Hold, sync_folder, write_whole, writing
from engine.errors import BadCheckpoint, StorageError
from engine.words import say

DOWNLOAD = "pull.json"  # the note of a download; hours of it are not thrown away unasked


def being_read(target: Path) -> str:
    """What is said where a model is open."""
    return say("{target} is open as a model. Close it first.", target=target)


class Draft:
    """One writer's draft of `target`; a context manager that keeps the draft where the work is not finished.

    key: equal keys mean equal bytes, so that finished parts can be kept. download: whether a half-made download under another key may
    be thrown away. Raises StorageError (target exists, another writer, read-only, full); nothing is changed then.
    """

    def __init__(self, target: Path, key: str, download: bool = False) -> None:
        self.target, self._download = target, download
        self._work = _beside(target)
        self._folder, self._journal = self._work / "container", self._work / "journal"
        self.store: PieceStore | None = None
        with writing(target):
            self.begun(target, key)
            self._made = [p for p in target.parents if not p.exists()]
            target.parent.mkdir(parents=True, exist_ok=True)
            self._work.mkdir(exist_ok=True)
            self._lock = FolderLock(self._work / "lock", target)
            try:
                self._take_up(key)
            except BaseException:
                self._lock.close()
                raise

    @staticmethod
    def begun(target: Path, key: str) -> bool:
        """Whether an earlier run began a draft of `target` under this key. Raises StorageError where `target` is there already."""
        work = _beside(target)
        with writing(target):
            if target.exists():
                if work.exists() and not (work / "container").exists():  # the writer was killed after its last rename
                    shutil.rmtree(work, ignore_errors=True)
                raise StorageError(
                    say("{target} exists already. Choose another name, or remove it first; it was not changed.", target=target)
                )
            for link in (target, work):
                if link.is_symlink():
                    raise StorageError(
                        say("{link} is a link, and models are not written through one. Remove it, or choose another name.", link=link)
                    )
            return (work / "key").is_file() and (work / "key").read_bytes() == key.encode()

    def _take_up(self, key: str) -> None:
        if not self.begun(self.target, key):  # the target may have been finished between the first look and the lock
            nobody_reads(self._work, self.target)
            if not self._download and (self._work / DOWNLOAD).exists():
                raise StorageError(
                    say(
                        "A download of another model to {target} is half made. Choose another name, go on with the download, "
                        "or discard it.",
                        target=self.target,
                    )
                )
            self._journal.unlink(missing_ok=True)  # first: without it nothing passes for pieces of the new key
            if self._folder.exists():
                shutil.rmtree(self._folder)
            write_whole(self._work / "key", key.encode())
        self._folder.mkdir(exist_ok=True)

    def pieces(self, files: Callable[[Path], list[PieceFile]]) -> PieceStore:
        """The files that `files(folder)` makes, with the pieces of earlier runs. Raises StorageError."""
        with writing(self.target):
            self.store = PieceStore(files(self._folder), self._journal)
        return self.store

    def note(self, name: str, data: bytes) -> None:
        """A small file beside the container, for whoever takes the draft up; it goes with the draft. Raises StorageError."""
        with writing(self.target):
            write_whole(self._work / name, data)

    def put(self, name: str, data: bytes) -> None:
        """A small file, whole. Raises StorageError."""
        with writing(self.target):
            write_whole(self._folder / name, data)

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest and give the folder its name. Raises StorageError."""
        with writing(self.target):
            self.put(MANIFEST, to_bytes(manifest))
            named = {MANIFEST, manifest.trunk.file, manifest.checksums_file, *manifest.files, *(e.file for e in manifest.experts)}
            named |= {manifest.embed.file} if manifest.embed else set()
            for file in [f for f in self._folder.rglob("*") if f.is_file()]:
                if file.relative_to(self._folder).as_posix() not in named:
                    file.unlink()
            for folder in (*(f for f in self._folder.rglob("*") if f.is_dir()), self._folder):
                sync_folder(folder)
            self._folder.rename(self.target)
            sync_folder(self.target.parent)
        self._lock.close()
        shutil.rmtree(self._work, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        useless = kind is not None and issubclass(kind, BadCheckpoint)  # a source that is mended has another key
        empty = self.store is None or not self.store.bytes_done
        if self._folder.exists() and (useless or (empty and not self._journal.exists())):
            shutil.rmtree(self._work, ignore_errors=True)  # before the lock goes: afterwards it may be another writer's
        self._lock.close()
        if useless:
            with suppress(OSError):  # what is not empty by now stays
                for folder in self._made:
                    folder.rmdir()


def _beside(target: Path) -> Path:
    """Where the draft of `target` lies. Raises StorageError for the root of a drive, which has no name."""
    if not target.name:
        raise StorageError(say("{target} exists already. Choose a name for a new folder.", target=target))
    return target.with_name(target.name + ".partial")


def discard(target: Path) -> bool:
    """Remove the draft of `target`; whether there was one. Raises InUse where somebody writes it, StorageError."""
    work = _beside(target)
    with writing(target):
        if not work.is_dir() or work.is_symlink():
            return False
        lock = FolderLock(work / "lock", target)
        try:
            nobody_reads(work, target)
            shutil.rmtree(work)
        finally:
            lock.close()
    return True


def nobody_reads(work: Path, target: Path) -> None:
    """Raises InUse where the draft is open as a model."""
    if (work / "key").exists():
        Hold(work / "key", True, being_read(target)).close()
