"""Read a container whole and name everything that is damaged."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import xxhash

from engine.arch import read_arch
from engine.cancel import CancelToken
from engine.container.files import hash_file, pieces
from engine.container.format import MANIFEST
from engine.container.manifest import Manifest, read_manifest
from engine.container.reader import must_fit, read_checksums
from engine.container.strict import Malformed
from engine.errors import BadContainer, UnsupportedModel

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: the file (relative to the container), and what it is, as a phrase."""

    file: str
    what: str


def verify(path: Path, progress: Progress, cancel: CancelToken) -> list[Problem]:
    """All problems of the container, none where it is whole; progress("verify", done, total) in bytes. Raises Cancelled."""
    try:
        manifest = read_manifest(path)
        must_fit(path, manifest, read_arch(manifest.config))
    except (BadContainer, UnsupportedModel) as e:
        return [Problem(MANIFEST, str(e))]
    except OSError as e:
        return [Problem(MANIFEST, f"cannot be read ({e.strerror or e})")]
    return _Verifier(path, manifest, progress, cancel).run()


class _Verifier:
    def __init__(self, path: Path, manifest: Manifest, progress: Progress, cancel: CancelToken) -> None:
        self.path, self.m, self.progress, self.cancel = path, manifest, progress, cancel
        self.problems: list[Problem] = []
        self.done = 0
        self.total = manifest.trunk.nbytes + manifest.checksums.nbytes + sum(f.nbytes for f in manifest.files.values())
        self.total += sum(e.n_experts * e.layout.stride for e in manifest.experts)
        self.total += manifest.embed.nbytes if manifest.embed else 0

    def run(self) -> list[Problem]:
        t = self.m.trunk
        if self.sized(t.file, t.nbytes):
            self.hashed(t.file, 0, t.data_start, t.header_xxh3, "its header is damaged")
            self.hashed(t.file, t.data_start, t.data_bytes, t.data_xxh3, "its tensors are damaged")
        for name, f in self.m.files.items():
            if self.sized(name, f.nbytes):
                self.hashed(name, 0, f.nbytes, f.xxh3, "it is damaged or was edited")
        try:
            checksums = read_checksums(self.path, self.m)
        except (Malformed, OSError) as e:
            self.problems.append(Problem(self.m.checksums_file, str(e)))
            return self.problems
        self.count(self.m.checksums.nbytes)
        for entry, sums in zip(self.m.experts, checksums, strict=False):
            name = (Path(self.m.volumes[entry.volume]) / entry.file).as_posix()
            self.records(name, "expert", [entry.layout.stride] * entry.n_experts, sums.tolist())
        if (embed := self.m.embed) is not None:
            self.records(embed.file, "panel", [embed.panel(i)[1] for i in range(embed.n_panels)], checksums[-1].tolist())
        return self.problems

    def count(self, nbytes: int) -> None:
        self.done += nbytes
        self.progress("verify", self.done, self.total)

    def sized(self, name: str, nbytes: int) -> bool:
        file = self.path / name
        if not file.is_file():
            self.problems.append(Problem(name, "is missing"))
        elif (size := file.stat().st_size) != nbytes:
            what = "is truncated" if size < nbytes else "is longer than it should be"
            self.problems.append(Problem(name, f"{what} ({size} bytes instead of {nbytes})"))
        else:
            return True
        self.count(nbytes)
        return False

    def hashed(self, name: str, start: int, nbytes: int, xxh3: str, what: str) -> None:
        try:
            if hash_file(self.path / name, nbytes, self.cancel, start, self.count) != xxh3:
                self.problems.append(Problem(name, what))
        except OSError as e:
            self.problems.append(Problem(name, f"cannot be read ({e.strerror or e})"))

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
                self.problems.append(Problem(name, f"cannot be read at {kind} {i} ({e.strerror or e})"))
                self.count(sum(sizes[i:]))
                return
            if h.intdigest() != wanted:
                self.problems.append(Problem(name, f"{kind} {i} is damaged"))
            self.count(size)
            start += size
