"""Matrices that were published quantized, shown as plain ones: decoded row by row while they are read.

fp8: NAME F8_E4M3 [rows, cols] and NAME_scale_inv F32, one a block of 128 x 128; w = code * scale (DeepSeek-V3's README_WEIGHTS).
int4: NAME_packed I32 [rows, cols / 8], eight codes + 8 from the low bits up, NAME_scale BF16 [rows, cols / 32], NAME_shape;
w = (code - 8) * scale (compressed-tensors "pack-quantized"; Kimi K2-Thinking). MXFP4 is not decoded but kept: `engine.setup.mxfp4`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.setup.source import TensorInfo

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
Bytes = Callable[[str, int, int], U8]  # name, first byte, bytes
FP8_BLOCK, INT4_GROUP = 128, 32
DTYPES = {"int4": "INT4"}


def _e4m3() -> F32:
    """The 256 numbers of E4M3 without infinities (arXiv 2209.05433): 3 bits of mantissa, bias 7, NaN at all ones."""
    code = np.arange(128)
    exponent, mantissa = code >> 3, code & 7
    value = np.where(exponent == 0, mantissa / 8 * 2.0**-6, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
    value[127] = np.nan
    return np.concatenate([value, -value]).astype(np.float32)


E4M3 = _e4m3()


@dataclass(frozen=True, slots=True)
class Coded:
    """One matrix [rows, cols]: the tensors of its codes and scales, and how they are spelled."""

    kind: str
    codes: str
    scales: str
    shape: tuple[int, int]

    @property
    def parts(self) -> tuple[str, ...]:
        """The stored tensors."""
        return self.codes, self.scales

    def spans(self, start: int, count: int) -> list[tuple[str, int, int]]:
        """(stored tensor, first byte, end) of the codes and of the scales that rows start..start+count are made of."""
        cols = self.shape[1]
        if self.kind == "fp8":
            first, last = start // FP8_BLOCK, (start + count - 1) // FP8_BLOCK
            across = 4 * -(-cols // FP8_BLOCK)
            return [(self.codes, start * cols, (start + count) * cols), (self.scales, first * across, (last + 1) * across)]
        of_codes, of_scales = cols // 2, 2 * (cols // INT4_GROUP)
        end = start + count
        return [(self.codes, start * of_codes, end * of_codes), (self.scales, start * of_scales, end * of_scales)]

    def rows(self, read: Bytes, start: int, count: int) -> F32:
        """Rows start..start+count, f32 [count, cols]."""
        cols = self.shape[1]
        codes, scales = (read(name, a, b - a) for name, a, b in self.spans(start, count))
        if self.kind == "fp8":
            blocks = scales.view("<f4").reshape(-1, -(-cols // FP8_BLOCK))
            wide = np.repeat(blocks[np.arange(start, start + count) // FP8_BLOCK - start // FP8_BLOCK], FP8_BLOCK, axis=1)
            return np.asarray(E4M3[codes.reshape(count, cols)] * wide[:, :cols])
        codes = np.stack([codes & 15, codes >> 4], -1).reshape(count, cols // INT4_GROUP, INT4_GROUP)
        raw = scales.view("<u2")
        scale = (raw.astype(np.uint32) << np.uint32(16)).view(np.float32).reshape(count, cols // INT4_GROUP, 1)
        return np.asarray((codes.astype(np.float32) - np.float32(8)) * scale, np.float32).reshape(count, cols)


def find(tensors: Mapping[str, TensorInfo]) -> dict[str, Coded]:
    """The matrices that `tensors` hold in codes, by plain name; what does not fit together is left as it is."""
    out = {}
    for name, info in tensors.items():
        if info.dtype == "F8_E4M3" and len(info.shape) == 2:
            scales = tensors.get(name + "_scale_inv")
            if scales == TensorInfo("F32", (-(-info.shape[0] // FP8_BLOCK), -(-info.shape[1] // FP8_BLOCK))):
                out[name] = Coded("fp8", name, name + "_scale_inv", (info.shape[0], info.shape[1]))
        elif info.dtype == "I32" and len(info.shape) == 2 and name.endswith(".weight_packed"):
            plain = name.removesuffix("_packed")
            rows, cols = info.shape[0], 8 * info.shape[1]
            if cols % INT4_GROUP == 0 and tensors.get(plain + "_scale") == TensorInfo("BF16", (rows, cols // INT4_GROUP)):
                out[plain] = Coded("int4", name, plain + "_scale", (rows, cols))
    return out


def shown(tensors: Mapping[str, TensorInfo], coded: Mapping[str, Coded]) -> dict[str, TensorInfo]:
    """`tensors` with the coded ones as plain matrices in place of their parts; dtype "F32", or what keeps their few bits apart."""
    hidden = {part for name, c in coded.items() for part in (c.codes, c.scales, name + "_shape")}
    plain = {name: TensorInfo(DTYPES.get(c.kind, "F32"), c.shape) for name, c in coded.items()}
    return {name: info for name, info in tensors.items() if name not in hidden} | plain
