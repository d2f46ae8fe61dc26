"""A model in GGUF as a TensorSource and a Checked: its metadata as config.json, its tensors under the family's names, its small files."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from engine.container.storage import reading
from engine.container.strict import Malformed
from engine.errors import BadCheckpoint, UnsupportedModel
from engine.setup.gguf_config import ARCHITECTURES, DENSE, config_of
from engine.setup.gguf_layouts import NAMES
from engine.setup.gguf_metadata import Metadata
from engine.setup.gguf_names import Maker
from engine.setup.gguf_parts import GgufParts, plain_name
from engine.setup.gguf_text import small_files
from engine.setup.problems import Problems
from engine.setup.source import FLOATS
from engine.setup.views import Views
from engine.words import say

VECTOR_LIMIT = 2**16


class GgufCheckpoint(Views):
    """The model that `path` is a part of, its headers read, its files open until `close`. check(config) comes before any weights.

    Raises BadCheckpoint (no model), UnsupportedModel (an architecture that is not read), StorageError, what `check` raises.
    """

    def __init__(self, path: Path, check: Callable[[Mapping[str, Any]], object] = lambda config: None) -> None:
        self.path = path = path.expanduser().absolute()
        self.name = plain_name(path)
        self.repo: str | None = None
        self.commit: str | None = None
        self.problems = Problems()
        try:
            with reading(path):
                self.shards = GgufParts(path)
        except Malformed as e:
            raise BadCheckpoint(say("{path} {why}. Fetch the file again, or choose another.", path=path, why=e)) from e
        try:
            self._read(check)
        except BaseException:
            self.close()
            raise

    def _read(self, check: Callable[[Mapping[str, Any]], object]) -> None:
        parts, metadata = self.shards, Metadata(self.shards.metadata, self._vector)
        if metadata.arch not in ARCHITECTURES:
            raise UnsupportedModel(
                say(
                    "{name} holds a model of the architecture {arch}, which is not read. Supported in GGUF: {architectures}.",
                    name=self.path.name,
                    arch=f"{metadata.arch!r:.60}",
                    architectures=", ".join(sorted(ARCHITECTURES)),
                )
            )
        if metadata.arch not in DENSE and not metadata.whole("expert_count", 0):
            raise UnsupportedModel(
                say(
                    "{name} holds a dense {arch} model: it has no experts, which this family needs. Dense models are read of the "
                    "architectures {architectures}.",
                    name=self.path.name,
                    arch=metadata.arch,
                    architectures=", ".join(sorted(DENSE)),
                )
            )
        self.config: Mapping[str, Any] = config_of(metadata, parts.listed)
        self.problems.config += metadata.problems
        if not self.problems.config:
            check(self.config)
        kinds = {info.dtype for info in parts.listed.values()}
        odd = sorted(k for k in kinds if not parts.readable(k))
        self.problems.files += parts.problems + [say("it stores weights as {k}, which cannot be decoded here", k=k) for k in odd]
        Views.__init__(self, parts, Maker(parts.listed, self.config, NAMES[str(metadata.arch)]).make())
        self._small, trouble = small_files(metadata)
        self.problems.files += trouble
        key = xxhash.xxh3_128(b"gguf 1")
        for name, file in sorted(parts.files.items()):
            stat = file.path.stat()
            key.update(f"{name} {file.header_hash} {stat.st_size} {stat.st_mtime_ns}\n".encode())
        self.key = key.hexdigest()

    def _vector(self, name: str) -> list[float]:
        info = self.shards.tensors.get(name)
        if info is None or info.dtype not in FLOATS or len(info.shape) != 1 or info.shape[0] > VECTOR_LIMIT:
            return []
        return [float(v) for v in np.asarray(self.shards.decoded(name, 0, info.shape[0], 1)).reshape(-1)]

    def files(self) -> Mapping[str, bytes]:
        """As TensorSource.files."""
        return self._small

    def close(self) -> None:
        """Close all files; idempotent."""
        self.shards.close()

