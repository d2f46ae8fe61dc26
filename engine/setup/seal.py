"""The end of a conversion: everything that was written is read back from the drive, and the manifest is made of what was found there."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import xxhash

from engine.arch.names import MTP_PROJECT
from engine.cancel import CancelToken
from engine.container.draft import Draft
from engine.container.format import CHECKSUMS, EMBED_ROWS, MTP, TRUNK
from engine.container.manifest import FileEntry, Manifest, TrunkEntry
from engine.container.pieces import PieceStore
from engine.cores import performance_cores
from engine.errors import StorageError
from engine.setup.ahead import in_order
from engine.setup.defaults import published_defaults
from engine.setup.layout import Layout
from engine.setup.pieces import Pieces
from engine.setup.source import TensorSource
from engine.words import say

CONVERTER = "ouzel-convert 3"  # raise the number whenever the same checkpoint gives other bytes
SPAN = 2**22  # bytes that are read back at once, where units are smaller


@dataclass(frozen=True, slots=True)
class Sealed:
    """The trunk, and the checksums of all records and panels as the container keeps them."""

    trunk: TrunkEntry
    sums: bytes


def seal(pieces: Pieces, store: PieceStore, cancel: CancelToken) -> Sealed:
    """Read all files back. A piece that is not what was written is missing afterwards, and StorageError says so; Cancelled."""
    layout, threads = pieces.layout, min(performance_cores(), 4)
    digest = xxhash.xxh3_128()
    with ThreadPoolExecutor(threads, "seal") as pool:
        reader = _Reader(store, pool, threads, cancel)
        for i, data in enumerate(reader.units(0, 1)):
            if i:
                digest.update(data)
        panels = [xxhash.xxh3_64_intdigest(data) for data in reader.units(1, 1)] if layout.embed is not None else []
        sums = []
        for ordinal, entry in enumerate(layout.entries):
            file = pieces.first_layer + ordinal
            records = reader.units(file, pieces.count(file) // entry.n_experts, entry.layout.stride)
            sums += [xxhash.xxh3_64_intdigest(record) for record in records]
    return Sealed(trunk_of(layout, digest.hexdigest()), np.array(sums + panels, "<u8").tobytes())


def trunk_of(layout: Layout, data_xxh3: str) -> TrunkEntry:
    """What is said of the trunk, whose data have this checksum."""
    header = layout.header
    nbytes = len(header) + sum(s.nbytes for s in layout.strips)
    return TrunkEntry(TRUNK, nbytes, len(header), xxhash.xxh3_128_hexdigest(header), data_xxh3, layout.tensors)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads files back on a few threads."""

    store: PieceStore
    pool: ThreadPoolExecutor
    ahead: int
    cancel: CancelToken

    def units(self, file: int, pieces: int, stride: int | None = None) -> Iterator[memoryview]:
        """Each unit of so many pieces with the bytes up to the next one, checked piece by piece."""
        f = self.store.files[file]
        first = np.arange(0, len(f.offsets), pieces)
        sizes = f.sizes if stride is None else np.full(len(first), stride, np.int64)
        batch = max(SPAN // int(sizes.max(initial=1)), 1)
        ranges = [slice(i, min(i + batch, len(first))) for i in range(0, len(first), batch)]
        jobs = (partial(self._read, file, range(r.start * pieces, r.stop * pieces), int(sizes[r].sum())) for r in ranges)
        for r, (data, damaged) in zip(ranges, in_order(self.pool, jobs, self.ahead, self.cancel), strict=True):
            for piece in damaged:
                self.store.void(file, piece)
            if damaged:
                self.store.sync()
                raise StorageError(
                    say(
                        "{path} did not keep what was written to it: the drive may be failing. Start again: what is damaged is made anew.",
                        path=f.path,
                    )
                )
            ends = np.cumsum(sizes[r]).tolist()
            yield from (data[a:b] for a, b in zip([0, *ends], ends, strict=False))

    def _read(self, file: int, pieces: range, nbytes: int) -> tuple[memoryview, list[int]]:
        """(bytes, those of the pieces in them that are not what was written)."""
        f = self.store.files[file]
        start = int(f.offsets[pieces.start])
        data = f.read_whole(start, nbytes)
        places = ((i, int(f.offsets[i]) - start, int(f.sizes[i])) for i in pieces)
        return data, [i for i, at, n in places if not self.store.matches(file, i, data[at : at + n])]


def finish(source: TensorSource, layout: Layout, draft: Draft, sealed: Sealed) -> None:
    """The small files, the checksums and, last, the manifest; then the draft gets its name. Raises StorageError."""
    for name, data in source.files().items():
        draft.put(name, data)
    draft.put(CHECKSUMS, sealed.sums)
    draft.finish(manifest_of(source, layout, sealed.trunk, sealed.sums))


def manifest_of(source: TensorSource, layout: Layout, trunk: TrunkEntry, sums: bytes) -> Manifest:
    """What is said of a container; sums: the checksums file."""
    files = source.files()
    formats = set(layout.formats.values())
    features = [
        name
        for name, used in (
            ("mxfp4", "mxfp4" in formats),
            ("expert-biases", any(e.layout.biases is not None for e in layout.entries)),
            (EMBED_ROWS, layout.embed is not None),
            (MTP, MTP_PROJECT in layout.tensors),
        )
        if used
    ]
    return Manifest(
        features=tuple(features),
        converter=CONVERTER,
        source={"name": source.name, "repo": source.repo, "commit": source.commit},
        config=source.config,
        defaults=published_defaults(files.get("generation_config.json", b"{}")),
        formats=layout.formats,
        trunk=trunk,
        volumes=(".",),
        experts=layout.entries,
        checksums_file=CHECKSUMS,
        checksums=FileEntry(len(sums), xxhash.xxh3_128_hexdigest(sums)),
        files={name: FileEntry(len(data), xxhash.xxh3_128_hexdigest(data)) for name, data in files.items()},
        embed=layout.embed,
    )
