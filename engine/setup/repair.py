"""A damaged container made whole in place: good copies on other drives first, else what is broken is made again from its source.

All that is written was compared with the manifest's checksums before. Records are overwritten where they lie, since what lies there is
damaged already; files that are missing or of a wrong size, and the trunk, are written beside and renamed. So a kill never makes it worse.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xxhash

from engine.cancel import CancelToken
from engine.container.files import forget, hash_file
from engine.container.format import MANIFEST
from engine.container.manifest import read_manifest
from engine.container.pieces import PieceFile
from engine.container.placed import Copy, all_copies, table_of
from engine.container.reader import must_be_container, must_fit, read_checksums
from engine.container.storage import Hold, reading, sync_folder, write_whole, writing
from engine.container.strict import Malformed
from engine.container.volumes import wrong_folder
from engine.errors import BadCheckpoint, BadContainer, StorageError
from engine.setup.again import Remake, opened
from engine.setup.layout import layout_of
from engine.setup.moving import is_open
from engine.setup.pieces import Pieces
from engine.words import say

Progress = Callable[[str, int, int], None]
I64 = np.int64


@dataclass(slots=True)
class Repaired:
    """What was done: names of files that were written anew, records and panels that were, and those of them that a copy had."""

    files: list[str] = field(default_factory=list)
    records: int = 0
    from_copies: int = 0

    @property
    def anything(self) -> bool:
        """Whether something was broken."""
        return bool(self.files or self.records)


def repair(path: Path, local: Path | None, progress: Progress, cancel: CancelToken) -> Repaired:
    """Find what is broken in the container and make it whole; local: a checkpoint in place of the repository that the manifest names.

    progress(phase, done, total): bytes, "verify" and "repair". Raises BadContainer (its manifest is damaged), BadCheckpoint (the source
    gives other bytes), BadRequest, StorageError, InUse, Cancelled, what fetching does; what was mended by then stays so.
    """
    path = path.expanduser().absolute()
    must_be_container(path)
    with reading(path):
        hold = Hold(path / MANIFEST, True, is_open(path))
    try:
        with reading(path):
            work = _Repair(path, progress, cancel)
            work.look()
        with writing(path), ExitStack() as undo:
            return work.mend(lambda: undo.enter_context(opened(work.manifest, work.pieces, local, cancel)))
    finally:
        hold.close()


class _Repair:
    def __init__(self, path: Path, progress: Progress, cancel: CancelToken) -> None:
        self.path, self.progress, self.cancel = path, progress, cancel
        self.manifest = m = read_manifest(path)
        arch = m.arch
        must_fit(path, m, arch)
        table = table_of(path, m)
        lost = {i for i, f in enumerate(table.folders, 1) if wrong_folder(f, m.checksum)}
        self.copies = [[c for c in copies if c.volume not in lost] for copies in all_copies(path, m, table)]
        for entry, copies in zip(m.experts, self.copies, strict=True):
            if sum(c.nbytes for c in copies) < entry.layout.stride:
                folder = table.folders[min(lost) - 1].path
                raise StorageError(
                    say(
                        "{folder}, which holds experts of {path}, is not there. Connect its drive, or say where it lies now: "
                        "ouzel volumes {path} --locate {folder} NEW",
                        folder=folder,
                        path=path,
                    )
                )
        self.pieces = Pieces(layout_of(m, arch))
        self.sums: list[np.ndarray[tuple[int, ...], np.dtype[np.uint64]]] = []
        self.small: list[str] = []
        self.trunk = False
        self.panels: list[int] = []
        self.bad: list[tuple[int, Copy, list[int]]] = []  # ordinal, file, its broken records
        self._make: Remake | None = None
        self.done = Repaired()
        sizes = [e.n_experts * c.nbytes for e, copies in zip(m.experts, self.copies, strict=True) for c in copies]
        self._at, self._total, self._looking = 0, m.trunk.nbytes + sum(sizes), True
        self._mended: set[tuple[int, int]] = set()

    def _passed(self, nbytes: int) -> None:
        self._at += nbytes
        if self._looking:
            self.progress("verify", min(self._at, self._total), self._total)

    def look(self) -> None:
        """Read everything; nothing is written. Raises BadContainer where nobody can tell what is broken."""
        m, t = self.manifest, self.manifest.trunk
        self.small = [n for n, f in m.files.items() if _size(self.path / n) != f.nbytes or self._hash(n, 0, f.nbytes) != f.xxh3]
        self.trunk = (
            _size(self.path / t.file) != t.nbytes
            or self._hash(t.file, 0, t.data_start) != t.header_xxh3
            or self._hash(t.file, t.data_start, t.data_bytes) != t.data_xxh3
        )
        self._passed(t.nbytes)
        try:
            self.sums = read_checksums(self.path, m)
        except (Malformed, FileNotFoundError):
            self._sums_again()
        for ordinal, (entry, copies) in enumerate(zip(m.experts, self.copies, strict=True)):
            whole = [c for c in copies if c.nbytes == entry.layout.stride]
            for group in [[c] for c in whole] or [copies]:
                wrong = [e for e in range(entry.n_experts) if self._record(ordinal, e, group) is None]
                for copy in group:
                    if wrong or _size(copy.path) != entry.n_experts * copy.nbytes:
                        self.bad.append((ordinal, copy, wrong))
        if m.embed is not None:
            self.panels = [i for i in range(m.embed.n_panels) if self._panel(i) is None]

    def _hash(self, name: str, start: int, nbytes: int) -> str:
        try:
            return hash_file(self.path / name, nbytes, self.cancel, start)
        except OSError:
            return ""

    def _record(self, ordinal: int, expert: int, group: list[Copy]) -> bytes | None:
        """A record from one file or from its pieces, where it is right."""
        data = b"".join(_read(c.path, expert * c.nbytes, c.nbytes) for c in group)
        self.cancel.check()
        self._passed(len(data))
        return data if xxhash.xxh3_64_intdigest(data) == int(self.sums[ordinal][expert]) else None

    def _panel(self, i: int) -> bytes | None:
        embed = self.manifest.embed
        assert embed is not None
        data = _read(self.path / embed.file, i * embed.panel_bytes, embed.panel(i)[1])
        return data if xxhash.xxh3_64_intdigest(data) == int(self.sums[-1][i]) else None

    def _sums_again(self) -> None:
        """The file of checksums is broken: it is what the records say, if the manifest agrees."""
        m, found = self.manifest, list[int]()
        for entry, copies in zip(m.experts, self.copies, strict=True):
            group = copies[:1] if copies[0].nbytes == entry.layout.stride else copies
            for e in range(entry.n_experts):
                self.cancel.check()
                found.append(xxhash.xxh3_64_intdigest(b"".join(_read(c.path, e * c.nbytes, c.nbytes) for c in group)))
        if m.embed is not None:
            for i in range(m.embed.n_panels):
                found.append(xxhash.xxh3_64_intdigest(_read(self.path / m.embed.file, i * m.embed.panel_bytes, m.embed.panel(i)[1])))
        data = np.array(found, "<u8").tobytes()
        if xxhash.xxh3_128_hexdigest(data) != m.checksums.xxh3:
            raise BadContainer(
                say(
                    "{path} is damaged, and so are records that it should vouch for, so nobody can tell which. Fetch or "
                    "convert the model again.",
                    path=self.path / m.checksums_file,
                )
            )
        write_whole(self.path / m.checksums_file, data)
        self.done.files.append(m.checksums_file)
        self.sums = read_checksums(self.path, m)

    def mend(self, source: Callable[[], Remake]) -> Repaired:
        """Write what was found; source() opens where it is made from, once it is needed."""
        m, self._looking = self.manifest, False
        total = sum(len(w) for _, _, w in self.bad) + len(self.panels) + len(self.small) + self.trunk
        step = 0

        def make() -> Remake:
            self._make = self._make or source()
            return self._make

        def stepped(n: int = 1) -> None:
            nonlocal step
            step += n
            self.progress("repair", step, total)

        for name in self.small:
            data = make().source.files().get(name, b"")
            if xxhash.xxh3_128_hexdigest(data) != m.files[name].xxh3:
                raise self._other(name)
            write_whole(self.path / name, data)
            self.done.files.append(name)
            stepped()
        if self.trunk:
            self._trunk_again(make())
            stepped()
        if m.embed is not None and (self.panels or _size(self.path / m.embed.file) != m.embed.nbytes):
            sizes = [m.embed.panel(i)[1] for i in range(m.embed.n_panels)]
            self._file_again(-1, self.path / m.embed.file, sizes, self.panels, self._panel, lambda i: self._panel_again(make(), i))
            stepped(len(self.panels))
        for ordinal, copy, wrong in self.bad:
            n, nbytes, layer = m.experts[ordinal].n_experts, copy.nbytes, self.copies[ordinal]
            cut = slice(copy.start, copy.start + nbytes)
            spread = [c for c in layer if c.nbytes < m.experts[ordinal].layout.stride]

            def there(e: int, ordinal: int = ordinal, group: list[Copy] = spread or [copy], cut: slice = cut) -> bytes | None:
                record = self._record(ordinal, e, group)
                return None if record is None else record[cut]

            def again(e: int, ordinal: int = ordinal, copy: Copy = copy, cut: slice = cut) -> bytes:
                return self._record_again(make, ordinal, e, copy)[cut]

            self._file_again(ordinal, copy.path, [nbytes] * n, wrong, there, again)
            stepped(len(wrong))
        return self.done

    def _trunk_again(self, make: Remake) -> None:
        t = self.manifest.trunk
        draft = (self.path / t.file).with_name("trunk.new")
        h, head = xxhash.xxh3_128(), True
        with draft.open("wb") as file:
            for data in make.pieces([(0, i) for i in range(self.pieces.count(0))]):
                file.write(data.data)
                if not head:
                    h.update(data.data)
                head = False
            file.flush()
            os.fsync(file.fileno())
            forget(file.raw, 0, t.nbytes)  # type: ignore[arg-type]
        if h.hexdigest() != t.data_xxh3:
            draft.unlink()
            raise self._other(t.file)
        draft.replace(self.path / t.file)
        sync_folder(self.path)
        self.done.files.append(t.file)

    def _panel_again(self, make: Remake, i: int) -> bytes:
        data = next(iter(make.pieces([(1, i)]))).tobytes()
        if xxhash.xxh3_64_intdigest(data) != int(self.sums[-1][i]):
            raise self._other(say("panel {i} of the embedding", i=i))
        return data

    def _record_again(self, make: Callable[[], Remake], ordinal: int, expert: int, broken: Copy) -> bytes:
        entry = self.manifest.experts[ordinal]
        for copy in self.copies[ordinal]:
            if copy is not broken and copy.nbytes == entry.layout.stride and (data := self._record(ordinal, expert, [copy])) is not None:
                self.done.from_copies += (ordinal, expert) not in self._mended
                return data
        record = bytearray(entry.layout.stride)
        wanted = self.pieces.of_expert(ordinal, expert)
        at = [self.pieces.place(*p) - expert * entry.layout.stride for p in wanted]
        for start, made in zip(at, make().pieces(wanted), strict=True):
            record[start : start + made.nbytes] = made.data
        if xxhash.xxh3_64_intdigest(record) != int(self.sums[ordinal][expert]):
            raise self._other(say("expert {expert} of layer {layer}", expert=expert, layer=entry.layer))
        return bytes(record)

    def _file_again(
        self, ordinal: int, path: Path, sizes: list[int], wrong: list[int], there: Callable[[int], bytes | None],
        again: Callable[[int], bytes],
    ) -> None:
        """Write the units in `wrong` where they lie; the whole file, with what is right in it, where its size is not what it should be."""
        ends = np.cumsum(np.array(sizes, I64))
        whole = _size(path) == int(ends[-1])
        draft = path if whole else path.with_name(path.name + ".new")
        if not whole:
            draft.unlink(missing_ok=True)
        file = PieceFile(draft, int(ends[-1]), ends - np.array(sizes, I64), np.array(sizes, I64))
        try:
            for i in wrong if whole else range(len(sizes)):
                self.cancel.check()
                kept = None if i in wrong else there(i)
                data = np.frombuffer(kept if kept is not None else again(i), np.uint8)
                file.write(i, data)
                if kept is None:
                    self._mended.add((ordinal, i))
                    self.done.records = len(self._mended)
                file.sync()
                if file.read_whole(int(file.offsets[i]), sizes[i]) != data.tobytes():
                    raise StorageError(
                        say("{draft} does not hold what was written there. The drive is failing: copy the model elsewhere.", draft=draft)
                    )
        finally:
            file.close()
        if not whole:
            draft.replace(path)
            sync_folder(path.parent)
            self.done.files.append(path.relative_to(self.path).as_posix() if path.is_relative_to(self.path) else str(path))

    def _other(self, what: str) -> BadCheckpoint:
        return BadCheckpoint(
            say(
                "{what} comes out otherwise than in the model, which {converter} made: the source has changed, or "
                "this Ouzel converts otherwise. What was mended so far stays. Convert or fetch the model again.",
                what=what,
                converter=self.manifest.converter,
            )
        )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else -1
    except OSError:
        return -1


def _read(path: Path, at: int, nbytes: int) -> bytes:
    """The bytes that can be read there, zeros in place of the others."""
    try:
        with path.open("rb", buffering=0) as file:
            file.seek(at)
            parts = list(_parts(file.read, nbytes))
            forget(file, at, nbytes)
            return b"".join(parts).ljust(nbytes, b"\0")
    except OSError:
        return bytes(nbytes)


def _parts(read: Callable[[int], bytes | None], nbytes: int) -> Iterator[bytes]:
    while nbytes and (part := read(nbytes)):
        nbytes -= len(part)
        yield part
