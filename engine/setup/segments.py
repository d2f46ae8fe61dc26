"""Which bytes of which file the pieces of a container need: each file cut into segments, each with the pieces that wait for it."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.setup.pieces import Pieces
from engine.setup.stored import Tracer
from engine.setup.tensor_file import StoredTensor

Piece = tuple[int, int]


@dataclass(slots=True, eq=False)
class Segment:
    """Bytes start..end of a file: those of `tensor` from its byte `at` on."""

    file: str
    start: int
    end: int
    tensor: str
    at: int
    pieces: list[Piece] = field(default_factory=list)


class Segments:
    """of_file: by file, ascending. of_piece: what each piece needs."""

    def __init__(self, pieces: Pieces, tracer: Tracer, where: Mapping[str, tuple[str, StoredTensor]]) -> None:
        """where: the file of each stored tensor, and where in it."""
        spans: dict[str, list[tuple[int, int, Piece]]] = {}
        for file in range(len(pieces.names)):
            for piece in range(pieces.count(file)):
                for tensor, start, end in set(pieces.needs(tracer, file, piece)):
                    if end > start:
                        spans.setdefault(tensor, []).append((start, end, (file, piece)))
        self.of_file: dict[str, list[Segment]] = {name: [] for name, _ in where.values()}
        self.of_piece: dict[Piece, list[Segment]] = {}
        for tensor, wanted in spans.items():
            name, stored = where[tensor]
            self.of_file[name] += self._cut(tensor, wanted, name, stored.offset)
        for segments in self.of_file.values():
            segments.sort(key=lambda s: s.start)

    def _cut(self, tensor: str, wanted: list[tuple[int, int, Piece]], file: str, offset: int) -> Iterable[Segment]:
        """The ranges of one tensor, cut wherever one begins or ends, so that no two segments overlap."""
        edges = sorted({edge for start, end, _ in wanted for edge in (start, end)})
        made = {a: Segment(file, offset + a, offset + b, tensor, a) for a, b in itertools.pairwise(edges)}
        index = {edge: i for i, edge in enumerate(edges)}
        for start, end, piece in wanted:
            for edge in edges[index[start] : index[end]]:
                made[edge].pieces.append(piece)
                self.of_piece.setdefault(piece, []).append(made[edge])
        return [s for s in made.values() if s.pieces]
