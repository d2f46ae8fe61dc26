"""A Hugging Face checkpoint folder as a TensorSource: config.json, one or more safetensors files, small files."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from engine.container.strict import Malformed, parse_object, read_limited
from engine.errors import BadCheckpoint, StorageError
from engine.setup.problems import Problems
from engine.setup.shards import JSON_LIMIT, Shards
from engine.setup.stored import StoredTensors

FILE_LIMIT = 256 * 2**20
COPIED = {
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "merges.txt",
    "tokenizer.model", "tiktoken.model", "chat_template.jinja", "chat_template.json", "generation_config.json",
}  # fmt: skip
LICENCE = re.compile(r"(licen[cs]e|notice|copying)([._-][a-z0-9._-]+)?\Z", re.IGNORECASE)


def read_config(path: Path) -> dict[str, Any]:
    """config.json of the checkpoint in `path`. Raises BadCheckpoint (no folder of a model), Malformed (a damaged config), OSError."""
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "does not exist"
        raise BadCheckpoint(f"{path} {what}. Choose the folder of a model from Hugging Face, with its config.json.")
    if (path / "manifest.json").exists() and not (path / "config.json").exists():
        raise BadCheckpoint(f"{path} is converted already. Open it as a model.")
    if not (path / "config.json").exists():
        raise BadCheckpoint(f"{path} is no model: it has no config.json. Choose the folder of a model from Hugging Face.")
    return parse_object(read_limited(path / "config.json", JSON_LIMIT))


class CheckpointFolder(StoredTensors):
    """The checkpoint in `path`, its headers read, its files open until `close`. check(config) comes before any file of weights.

    problems: what is wrong with config.json and the files; whatever can be read in spite of that is there. Raises BadCheckpoint (no
    folder of a model), StorageError, what `check` raises.
    """

    def __init__(self, path: Path, check: Callable[[Mapping[str, Any]], object] = lambda config: None) -> None:
        self.path = path = path.expanduser().absolute()
        self.problems = Problems()
        try:
            self.config: Mapping[str, Any] = self._read_config()
            if not self.problems.config:
                check(self.config)
            self._small = self._read_small()
            self.shards = Shards(path)
        except OSError as e:
            raise StorageError(f"{path} cannot be read ({e.strerror or e}). Check its permissions and its drive.", repr(e)) from e
        self.problems.files += self.shards.problems
        self.name, self.repo, self.commit = path.name, *_published(path)
        super().__init__(self.shards.listed)
        key = xxhash.xxh3_128(repr(sorted(self.config.items())).encode())
        for name, shard in sorted(self.shards.files.items()):
            key.update(f"{name} {shard.header_hash} {shard.path.stat().st_size} {shard.path.stat().st_mtime_ns}\n".encode())
        for name, data in self._small.items():
            key.update(f"{name} {xxhash.xxh3_128_hexdigest(data)}\n".encode())
        self.key = key.hexdigest()

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """As StoredTensors.read."""
        return self.shards.owner[name].read(name, start, nbytes)

    def files(self) -> Mapping[str, bytes]:
        """As TensorSource.files."""
        return self._small

    def close(self) -> None:
        """Close all files; idempotent."""
        self.shards.close()

    def _read_config(self) -> dict[str, Any]:
        try:
            return read_config(self.path)
        except Malformed as e:
            self.problems.config.append(f"config.json {e}")
            return {}

    def _read_small(self) -> dict[str, bytes]:
        names = sorted(f.name for f in self.path.iterdir() if f.name in COPIED or LICENCE.match(f.name))
        if not {"tokenizer.json", "tiktoken.model"} & set(names):
            self.problems.files.append("it has no tokenizer.json, nor another tokenizer that is read")
        out = {}
        for name in names:
            try:
                if (self.path / name).is_file():
                    out[name] = read_limited(self.path / name, FILE_LIMIT)
            except Malformed as e:
                self.problems.files.append(f"{name} {e}")
        return out


def _published(path: Path) -> tuple[str | None, str | None]:
    """(repository, commit) where the folder is a snapshot in a hub cache: models--OWNER--NAME/snapshots/COMMIT."""
    owner = path.parent.parent.name
    if path.parent.name != "snapshots" or not owner.startswith("models--"):
        return None, None
    return owner.removeprefix("models--").replace("--", "/", 1), path.name
