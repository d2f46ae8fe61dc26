"""One GGUF file, read with plain reads: nothing in it is trusted, nothing of it stays mapped.

Source of the format: docs/gguf.md of github.com/ggml-org/ggml, versions 2 and 3, little-endian; numbers of its types from the gguf
package, whose own reader maps the file and keeps an array for every string.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import xxhash
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType

from engine.container.strict import Malformed
from engine.setup.source import TensorInfo
from engine.setup.tensor_file import StoredTensor, TensorFile
from engine.words import say

HEADER_LIMIT = 256 * 2**20
KEYS, ITEMS, TENSORS = 65536, 2**22, 2**20  # more of them is in no real file
NAME_LIMIT, TEXT_LIMIT = 1024, 16 * 2**20
MAGIC = b"GGUF"
_SCALARS = {
    GGUFValueType.UINT8: "u1", GGUFValueType.INT8: "i1", GGUFValueType.UINT16: "<u2", GGUFValueType.INT16: "<i2",
    GGUFValueType.UINT32: "<u4", GGUFValueType.INT32: "<i4", GGUFValueType.FLOAT32: "<f4", GGUFValueType.BOOL: "u1",
    GGUFValueType.UINT64: "<u8", GGUFValueType.INT64: "<i8", GGUFValueType.FLOAT64: "<f8",
}  # fmt: skip
_IN_TEXT, _IN_NAME = say("bytes in one text"), say("bytes in one name")  # made once: a vocabulary has half a million texts
_LISTED = 4096  # numbers of an array up to which they get the shortest decimal that means the same f32


class GgufFile(TensorFile):
    """A file, open until `close`. Raises Malformed where it cannot be read at all, OSError.

    metadata: values by key: int, float, bool, str or a list of one of them. tensors: what can be read; dtype is ggml's name of the type
    ("Q4_K"), shape has the rows first. listed: all that the header names. problems: phrases that follow the file's name.
    header_hash: xxh3_128 of the header.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Malformed(say("is missing") if not path.exists() else say("is no ordinary file"))
        self.problems: list[str] = []
        with path.open("rb") as file:
            header = _Header(file, path.stat().st_size)
            self.metadata, entries = header.read(self.problems)
            file.seek(0)
            self.header_hash = xxhash.xxh3_128_hexdigest(file.read(header.at))
        self.listed: Mapping[str, TensorInfo] = {name: t.info for name, t in entries.items()}
        self.tensors = _sound(entries, header.size, self.problems)
        self.open_at(path)


class _Header:
    """The header's bytes, taken one after the other. at: how many were taken."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self.size, self.at = file, size, 0

    def take(self, nbytes: int) -> bytes:
        if self.at + nbytes > min(self.size, HEADER_LIMIT):
            raise Malformed(say("is truncated, or has lengths that no GGUF file has"))
        data = self._file.read(nbytes)
        if len(data) != nbytes:
            raise Malformed(say("is truncated"))
        self.at += nbytes
        return data

    def number(self, nbytes: int, most: int, what: str) -> int:
        n = int.from_bytes(self.take(nbytes), "little")
        if n > most:
            raise Malformed(say("has {n} {what}, where at most {most} are expected", n=n, what=what, most=most))
        return n

    def text(self, limit: int) -> str:
        data = self.take(self.number(8, limit, _IN_TEXT))
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("utf-8", "replace")  # vocabularies hold such pieces of characters

    def name(self) -> str:
        data = self.take(self.number(8, NAME_LIMIT, _IN_NAME))
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as e:
            raise Malformed(say("has a name that is no text ({data})", data=repr(data[:20]))) from e

    def read(self, problems: list[str]) -> tuple[dict[str, Any], dict[str, StoredTensor]]:
        """(metadata, tensors as the header lists them)."""
        if self.size < 24 or self.take(4) != MAGIC:
            raise Malformed(say("is no GGUF file"))
        version = int.from_bytes(self.take(4), "little")
        if version not in (2, 3):
            other = say("is big-endian") if version in (2 << 24, 3 << 24) else say("has version {version} of the format", version=version)
            raise Malformed(say("{other}; little-endian files of versions 2 and 3 are read", other=other))
        n_tensors, n_keys = self.number(8, TENSORS, "tensors"), self.number(8, KEYS, "keys")
        metadata: dict[str, Any] = {}
        for _ in range(n_keys):
            key = self.name()
            if key in metadata:
                raise Malformed(say("has the key {key} twice", key=repr(key[:80])))
            metadata[key] = self.value(self.kind(), key)
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 1 <= alignment <= 2**20 or alignment & (alignment - 1):
            raise Malformed(say("has general.alignment = {alignment}, where a power of two is expected", alignment=f"{alignment!r:.40}"))
        raw = list(self.entries(n_tensors))
        start = -(-self.at // alignment) * alignment
        return metadata, _entries(raw, start, alignment, problems)

    def kind(self) -> GGUFValueType:
        n = self.number(4, 2**32, "")
        try:
            return GGUFValueType(n)
        except ValueError:
            raise Malformed(say("has a value of type {n}, which does not exist", n=n)) from None

    def value(self, kind: GGUFValueType, key: str) -> Any:
        if kind == GGUFValueType.STRING:
            return self.text(TEXT_LIMIT)
        if kind != GGUFValueType.ARRAY:
            return self.scalars(kind, 1)[0]
        inner, n = self.kind(), self.number(8, ITEMS, say("entries in {key}", key=repr(key[:80])))
        if inner == GGUFValueType.ARRAY:
            raise Malformed(say("has lists within a list at {key}, which is not read", key=repr(key[:80])))
        return self.texts(n) if inner == GGUFValueType.STRING else self.scalars(inner, n)

    def texts(self, n: int) -> list[str]:
        """n texts in a row, as `text` takes each: of half a million a call for each of their parts would take most of the time."""
        read, end, out = self._file.read, min(self.size, HEADER_LIMIT), list[str]()
        for _ in range(n):
            data = read(8)
            nbytes = int.from_bytes(data, "little")
            if self.at + 8 + nbytes > end or nbytes > TEXT_LIMIT or len(data) != 8:
                self._file.seek(self.at)
                out.append(self.text(TEXT_LIMIT))  # which tells what is wrong
                continue
            data = read(nbytes)
            if len(data) != nbytes:
                raise Malformed(say("is truncated"))
            self.at += 8 + nbytes
            out.append(data.decode("utf-8", "replace"))  # vocabularies hold pieces of characters
        return out

    def scalars(self, kind: GGUFValueType, n: int) -> list[Any]:
        dtype = np.dtype(_SCALARS[kind])
        values = np.frombuffer(self.take(n * dtype.itemsize), dtype)
        if kind == GGUFValueType.BOOL:
            return [bool(v) for v in values.tolist()]
        if kind == GGUFValueType.FLOAT32 and n <= _LISTED:
            return [float(str(v)) for v in values]  # 1e-06, not 9.999999974752427e-07
        return list(values.tolist())

    def entries(self, n: int) -> Iterator[tuple[str, tuple[int, ...], int, int]]:
        """(name, sizes as stored, type, offset from the start of the data)."""
        for _ in range(n):
            name, n_dims = self.name(), self.number(4, 4, say("axes in one tensor"))
            dims = tuple(self.number(8, 2**48, say("numbers along an axis")) for _ in range(n_dims))
            yield name, dims, self.number(4, 2**32, ""), self.number(8, 2**56, say("bytes before a tensor"))


def _entries(
    raw: list[tuple[str, tuple[int, ...], int, int]], start: int, alignment: int, problems: list[str]
) -> dict[str, StoredTensor]:
    """The tensors that make sense on their own."""
    out: dict[str, StoredTensor] = {}
    for name, dims, kind, offset in raw:
        if name in out:
            problems.append(say("holds {name} twice", name=repr(name[:80])))
        elif not dims or min(dims) < 1 or math.prod(dims) > 2**56:
            problems.append(say("has bad sizes for {name}: {dims}", name=repr(name[:80]), dims=list(dims)))
        elif offset % alignment:
            problems.append(say("has {name} at the odd place {offset}", name=repr(name[:80]), offset=offset))
        elif kind not in set(GGMLQuantizationType) or GGMLQuantizationType(kind) not in GGML_QUANT_SIZES:
            problems.append(say("stores {name} as type {kind}, which is not known", name=repr(name[:80]), kind=kind))
        else:
            known = GGMLQuantizationType(kind)
            per_block, nbytes = GGML_QUANT_SIZES[known]
            if dims[0] % per_block:
                problems.append(
                    say(
                        "has rows of {count} numbers in {name}, where {kind} needs multiples of {per_block}",
                        count=dims[0],
                        name=repr(name[:80]),
                        kind=known.name,
                        per_block=per_block,
                    )
                )
                continue
            info = TensorInfo(known.name, tuple(reversed(dims)))
            out[name] = StoredTensor(info, start + offset, math.prod(dims) // per_block * nbytes)
    return out


def _sound(entries: Mapping[str, StoredTensor], size: int, problems: list[str]) -> dict[str, StoredTensor]:
    """The entries whose bytes are in the file and no one else's."""
    out: dict[str, StoredTensor] = {}
    at, owner = 0, ""
    for name, t in sorted(entries.items(), key=lambda item: (item[1].offset, item[1].nbytes)):
        if t.offset < at:
            problems.append(say("has overlapping tensors: {owner} and {name}", owner=owner, name=name))
            out.pop(owner, None)
        elif t.offset + t.nbytes <= size:
            out[name] = t
        if (end := t.offset + t.nbytes) > at:
            at, owner = end, name
    if at > size:
        problems.append(say("is truncated: it has {size} bytes instead of {at}", size=size, at=at))
    return out
