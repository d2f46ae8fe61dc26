"""Where a checkpoint's files lie: a folder of this computer, or (`engine.setup.remote`) a repository on a hub."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from engine.container.strict import Malformed, read_limited
from engine.setup.safetensors_file import SafetensorsFile
from engine.setup.source import TensorInfo
from engine.setup.tensor_file import StoredTensor
from engine.words import say


class ShardFile(Protocol):
    """A safetensors file whose header was read; see engine.setup.safetensors_file.Header."""

    header_hash: str
    problems: list[str]
    listed: Mapping[str, TensorInfo]
    tensors: Mapping[str, StoredTensor]

    def close(self) -> None:
        """Idempotent."""


class Folder(Protocol):
    """A flat folder. Everything raises OSError where the place refuses."""

    def names(self) -> list[str]:
        """Of all its files, sorted."""

    def small(self, name: str, limit: int) -> bytes:
        """A whole file. Raises Malformed beyond `limit` bytes, and where it is no file."""

    def shard(self, name: str) -> ShardFile:
        """A safetensors file. Raises Malformed."""

    def stamp(self, name: str) -> str:
        """A text that changes when the file does."""


class LocalFolder:
    """A folder of this computer."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        """As Folder."""
        return sorted(f.name for f in self.path.iterdir() if not f.is_dir())

    def small(self, name: str, limit: int) -> bytes:
        """As Folder."""
        if (self.path / name).exists() and not (self.path / name).is_file():  # a pipe would be waited for without end
            raise Malformed(say("is no ordinary file"))
        return read_limited(self.path / name, limit)

    def shard(self, name: str) -> SafetensorsFile:
        """As Folder."""
        return SafetensorsFile(self.path / name)

    def stamp(self, name: str) -> str:
        """As Folder."""
        stat = (self.path / name).stat()
        return f"{stat.st_size} {stat.st_mtime_ns}"
