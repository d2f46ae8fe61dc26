"""Packed matrices as GGUF blocks, bit for bit: q4 as Q4_1, q8 as Q8_0, without decoding.

Both sides of a comparison then hold the same codes and the same f16 scales, only in another order. Layout of panels: linear.h; of
blocks: the gguf package (Q4_1: f16 d, f16 m, 16 bytes of nibbles, columns j and j + 16; Q8_0: f16 d, 32 int8 codes).
"""

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType
from gguf.quants import dequantize

from engine.container.format import PANEL
from kernels_pyx.linear import pack, unpack

U8 = npt.NDArray[np.uint8]
BLOCK = 32
TYPES = {"q4": GGMLQuantizationType.Q4_1, "q8": GGMLQuantizationType.Q8_0}
SCALES = {"q4": 2, "q8": 1}  # f16 numbers a block


def blocks(fmt: str, rows: int, cols: int, data: U8) -> U8:
    """u8 [rows, bytes of a row] from the packed matrix `data`; cols is a multiple of 32. Raises ValueError for other formats."""
    if fmt not in TYPES or cols % BLOCK:
        raise ValueError(f"{fmt} with {cols} columns has no counterpart in GGUF here")
    n, words = cols // BLOCK, 4 if fmt == "q4" else 8  # words of 4 bytes that a row has in a block
    panels = data.reshape(-(-rows // PANEL), -1)
    end = n * words * PANEL * 4
    codes = panels[:, :end].reshape(-1, n, words, PANEL, 4).transpose(0, 3, 1, 2, 4)
    scales = panels[:, end : end + n * SCALES[fmt] * PANEL * 2].reshape(-1, n, SCALES[fmt], PANEL, 2).transpose(0, 3, 1, 2, 4)
    out = np.empty((len(panels), PANEL, n, SCALES[fmt] * 2 + words * 4), np.uint8)
    out[..., : SCALES[fmt] * 2] = scales.reshape(*out.shape[:3], -1)
    out[..., SCALES[fmt] * 2 :] = codes.reshape(*out.shape[:3], -1)
    return out.reshape(-1, n * out.shape[-1])[:rows]


def halved(q8_blocks: U8) -> U8:
    """Q8_0 blocks with half the values."""
    out = q8_blocks.copy().reshape(-1, 34)
    out[:, :2] = (out[:, :2].copy().view("<f2") / 2).astype("<f2").view(np.uint8)
    return out.reshape(q8_blocks.shape)


def check_layout() -> None:
    """Blocks of random matrices decode to what ours decode to, in every bit. Raises AssertionError."""
    w = np.random.default_rng(0).standard_normal((2 * PANEL, 3 * BLOCK), np.float32)
    for fmt, gguf_type in TYPES.items():
        data = pack(fmt, w)
        ours, theirs = unpack(fmt, len(w), w.shape[1], data), dequantize(blocks(fmt, len(w), w.shape[1], data), gguf_type)
        if not np.array_equal(ours, theirs):
            raise AssertionError(f"The layout of {fmt} is not the one that is written into GGUF here.")
