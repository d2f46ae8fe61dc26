"""How much each expert was used in earlier sessions: counts beside the container, for a cache that is warm from the start.

    NAME.ouzel.usage    MAGIC | xxh3_128 of the container's contents, 16 bytes | counts f64 [n_layers * width] | xxh3_64 of all before

Where that folder cannot be written or is a bundle's, or OUZEL_HOME says where all our data lie, the file is in the cache folder instead,
under the hash. A file that is damaged, or of another container, is as good as none: counts only move bytes sooner. They decay with use
(see policy.HABIT).
"""

import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from engine import paths
from engine.container.reader import Container
from engine.container.storage import write_whole

MAGIC = b"ouzel usage 1\n\0\0"
F64 = npt.NDArray[np.float64]


class UsageFile:
    """The counts of one container."""

    def __init__(self, container: Container) -> None:
        files, m = container.experts, container.manifest
        width = max((f.n_experts for f in files), default=0)
        self._there = np.concatenate([np.arange(width) < f.n_experts for f in files]) if files else np.zeros(0, bool)
        contents = f"{m.trunk.header_xxh3} {m.trunk.data_xxh3} {m.checksums.xxh3} {len(files)} {width}"
        self._identity = xxhash.xxh3_128_digest(contents.encode())
        kept = paths.cache_dir() / "usage" / self._identity.hex()
        apart = os.environ.get("OUZEL_HOME") or paths.is_bundled(container.path)
        self._paths = [kept] if apart else [container.path.with_name(container.path.name + ".usage"), kept]

    def load(self) -> F64 | None:
        """Counts [n_layers * width], or None where there are none that can be used."""
        for path in self._paths:
            with suppress(OSError):
                if (counts := self._parse(path)) is not None:
                    return counts
        return None

    def _parse(self, path: Path) -> F64 | None:
        start = len(MAGIC) + len(self._identity)
        size = start + 8 * len(self._there) + 8
        with path.open("rb") as file:
            data = file.read(size + 1)
        if len(data) != size or data[:start] != MAGIC + self._identity or xxhash.xxh3_64_digest(data[:-8]) != data[-8:]:
            return None
        counts = np.frombuffer(data[start:-8], "<f8").astype(np.float64)
        good = np.isfinite(counts) & (counts >= 0) & (self._there | (counts == 0))
        return counts if good.all() else None

    def save(self, counts: F64) -> bool:
        """Keep the counts; the file appears whole. Whether there was a place for it."""
        data = MAGIC + self._identity + np.where(self._there, counts, 0.0).astype("<f8").tobytes()
        for path in self._paths:
            with suppress(OSError):
                write_whole(path, data + xxhash.xxh3_64_digest(data))
                return True
        return False
