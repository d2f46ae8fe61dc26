"""Volumes: the folders, on several drives, over which a model's experts lie. This is a machine's own matter, so it stands beside the
hashed manifest and not in it, and a model without it has all experts in its own folder.

    NAME.ouzel/volumes.json     the table: the other folders, and where each layer lies; it alone decides what is read
    NAME.ouzel/experts/L00.bin  all records of a layer in the model's own folder, which is volume 0
    FOLDER/volume.json          whose folder this is: the manifest's checksum, and an id that the table names
    FOLDER/full/L00.bin         all records of a layer in another folder
    FOLDER/part-TAG/L00.bin     a piece of each record, ascending without gaps; TAG tells pieces of other weights apart

A layer is mirrored (each volume has all records) or spread (each volume has a piece of each record, see `cuts`). Pieces and not whole
records, because a token's few experts of a layer seldom divide evenly, and its layer waits for the last: of eight records on two equal
drives the fuller one has 5.1 on average. Files are written whole and never changed, so a table is right once it is written.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import gcd
from pathlib import Path
from typing import Any, Literal

import xxhash

from engine.container.format import PAGE, expert_file
from engine.container.storage import sync_folder, write_whole
from engine.container.strict import Fields, Malformed, integer, parse_object, read_limited
from engine.words import say
from kernels_pyx.aio import COPIES, LANES

TABLE, MARK = "volumes.json", "volume.json"
HEAVIEST = 1000
_TABLE_LIMIT, _MARK_LIMIT, _PATH_LIMIT = 2**20, 2**12, 4096


@dataclass(frozen=True, slots=True)
class Folder:
    """A volume beside the model's own: an absolute path, and the id in its mark."""

    path: Path
    id: str


@dataclass(frozen=True, slots=True)
class Placement:
    """How a layer lies. volumes: distinct, ascending; weights: of a spread layer, one a volume, without common divisor."""

    mode: Literal["mirror", "spread"]
    volumes: tuple[int, ...]
    weights: tuple[int, ...] = ()

    def file(self, volume: int, folder: Path, home: Path, layer: int) -> Path:
        """The file of model layer `layer` in a volume of this placement; home: the layer's file as the manifest names it."""
        return home if self.mode == "mirror" and volume == 0 else folder / self._name(volume, layer)

    def _name(self, volume: int, layer: int) -> str:
        if self.mode == "mirror":
            return f"full/{Path(expert_file(layer)).name}"
        at = self.volumes.index(volume)
        tag = xxhash.xxh3_64_hexdigest(json.dumps([self.weights, at]).encode())[:12]
        return f"part-{tag}/{Path(expert_file(layer)).name}"

    def piece(self, volume: int, stride: int) -> tuple[int, int]:
        """(start, bytes) of what this volume holds of each record of `stride` bytes."""
        if self.mode == "mirror":
            return 0, stride
        at, ends = self.volumes.index(volume), cuts(self.weights, stride)
        return ends[at], ends[at + 1] - ends[at]


HOME = Placement("mirror", (0,))


def spread(volumes: Sequence[int], weights: Sequence[int]) -> Placement:
    """The placement that divides each record by these weights; volumes without weight get nothing."""
    some = [(v, w) for v, w in sorted(zip(volumes, weights, strict=True)) if w > 0]
    by = gcd(*(w for _, w in some))
    return Placement("spread", tuple(v for v, _ in some), tuple(w // by for _, w in some)) if len(some) > 1 else mirror([some[0][0]])


def mirror(volumes: Sequence[int]) -> Placement:
    """The placement with a copy on each of these volumes."""
    return Placement("mirror", tuple(sorted(volumes)))


def cuts(weights: Sequence[int], stride: int) -> list[int]:
    """Where a record of `stride` bytes is cut into pages for volumes of these weights: 0, ..., stride; one more than there are weights."""
    ends, total = accumulate(weights, initial=0), sum(weights)
    return [(2 * (stride // PAGE) * end + total) // (2 * total) * PAGE for end in ends]


@dataclass(frozen=True, slots=True)
class Table:
    """model: checksum of the manifest. layers: index into placements, one a MoE layer. Volume 0 is the model's own folder."""

    model: str
    folders: tuple[Folder, ...]
    placements: tuple[Placement, ...]
    layers: tuple[int, ...]

    @classmethod
    def home(cls, model: str, n_layers: int) -> "Table":
        """All experts in the model's own folder."""
        return cls(model, (), (HOME,), (0,) * n_layers)

    def placement(self, ordinal: int) -> Placement:
        """Where MoE layer `ordinal` lies."""
        return self.placements[self.layers[ordinal]]

    def paths(self, model: Path) -> tuple[Path, ...]:
        """The folders by volume."""
        return (model, *(f.path for f in self.folders))

    def moved(self, ordinal: int, to: Placement) -> "Table":
        """The table after that layer has moved."""
        places = self.placements if to in self.placements else (*self.placements, to)
        layers = tuple(places.index(to) if i == ordinal else n for i, n in enumerate(self.layers))
        return replace(self, placements=places, layers=layers)

    def tidied(self) -> "Table":
        """The same without placements and folders that no layer uses."""
        places = tuple(p for i, p in enumerate(self.placements) if i in self.layers)
        used = [0, *sorted({v for p in places for v in p.volumes} - {0})]
        renamed = tuple(replace(p, volumes=tuple(used.index(v) for v in p.volumes)) for p in places)
        layers = tuple(places.index(self.placements[n]) for n in self.layers)
        return Table(self.model, tuple(self.folders[v - 1] for v in used[1:]), renamed, layers)


def read_table(folder: Path, model: str, n_layers: int) -> Table:
    """The table of the model in `folder`, whose manifest has the checksum `model`. Raises Malformed, OSError."""
    if not (folder / TABLE).exists():
        return Table.home(model, n_layers)
    f = _checked(read_limited(folder / TABLE, _TABLE_LIMIT), "ouzel-volumes")
    if f.hash("model") != model:
        raise Malformed(say("belongs to another model"))
    folders = tuple(_folder(Fields(v, "folders")) for v in _few(f, "folders", LANES - 1))
    placements = tuple(_placement(Fields(v, "placements"), len(folders) + 1) for v in _few(f, "placements", 64))
    layers = tuple(integer(n, "layers", 0, len(placements) - 1) for n in f.array("layers"))
    f.done()
    if len(layers) != n_layers or len({x.path for x in folders}) != len(folders) or len({x.id for x in folders}) != len(folders):
        raise Malformed(say("has layers that are not the model's, or names a folder twice"))
    return Table(model, folders, placements, layers)


def write_table(folder: Path, table: Table) -> None:
    """Make `table` the truth about the model in `folder`, durably. Raises OSError."""
    if table == Table.home(table.model, len(table.layers)):
        (folder / TABLE).unlink(missing_ok=True)
    else:
        value = {
            "format": "ouzel-volumes", "version": 1, "model": table.model,
            "folders": [{"path": str(f.path), "id": f.id} for f in table.folders],
            "placements": [{"mode": p.mode, "volumes": list(p.volumes), "weights": list(p.weights)} for p in table.placements],
            "layers": list(table.layers),
        }  # fmt: skip
        write_whole(folder / TABLE, _signed(value))
    sync_folder(folder)


def write_mark(folder: Folder, model: str) -> None:
    """Say whose folder it is. Raises OSError."""
    write_whole(folder.path / MARK, _signed({"format": "ouzel-volume", "version": 1, "model": model, "id": folder.id}))
    sync_folder(folder.path)


def read_mark(path: Path) -> tuple[str, str]:
    """(the model's checksum, the id) of the volume at `path`. Raises Malformed, OSError."""
    f = _checked(read_limited(path / MARK, _MARK_LIMIT), "ouzel-volume")
    out = f.hash("model"), f.hash("id")
    f.done()
    return out


def wrong_folder(folder: Folder, model: str) -> str:
    """Why a folder of the table cannot be used, as a phrase after its path; empty where it can."""
    try:
        if not folder.path.is_dir():
            return say("is missing")
        found, id_ = read_mark(folder.path)
    except OSError as e:
        return say("cannot be read ({why})", why=e.strerror or e)
    except Malformed as e:
        return say("has a {mark} that {why}", mark=MARK, why=e)
    return say("belongs to another model") if found != model else say("is another folder of this model") if id_ != folder.id else ""


def _signed(value: Mapping[str, Any]) -> bytes:
    return _text({**value, "checksum": xxhash.xxh3_128_hexdigest(_text(value))})


def _text(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()


def _checked(data: bytes, kind: str) -> Fields:
    value = parse_object(data)
    f = Fields(value)
    if f.text("format") != kind or f.whole("version") != 1:
        raise Malformed(say("is of a kind that this Ouzel does not know; update Ouzel"))
    try:
        own = xxhash.xxh3_128_hexdigest(_text({k: v for k, v in value.items() if k != "checksum"}))
    except RecursionError:
        raise Malformed(say("is nested too deeply")) from None
    if f.hash("checksum") != own:
        raise Malformed(say("differs from its own checksum: it is damaged or was edited"))
    return f


def _few(f: Fields, key: str, most: int) -> list[Any]:
    values = f.array(key)
    if len(values) > most:
        raise Malformed(say("has more than {most} {key}", most=most, key=key))
    return values


def _folder(f: Fields) -> Folder:
    path = f.text("path")
    if not 0 < len(path) <= _PATH_LIMIT or "\0" in path or not Path(path).is_absolute():
        raise Malformed(say("has {path} as a folder, where an absolute path is expected", path=f"{path!r:.60}"))
    out = Folder(Path(path), f.hash("id"))
    f.done()
    return out


def _placement(f: Fields, n_volumes: int) -> Placement:
    mode = f.text("mode")
    volumes = tuple(integer(v, "placements.volumes", 0, n_volumes - 1) for v in f.array("volumes"))
    weights = tuple(integer(w, "placements.weights", 1, HEAVIEST) for w in f.array("weights"))
    f.done()
    if mode == "mirror":
        out = Placement("mirror", volumes, weights)
    elif mode == "spread":
        out = Placement("spread", volumes, weights)
    else:
        raise Malformed(say("has {mode} as a mode, where mirror or spread is expected", mode=f"{mode!r:.60}"))
    if not volumes or sorted(set(volumes)) != list(volumes) or len(weights) != (len(volumes) if mode == "spread" else 0):
        raise Malformed(say("has a placement whose volumes and weights do not fit each other"))
    if mode == "mirror" and len(volumes) > COPIES:
        raise Malformed(say("has more than {copies} copies of a layer", copies=COPIES))
    return out
