"""What a conversion will write, decided and checked before anything is written: every tensor is there, in its shape, and used."""

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from engine.arch.spec import ArchSpec, ExpertSpec, Source, TensorSpec
from engine.container.format import EMBED, PANEL, VECTOR, EmbedEntry, RecordLayout, TensorEntry, expert_file
from engine.container.manifest import ExpertEntry
from engine.container.trunk import header
from engine.errors import BadRequest
from engine.setup import mxfp4
from engine.setup.checkpoint import bad_checkpoint
from engine.setup.cut import fits, rows_taken
from engine.setup.roles import expert_formats, format_of, trunk_formats
from engine.setup.source import FLOATS, TensorSource
from kernels_pyx.linear import packed_bytes

STRIP_BYTES = 2**20  # f32 bytes of a matrix that are packed at once; Stop waits for one
HARMLESS = re.compile(r"rotary_emb\.inv_freq$|\.masked_bias$")


@dataclass(frozen=True, slots=True)
class Strip:
    """Rows start..start+count of a trunk tensor, packed to nbytes: one chunk of the trunk's file."""

    spec: TensorSpec
    fmt: str
    start: int
    count: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Layout:
    """header and strips make trunk.safetensors; entries the expert files, one for each of specs; panels the embedding's own file."""

    formats: dict[str, str]
    tensors: dict[str, TensorEntry]
    header: bytes
    strips: tuple[Strip, ...]
    specs: tuple[ExpertSpec, ...]
    entries: tuple[ExpertEntry, ...]
    embed: EmbedEntry | None
    panels: tuple[Strip, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the trunk, the embedding and all expert files."""
        weights = sum(s.nbytes for s in (*self.strips, *self.panels))
        return len(self.header) + weights + sum(e.n_experts * e.layout.stride for e in self.entries)


def lay_out(source: TensorSource, arch: ArchSpec, experts: str, trunk: str) -> Layout:
    """The layout of `arch` in these formats. Raises BadCheckpoint with all problems of the source's tensors, BadRequest."""
    formats = trunk_formats(trunk), expert_formats(experts)
    _Check(source, experts == "mxfp4").run(arch)
    return arrange(arch, *formats, lambda t: source.tensors[t.source.name].dtype)


def arrange(arch: ArchSpec, in_trunk: dict[str, str], in_record: dict[str, str], stored: Callable[[TensorSpec], str]) -> Layout:
    """Where everything of `arch` lies: {role: format}, {part: format}; stored(tensor) is its dtype in the checkpoint."""
    tensors: dict[str, TensorEntry] = {}
    strips: list[Strip] = []
    embed: EmbedEntry | None = None
    panels: list[Strip] = []
    at = 0
    for t in sorted(arch.tensors, key=lambda t: t.role == "vector"):
        fmt = format_of(t.role, in_trunk, stored(t))
        if t.role == "embed" and not arch.tied:
            embed = EmbedEntry(EMBED, fmt, *t.shape)
            panels = [Strip(t, fmt, i * PANEL, *embed.panel(i)) for i in range(embed.n_panels)]
            continue
        parts = list(_strips(t, fmt))
        nbytes = sum(s.nbytes for s in parts)
        tensors[t.name] = TensorEntry(fmt, t.shape, at, nbytes)
        strips += parts
        at += nbytes
    entries = tuple(
        ExpertEntry(
            e.layer, 0, expert_file(e.layer), e.n_experts, RecordLayout.of(e.d_in, e.d_hidden, e.d_out, in_record, "gate_bias" in e.parts)
        )
        for e in arch.experts
    )
    formats = {**in_trunk, **{f"experts.{part}": fmt for part, fmt in in_record.items()}}
    return Layout(formats, tensors, header(tensors), tuple(strips), arch.experts, entries, embed, tuple(panels))


def _strips(t: TensorSpec, fmt: str) -> list[Strip]:
    if fmt == VECTOR:
        return [Strip(t, fmt, 0, t.shape[0], 4 * math.prod(t.shape))]
    return [Strip(t, fmt, a, n, packed_bytes(fmt, n, t.shape[1])) for a, n in row_strips(*t.shape)]


def row_strips(rows: int, cols: int) -> list[tuple[int, int]]:
    """(first row, rows) of the pieces of a matrix that are packed one by one; each begins with a panel."""
    step = max(STRIP_BYTES // (4 * cols) // PANEL, 1) * PANEL
    return [(a, min(step, rows - a)) for a in range(0, rows, step)]


class _Check:
    """Collects what is wrong with a source's tensors for an architecture."""

    def __init__(self, source: TensorSource, keep_mxfp4: bool) -> None:
        self.source, self.tensors, self.keep_mxfp4 = source, source.tensors, keep_mxfp4
        self.problems: list[str] = []
        self.rows: Counter[tuple[str, int | None]] = Counter()  # that are taken
        self.stored: dict[tuple[str, int | None], int] = {}
        self.used: set[str] = set()

    def run(self, arch: ArchSpec) -> None:
        for t in arch.tensors:
            self.tensor(t.source, t.shape)
        for e in arch.experts:
            for expert in range(e.n_experts):
                for part in e.parts:
                    self.tensor(e.source(expert, part), e.shape(part), part=not part.endswith("_bias"))
        for name, taken, stored in ((name, n, self.stored[name, index]) for (name, index), n in self.rows.items()):
            if taken != stored:
                self.problems.append(f"{name} has the shape {list(self.shape(name) or ())}, of which {taken} rows are known")
        harmless = {"lm_head.weight"} if arch.tied else set()
        extra = sorted(n for n in self.tensors.keys() - self.used - harmless if not HARMLESS.search(n) and not n.startswith(arch.skipped))
        if extra and not self.problems:  # a missing tensor explains its misspelled twin
            self.problems.append(f"{len(extra)} tensors have no place in this family: {', '.join(extra[:3])}")
        if self.problems:
            raise bad_checkpoint(self.source.name, self.problems)

    def shape(self, name: str) -> tuple[int, ...] | None:
        if name in self.tensors:
            return self.tensors[name].shape
        names = mxfp4.pair(self.tensors, name)
        return None if names is None else mxfp4.shape(self.tensors, names)

    def tensor(self, s: Source, wanted: tuple[int, ...], part: bool = False) -> None:
        names = mxfp4.pair(self.tensors, s.name) if part else None
        if s.name not in self.tensors and names is None:
            self.problems.append(f"it lacks {s.name}")
            return
        self.used.update(names if s.name not in self.tensors and names else [s.name])
        if self.keep_mxfp4 and part and names is None:
            raise BadRequest(
                "The experts of this model are not published as MXFP4, and that format is kept, never made. Choose q4, q8, bf16 or f32."
            )
        if s.name in self.tensors and (dtype := self.tensors[s.name].dtype) not in FLOATS:
            self.problems.append(f"{s.name} is stored as {dtype}, where {', '.join(FLOATS)} can be converted")
            return
        stored = self.shape(s.name)
        inner = stored if stored is None or s.index is None else stored[1:] if s.index < stored[0] else None
        if inner is None or not fits(s, inner, wanted):
            self.problems.append(f"{s.name} has the shape {list(stored or ())}, where {list(wanted)} is expected")
            return
        if not s.padded:
            taken, self.stored[s.name, s.index] = rows_taken(s, inner, wanted)
            self.rows[s.name, s.index] += taken
