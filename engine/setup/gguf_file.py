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

HEADER_LIMIT = 256 * 2**20
KEYS, ITEMS, TENSORS = 65536, 2**22, 2**20  # more of them is in no real file
NAME_LIMIT, TEXT_LIMIT = 1024, 16 * 2**20
MAGIC = b"GGUF"
_SCALARS = {
    GGUFValueType.UINT8: "u1", GGUFValueType.INT8: "i1", GGUFValueType.UINT16: "<u2", GGUFValueType.INT16: "<i2",
    GGUFValueType.UINT32: "<u4", GGUFValueType.INT32: "<i4", GGUFValueType.FLOAT32: "<f4", GGUFValueType.BOOL: "u1",
    GGUFValueType.UINT64: "<u8", GGUFValueType.INT64: "<i8", GGUFValueType.FLOAT64: "<f8",
}  # fmt: skip
_LISTED = 4096  # numbers of an array up to which they get the shortest decimal that means the same f32


class GgufFile(TensorFile):
    """A file, open until `close`. Raises Malformed where it cannot be read at all, OSError.

    metadata: values by key: int, float, bool, str or a list of one of them. tensors: what can be read; dtype is ggml's name of the type
    ("Q4_K"), shape has the rows first. listed: all that the header names. problems: phrases that follow the file's name.
    header_hash: xxh3_128 of the header.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Malformed("is missing" if not path.exists() else "is no ordinary file")
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
            raise Malformed("is truncated, or has lengths that no GGUF file has")
        data = self._file.read(nbytes)
        if len(data) != nbytes:
            raise Malformed("is truncated")
        self.at += nbytes
        return data

    def number(self, nbytes: int, most: int, what: str) -> int:
        n = int.from_bytes(self.take(nbytes), "little")
        if n > most:
            raise Malformed(f"has {n} {what}, where at most {most} are expected")
        return n

    def text(self, limit: int) -> str:
        data = self.take(self.number(8, limit, "bytes in one text"))
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("utf-8", "replace")  # vocabularies hold such pieces of characters

    def name(self) -> str:
        data = self.take(self.number(8, NAME_LIMIT, "bytes in one name"))
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as e:
            raise Malformed(f"has a name that is no text ({data[:20]!r})") from e

    def read(self, problems: list[str]) -> tuple[dict[str, Any], dict[str, StoredTensor]]:
        """(metadata, tensors as the header lists them)."""
        if self.size < 24 or self.take(4) != MAGIC:
            raise Malformed("is no GGUF file")
        version = int.from_bytes(self.take(4), "little")
        if version not in (2, 3):
            other = "is big-endian" if version in (2 << 24, 3 << 24) else f"has version {version} of the format"
            raise Malformed(f"{other}; little-endian files of versions 2 and 3 are read")
        n_tensors, n_keys = self.number(8, TENSORS, "tensors"), self.number(8, KEYS, "keys")
        metadata: dict[str, Any] = {}
        for _ in range(n_keys):
            key = self.name()
            if key in metadata:
                raise Malformed(f"has the key {key[:80]!r} twice")
            metadata[key] = self.value(self.kind(), key)
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 1 <= alignment <= 2**20 or alignment & (alignment - 1):
            raise Malformed(f"has general.alignment = {alignment!r:.40}, where a power of two is expected")
        raw = list(self.entries(n_tensors))
        start = -(-self.at // alignment) * alignment
        return metadata, _entries(raw, start, alignment, problems)

    def kind(self) -> GGUFValueType:
        n = self.number(4, 2**32, "")
        try:
            return GGUFValueType(n)
        except ValueError:
            raise Malformed(f"has a value of type {n}, which does not exist") from None

    def value(self, kind: GGUFValueType, key: str) -> Any:
        if kind == GGUFValueType.STRING:
            return self.text(TEXT_LIMIT)
        if kind != GGUFValueType.ARRAY:
            return self.scalars(kind, 1)[0]
        inner, n = self.kind(), self.number(8, ITEMS, f"entries in {key[:80]!r}")
        if inner == GGUFValueType.ARRAY:
            raise Malformed(f"has lists within a list at {key[:80]!r}, which is not read")
        return [self.text(TEXT_LIMIT) for _ in range(n)] if inner == GGUFValueType.STRING else self.scalars(inner, n)

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
            name, n_dims = self.name(), self.number(4, 4, "axes in one tensor")
            dims = tuple(self.number(8, 2**48, "numbers along an axis") for _ in range(n_dims))
            yield name, dims, self.number(4, 2**32, ""), self.number(8, 2**56, "bytes before a tensor")


def _entries(
    raw: list[tuple[str, tuple[int, ...], int, int]], start: int, alignment: int, problems: list[str]
) -> dict[str, StoredTensor]:
    """The tensors that make sense on their own."""
    out: dict[str, StoredTensor] = {}
    for name, dims, kind, offset in raw:
        if name in out:
            problems.append(f"holds {name[:80]!r} twice")
        elif not dims or min(dims) < 1 or math.prod(dims) > 2**56:
            problems.append(f"has bad sizes for {name[:80]!r}: {list(dims)}")
        elif offset % alignment:
            problems.append(f"has {name[:80]!r} at the odd place {offset}")
        elif kind not in set(GGMLQuantizationType) or GGMLQuantizationType(kind) not in GGML_QUANT_SIZES:
            problems.append(f"stores {name[:80]!r} as type {kind}, which is not known")
        else:
            known = GGMLQuantizationType(kind)
            per_block, nbytes = GGML_QUANT_SIZES[known]
            if dims[0] % per_block:
                problems.append(f"has rows of {dims[0]} numbers in {name[:80]!r}, where {known.name} needs multiples of {per_block}")
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
            problems.append(f"has overlapping tensors: {owner} and {name}")
            out.pop(owner, None)
        elif t.offset + t.nbytes <= size:
            out[name] = t
        if (end := t.offset + t.nbytes) > at:
            at, owner = end, name
    if at > size:
        problems.append(f"is truncated: it has {size} bytes instead of {at}")
    return out
