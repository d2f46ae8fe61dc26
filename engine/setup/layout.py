"""What a conversion will write, decided before anything is written."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from engine.arch.spec import ArchSpec, ExpertSpec, Source, TensorSpec
from engine.container.format import EMBED, PANEL, VECTOR, EmbedEntry, RecordLayout, TensorEntry, expert_file
from engine.container.manifest import ExpertEntry, Manifest
from engine.container.trunk import header
from engine.setup.roles import KEEP, expert_formats, format_of, kept, trunk_formats
from engine.setup.source import TensorSource
from kernels_pyx.linear import packed_bytes

STRIP_BYTES = 2**20  # f32 bytes of a matrix that are packed at once; Stop waits for one


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
    """The layout of `arch`, whose tensors `source` has, in these formats. Raises BadRequest."""
    in_trunk, in_record = trunk_formats(trunk), expert_formats(experts)
    if trunk == KEEP:
        in_trunk = {
            role: kept(fmt, (_stored(source, t.source) for t in arch.tensors if t.role == role), False) for role, fmt in in_trunk.items()
        }
    if experts == KEEP:
        in_record = {
            part: kept(fmt, (_stored(source, e.source(i, part)) for e in arch.experts for i in range(e.n_experts)), True)
            for part, fmt in in_record.items()
        }
    return arrange(arch, in_trunk, in_record, lambda t: source.tensors[t.source.name].dtype)


def _stored(source: TensorSource, s: Source) -> str:
    """How the source stores a tensor; MXFP4 in two parts has no name of its own among its tensors."""
    return source.tensors[s.name].dtype if s.name in source.tensors else "MXFP4"


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
    formats = {**in_trunk, **({f"experts.{part}": fmt for part, fmt in in_record.items()} if arch.experts else {})}
    return Layout(formats, tensors, header(tensors), tuple(strips), arch.experts, entries, embed, tuple(panels))


def _strips(t: TensorSpec, fmt: str) -> list[Strip]:
    if fmt == VECTOR:
        return [Strip(t, fmt, 0, t.shape[0], 4 * math.prod(t.shape))]
    return [Strip(t, fmt, a, n, packed_bytes(fmt, n, t.shape[1])) for a, n in row_strips(*t.shape)]


def row_strips(rows: int, cols: int) -> list[tuple[int, int]]:
    """(first row, rows) of the pieces of a matrix that are packed one by one; each begins with a panel."""
    step = max(STRIP_BYTES // (4 * cols) // PANEL, 1) * PANEL
    return [(a, min(step, rows - a)) for a in range(0, rows, step)]


def layout_of(m: Manifest, arch: ArchSpec) -> Layout:
    """The layout of a container that is there; the two fit each other."""
    ordered = sorted((t for t in arch.tensors if t.name in m.trunk.tensors), key=lambda t: m.trunk.tensors[t.name].offset)
    strips = tuple(s for t in ordered for s in _strips(t, m.trunk.tensors[t.name].fmt))
    panels: tuple[Strip, ...] = ()
    if (embed := m.embed) is not None:
        spec = next(t for t in arch.tensors if t.name not in m.trunk.tensors)
        panels = tuple(Strip(spec, embed.fmt, i * PANEL, *embed.panel(i)) for i in range(embed.n_panels))
    return Layout(dict(m.formats), dict(m.trunk.tensors), header(m.trunk.tensors), strips, arch.experts, m.experts, embed, panels)
