"""Moving a model's experts to other drives, layer by layer: at every moment the table of volumes is true and the model whole.

A layer's files are written beside the old ones, flushed, read back against the checksums and renamed; then the table is written,
and then the old files are removed. Whoever is interrupted starts the same move again; layers that have moved stay as they are.
"""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import xxhash

from engine.cancel import CancelToken
from engine.container.files import forget, pieces
from engine.container.format import MANIFEST
from engine.container.manifest import read_manifest
from engine.container.placed import Copy, all_copies, find, table_of
from engine.container.reader import SUFFIX, must_be_container, read_checksums
from engine.container.storage import Hold, reading, sync_folder, writing
from engine.container.strict import Malformed
from engine.container.volumes import MARK, Folder, Placement, Table, read_mark, write_mark, write_table, wrong_folder
from engine.errors import BadContainer, BadRequest, StorageError
from engine.words import joined, say
from kernels_pyx.aio import LANES

SYNC = 64 * 2**20  # written before the drive is waited for
Progress = Callable[[str, int, int], None]


def is_open(path: Path) -> str:
    """What is said where another process has a model open."""
    return say("{path} is open in an Ouzel right now. Close the model there, then start again.", path=path)


class Mover:
    """A model that nobody else uses while this is open; a context manager. Raises BadContainer, InUse, StorageError."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        must_be_container(self.path)
        with reading(self.path):
            self._hold = Hold(self.path / MANIFEST, True, is_open(self.path))
        try:
            with reading(self.path):
                self.manifest = read_manifest(self.path)
                self.table = table_of(self.path, self.manifest)
                self._sums = read_checksums(self.path, self.manifest)
        except Malformed as e:
            self._hold.close()
            name = self.manifest.checksums_file
            raise BadContainer(
                say("The model {path} is damaged: {name} {why}. Fetch or convert it again.", path=self.path, name=name, why=e)
            ) from None
        except BaseException:
            self._hold.close()
            raise

    def __enter__(self) -> "Mover":
        return self

    def __exit__(self, *_: object) -> None:
        self._hold.close()

    def volume(self, drive: Path) -> int:
        """The volume in the folder `drive`, made where there is none yet; the table knows it from now on, though no layer lies there."""
        drive = drive.expanduser().absolute()
        if not drive.is_dir():
            raise StorageError(say("{drive} is no folder. Check the path, or that its drive is connected.", drive=drive))
        if self.path == drive or self.path in drive.parents:
            raise BadRequest(say("{drive} lies in the model itself. Choose a folder on another drive.", drive=drive))
        path = drive / f"{self.path.name.removesuffix(SUFFIX)}.volume"
        known = [f.path for f in self.table.folders]
        if path in known:
            if wrong := wrong_folder(self.table.folders[known.index(path)], self.manifest.checksum):
                raise StorageError(
                    say("{path} {wrong}. Connect the right drive, or take the folder away and start again.", path=path, wrong=wrong)
                )
            return known.index(path) + 1
        if len(known) >= LANES - 1:
            raise BadRequest(say("A model lies on at most {lanes} volumes.", lanes=LANES))
        folder = Folder(path, self._id(path))
        with writing(path):
            path.mkdir(exist_ok=True)
            write_mark(folder, self.manifest.checksum)
        self.table = Table(self.table.model, (*self.table.folders, folder), self.table.placements, self.table.layers)
        return len(self.table.folders)

    def _id(self, path: Path) -> str:
        """The id of a folder that an interrupted move left, or a new one."""
        left = [f for f in path.rglob("*") if not f.is_dir() and f.name != MARK + ".new"] if path.is_dir() else []
        if not path.exists() or (path.is_dir() and not left):  # empty, or from a kill before the mark or after its removal
            return secrets.token_hex(16)
        try:
            with reading(path):
                model, id_ = read_mark(path)
        except Malformed as e:
            raise StorageError(
                say("{path} is there already, and its {mark} {why}. Take it away, or choose another folder.", path=path, mark=MARK, why=e)
            ) from None
        if model != self.manifest.checksum:
            raise StorageError(say("{path} belongs to another model. Choose another folder.", path=path))
        return id_

    def move(self, goal: Placement, progress: Progress, cancel: CancelToken) -> None:
        """Bring every layer to `goal`; progress("move", done, total) in bytes. Raises StorageError, BadContainer, Cancelled.

        Where there is too little space nothing is begun.
        """
        placed = find(self.path, self.manifest)
        now = [list(copies) for copies in placed.copies]
        wanted = self._wanted(goal)
        try:
            self._must_fit(now, wanted)
        except StorageError:
            self._leave_new_folders()
            raise
        total = sum(self._nbytes(i, c) for i, copies in enumerate(wanted) for c in copies)
        done = 0
        for i, copies in enumerate(wanted):
            there, stay = [c.path for c in now[i]], [c.path for c in copies]
            for copy in copies:
                # Before other copies go, what stays is read as well.
                if copy.path not in there or not set(there) <= set(stay):
                    with writing(copy.path):
                        self._write(i, copy, now[i], cancel)
                done += self._nbytes(i, copy)
                progress("move", done, total)
            self._switch(self.table.moved(i, goal))
            self._remove(c for c in now[i] if c.path not in stay)
        self._tidy()

    def _leave_new_folders(self) -> None:
        used = self.table.tidied().folders
        for folder in self.table.folders:
            if folder not in used and [f.name for f in folder.path.iterdir()] == [MARK]:
                with suppress(OSError):
                    (folder.path / MARK).unlink()
                    folder.path.rmdir()

    def _wanted(self, goal: Placement) -> list[list[Copy]]:
        table = Table(self.table.model, self.table.folders, (goal,), (0,) * len(self.manifest.experts))
        return all_copies(self.path, self.manifest, table)

    def _nbytes(self, ordinal: int, copy: Copy) -> int:
        return self.manifest.experts[ordinal].n_experts * copy.nbytes

    def _switch(self, table: Table) -> None:
        with writing(self.path):
            write_table(self.path, table)
        self.table = table

    def _must_fit(self, now: list[list[Copy]], wanted: list[list[Copy]]) -> None:
        """Refuse a move for which a drive has too little space at its fullest moment."""
        needs: dict[int, tuple[int, int, Path]] = {}  # by device: balance, its highest, a folder there
        paths = self.table.paths(self.path)
        device = {v: p.stat().st_dev for v, p in enumerate(paths) if p.is_dir()}
        for i, copies in enumerate(wanted):
            kept = {c.path for c in copies}
            steps = [(c, 1) for c in copies if c.path not in {o.path for o in now[i]}]
            steps += [(c, -1) for c in now[i] if c.path not in kept]
            for copy, sign in steps:
                balance, highest, folder = needs.get(device[copy.volume], (0, 0, paths[copy.volume]))
                draft = [f for f in (copy.path, _draft(copy.path)) if sign > 0 and f.exists()]  # what an earlier run left
                balance += sign * self._nbytes(i, copy) - sum(f.stat().st_size for f in draft)
                needs[device[copy.volume]] = balance, max(highest, balance), folder
        for _, highest, folder in needs.values():
            free = shutil.disk_usage(folder).free
            if highest > free:
                raise StorageError(
                    say(
                        "Moving the experts needs {highest:.2f} GB on the drive of {folder}, and {free:.2f} GB are free. "
                        "Free some space there, or give this drive less weight; nothing was changed.",
                        highest=highest / 1e9,
                        folder=folder,
                        free=free / 1e9,
                    )
                )

    def _write(self, ordinal: int, copy: Copy, sources: Sequence[Copy], cancel: CancelToken) -> None:
        """Make the file of `copy` from records of `sources`, whole and read back, before its name appears."""
        entry = self.manifest.experts[ordinal]
        stride, draft, sums = entry.layout.stride, _draft(copy.path), self._sums[ordinal].tolist()
        if copy.path.exists() and copy.nbytes == stride and self._is_right(copy, copy.path, sums, cancel):  # from an interrupted move
            return
        copy.path.parent.mkdir(exist_ok=True)
        record, unsynced, written = memoryview(bytearray(stride)), 0, []
        piece = record[copy.start : copy.start + copy.nbytes]
        with draft.open("wb", buffering=0) as file:
            for expert in range(entry.n_experts):
                self._read(ordinal, expert, sources, record, cancel)
                file.write(piece)
                written.append(xxhash.xxh3_64_intdigest(piece))
                unsynced += copy.nbytes
                if unsynced >= SYNC or expert == entry.n_experts - 1:
                    os.fsync(file.fileno())
                    forget(file, 0, (expert + 1) * copy.nbytes)
                    unsynced = 0
        if not self._is_right(copy, draft, written, cancel):
            raise StorageError(say("{draft} does not hold what was written there. The drive is failing: choose another one.", draft=draft))
        draft.replace(copy.path)
        sync_folder(copy.path.parent)

    def _read(self, ordinal: int, expert: int, sources: Sequence[Copy], into: memoryview, cancel: CancelToken) -> None:
        """The record of an expert from the first copy that holds it undamaged, or from its pieces."""
        problem = say("has no copy that can be read")
        whole = [[c] for c in sources if c.nbytes == len(into)]
        for copies in whole or [list(sources)]:
            try:
                for c in copies:
                    for _ in pieces(c.path, c.nbytes, cancel, expert * c.nbytes, into[c.start : c.start + c.nbytes]):
                        pass
            except OSError as e:
                problem = say("cannot be read from {path} ({why})", path=copies[0].path, why=e.strerror or e)
                continue
            if xxhash.xxh3_64_intdigest(into) == int(self._sums[ordinal][expert]):
                return
            problem = say("is damaged in {copies}", copies=joined(say(" or "), (c.path for c in copies)))
        layer = self.manifest.experts[ordinal].layer
        raise BadContainer(
            say(
                "Expert {expert} of layer {layer} {problem}. Nothing was removed; `ouzel verify` on it shows all damage.",
                expert=expert,
                layer=layer,
                problem=problem,
            )
        )

    def _is_right(self, copy: Copy, path: Path, sums: Sequence[int], cancel: CancelToken) -> bool:
        """Whether a file holds records, or pieces of them, with these xxh3_64."""
        if path.stat().st_size != len(sums) * copy.nbytes:
            return False
        for i, wanted in enumerate(sums):
            h = xxhash.xxh3_64()
            for piece in pieces(path, copy.nbytes, cancel, i * copy.nbytes):
                h.update(piece)
            if h.intdigest() != wanted:
                return False
        return True

    def _remove(self, copies: Iterator[Copy]) -> None:
        for copy in copies:
            with suppress(OSError):  # what cannot be removed now is swept up at the end, or by the next move
                copy.path.unlink()

    def _tidy(self) -> None:
        """Forget folders without layers, and remove what no layer uses any more."""
        before = self.table
        self._switch(before.tidied())
        used = {c.path for copies in all_copies(self.path, self.manifest, self.table) for c in copies}
        home = {self.path / self.manifest.volumes[e.volume] / e.file for e in self.manifest.experts}
        home |= {_draft(f) for f in home}
        for path in before.paths(self.path):
            if path != self.path and any(f.path == path and wrong_folder(f, before.model) for f in before.folders):
                continue
            ours = [*path.glob("part-*/L*.bin*"), *path.glob("full/L*.bin*"), *(home if path == self.path else ())]
            with suppress(OSError):
                for file in ours:
                    if file not in used:
                        file.unlink(missing_ok=True)
                for folder in (*path.glob("part-*"), *path.glob("full")):
                    if not any(folder.iterdir()):
                        folder.rmdir()
                if path not in self.table.paths(self.path):
                    (path / f"{MARK}.new").unlink(missing_ok=True)
                    (path / MARK).unlink(missing_ok=True)
                    path.rmdir()

    def locate(self, old: Path, new: Path) -> None:
        """A volume was mounted elsewhere: `old`, as the table has it, is now `new` or lies in it. Raises StorageError, BadRequest."""
        old, new = old.expanduser().absolute(), new.expanduser().absolute()
        at = next((i for i, f in enumerate(self.table.folders) if old in (f.path, f.path.parent)), None)
        if at is None:
            known = ", ".join(str(f.path) for f in self.table.folders) or say("none")
            raise BadRequest(say("{old} is no volume of {path}. Its volumes: {known}.", old=old, path=self.path, known=known))
        folder = self.table.folders[at]
        found = Folder(new if (new / MARK).is_file() else new / folder.path.name, folder.id)
        if wrong := wrong_folder(found, self.manifest.checksum):
            raise StorageError(
                say("{path} {wrong}. Choose the folder that was {folder}.", path=found.path, wrong=wrong, folder=folder.path)
            )
        folders = tuple(found if i == at else f for i, f in enumerate(self.table.folders))
        self._switch(Table(self.table.model, folders, self.table.placements, self.table.layers))


def _draft(path: Path) -> Path:
    return path.with_name(path.name + ".new")
