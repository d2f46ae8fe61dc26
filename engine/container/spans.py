"""Which pages of a trunk's data come into memory, and where they lie there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.container.format import PAGE, TensorEntry


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes start..end of the data, which lie `at` in memory; all three are multiples of PAGE but for the end of the last span."""

    start: int
    end: int
    at: int

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.end - self.start


def whole(nbytes: int) -> tuple[Span, ...]:
    """All of it, as it is."""
    return (Span(0, nbytes, 0),)


def spans_of(tensors: Mapping[str, TensorEntry], without: Collection[str] = ()) -> tuple[Span, ...]:
    """The pages that hold anything but the tensors `without`, ascending."""
    end = max((t.offset + t.nbytes for t in tensors.values()), default=0)
    if not without:
        return whole(end)
    out: list[Span] = []
    for t in sorted((t for name, t in tensors.items() if name not in without), key=lambda t: t.offset):
        first, last = t.offset // PAGE * PAGE, min(-(-(t.offset + t.nbytes) // PAGE) * PAGE, end)
        if out and first <= out[-1].end:
            before = out.pop()
            out.append(Span(before.start, max(last, before.end), before.at))
        else:
            out.append(Span(first, last, out[-1].at + out[-1].nbytes if out else 0))
    return tuple(out)


def in_memory(spans: Sequence[Span]) -> int:
    """Bytes of all of them."""
    return sum(s.nbytes for s in spans)


def shift(spans: Sequence[Span], t: TensorEntry) -> int:
    """How far before its place in the data a tensor lies in memory. Raises KeyError for one that was left out."""
    for s in spans:
        if s.start <= t.offset and t.offset + t.nbytes <= s.end:
            return s.start - s.at
    raise KeyError("this tensor of the trunk was left out of memory")
