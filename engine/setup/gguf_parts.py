"""A model in GGUF: one file, or the parts NAME-00001-of-0000N.gguf of one; its stored tensors as numbers or in blocks."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

from engine.container.strict import Malformed
from engine.setup import repack
from engine.setup.gguf_file import MAGIC, GgufFile
from engine.setup.source import FLOATS, TensorInfo
from engine.setup.stored import to_f32
from engine.words import joined, say, sentence

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
PART = re.compile(r"(?P<name>.+)-(?P<part>\d{5})-of-(?P<count>\d{5})\.gguf\Z", re.IGNORECASE)
MOST_PARTS = 1000


def is_gguf(path: Path) -> bool:
    """Whether `path` is a file that is called, or begins like, a GGUF file. Raises OSError."""
    if not path.is_file():
        return False
    if path.suffix.lower() == ".gguf":
        return True
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def plain_name(path: Path) -> str:
    """The model's name by its file's."""
    m = PART.match(path.name)
    return m["name"] if m else path.name.removesuffix(path.suffix) or path.name


class GgufParts:
    """All parts of the model that `path` is a part of, open until `close`. Raises Malformed (none can be read), OSError.

    metadata: of the first part. tensors: what can be read, listed: all that is named; dtype is ggml's name. files: by name; owner: the
    file of each tensor. problems: phrases. blind: there may be tensors that nothing tells about.
    """

    def __init__(self, path: Path) -> None:
        self.problems: list[str] = []
        self.files: dict[str, GgufFile] = {}
        self.owner: dict[str, GgufFile] = {}
        self.listed: dict[str, TensorInfo] = {}
        self.lacking: dict[str, str] = {}
        self.unread: set[str] = set()
        self.blind = False
        try:
            self._open(path)
        except BaseException:
            self.close()
            raise
        self.tensors: Mapping[str, TensorInfo] = {name: f.tensors[name].info for name, f in self.owner.items()}

    def close(self) -> None:
        """Close all files; idempotent."""
        for file in self.files.values():
            file.close()

    def _open(self, path: Path) -> None:
        m = PART.match(path.name)
        count = int(m["count"]) if m else 1
        if not 1 <= count <= MOST_PARTS or (m and not 1 <= int(m["part"]) <= count):
            raise Malformed(say("says that it is part {part} of {count}", part=m["part"] if m else 1, count=count))
        names = [f"{m['name']}-{i:05d}-of-{m['count']}{path.suffix}" for i in range(1, count + 1)] if m else [path.name]
        for i, name in enumerate(names):
            try:
                file = self.files[name] = GgufFile(path.with_name(name))
            except Malformed as e:
                if i == 0:
                    raise Malformed(sentence(e)) from e
                self.problems.append(joined(" ", [name, e]))
                self.blind = True
                continue
            self._take(name, file, i, count)
        self.metadata: Mapping[str, Any] = self.files[names[0]].metadata
        if count == 1 and self.metadata.get("split.count", 1) not in (0, 1):
            self.problems.append(
                say("it is one part of {count}; give the file its published name, -00001-of-...", count=self.metadata["split.count"])
            )
            self.blind = True

    def _take(self, name: str, file: GgufFile, i: int, count: int) -> None:
        self.problems += [joined(" ", [name, p]) for p in file.problems]
        if count > 1 and (file.metadata.get("split.no"), file.metadata.get("split.count")) != (i, count):
            self.problems.append(say("{name} says that it is another part of another whole", name=name))
        for t in file.listed:
            if t in self.listed:
                self.problems.append(say("{name} holds {t}, which another part holds as well", name=name, t=t[:80]))
        self.listed.update(file.listed)
        self.owner.update(dict.fromkeys(file.tensors, file))

    def readable(self, kind: str) -> bool:
        """Whether tensors of this type can be decoded."""
        if kind in FLOATS:
            return True
        per_block, nbytes = GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
        try:
            return dequantize(np.zeros((1, nbytes), np.uint8), GGMLQuantizationType[kind]).shape == (1, per_block)
        except RuntimeError:  # how the package says that it cannot
            return False

    def _bytes(self, name: str, first: int, count: int, cols: int) -> tuple[str, U8]:
        info = self.tensors[name]
        per_block, size = GGML_QUANT_SIZES[GGMLQuantizationType[info.dtype]]
        nbytes = cols // per_block * size
        return info.dtype, self.owner[name].read(name, first * nbytes, count * nbytes).reshape(count, nbytes)

    def decoded(self, name: str, first: int, count: int, cols: int) -> F32:
        """As engine.setup.views.Store."""
        kind, data = self._bytes(name, first, count, cols)
        if kind in FLOATS:
            return to_f32(data.reshape(-1), kind).reshape(count, cols)
        with np.errstate(all="ignore"):  # what is no number is told by whoever packs it
            return np.asarray(dequantize(data, GGMLQuantizationType[kind]), np.float32)

    def blocks(self, fmt: str, name: str, first: int, count: int, cols: int) -> U8:
        """As engine.setup.views.Store."""
        kind = self.tensors[name].dtype
        if (kind, fmt) not in repack.EXACT:
            raise repack.NotHeld
        kind, data = self._bytes(name, first, count, cols)
        return repack.from_ggml(kind, fmt, data, GGML_QUANT_SIZES[GGMLQuantizationType[kind]][1])
