"""A container of any config with random weights, written at the speed of the drive: packed panels drawn once and dealt out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.cancel import CancelToken
from engine.container.draft import Draft
from engine.container.format import PANEL, PARTS, VECTOR
from engine.setup.convert import Writer
from engine.setup.layout import Layout, Strip
from engine.setup.pieces import Pieces
from engine.setup.source import TensorInfo, Tensors
from engine.setup.unwritten import Unwritten
from kernels_pyx.linear import pack, pack_mxfp4, packed_bytes

U8 = npt.NDArray[np.uint8]
DEALT = 67  # panels drawn for each format and width; a prime, so that neighbouring matrices differ


class _NoTensors:
    """What a source says about itself; its values are made up by the writer."""

    repo: str | None = None
    commit: str | None = None
    key = "random"

    def __init__(self, name: str, config: Mapping[str, Any]) -> None:
        self.name, self.config = name, config
        self.tensors: Mapping[str, TensorInfo] = {}

    def rows(self, name: str, start: int, count: int, step: int = 1, index: int | None = None) -> npt.NDArray[np.float32]:
        raise AssertionError(f"{name} has no values that could be read; its packed bytes are written straight away")

    def raw(self, name: str, index: int | None = None) -> U8:
        raise AssertionError(f"{name} has no published bytes; its packed bytes are written straight away")

    def files(self) -> Mapping[str, bytes]:
        return {}


class _Dealer(Writer):
    """Makes up bytes instead of packing a checkpoint's."""

    def __init__(self, source: _NoTensors, layout: Layout, draft: Draft, seed: int) -> None:
        super().__init__(source, layout, draft, lambda phase, done, total: None, CancelToken())
        self.rng = np.random.default_rng(seed)
        widths = {(t.fmt, t.shape[1]) for t in layout.tensors.values() if t.fmt != VECTOR}
        widths |= {(p.fmt, p.spec.shape[1]) for p in layout.panels[:1]}
        for e in layout.entries:
            widths |= {(fmt, cols) for fmt, _, _, cols in map(e.layout.part, PARTS)}
        self.panels = {key: self.drawn(*key) for key in sorted(widths)}

    def drawn(self, fmt: str, cols: int) -> U8:
        """DEALT panels u8 [DEALT, bytes of one]; weights near 1 / sqrt(cols)."""
        if fmt == "mxfp4":
            blocks = self.rng.integers(0, 256, (DEALT * PANEL, cols // 2), np.uint8)
            exponent = 127 - 1 - round(np.log2(cols) / 2)  # a code is about 2 in the middle
            scales = self.rng.integers(exponent - 1, exponent + 1, (DEALT * PANEL, cols // 32)).astype(np.uint8)
            return pack_mxfp4(blocks, scales).reshape(DEALT, -1)
        w = self.rng.standard_normal((DEALT * PANEL, cols), np.float32) / np.float32(np.sqrt(cols))
        return pack(fmt, w).reshape(DEALT, -1)

    def deal(self, fmt: str, rows: int, cols: int, first: int) -> U8:
        """The bytes of a packed matrix."""
        n = -(-rows // PANEL)
        return self.panels[fmt, cols][(first + np.arange(n)) % DEALT].reshape(-1)[: packed_bytes(fmt, rows, cols)]

    def strip(self, strip: Strip) -> U8:
        if strip.fmt == VECTOR:
            neutral = 0.0 if strip.spec.name.endswith(("bias", "sinks", "decay_log")) else 1.0
            return np.full(strip.nbytes // 4, neutral, "<f4").view(np.uint8)
        first = sum(strip.spec.name.encode()) + strip.start // PANEL
        return self.deal(strip.fmt, strip.count, strip.spec.shape[1], first)

    def pieces(self) -> Pieces:
        return _Dealt(self)


class _Dealt(Pieces):
    """Pieces of dealt bytes; biases are zeros."""

    def __init__(self, dealer: _Dealer) -> None:
        super().__init__(dealer.layout)
        self.dealer = dealer

    def make(self, source: Tensors, file: int, piece: int, cancel: CancelToken) -> U8:
        if file == 0 and piece == 0:
            return np.frombuffer(self.layout.header, np.uint8)
        if file < self.first_layer:
            return self.dealer.strip(self.layout.panels[piece] if file else self.layout.strips[piece - 1])
        ordinal = file - self.first_layer
        entry = self.layout.entries[ordinal]
        expert, part = divmod(piece, self.count(file) // entry.n_experts)
        if part >= len(PARTS):
            return np.zeros(4 * entry.layout.part(PARTS[part - len(PARTS)])[2], np.uint8)
        fmt, _, rows, cols = entry.layout.part(PARTS[part])
        return self.dealer.deal(fmt, rows, cols, expert + 5 * part + 11 * ordinal)


def write_random(target: Path, config: Mapping[str, Any], experts: str, trunk: str, seed: int = 0) -> Path:
    """The container `target` of this config; the same seed gives the same bytes. It has no tokenizer."""
    model = Unwritten(target.stem, dict(config), experts, trunk)
    with Draft(target, f"random {seed}") as draft:
        _Dealer(_NoTensors(target.stem, config), model.layout, draft, seed).run()
    return target
