"""OCP Microscaling MXFP4 in NumPy: E2M1 values, one E8M0 scale per 32. Source: OCP MX specification 1.0, sections 5.3 and 6.3."""

import numpy as np
import numpy.typing as npt

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
_EDGES = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0], np.float32)
U8 = npt.NDArray[np.uint8]


def encode(w: npt.NDArray[np.float32]) -> tuple[U8, U8]:
    """w [..., cols] -> blocks [..., cols / 2] (low nibble = even column), scales [..., cols / 32]; half rounds to the even code."""
    blocks = w.astype(np.float32).reshape(*w.shape[:-1], -1, 32)
    top = np.abs(blocks).max(-1)
    # The block's maximum lands in [4, 8); what exceeds 6 saturates.
    exponent = np.where(top > 0, np.floor(np.log2(np.maximum(top, 2.0**-120))) - 2, 0).astype(np.int32)
    scaled = np.abs(blocks) * np.exp2(-exponent.astype(np.float32))[..., None]
    code = np.searchsorted(_EDGES, scaled, side="left")
    tie = (code < 7) & (scaled == _EDGES[np.minimum(code, 6)]) & (code % 2 == 1)
    code = ((code + tie) | np.where(np.signbit(blocks), 8, 0)).reshape(w.shape).astype(np.uint8)
    return code[..., 0::2] | (code[..., 1::2] << 4), (exponent + 127).astype(np.uint8)


def decode(blocks: U8, scales: U8) -> npt.NDArray[np.float32]:
    """Inverse of encode; exact in f32. Scale byte s is 2 ** (s - 127)."""
    code = np.stack([blocks & 15, blocks >> 4], -1).reshape(*blocks.shape[:-1], -1)
    values = E2M1[code].reshape(*code.shape[:-1], -1, 32)
    return np.asarray((values * np.exp2(scales.astype(np.float32) - 127)[..., None]).reshape(code.shape), np.float32)
