"""One safetensors file of a checkpoint, read with plain reads: nothing in it is trusted, nothing of it stays mapped.

Source of the format: github.com/huggingface/safetensors. The library maps the file, and its NumPy side has no bfloat16.
"""

import math
import os
import sys
import threading
from collections.abc import Mapping
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


class SafetensorsFile:
    """tensors by name; header_hash: xxh3_128 of the header. Raises Malformed where the file is not what its header says, OSError."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Malformed("is missing" if not path.exists() else "is no ordinary file")
        self.path = path
        size = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if size < 8 or length > HEADER_LIMIT or length > size - 8:
                raise Malformed("is truncated or no safetensors file")
            header = file.read(length)
        self.header_hash = xxhash.xxh3_128_hexdigest(header)
        self.tensors = _parse(header, 8 + length, size)
        self._file, self._seeking = open_once(path), threading.Lock()

    def read(self, name: str, start: int, nbytes: int) -> npt.NDArray[np.uint8]:
        """nbytes bytes of a tensor from its byte `start`, u8. Raises StorageError, BadCheckpoint (the file became shorter)."""
        t = self.tensors[name]
        if not 0 <= start <= start + nbytes <= t.nbytes:
            raise ValueError(f"bytes {start}..{start + nbytes} are not in {name} of {t.nbytes} bytes")
        out = np.empty(nbytes, np.uint8)
        view, done, at = out.data, 0, t.offset + start
        try:
            while done < nbytes:
                n = self._read_at(view[done:], at + done)
                if n == 0:
                    raise BadCheckpoint(f"{self.path} became shorter while it was read. Fetch it again.")
                done += n
            forget(self._file, at, nbytes)
        except OSError as e:
            raise StorageError(f"{self.path} cannot be read ({e.strerror or e}). Check its drive and try again.", repr(e)) from e
        return out

    def _read_at(self, into: memoryview, offset: int) -> int:
        if sys.platform != "win32":
            return os.preadv(self._file.fileno(), [into[: 2**30]], offset)
        with self._seeking:
            self._file.seek(offset)
            return self._file.readinto(into[: 2**30]) or 0

    def close(self) -> None:
        """Close the file; idempotent."""
        self._file.close()


def _parse(header: bytes, data_start: int, size: int) -> Mapping[str, StoredTensor]:
    value = parse_object(header)
    value.pop("__metadata__", None)
    out: dict[str, StoredTensor] = {}
    for name, entry in value.items():
        f = Fields(entry, name)
        dtype = f.text("dtype")
        shape = tuple(integer(n, f"{name}.shape", 0, 2**48) for n in f.array("shape"))
        ends = [integer(n, f"{name}.data_offsets", 0, 2**48) for n in f.array("data_offsets")]
        f.done()
        if len(ends) != 2 or ends[0] > ends[1] or len(shape) > 8:
            raise Malformed(f"has bad sizes for '{name}'")
        if dtype in SIZES and ends[1] - ends[0] != SIZES[dtype] * math.prod(shape):
            raise Malformed(f"has {ends[1] - ends[0]} bytes for '{name}', which do not fit its shape {list(shape)}")
        out[name] = StoredTensor(TensorInfo(dtype, shape), data_start + ends[0], ends[1] - ends[0])
    at = data_start
    for name, t in sorted(out.items(), key=lambda item: (item[1].offset, item[1].nbytes)):
        if t.offset != at:
            raise Malformed(f"has overlapping tensors, or bytes that no tensor owns, at '{name}'")
        at += t.nbytes
    if at != size:
        raise Malformed(f"is truncated: it has {size} bytes instead of {at}" if size < at else f"has {size - at} bytes too many")
    return out
