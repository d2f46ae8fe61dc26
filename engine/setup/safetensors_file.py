"""One safetensors file of a checkpoint, read with plain reads: nothing in it is trusted, nothing of it stays mapped.

Source of the format: github.com/huggingface/safetensors. The library maps the file, and its NumPy side has no bfloat16.
"""

import math
import os
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from engine.container.files import forget, open_once
from engine.container.strict import Fields, Malformed, integer, parse_object
from engine.errors import BadCheckpoint, StorageError
from engine.setup.source import TensorInfo

HEADER_LIMIT = 100 * 2**20
SIZES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
    "I32": 4, "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """Where a tensor lies in its file."""

    info: TensorInfo
    offset: int
    nbytes: int


class Header:
    """What a file of `size` bytes says about itself; read(start, end) brings its bytes. Raises Malformed where it cannot be read at all.

    tensors: what can be read, by name. listed: all that the header names in a readable way, damaged ones included. problems: phrases
    that follow the file's name, where the file is not what its header says. header_hash: xxh3_128 of the header.
    """

    def __init__(self, size: int, read: Callable[[int, int], bytes]) -> None:
        length = int.from_bytes(read(0, 8), "little") if size >= 8 else 0
        if size < 8 or length > HEADER_LIMIT or length > size - 8:
            raise Malformed("is truncated or no safetensors file")
        header = read(8, 8 + length)
        self.header_hash = xxhash.xxh3_128_hexdigest(header)
        self.problems: list[str] = []
        entries = _parse(header, 8 + length, self.problems)
        self.listed: Mapping[str, TensorInfo] = {name: t.info for name, t in entries.items()}
        self.tensors: Mapping[str, StoredTensor] = _sound(entries, 8 + length, size, self.problems)


class SafetensorsFile(Header):
    """One shard on a drive, open until `close`. Raises as Header, and OSError."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Malformed("is missing" if not path.exists() else "is no ordinary file")
        self.path = path
        with path.open("rb") as file:
            super().__init__(path.stat().st_size, lambda start, end: file.read(end - start))
        self._file, self._seeking = open_once(path), threading.Lock()

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """nbytes bytes of a tensor from its byte `start`, u8. Raises StorageError, BadCheckpoint (the file became shorter)."""
        out = np.empty(nbytes, np.uint8)
        self.read_into(name, start, out)
        return out

    def read_into(self, name: str, start: int, out: npt.NDArray[np.uint8], keep: bool = False) -> None:
        """As `read`, into u8 [nbytes]; keep: the system may hold the bytes for another read."""
        t, nbytes = self.tensors[name], len(out)
        if not 0 <= start <= start + nbytes <= t.nbytes:
            raise ValueError(f"bytes {start}..{start + nbytes} are not in {name} of {t.nbytes} bytes")
        view, done, at = out.data, 0, t.offset + start
        try:
            while done < nbytes:
                n = self._read_at(view[done:], at + done)
                if n == 0:
                    raise BadCheckpoint(f"{self.path} became shorter while it was read. Fetch it again.")
                done += n
            if not keep:
                forget(self._file, at, nbytes)
        except OSError as e:
            raise StorageError(f"{self.path} cannot be read ({e.strerror or e}). Check its drive and try again.", repr(e)) from e

    def _read_at(self, into: memoryview, offset: int) -> int:
        if sys.platform != "win32":
            return os.preadv(self._file.fileno(), [into[: 2**30]], offset)
        with self._seeking:
            self._file.seek(offset)
            return self._file.readinto(into[: 2**30]) or 0

    def close(self) -> None:
        """Close the file; idempotent."""
        self._file.close()


def _parse(header: bytes, data_start: int, problems: list[str]) -> dict[str, StoredTensor]:
    """The header's entries that make sense on their own. Raises Malformed."""
    value = parse_object(header)
    value.pop("__metadata__", None)
    out: dict[str, StoredTensor] = {}
    for name, entry in value.items():
        try:
            out[name] = _entry(name, Fields(entry, name), data_start)
        except Malformed as e:
            problems.append(str(e))
    return out


def _entry(name: str, f: Fields, data_start: int) -> StoredTensor:
    dtype = f.text("dtype")
    shape = tuple(integer(n, f"{name}.shape", 0, 2**48) for n in f.array("shape"))
    ends = [integer(n, f"{name}.data_offsets", 0, 2**48) for n in f.array("data_offsets")]
    f.done()
    if len(ends) != 2 or ends[0] > ends[1] or len(shape) > 8:
        raise Malformed(f"has bad sizes for {name}")
    if dtype in SIZES and ends[1] - ends[0] != SIZES[dtype] * math.prod(shape):
        raise Malformed(f"has {ends[1] - ends[0]} bytes for {name}, which do not fit its shape {list(shape)}")
    return StoredTensor(TensorInfo(dtype, shape), data_start + ends[0], ends[1] - ends[0])


def _sound(entries: Mapping[str, StoredTensor], data_start: int, size: int, problems: list[str]) -> dict[str, StoredTensor]:
    """The entries whose bytes are in the file and no one else's."""
    out: dict[str, StoredTensor] = {}
    at, gaps, owner = data_start, False, ""
    for name, t in sorted(entries.items(), key=lambda item: (item[1].offset, item[1].nbytes)):
        if t.offset < at:
            problems.append(f"has overlapping tensors: {owner} and {name}")
            out.pop(owner, None)
        else:
            gaps = gaps or t.offset > at
            if t.offset + t.nbytes <= size:
                out[name] = t
        if (end := t.offset + t.nbytes) > at:
            at, owner = end, name
    if at > size:
        problems.append(f"is truncated: it has {size} bytes instead of {at}")
    elif not problems and (gaps or at < size):
        problems.append("has bytes that no tensor owns" if gaps else f"has {size - at} bytes too many")
    return out
