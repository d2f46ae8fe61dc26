"""One safetensors file of a checkpoint, read with plain reads: nothing in it is trusted, nothing of it stays mapped.

Source of the format: github.com/huggingface/safetensors. The library maps the file, and its NumPy side has no bfloat16.
"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import xxhash

from engine.container.strict import Fields, Malformed, integer, parse_object
from engine.setup.source import TensorInfo
from engine.setup.tensor_file import StoredTensor, TensorFile
from engine.words import say, sentence

HEADER_LIMIT = 100 * 2**20
SIZES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
    "I32": 4, "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8,
}  # fmt: skip


class Header:
    """What a file of `size` bytes says about itself; read(start, end) brings its bytes. Raises Malformed where it cannot be read at all.

    tensors: what can be read, by name. listed: all that the header names in a readable way, damaged ones included. problems: phrases
    that follow the file's name, where the file is not what its header says. header_hash: xxh3_128 of the header.
    """

    def __init__(self, size: int, read: Callable[[int, int], bytes]) -> None:
        length = int.from_bytes(read(0, 8), "little") if size >= 8 else 0
        if size < 8 or length > HEADER_LIMIT or length > size - 8:
            raise Malformed(say("is truncated or no safetensors file"))
        header = read(8, 8 + length)
        self.header_hash = xxhash.xxh3_128_hexdigest(header)
        self.problems: list[str] = []
        entries = _parse(header, 8 + length, self.problems)
        self.listed: Mapping[str, TensorInfo] = {name: t.info for name, t in entries.items()}
        self.tensors: Mapping[str, StoredTensor] = _sound(entries, 8 + length, size, self.problems)


class SafetensorsFile(Header, TensorFile):
    """One shard on a drive, open until `close`. Raises as Header, and OSError."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Malformed(say("is missing") if not path.exists() else say("is no ordinary file"))
        with path.open("rb") as file:
            Header.__init__(self, path.stat().st_size, lambda start, end: file.read(end - start))
        self.open_at(path)


def _parse(header: bytes, data_start: int, problems: list[str]) -> dict[str, StoredTensor]:
    """The header's entries that make sense on their own. Raises Malformed."""
    value = parse_object(header)
    value.pop("__metadata__", None)
    out: dict[str, StoredTensor] = {}
    for name, entry in value.items():
        try:
            out[name] = _entry(name, Fields(entry, name), data_start)
        except Malformed as e:
            problems.append(sentence(e))
    return out


def _entry(name: str, f: Fields, data_start: int) -> StoredTensor:
    dtype = f.text("dtype")
    shape = tuple(integer(n, f"{name}.shape", 0, 2**48) for n in f.array("shape"))
    ends = [integer(n, f"{name}.data_offsets", 0, 2**48) for n in f.array("data_offsets")]
    f.done()
    if len(ends) != 2 or ends[0] > ends[1] or len(shape) > 8:
        raise Malformed(say("has bad sizes for {name}", name=name))
    if dtype in SIZES and ends[1] - ends[0] != SIZES[dtype] * math.prod(shape):
        raise Malformed(
            say("has {count} bytes for {name}, which do not fit its shape {shape}", count=ends[1] - ends[0], name=name, shape=list(shape))
        )
    return StoredTensor(TensorInfo(dtype, shape), data_start + ends[0], ends[1] - ends[0])


def _sound(entries: Mapping[str, StoredTensor], data_start: int, size: int, problems: list[str]) -> dict[str, StoredTensor]:
    """The entries whose bytes are in the file and no one else's."""
    out: dict[str, StoredTensor] = {}
    at, gaps, owner = data_start, False, ""
    for name, t in sorted(entries.items(), key=lambda item: (item[1].offset, item[1].nbytes)):
        if t.offset < at:
            problems.append(say("has overlapping tensors: {owner} and {name}", owner=owner, name=name))
            out.pop(owner, None)
        else:
            gaps = gaps or t.offset > at
            if t.offset + t.nbytes <= size:
                out[name] = t
        if (end := t.offset + t.nbytes) > at:
            at, owner = end, name
    if at > size:
        problems.append(say("is truncated: it has {size} bytes instead of {at}", size=size, at=at))
    elif not problems and (gaps or at < size):
        problems.append(say("has bytes that no tensor owns") if gaps else say("has {count} bytes too many", count=size - at))
    return out
