"""A Hugging Face checkpoint folder as a TensorSource: config.json, one or more safetensors files, small files."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from engine.container.format import is_plain
from engine.container.strict import Malformed, parse_object, read_limited
from engine.errors import BadCheckpoint, StorageError
from engine.setup.coded import find, shown
from engine.setup.safetensors_file import SafetensorsFile
from engine.setup.source import FLOATS, TensorInfo

JSON_LIMIT, FILE_LIMIT = 64 * 2**20, 256 * 2**20
INDEX = "model.safetensors.index.json"
COPIED = {
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "merges.txt",
    "tokenizer.model", "tiktoken.model", "chat_template.jinja", "chat_template.json", "generation_config.json",
}  # fmt: skip
LICENCE = re.compile(r"(licen[cs]e|notice|copying)([._-][a-z0-9._-]+)?\Z", re.IGNORECASE)


def read_config(path: Path) -> dict[str, Any]:
    """config.json of the checkpoint in `path`. Raises BadCheckpoint, OSError."""
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "does not exist"
        raise BadCheckpoint(f"{path} {what}. Choose the folder of a model from Hugging Face, with its config.json.")
    if (path / "manifest.json").exists() and not (path / "config.json").exists():
        raise BadCheckpoint(f"{path} is converted already. Open it as a model.")
    if not (path / "config.json").exists():
        raise BadCheckpoint(f"{path} is no model: it has no config.json. Choose the folder of a model from Hugging Face.")
    try:
        return parse_object(read_limited(path / "config.json", JSON_LIMIT))
    except Malformed as e:
        raise BadCheckpoint(f"{path / 'config.json'} {e}. Fetch the model again.") from None


class CheckpointFolder:
    """The checkpoint in `path`, its headers read, its files open until `close`. check(config) comes before any file of weights.

    Raises BadCheckpoint with everything that is wrong with its files, StorageError.
    """

    def __init__(self, path: Path, check: Callable[[Mapping[str, Any]], object] = lambda config: None) -> None:
        self.path = path = path.expanduser().absolute()
        self._shards: dict[str, SafetensorsFile] = {}
        try:
            self.config: Mapping[str, Any] = read_config(path)
            check(self.config)
            self._open_shards()
            self._small = self._read_small()
        except OSError as e:
            self.close()
            raise StorageError(f"{path} cannot be read ({e.strerror or e}). Check its permissions and its drive.", repr(e)) from e
        except BaseException:
            self.close()
            raise
        self.name, self.repo, self.commit = path.name, *_published(path)
        stored = {name: shard.tensors[name].info for name, shard in self._owner.items()}
        self._coded = find(stored)
        self.tensors: Mapping[str, TensorInfo] = shown(stored, self._coded)
        key = xxhash.xxh3_128(repr(sorted(self.config.items())).encode())
        for name, shard in sorted(self._shards.items()):
            key.update(f"{name} {shard.header_hash} {shard.path.stat().st_size} {shard.path.stat().st_mtime_ns}\n".encode())
        for name, data in self._small.items():
            key.update(f"{name} {xxhash.xxh3_128_hexdigest(data)}\n".encode())
        self.key = key.hexdigest()

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.float32]:
        """As TensorSource.rows."""
        if (coded := self._coded.get(name)) is not None:
            return coded.rows(lambda part, at, nbytes: self._owner[part].read(part, at, nbytes), start, (count - 1) * step + 1)[::step]
        info, shard = self.tensors[name], self._owner[name]
        shape = info.shape if index is None else info.shape[1:]
        row = FLOATS[info.dtype] * int(np.prod(shape[1:], dtype=np.int64))
        first = (0 if index is None else index * shape[0] * row) + start * row
        data = shard.read(name, first, ((count - 1) * step + 1) * row)
        if step > 1:
            data = np.concatenate([data[i * step * row : (i * step + 1) * row] for i in range(count)])
        return to_f32(data, info.dtype).reshape(count, *shape[1:])

    def raw(self, name: str, index: int | None = None) -> npt.NDArray[np.uint8]:
        """As TensorSource.raw."""
        shape = self.tensors[name].shape if index is None else self.tensors[name].shape[1:]
        size = int(np.prod(shape, dtype=np.int64))
        return self._owner[name].read(name, (index or 0) * size, size).reshape(shape)

    def files(self) -> Mapping[str, bytes]:
        """As TensorSource.files."""
        return self._small

    def close(self) -> None:
        """Close all files; idempotent."""
        for shard in self._shards.values():
            shard.close()

    def _open_shards(self) -> None:
        index = self._read_index()
        problems: list[str] = []
        self._owner: dict[str, SafetensorsFile] = {}
        for name in sorted(set(index.values())) if index else [self._only_file()]:
            try:
                shard = self._shards[name] = SafetensorsFile(self.path / name)
            except Malformed as e:
                problems.append(f"{name} {e}")
                continue
            problems += [f"{name} and {self._owner[t].path.name} both hold {t}" for t in shard.tensors if t in self._owner]
            self._owner.update(dict.fromkeys(shard.tensors, shard))
        lost = [t for t, file in index.items() if file in self._shards and t not in self._shards[file].tensors]
        problems += [f"{index[t]} lacks {t}" for t in lost]
        if problems:
            raise bad_checkpoint(self.path.name, problems)

    def _read_index(self) -> dict[str, str]:
        """Tensor name to file; empty where there is no index."""
        if not (self.path / INDEX).exists():
            return {}
        try:
            weight_map = parse_object(read_limited(self.path / INDEX, JSON_LIMIT)).get("weight_map")
            if not isinstance(weight_map, dict) or not weight_map:
                raise Malformed("has no weight_map")
            for file in set(map(str, weight_map.values())):
                if not file.endswith(".safetensors") or not is_plain(file):
                    raise Malformed(f"names {file[:80]!r}, which is no safetensors file in this folder")
            return {str(k): str(v) for k, v in weight_map.items()}
        except Malformed as e:
            raise BadCheckpoint(f"{self.path / INDEX} {e}. Fetch the model again.") from None

    def _only_file(self) -> str:
        found = sorted(f.name for f in self.path.glob("*.safetensors"))
        if "model.safetensors" in found:
            return "model.safetensors"
        if len(found) == 1:
            return found[0]
        if found:
            raise BadCheckpoint(f"{self.path} has {len(found)} safetensors files but no {INDEX}. Fetch the missing file.")
        if any(self.path.glob("*.bin")) or any(self.path.glob("*.pt")) or any(self.path.glob("*.gguf")):
            raise BadCheckpoint(f"{self.path} holds its weights in another form. Fetch the model's safetensors files.")
        raise BadCheckpoint(f"{self.path} holds no weights: no safetensors file. Fetch the model's safetensors files.")

    def _read_small(self) -> dict[str, bytes]:
        names = sorted(f.name for f in self.path.iterdir() if f.name in COPIED or LICENCE.match(f.name))
        if not {"tokenizer.json", "tiktoken.model"} & set(names):
            raise BadCheckpoint(f"{self.path} has no tokenizer.json. Fetch the model's tokenizer files into the folder.")
        try:
            return {name: read_limited(self.path / name, FILE_LIMIT) for name in names if (self.path / name).is_file()}
        except Malformed as e:
            raise BadCheckpoint(f"A file of {self.path} {e}. Fetch the model again.") from None


def to_f32(data: npt.NDArray[np.uint8], dtype: str) -> npt.NDArray[np.float32]:
    """Bytes of F32, F16 or BF16 numbers as f32, exactly."""
    if dtype == "F32":
        return data.view("<f4").astype(np.float32, copy=False)
    if dtype == "F16":
        return data.view("<f2").astype(np.float32)
    wide = data.view("<u2").astype(np.uint32)
    return (wide << np.uint32(16)).view(np.float32)


def bad_checkpoint(name: str, problems: list[str]) -> BadCheckpoint:
    """One error for all problems of a checkpoint: the first ones in the sentence, all in the details."""
    more = f" and {len(problems) - 4} more" if len(problems) > 4 else ""
    return BadCheckpoint(
        f"{name} cannot be converted: {'; '.join(problems[:4])}{more}. Nothing was written; fetch the model again.", "\n".join(problems)
    )


def _published(path: Path) -> tuple[str | None, str | None]:
    """(repository, commit) where the folder is a snapshot in a hub cache: models--OWNER--NAME/snapshots/COMMIT."""
    owner = path.parent.parent.name
    if path.parent.name != "snapshots" or not owner.startswith("models--"):
        return None, None
    return owner.removeprefix("models--").replace("--", "/", 1), path.name
