"""Specification of NAME.ouzel/, format version 1. All numbers are little-endian, all sizes are bytes.

    manifest.json         UTF-8 JSON, at most 16 MiB; written last, so a folder without it is no container
    trunk.safetensors     every tensor of the trunk; opens with any safetensors tool
    embed.bin             the embedding, where it is not the head as well (feature "embed-rows")
    experts/L<nn>.bin     the routed experts of layer nn, one record an expert (at least two digits)
    experts/checksums.bin xxh3_64 of each record as u64: expert files in manifest order, experts ascending, then panels of embed.bin
    tokenizer.json or tiktoken.model, tokenizer_config.json, chat_template.jinja, generation_config.json, LICENSE, ... as published

Packed matrix: the bytes of `kernels_pyx.linear.pack` in a format of FORMATS; a multiple of ALIGN long; panels of PANEL rows, so the
packing of rows a..b is a byte range of the whole where PANEL divides a.

Trunk. Header (u64 length, JSON padded with spaces) so that the data begins at a multiple of PAGE. Matrices come first, as U8 [nbytes],
each at a multiple of ALIGN from the start of the data; vectors follow, as F32 of their own shape. There are no gaps. `__metadata__`
has one entry a tensor: "q4 576 1536" (format and shape; "vector 576"). Offsets in the manifest count from the start of the data,
which is what lies in memory.

Embedding. A token needs one row of it, so it does not stay in memory: embed.bin is the packed matrix and nothing else, read one
panel at a time, each against its checksum. Without the feature, and always where it is the head, it is a tensor of the trunk.

Record. Parts gate, up, down, each at a multiple of ALIGN, then (feature "expert-biases") their f32 biases; zeros up to the stride,
a multiple of PAGE. Record e lies at e * stride. One record is one aligned read.

Manifest keys (all present but `embed`, no others):
    format "ouzel", version 1, features: names of FEATURES that the container uses; a reader refuses a version or name that it does not know
    converter: the program that wrote it. source {name, repo|null, commit|null}: where the model comes from
    config: the checkpoint's config.json. defaults: the publisher's sampling (temperature, top_k, ...). formats: {role: format}, for people
    trunk {file, nbytes, data_start, header_xxh3, data_xxh3, tensors: {name: [format, shape, offset, nbytes]}}
    volumes: folders that hold expert files, relative to the container; "." is the container itself
    experts: [{layer, volume, file, n_experts, d_in, d_hidden, d_out, gate: [format, offset], up, down, biases: [3 offsets]|null,
              nbytes, stride}]
    embed {file, format, shape, nbytes}: this key is there with the feature "embed-rows" only
    checksums {file, nbytes, xxh3}. files: {name: {nbytes, xxh3}} of the files as published. xxh3 values are xxh3_128, 32 hex digits
    checksum: xxh3_128 of the manifest's own JSON (`manifest.encode`) without this key
File names are relative, of plain ASCII parts (`check_name`). The same checkpoint, formats and converter give the same bytes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.words import say
from kernels_pyx.linear import packed_bytes

VERSION = 1
EMBED_ROWS = "embed-rows"
MTP = "mtp"  # the layer for further tokens is there, with its experts as the last file of them
FEATURES = frozenset({"mxfp4", "expert-biases", "volumes", EMBED_ROWS, MTP})
ALIGN, PAGE, PANEL = 64, 4096, 16
MANIFEST, TRUNK, EMBED, CHECKSUMS = "manifest.json", "trunk.safetensors", "embed.bin", "experts/checksums.bin"
MANIFEST_LIMIT = 16 * 2**20
PARTS = ("gate", "up", "down")
VECTOR = "vector"  # format of what is not a matrix: plain f32
WIDEST = 2**24  # rows or columns; keeps every product of sizes within 64 bits

_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,119}\Z")
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?\Z", re.IGNORECASE)


def rounded(n: int, unit: int) -> int:
    """The least multiple of unit that is at least n."""
    return -(-n // unit) * unit


def check_name(name: str) -> str:
    """`name` itself where it stays inside its folder on every system; ValueError else (absolute, `..`, drive, device, odd characters)."""
    if len(name) > 240 or not all(is_plain(part) for part in name.split("/")):
        raise ValueError(say("{name} is no file name inside a container", name=repr(name[:80])))
    return name


def is_plain(part: str) -> bool:
    """Whether a name without folders is an ordinary file's on every system."""
    return bool(_PART.match(part)) and not _DEVICE.match(part) and not part.endswith(".")


def expert_file(layer: int) -> str:
    """Name of a layer's expert file."""
    return f"experts/L{layer:02}.bin"


@dataclass(frozen=True, slots=True)
class TensorEntry:
    """One trunk tensor: format (VECTOR: plain f32 of any shape; else packed [rows, cols]), where its bytes lie in the trunk's data."""

    fmt: str
    shape: tuple[int, ...]
    offset: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """Where the parts of one expert lie in its record: gate, up [d_hidden, d_in] and down [d_out, d_hidden] as (format, offset)."""

    d_in: int
    d_hidden: int
    d_out: int
    gate: tuple[str, int]
    up: tuple[str, int]
    down: tuple[str, int]
    biases: tuple[int, int, int] | None
    nbytes: int
    stride: int

    @classmethod
    def of(cls, d_in: int, d_hidden: int, d_out: int, formats: Mapping[str, str], biased: bool = False) -> "RecordLayout":
        """The layout of an expert of these widths; formats names one for each of PARTS."""
        shapes = {"gate": (d_hidden, d_in), "up": (d_hidden, d_in), "down": (d_out, d_hidden)}
        at, offsets = 0, {}
        for part in PARTS:
            offsets[part] = (formats[part], at)
            at += rounded(packed_bytes(formats[part], *shapes[part]), ALIGN)
        biases = None
        if biased:
            biases = at, rounded(at + 4 * d_hidden, ALIGN), rounded(at + 4 * d_hidden, ALIGN) + rounded(4 * d_hidden, ALIGN)
            at = biases[2] + 4 * d_out
        return cls(d_in, d_hidden, d_out, offsets["gate"], offsets["up"], offsets["down"], biases, at, rounded(at, PAGE))

    def part(self, name: str) -> tuple[str, int, int, int]:
        """(format, offset, rows, cols) of gate, up or down."""
        fmt, at = {"gate": self.gate, "up": self.up, "down": self.down}[name]
        return (fmt, at, self.d_out, self.d_hidden) if name == "down" else (fmt, at, self.d_hidden, self.d_in)


@dataclass(frozen=True, slots=True)
class EmbedEntry:
    """The embedding [rows, cols] in a file of its own, as packed panels of PANEL rows."""

    file: str
    fmt: str
    rows: int
    cols: int

    @property
    def nbytes(self) -> int:
        """Bytes of the file."""
        return packed_bytes(self.fmt, self.rows, self.cols)

    @property
    def n_panels(self) -> int:
        """Panels, the last of which may have fewer rows."""
        return -(-self.rows // PANEL)

    @property
    def panel_bytes(self) -> int:
        """Bytes of a whole panel; panel i begins at i times as many."""
        return packed_bytes(self.fmt, min(PANEL, self.rows), self.cols)

    def panel(self, i: int) -> tuple[int, int]:
        """(rows, bytes) of panel i."""
        rows = min(PANEL, self.rows - i * PANEL)
        return rows, packed_bytes(self.fmt, rows, self.cols)
