"""Blocks of 32 weights of other programs' formats as blocks of ours, without a number changed.

A row in blocks is written here as GGUF has it, column j beside column j + 16, numbers in f16, little-endian: "q8" as Q8_0 (scale, 32
signed codes), "q4" as Q4_1 (scale, offset, 16 bytes of codes), "mxfp4" as MXFP4 (E8M0 scale, 16 bytes of codes). Panels: `linear.h`.
K-quants have no such counterpart: the scale of 32 of their weights is a product that no f16 holds.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from engine.container.format import PANEL
from engine.words import say
from kernels_pyx.linear import packed_bytes

U8 = npt.NDArray[np.uint8]
BLOCK = 32
HEAD, CODES = {"q8": 2, "q4": 4, "mxfp4": 1}, {"q8": 32, "q4": 16, "mxfp4": 16}  # bytes of a block before its codes, and of them
IQ4 = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.int8)  # ggml's kvalues_iq4nl


class NotHeld(Exception):
    """Our format does not hold these blocks exactly."""


def width(fmt: str, cols: int) -> int:
    """Bytes of a row of `cols` weights in blocks."""
    return cols // BLOCK * (HEAD[fmt] + CODES[fmt])


def _as_f16(scale: npt.NDArray[np.float32]) -> U8:
    """f32 [...] as the bytes u8 [..., 2] of f16. Raises NotHeld where one is not exactly an f16."""
    with np.errstate(over="ignore"):
        half = scale.astype("<f2")
    if not np.array_equal(half.astype(np.float32), scale):
        raise NotHeld
    return half.view(np.uint8).reshape(*scale.shape, 2)


def affine(codes: U8, scale: npt.NDArray[np.float32], offset: npt.NDArray[np.float32]) -> U8:
    """Rows in "q4" blocks of codes u8 [rows, blocks, 32] and f32 [rows, blocks]: weight = scale * code + offset. Raises NotHeld."""
    packed = codes[..., :16] | codes[..., 16:] << 4
    return np.concatenate([_as_f16(scale), _as_f16(offset), packed], -1).reshape(len(codes), -1)


def _nibbles(packed: U8) -> U8:
    return np.concatenate([packed & 15, packed >> 4], -1)


def _signed(scale: U8, codes: npt.NDArray[np.integer]) -> U8:
    """Blocks u8 [n, 34] of the bytes of f16 scales and codes of -128..127."""
    return np.concatenate([scale, codes.astype(np.int8).view(np.uint8)], -1)


def _q4_0_as_q4(b: U8) -> U8:
    scale = b[:, :2].copy().view("<f2").astype(np.float32)
    return np.concatenate([b[:, :2], _as_f16(-8 * scale).reshape(-1, 2), b[:, 2:]], -1)


def _q5_0_as_q8(b: U8) -> U8:
    high = np.unpackbits(b[:, 2:6], axis=1, bitorder="little")
    return _signed(b[:, :2], (_nibbles(b[:, 6:]) | high << 4).astype(np.int16) - 16)


# (ggml's type, our format): blocks u8 [n, bytes of theirs] to [n, bytes of ours]
EXACT: dict[tuple[str, str], Callable[[U8], U8]] = {
    ("Q8_0", "q8"): lambda b: b,
    ("Q4_1", "q4"): lambda b: b,
    ("MXFP4", "mxfp4"): lambda b: b,
    ("Q4_0", "q4"): _q4_0_as_q4,
    ("Q4_0", "q8"): lambda b: _signed(b[:, :2], _nibbles(b[:, 2:]).astype(np.int16) - 8),
    ("Q5_0", "q8"): _q5_0_as_q8,
    ("IQ4_NL", "q8"): lambda b: _signed(b[:, :2], IQ4[_nibbles(b[:, 2:])]),
}


def from_ggml(kind: str, fmt: str, rows: U8, block_bytes: int) -> U8:
    """Rows u8 [n, bytes] in ggml's type `kind` as rows in blocks of `fmt`. Raises NotHeld."""
    convert = EXACT.get((kind, fmt))
    if convert is None:
        raise NotHeld
    return convert(rows.reshape(-1, block_bytes)).reshape(len(rows), -1)


def panels(fmt: str, rows: U8, cols: int) -> U8:
    """The packed matrix of rows in blocks u8 [n, width(fmt, cols)]. Raises NotHeld (a code that kernels do not expect), ValueError (a
    scale that is no number)."""
    n, head, size = len(rows), HEAD[fmt], HEAD[fmt] + CODES[fmt]
    blocks = rows.reshape(n, cols // BLOCK, size)
    scales = np.ascontiguousarray(blocks[..., :head])
    bad = scales[..., 0] == 255 if fmt == "mxfp4" else (scales.view("<u2") & 0x7C00 == 0x7C00).any(-1)
    if bad.any():
        row, block = np.argwhere(bad)[0].tolist()
        raise ValueError(say("the scale of row {row}, block {block} is no number", row=row, block=block))
    if fmt == "q8" and (blocks[..., head:] == 128).any():
        raise NotHeld  # -128, which no encoder writes
    whole = np.zeros((-(-n // PANEL) * PANEL, cols // BLOCK, size), np.uint8)
    whole[:n] = blocks
    split = whole.reshape(-1, PANEL, cols // BLOCK, size)
    out = np.zeros(packed_bytes(fmt, n, cols), np.uint8).reshape(len(split), -1)
    words = CODES[fmt] // 4
    codes = split[..., head:].reshape(len(split), PANEL, -1, words, 4).transpose(0, 2, 3, 1, 4).reshape(len(split), -1)
    unit = min(head, 2)
    after = split[..., :head].reshape(len(split), PANEL, -1, head // unit, unit).transpose(0, 2, 3, 1, 4).reshape(len(split), -1)
    out[:, : codes.shape[1]] = codes
    out[:, codes.shape[1] : codes.shape[1] + after.shape[1]] = after
    return out.reshape(-1)
