"""A checkpoint as a TensorSource: config.json, one or more safetensors files, small files."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from engine.container.format import is_plain
from engine.container.storage import reading
from engine.container.strict import Malformed, parse_object
from engine.errors import BadCheckpoint
from engine.setup.folder import Folder, LocalFolder
from engine.setup.mlx import plain_config
from engine.setup.naming import no_config
from engine.setup.problems import Problems
from engine.setup.safetensors_file import SafetensorsFile
from engine.setup.shards import JSON_LIMIT, Shards
from engine.setup.stored import StoredTensors
from engine.words import joined, say

FILE_LIMIT, LICENCE_LIMIT, MOST_LICENCES = 256 * 2**20, 4 * 2**20, 20
COPIED = {
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "merges.txt",
    "tokenizer.model", "tiktoken.model", "chat_template.jinja", "chat_template.json", "generation_config.json",
}  # fmt: skip
LICENCE = re.compile(r"(licen[cs]e|notice|copying)([._-][a-z0-9._-]+)?\Z", re.IGNORECASE)


def must_be_checkpoint(path: Path) -> None:
    """Raises BadCheckpoint where `path` is no folder of a model."""
    if not path.is_dir():
        what = say("is not a folder") if path.exists() else say("does not exist")
        raise BadCheckpoint(
            say("{path} {what}. Choose the folder of a model from Hugging Face, with its config.json.", path=path, what=what)
        )
    if (path / "manifest.json").exists() and not (path / "config.json").exists():
        raise BadCheckpoint(say("{path} is converted already. Open it as a model.", path=path))
    if not (path / "config.json").exists():
        raise BadCheckpoint(no_config(path, (f.name for f in path.iterdir())))


class Checkpoint(StoredTensors):
    """The checkpoint in `folder`, its headers read, its files open until `close`. check(config) comes before any file of weights.

    problems: what is wrong with config.json and the files; whatever can be read in spite of that is there. key: equal keys mean equal
    content. Raises BadCheckpoint (no model), OSError, what `check` raises.
    """

    def __init__(
        self, folder: Folder, name: str, repo: str | None, commit: str | None, check: Callable[[Mapping[str, Any]], object]
    ) -> None:
        self.folder, self.name, self.repo, self.commit = folder, name, repo, commit
        self.problems = Problems()
        self.config: Mapping[str, Any]
        self.config, self.mlx = plain_config(self._read_config())
        self.problems.config += self.mlx.problems if self.mlx is not None else ()
        if not self.problems.config:
            check(self.config)
        self._small = self._read_small()
        self.shards = Shards(folder)
        self.problems.files += self.shards.problems
        super().__init__(self.shards.listed, self.mlx)
        key = xxhash.xxh3_128(repr(sorted(self.config.items())).encode())
        for file, shard in sorted(self.shards.files.items()):
            key.update(f"{file} {shard.header_hash} {folder.stamp(file)}\n".encode())
        for file, data in self._small.items():
            key.update(f"{file} {xxhash.xxh3_128_hexdigest(data)}\n".encode())
        self.key = key.hexdigest()

    def files(self) -> Mapping[str, bytes]:
        """As TensorSource.files."""
        return self._small

    def close(self) -> None:
        """Close all files; idempotent."""
        self.shards.close()

    def _read_config(self) -> dict[str, Any]:
        try:
            return parse_object(self.folder.small("config.json", JSON_LIMIT))
        except Malformed as e:
            self.problems.config.append(say("config.json {why}", why=e))
            return {}

    def _read_small(self) -> dict[str, bytes]:
        everything = self.folder.names()
        licences = [n for n in everything if LICENCE.match(n) and is_plain(n)]
        if len(licences) > MOST_LICENCES:
            self.problems.files.append(say("it has {count} licence files", count=len(licences)))
            licences = []
        names = [*licences, *(n for n in everything if n in COPIED)]
        if not {"tokenizer.json", "tiktoken.model"} & set(names):
            self.problems.files.append(say("it has no tokenizer.json, nor another tokenizer that is read"))
        out = {}
        for name in names:
            try:
                out[name] = self.folder.small(name, FILE_LIMIT if name in COPIED else LICENCE_LIMIT)
            except Malformed as e:
                self.problems.files.append(joined(" ", [name, e]))
        return out


class CheckpointFolder(Checkpoint):
    """The checkpoint in a folder of this computer. Raises as Checkpoint, and StorageError in place of OSError."""

    def __init__(self, path: Path, check: Callable[[Mapping[str, Any]], object] = lambda config: None) -> None:
        self.path = path = path.expanduser().absolute()
        with reading(path):
            must_be_checkpoint(path)
            super().__init__(LocalFolder(path), path.name, *_published(path), check)

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """As StoredTensors.read."""
        shard = self.shards.owner[name]
        assert isinstance(shard, SafetensorsFile)
        return shard.read(name, start, nbytes)


def _published(path: Path) -> tuple[str | None, str | None]:
    """(repository, commit) where the folder is a snapshot in a hub cache: models--OWNER--NAME/snapshots/COMMIT."""
    owner = path.parent.parent.name
    if path.parent.name != "snapshots" or not owner.startswith("models--"):
        return None, None
    return owner.removeprefix("models--").replace("--", "/", 1), path.name
