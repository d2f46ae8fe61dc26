"""A layout cut into pieces: what each one is, where it lies in the container, and which bytes of the checkpoint it needs.

File 0 is the trunk: its header, then its strips. Then comes the embedding's own file, where it has one, a piece a panel; then one file
a MoE layer, whose pieces are the parts of its experts: gate, up, down and their biases.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.format import PARTS, TRUNK, RecordLayout
from engine.container.pieces import PieceFile
from engine.setup.layout import Layout
from engine.setup.packing import packed_part, packed_strip, read_part, read_strip
from engine.setup.source import Tensors
from engine.setup.stored import Tracer
from kernels_pyx.linear import packed_bytes

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]


class Pieces:
    """All pieces of `layout`, named (file, piece)."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.first_layer = 2 if layout.embed is not None else 1
        self._part_names = [_names(e.layout) for e in layout.entries]
        self._header = np.frombuffer(layout.header, np.uint8)

    @property
    def names(self) -> list[str]:
        """The files' names in the container."""
        embed = [self.layout.embed.file] if self.layout.embed is not None else []
        return [TRUNK, *embed, *(e.file for e in self.layout.entries)]

    def files(self, folder: Path) -> list[PieceFile]:
        """The files, created where they are missing. Raises OSError."""
        return [PieceFile(folder / name, *self._shape(i)) for i, name in enumerate(self.names)]

    def _shape(self, file: int) -> tuple[int, I64, I64]:
        """(bytes of the file, offsets and sizes of its pieces)."""
        if file < self.first_layer:
            strips = self.layout.strips if file == 0 else self.layout.panels
            sizes = np.array([self._header.nbytes, *(s.nbytes for s in strips)] if file == 0 else [s.nbytes for s in strips], np.int64)
            ends = np.cumsum(sizes)
            return int(ends[-1]) if len(ends) else 0, ends - sizes, sizes
        entry = self.layout.entries[file - self.first_layer]
        parts = [_extent(entry.layout, name) for name in self._part_names[file - self.first_layer]]
        starts = np.arange(entry.n_experts, dtype=np.int64)[:, None] * entry.layout.stride
        offsets = (starts + np.array([at for at, _ in parts], np.int64)).reshape(-1)
        return entry.n_experts * entry.layout.stride, offsets, np.tile(np.array([n for _, n in parts], np.int64), entry.n_experts)

    def count(self, file: int) -> int:
        """Pieces of a file."""
        if file < self.first_layer:
            return 1 + len(self.layout.strips) if file == 0 else len(self.layout.panels)
        return self.layout.entries[file - self.first_layer].n_experts * len(self._part_names[file - self.first_layer])

    def place(self, file: int, piece: int) -> int:
        """Where a piece lies in its file."""
        return int(self._shape(file)[1][piece])

    def of_expert(self, ordinal: int, expert: int) -> list[tuple[int, int]]:
        """The pieces of one expert of MoE layer `ordinal`."""
        n = len(self._part_names[ordinal])
        return [(self.first_layer + ordinal, expert * n + i) for i in range(n)]

    def of_trunk(self) -> Iterator[tuple[int, int]]:
        """The pieces that must be there before the model can be opened."""
        for file in range(self.first_layer):
            yield from ((file, piece) for piece in range(self.count(file)))

    def make(self, source: Tensors, file: int, piece: int, cancel: CancelToken) -> U8:
        """The bytes u8 of a piece. Raises BadCheckpoint, StorageError, Cancelled."""
        if file == 0:
            return self._header if piece == 0 else packed_strip(source, self.layout.strips[piece - 1])
        if file < self.first_layer:
            return packed_strip(source, self.layout.panels[piece])
        ordinal = file - self.first_layer
        names = self._part_names[ordinal]
        expert, part = divmod(piece, len(names))
        return packed_part(source, self.layout.specs[ordinal], self.layout.entries[ordinal].layout, expert, names[part], cancel)

    def needs(self, tracer: Tracer, file: int, piece: int) -> list[tuple[str, int, int]]:
        """(stored tensor, first byte, end) of all that `make` reads."""
        tracer.seen = []
        if file < self.first_layer:
            if file or piece:
                read_strip(tracer, (self.layout.panels if file else self.layout.strips)[piece - (file == 0)])
        else:
            ordinal = file - self.first_layer
            expert, part = divmod(piece, len(self._part_names[ordinal]))
            name = self._part_names[ordinal][part]
            read_part(tracer, self.layout.specs[ordinal], self.layout.entries[ordinal].layout, expert, name)
        return tracer.seen


def _names(layout: RecordLayout) -> list[str]:
    return [*PARTS, *([f"{part}_bias" for part in PARTS] if layout.biases is not None else [])]


def _extent(layout: RecordLayout, name: str) -> tuple[int, int]:
    """(offset in the record, bytes) of a part."""
    if name in PARTS:
        fmt, at, rows, cols = layout.part(name)
        return at, packed_bytes(fmt, rows, cols)
    part = name.removesuffix("_bias")
    assert layout.biases is not None
    return layout.biases[PARTS.index(part)], 4 * layout.part(part)[2]
