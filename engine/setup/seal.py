"""The end of a conversion: everything that was written is read back from the drive, and the manifest is made of what was found there."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xxhash

from engine.cancel import CancelToken
from engine.container.draft import Draft
from engine.container.format import CHECKSUMS, EMBED_ROWS, TRUNK
from engine.container.manifest import FileEntry, Manifest, TrunkEntry
from engine.container.pieces import PieceStore
from engine.errors import StorageError
from engine.setup.defaults import published_defaults
from engine.setup.layout import Layout
from engine.setup.pieces import Pieces
from engine.setup.source import TensorSource

CONVERTER = "ouzel-convert 2"  # raise the number whenever the same checkpoint gives other bytes


@dataclass(frozen=True, slots=True)
class Sealed:
    """The trunk, and the checksums of all records and panels as the container keeps them."""

    trunk: TrunkEntry
    sums: bytes


def seal(pieces: Pieces, store: PieceStore, cancel: CancelToken) -> Sealed:
    """Read all files back. A piece that is not what was written is missing afterwards, and StorageError says so; Cancelled."""
    layout = pieces.layout
    digest = xxhash.xxh3_128()
    for i, data in enumerate(_units(store, 0, 1, cancel)):
        if i:
            digest.update(data)
    panels = [xxhash.xxh3_64_intdigest(data) for data in _units(store, 1, 1, cancel)] if layout.embed is not None else []
    sums = []
    for ordinal, entry in enumerate(layout.entries):
        file = pieces.first_layer + ordinal
        per_record = pieces.count(file) // entry.n_experts
        sums += [xxhash.xxh3_64_intdigest(record) for record in _units(store, file, per_record, cancel, entry.layout.stride)]
    return Sealed(trunk_of(layout, digest.hexdigest()), np.array(sums + panels, "<u8").tobytes())


def trunk_of(layout: Layout, data_xxh3: str) -> TrunkEntry:
    """What is said of the trunk, whose data have this checksum."""
    header = layout.header
    nbytes = len(header) + sum(s.nbytes for s in layout.strips)
    return TrunkEntry(TRUNK, nbytes, len(header), xxhash.xxh3_128_hexdigest(header), data_xxh3, layout.tensors)


def _units(store: PieceStore, file: int, pieces: int, cancel: CancelToken, stride: int | None = None) -> Iterator[memoryview]:
    """Each unit of so many pieces with the bytes up to the next one, checked piece by piece."""
    f = store.files[file]
    for first in range(0, len(f.offsets), pieces):
        cancel.check()
        start = int(f.offsets[first])
        data = memoryview(f.read_whole(start, int(f.sizes[first]) if stride is None else stride))
        for i in range(first, first + pieces):
            at = int(f.offsets[i]) - start
            if not store.matches(file, i, data[at : at + int(f.sizes[i])]):
                store.void(file, i)
                store.sync()
                raise StorageError(
                    f"{f.path} did not keep what was written to it: the drive may be failing. Start again: what is damaged is made anew."
                )
        yield data


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
