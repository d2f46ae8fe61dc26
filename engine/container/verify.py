"""Read a container whole and name everything that is damaged."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import xxhash

from engine.cancel import CancelToken
from engine.container.files import hash_file, pieces
from engine.container.format import MANIFEST
from engine.container.manifest import ExpertEntry, Manifest, read_manifest
from engine.container.placed import Copy, all_copies, table_of
from engine.container.reader import being_moved, must_fit, read_checksums
from engine.container.storage import Hold
from engine.container.strict import Malformed
from engine.container.volumes import Table, wrong_folder
from engine.errors import BadContainer, UnsupportedModel
from engine.words import joined, say, sentence

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: the file (relative to the container), and what it is, as a phrase."""

    file: str
    what: str


def verify(path: Path, progress: Progress, cancel: CancelToken) -> list[Problem]:
    """All problems of the container, none where it is whole; progress("verify", done, total) in bytes, of all volumes.

    Raises Cancelled, InUse (its experts are being moved).
    """
    try:
        hold = Hold(path / MANIFEST, False, being_moved(path))
    except (FileNotFoundError, NotADirectoryError):
        return [
            Problem(MANIFEST, say("is missing: this is no model, or what is left of one. Choose a folder NAME.ouzel, or make it again"))
        ]
    except OSError as e:
        return [Problem(MANIFEST, say("cannot be read ({why})", why=e.strerror or e))]
    try:
        manifest = read_manifest(path)
        must_fit(path, manifest, manifest.arch)
        return _Verifier(path, manifest, table_of(path, manifest), progress, cancel).run()
    except (BadContainer, UnsupportedModel) as e:
        return [Problem(MANIFEST, sentence(e))]
    except OSError as e:
        return [Problem(MANIFEST, say("cannot be read ({why})", why=e.strerror or e))]
    finally:
        hold.close()


class _Verifier:
    def __init__(self, path: Path, manifest: Manifest, table: Table, progress: Progress, cancel: CancelToken) -> None:
        self.table, self.copies = table, all_copies(path, manifest, table)
        self.path, self.m, self.progress, self.cancel = path, manifest, progress, cancel
        self.problems: list[Problem] = []
        self.done = 0
        self.total = manifest.trunk.nbytes + manifest.checksums.nbytes + sum(f.nbytes for f in manifest.files.values())
        self.total += sum(e.n_experts * c.nbytes for e, copies in zip(manifest.experts, self.copies, strict=True) for c in copies)
        self.total += manifest.embed.nbytes if manifest.embed else 0

    def run(self) -> list[Problem]:
        t = self.m.trunk
        if self.sized(t.file, t.nbytes):
            self.hashed(t.file, 0, t.data_start, t.header_xxh3, say("its header is damaged"))
            self.hashed(t.file, t.data_start, t.data_bytes, t.data_xxh3, say("its tensors are damaged"))
        for name, f in self.m.files.items():
            if self.sized(name, f.nbytes):
                self.hashed(name, 0, f.nbytes, f.xxh3, say("it is damaged or was edited"))
        try:
            checksums = read_checksums(self.path, self.m)
        except (Malformed, OSError) as e:
            self.problems.append(Problem(self.m.checksums_file, sentence(e)))
            return self.problems
        self.count(self.m.checksums.nbytes)
        for volume, folder in enumerate(self.table.folders, 1):
            if wrong := wrong_folder(folder, self.m.checksum):
                self.problems.append(Problem(str(folder.path), wrong))
                for entry, copies in zip(self.m.experts, self.copies, strict=True):
                    self.count(sum(entry.n_experts * c.nbytes for c in copies if c.volume == volume))
                self.copies = [[c for c in copies if c.volume != volume] for copies in self.copies]
        for entry, sums, copies in zip(self.m.experts, checksums, self.copies, strict=False):
            sizes = [entry.layout.stride] * entry.n_experts
            for copy in copies:
                if copy.nbytes == entry.layout.stride:
                    self.records(self.name(copy), "expert", sizes, sums.tolist())
            self.pieces([c for c in copies if c.nbytes < entry.layout.stride], entry, sums.tolist())
        if (embed := self.m.embed) is not None:
            self.records(embed.file, "panel", [embed.panel(i)[1] for i in range(embed.n_panels)], checksums[-1].tolist())
        return self.problems

    def name(self, copy: Copy) -> str:
        """The file, relative to the model where it lies in it."""
        return copy.path.relative_to(self.path).as_posix() if copy.path.is_relative_to(self.path) else str(copy.path)

    def pieces(self, copies: list[Copy], entry: ExpertEntry, sums: list[int]) -> None:
        """Each record of a spread layer, put together, against its checksum; what is damaged may lie in any of its files."""
        n, stride = entry.n_experts, entry.layout.stride
        sized = [self.sized(self.name(c), n * c.nbytes) for c in copies]
        if not all(sized) or sum(c.nbytes for c in copies) < stride:
            return
        for expert, wanted in enumerate(sums):
            h = xxhash.xxh3_64()
            for copy in copies:
                try:
                    for piece in pieces(copy.path, copy.nbytes, self.cancel, expert * copy.nbytes):
                        h.update(piece)
                except OSError as e:
                    self.problems.append(
                        Problem(self.name(copy), say("cannot be read at expert {expert} ({why})", expert=expert, why=e.strerror or e))
                    )
                    self.count((n - expert) * stride)
                    return
            if h.intdigest() != wanted:
                self.problems.append(Problem(joined(say(" or "), map(self.name, copies)), say("expert {expert} is damaged", expert=expert)))
            self.count(stride)

    def count(self, nbytes: int) -> None:
        self.done += nbytes
        self.progress("verify", self.done, self.total)

    def sized(self, name: str, nbytes: int) -> bool:
        file = self.path / name
        if not file.is_file():
            self.problems.append(Problem(name, say("is missing")))
        elif (size := file.stat().st_size) != nbytes:
            what = say("is truncated") if size < nbytes else say("is longer than it should be")
            self.problems.append(Problem(name, say("{what} ({size} bytes instead of {nbytes})", what=what, size=size, nbytes=nbytes)))
        else:
            return True
        self.count(nbytes)
        return False

    def hashed(self, name: str, start: int, nbytes: int, xxh3: str, what: str) -> None:
        try:
            if hash_file(self.path / name, nbytes, self.cancel, start, self.count) != xxh3:
                self.problems.append(Problem(name, what))
        except OSError as e:
            self.problems.append(Problem(name, say("cannot be read ({why})", why=e.strerror or e)))

    def records(self, name: str, kind: str, sizes: list[int], sums: list[int]) -> None:
        """Each record of a file of the right size against its checksum."""
        if not self.sized(name, sum(sizes)):
            return
        start = 0
        for i, (size, wanted) in enumerate(zip(sizes, sums, strict=True)):
            h = xxhash.xxh3_64()
            try:
                for piece in pieces(self.path / name, size, self.cancel, start):
                    h.update(piece)
            except OSError as e:
                self.problems.append(Problem(name, say("cannot be read at {kind} {i} ({why})", kind=kind, i=i, why=e.strerror or e)))
                self.count(sum(sizes[i:]))
                return
            if h.intdigest() != wanted:
                self.problems.append(Problem(name, say("{kind} {i} is damaged", kind=kind, i=i)))
            self.count(size)
            start += size
