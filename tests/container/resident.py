"""A container as an older converter wrote it: the embedding is a tensor of the trunk, the first, and has no file."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import xxhash

from engine.container.format import EMBED_ROWS, TensorEntry
from engine.container.manifest import FileEntry, read_manifest, to_bytes
from engine.container.trunk import header


def with_resident_embedding(container: Path, folder: Path) -> Path:
    """A copy of `container` in `folder`, rewritten that way."""
    target = Path(shutil.copytree(container, folder / container.name))
    m = read_manifest(target)
    e = m.embed
    assert e is not None
    rows = (target / e.file).read_bytes()
    tensors = {"embed": TensorEntry(e.fmt, (e.rows, e.cols), 0, len(rows))}
    tensors |= {name: replace(t, offset=t.offset + len(rows)) for name, t in m.trunk.tensors.items()}
    head, data = header(tensors), rows + (target / m.trunk.file).read_bytes()[m.trunk.data_start :]
    (target / m.trunk.file).write_bytes(head + data)
    (target / e.file).unlink()
    sums = np.fromfile(target / m.checksums_file, "<u8")[: -e.n_panels].tobytes()
    (target / m.checksums_file).write_bytes(sums)
    digest = xxhash.xxh3_128_hexdigest
    trunk = replace(
        m.trunk, nbytes=len(head + data), data_start=len(head), header_xxh3=digest(head), data_xxh3=digest(data), tensors=tensors
    )
    features = tuple(f for f in m.features if f != EMBED_ROWS)
    checksums = FileEntry(len(sums), digest(sums))
    (target / "manifest.json").write_bytes(to_bytes(replace(m, features=features, trunk=trunk, checksums=checksums, embed=None)))
    return target
