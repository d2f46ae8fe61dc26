"""Whether a checkpoint holds the tensors that an architecture asks for, each in its shape and in a form that can be read."""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from engine.arch.spec import ArchSpec, Source
from engine.errors import BadRequest
from engine.setup import mxfp4
from engine.setup.cut import fits, rows_taken
from engine.setup.problems import alike, grouped
from engine.setup.source import CODED, FLOATS, TensorInfo
from engine.words import plural, say

HARMLESS = re.compile(r"rotary_emb\.inv_freq$|\.masked_bias$")
Shape = tuple[int, ...]


@dataclass(slots=True)
class Fit:
    """What does not fit, by the name of the tensor.

    missing; shapes: (stored, wanted); dtypes: stored; partial: (stored shape, rows that have a place); extra: without a place.
    used: the stored tensors that a conversion reads: how many numbers of it, None for all.
    """

    missing: set[str] = field(default_factory=set)
    shapes: dict[str, tuple[Shape, Shape]] = field(default_factory=dict)
    dtypes: dict[str, str] = field(default_factory=dict)
    partial: dict[str, tuple[Shape, int]] = field(default_factory=dict)
    extra: set[str] = field(default_factory=set)
    used: dict[str, int | None] = field(default_factory=dict)

    @property
    def bad(self) -> set[str]:
        """The tensors that another config could explain."""
        return self.missing | self.shapes.keys() | self.partial.keys() | self.extra

    def lines(self, lacking: Mapping[str, str]) -> list[str]:
        """A phrase for each problem, tensors that are alike together. lacking: the file that a missing tensor should be in."""
        out = list[str]()
        for first, more in grouped(self.missing):
            tensors = _named(first, more)
            file = lacking.get(first)
            out.append(say("{file} lacks {tensors}", file=file, tensors=tensors) if file else say("it lacks {tensors}", tensors=tensors))
        for shape, wanted in sorted(set(self.shapes.values())):
            names = [n for n, both in self.shapes.items() if both == (shape, wanted)]
            for first, more in grouped(names):
                one = plural(
                    more + 1,
                    "{tensors} has the shape {shape}, where {wanted} is expected",
                    "{tensors} have the shape {shape}, where {wanted} is expected",
                    tensors=_named(first, more),
                    shape=list(shape),
                    wanted=list(wanted),
                )
                out.append(one)
        for dtype in sorted(set(self.dtypes.values())):
            for first, more in grouped(n for n, d in self.dtypes.items() if d == dtype):
                one = plural(
                    more + 1,
                    "{tensors} is stored as {dtype}, where {known} can be converted",
                    "{tensors} are stored as {dtype}, where {known} can be converted",
                    tensors=_named(first, more),
                    dtype=dtype,
                    known=", ".join(FLOATS),
                )
                out.append(one)
        for shape, taken in sorted(set(self.partial.values())):
            for first, more in grouped(n for n, both in self.partial.items() if both == (shape, taken)):
                one = plural(
                    more + 1,
                    "{tensors} has the shape {shape}, of which {taken} rows are known",
                    "{tensors} have the shape {shape}, of which {taken} rows are known",
                    tensors=_named(first, more),
                    shape=list(shape),
                    taken=taken,
                )
                out.append(one)
        if self.extra:
            out.append(say("this family has no place for {tensors}", tensors=alike(self.extra)))
        return out


def _named(first: str, more: int) -> str:
    return say("{first} and {more} more", first=first, more=more) if more else first


def fit(
    tensors: Mapping[str, TensorInfo], arch: ArchSpec, keep_mxfp4: bool = False, unread: Collection[str] = (), all_experts: bool = True
) -> Fit:
    """Compare. unread: names that are known to exist and nothing else; all_experts: else only the first of each layer, and no extra ones.

    Raises BadRequest (keep_mxfp4, where the experts are stored otherwise).
    """
    look = _Look(tensors, keep_mxfp4, unread)
    for t in arch.tensors:
        look.at(t.source, t.shape)
    for e in arch.experts:
        for expert in range(e.n_experts if all_experts else 1):
            for part in e.parts:
                look.at(e.source(expert, part), e.shape(part), part=not part.endswith("_bias"))
    look.at_rows()
    if all_experts:
        look.at_the_rest(arch)
    return look.out


class _Look:
    def __init__(self, tensors: Mapping[str, TensorInfo], keep_mxfp4: bool, unread: Collection[str]) -> None:
        self.tensors, self.keep_mxfp4, self.unread = tensors, keep_mxfp4, set(unread)
        self.out = Fit()
        self.rows: Counter[tuple[str, int | None]] = Counter()  # that are taken
        self.stored: dict[tuple[str, int | None], int] = {}

    def shape(self, name: str) -> Shape | None:
        if name in self.tensors:
            return self.tensors[name].shape
        names = mxfp4.pair(self.tensors, name)
        return None if names is None else mxfp4.shape(self.tensors, names)

    def at(self, s: Source, wanted: Shape, part: bool = False) -> None:
        out, plain = self.out, s.name in self.tensors
        names = mxfp4.pair(self.tensors, s.name) if part else None
        if not plain and names is None:
            parts = {s.name, *(n for both in mxfp4.spelled(s.name) for n in both)}
            if parts & self.unread:
                out.used |= dict.fromkeys(parts & self.tensors.keys())
            else:
                out.missing.add(s.name)
            return
        whole = None if not s.padded else math.prod(wanted)
        out.used |= {s.name: whole} if plain else dict.fromkeys(names or (), None)
        if self.keep_mxfp4 and part and names is None and self.tensors[s.name].dtype != "MXFP4":
            raise BadRequest(
                say(
                    "The experts of this model are not published as MXFP4, and that format is kept, never made. "
                    "Choose q4, q8, bf16 or f32."
                )
            )
        if plain and (dtype := self.tensors[s.name].dtype) not in FLOATS and dtype not in CODED:
            scales = s.name + "_scale_inv"  # which do not fit, or `engine.setup.coded` would have found the two
            out.used |= dict.fromkeys({scales} & self.tensors.keys())
            if dtype != "F8_E4M3" or scales not in self.unread:
                out.dtypes[s.name] = say("{dtype} without the scales of its blocks", dtype=dtype) if dtype == "F8_E4M3" else dtype
        stored = self.shape(s.name)
        if stored is None:  # codes and scales that do not belong together
            assert names is not None
            odd = {n: self.tensors[n].dtype for n in names if self.tensors[n].dtype != "U8"}
            out.dtypes |= odd
            if not odd:
                wanted = mxfp4.scales_shape(names[0], self.tensors[names[0]].shape)
                out.shapes[names[1]] = self.tensors[names[1]].shape, wanted
            return
        inner = stored if s.index is None else stored[1:] if stored and s.index < stored[0] else None
        if inner is None or not fits(s, inner, wanted):
            out.shapes[s.name] = stored, wanted if s.index is None else (s.index + 1, *wanted)
        elif not s.padded:
            taken, self.stored[s.name, s.index] = rows_taken(s, inner, wanted)
            self.rows[s.name, s.index] += taken

    def at_rows(self) -> None:
        for (name, index), taken in self.rows.items():
            if taken != self.stored[name, index] and name not in self.out.shapes:
                self.out.partial[name] = self.shape(name) or (), taken

    def at_the_rest(self, arch: ArchSpec) -> None:
        out = self.out
        harmless = {"lm_head.weight"} if arch.tied else set()
        left = self.tensors.keys() - out.used.keys() - harmless
        out.extra = {n for n in left if not HARMLESS.search(n) and not n.startswith(arch.skipped)}
