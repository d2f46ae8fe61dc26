"""The manifest: one frozen value, written as canonical JSON, read back with every type, size, name and offset checked."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import xxhash

from engine.arch import read_arch
from engine.arch.spec import ArchSpec, with_mtp
from engine.container.format import (
    ALIGN,
    EMBED_ROWS,
    FEATURES,
    MANIFEST,
    MANIFEST_LIMIT,
    MTP,
    PAGE,
    PARTS,
    VECTOR,
    VERSION,
    WIDEST,
    EmbedEntry,
    RecordLayout,
    TensorEntry,
    check_name,
)
from engine.container.strict import Fields, Malformed, integer, parse_object, read_limited
from engine.errors import BadContainer
from engine.words import say
from kernels_pyx.linear import FORMATS, packed_bytes


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file in the container: size and xxh3_128."""

    nbytes: int
    xxh3: str


@dataclass(frozen=True, slots=True)
class TrunkEntry:
    """trunk.safetensors: data_start is where its data begin; data_bytes is what lies in memory."""

    file: str
    nbytes: int
    data_start: int
    header_xxh3: str
    data_xxh3: str
    tensors: Mapping[str, TensorEntry]

    @property
    def data_bytes(self) -> int:
        """Bytes of all tensors."""
        return self.nbytes - self.data_start


@dataclass(frozen=True, slots=True)
class ExpertEntry:
    """One layer's expert file, relative to its volume."""

    layer: int
    volume: int
    file: str
    n_experts: int
    layout: RecordLayout


@dataclass(frozen=True, slots=True)
class Manifest:
    """All keys of manifest.json, as `engine.container.format` describes them."""

    features: tuple[str, ...]
    converter: str
    source: Mapping[str, str | None]
    config: Mapping[str, Any]
    defaults: Mapping[str, float]
    formats: Mapping[str, str]
    trunk: TrunkEntry
    volumes: tuple[str, ...]
    experts: tuple[ExpertEntry, ...]
    checksums_file: str
    checksums: FileEntry
    files: Mapping[str, FileEntry]
    embed: EmbedEntry | None = None
    checksum: str = field(default="", compare=False)  # of the manifest itself, where it was read

    @property
    def arch(self) -> ArchSpec:
        """The architecture of the config, with the layer for further tokens where that was kept. Raises UnsupportedModel."""
        arch = read_arch(self.config)
        return with_mtp(arch) if MTP in self.features else arch

    @property
    def checksum_counts(self) -> tuple[int, ...]:
        """Checksums of each expert file in order, then of the embedding's panels where it has a file."""
        return (*(e.n_experts for e in self.experts), *((self.embed.n_panels,) if self.embed else ()))


def encode(value: Mapping[str, Any]) -> bytes:
    """The JSON text of a manifest, byte for byte."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def _checksum(value: Mapping[str, Any]) -> str:
    return xxhash.xxh3_128_hexdigest(encode({k: v for k, v in value.items() if k != "checksum"}))


def to_bytes(m: Manifest) -> bytes:
    """manifest.json of `m`."""
    t = m.trunk
    value: dict[str, Any] = {
        "format": "ouzel",
        "version": VERSION,
        "features": list(m.features),
        "converter": m.converter,
        "source": dict(m.source),
        "config": m.config,
        "defaults": dict(m.defaults),
        "formats": dict(m.formats),
        "trunk": {
            "file": t.file, "nbytes": t.nbytes, "data_start": t.data_start, "header_xxh3": t.header_xxh3, "data_xxh3": t.data_xxh3,
            "tensors": {name: [e.fmt, list(e.shape), e.offset, e.nbytes] for name, e in t.tensors.items()},
        },
        "volumes": list(m.volumes),
        "experts": [_expert_value(e) for e in m.experts],
        **({"embed": _embed_value(m.embed)} if m.embed else {}),
        "checksums": {"file": m.checksums_file, "nbytes": m.checksums.nbytes, "xxh3": m.checksums.xxh3},
        "files": {name: {"nbytes": f.nbytes, "xxh3": f.xxh3} for name, f in m.files.items()},
    }  # fmt: skip
    return encode({**value, "checksum": _checksum(value)})


def _embed_value(e: EmbedEntry) -> dict[str, Any]:
    return {"file": e.file, "format": e.fmt, "shape": [e.rows, e.cols], "nbytes": e.nbytes}


def _expert_value(e: ExpertEntry) -> dict[str, Any]:
    r = e.layout
    return {
        "layer": e.layer, "volume": e.volume, "file": e.file, "n_experts": e.n_experts,
        "d_in": r.d_in, "d_hidden": r.d_hidden, "d_out": r.d_out,
        "gate": list(r.gate), "up": list(r.up), "down": list(r.down), "biases": None if r.biases is None else list(r.biases),
        "nbytes": r.nbytes, "stride": r.stride,
    }  # fmt: skip


def read_manifest(folder: Path) -> Manifest:
    """The manifest of the container `folder`. Raises BadContainer; OSError where the drive fails."""
    try:
        return parse(read_limited(folder / MANIFEST, MANIFEST_LIMIT))
    except Malformed as e:
        raise BadContainer(
            say("The model {folder} cannot be opened: its manifest.json {why}. Fetch or convert the model again.", folder=folder, why=e)
        ) from None


def parse(data: bytes) -> Manifest:
    """The manifest that these bytes are. Raises Malformed (damage) and BadContainer (a version or feature from the future)."""
    value = parse_object(data)
    f = Fields(value)
    if f.text("format") != "ouzel":
        raise Malformed(say("does not describe a model of Ouzel"))
    if (version := f.whole("version")) != VERSION:
        raise BadContainer(
            say(
                "This model has format version {version}, and this Ouzel reads version {known}. Update Ouzel.",
                version=version,
                known=VERSION,
            )
        )
    features = tuple(_text(v, "features") for v in f.array("features"))
    if unknown := sorted(set(features) - FEATURES):
        raise BadContainer(say("This model uses {unknown}, which this Ouzel does not know. Update Ouzel.", unknown=", ".join(unknown)))
    try:
        own = _checksum(value)
    except (UnicodeEncodeError, RecursionError) as e:
        raise Malformed(say("holds text that is no text ({kind})", kind=type(e).__name__)) from e
    if f.hash("checksum") != own:
        raise Malformed(say("differs from its own checksum: it is damaged or was edited"))
    source = f.sub("source")
    checksums = f.sub("checksums")
    volumes = tuple(v if v == "." else _name(v, "volumes") for v in f.array("volumes"))
    if not volumes:
        raise Malformed(say("names no volume"))
    out = Manifest(
        features=features,
        converter=f.text("converter"),
        source={"name": source.text("name"), "repo": source.text_or_none("repo"), "commit": source.text_or_none("commit")},
        config=f.mapping("config"),
        defaults={k: _number(v, f"defaults.{k}") for k, v in f.mapping("defaults").items()},
        formats={k: _text(v, f"formats.{k}") for k, v in f.mapping("formats").items()},
        trunk=_trunk(f.sub("trunk")),
        volumes=volumes,
        experts=tuple(_expert(Fields(e, "experts"), len(volumes)) for e in f.array("experts")),
        checksums_file=checksums.text("file", check_name),
        checksums=FileEntry(checksums.whole("nbytes"), checksums.hash("xxh3")),
        files={_name(k, "files"): _file(Fields(v, f"files.{k}")) for k, v in f.mapping("files").items()},
        embed=_embed(f.sub("embed")) if EMBED_ROWS in features else None,
        checksum=own,
    )
    for fields in (source, checksums, f):
        fields.done()
    names = [out.trunk.file, out.checksums_file, *out.files, *(f"{e.volume}:{e.file}" for e in out.experts)]
    names += [out.embed.file] if out.embed else []
    if len(set(names)) != len(names) or len({e.layer for e in out.experts}) != len(out.experts):
        raise Malformed(say("names a file or a layer twice"))
    if out.checksums.nbytes != 8 * sum(out.checksum_counts):
        raise Malformed(say("has {nbytes} at 'checksums.nbytes', which does not fit the experts", nbytes=out.checksums.nbytes))
    return out


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise Malformed(say("has {value} at '{where}', where text is expected", value=f"{value!r:.60}", where=where))
    return value


def _name(value: object, where: str) -> str:
    try:
        return check_name(_text(value, where))
    except Malformed:
        raise
    except ValueError as e:
        raise Malformed(say("has a bad name at '{where}': {why}", where=where, why=e)) from None


def _number(value: object, where: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise Malformed(say("has {value} at '{where}', where a number is expected", value=f"{value!r:.60}", where=where))
    return value


def _file(f: Fields) -> FileEntry:
    entry = FileEntry(f.whole("nbytes"), f.hash("xxh3"))
    f.done()
    return entry


def _format(value: object, where: str) -> str:
    if value not in FORMATS:
        raise Malformed(say("has {value} at '{where}', where a weight format is expected", value=f"{value!r:.60}", where=where))
    return str(value)


def _trunk(f: Fields) -> TrunkEntry:
    tensors = {k: _tensor(v, f"trunk.tensors.{k}") for k, v in f.mapping("tensors").items()}
    nbytes, start = f.whole("nbytes"), f.whole("data_start", PAGE, 128 * 2**20)
    out = TrunkEntry(f.text("file", check_name), nbytes, start, f.hash("header_xxh3"), f.hash("data_xxh3"), tensors)
    f.done()
    at = 0
    for name, t in sorted(tensors.items(), key=lambda item: item[1].offset):
        if t.offset != at or (t.fmt != VECTOR and at % ALIGN):
            raise Malformed(say("has {offset} as the offset of '{name}', where {at} is expected", offset=t.offset, name=name, at=at))
        at += t.nbytes
    if start % PAGE or start + at != nbytes:
        raise Malformed(say("has sizes at 'trunk' that do not fit its tensors"))
    return out


def _tensor(value: object, where: str) -> TensorEntry:
    if not isinstance(value, list) or len(value) != 4 or not isinstance(value[1], list) or not 1 <= len(value[1]) <= 4:
        raise Malformed(
            say("has {value} at '{where}', where [format, shape, offset, size] is expected", value=f"{value!r:.60}", where=where)
        )
    fmt = VECTOR if value[0] == VECTOR else _format(value[0], where)
    shape = tuple(integer(n, where, 1, WIDEST) for n in value[1])
    if fmt != VECTOR and len(shape) != 2:
        raise Malformed(say("has the shape {value} at '{where}', where [rows, columns] is expected", value=value[1], where=where))
    offset, nbytes = integer(value[2], where), integer(value[3], where)
    if nbytes != (4 * math.prod(shape) if fmt == VECTOR else packed_bytes(fmt, *shape)):
        raise Malformed(say("has {nbytes} as the size of '{where}', which does not fit its shape", nbytes=nbytes, where=where))
    return TensorEntry(fmt, shape, offset, nbytes)


def _embed(f: Fields) -> EmbedEntry:
    shape = [integer(n, "embed.shape", 1, WIDEST) for n in f.array("shape")]
    if len(shape) != 2:
        raise Malformed(say("has the shape {shape} at 'embed', where [rows, columns] is expected", shape=shape))
    out = EmbedEntry(f.text("file", check_name), _format(f.get("format"), "embed.format"), *shape)
    if (nbytes := f.whole("nbytes")) != out.nbytes:
        raise Malformed(say("has {nbytes} as the size of 'embed', which does not fit its shape", nbytes=nbytes))
    f.done()
    return out


def _expert(f: Fields, n_volumes: int) -> ExpertEntry:
    layer, volume, file = f.whole("layer", 0, 2**20), f.whole("volume", 0, n_volumes - 1), f.text("file", check_name)
    n = f.whole("n_experts", 1, 2**20)
    widths = [f.whole(k, 1, WIDEST) for k in ("d_in", "d_hidden", "d_out")]
    formats = {p: _format((f.array(p) or [None])[0], f"experts.{p}") for p in PARTS}
    layout = RecordLayout.of(widths[0], widths[1], widths[2], formats, f.get("biases") is not None)
    entry = ExpertEntry(layer, volume, file, n, layout)
    told = {k: f.get(k) for k in ("gate", "up", "down", "biases", "nbytes", "stride")}
    f.done()
    if {k: _expert_value(entry)[k] for k in told} != told:
        raise Malformed(
            say(
                "has offsets or sizes at 'experts' of layer {layer} that are not those of format version {version}",
                layer=layer,
                version=VERSION,
            )
        )
    return entry
