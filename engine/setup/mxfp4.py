"""Experts that were published in MXFP4 (blocks of 32 E2M1 numbers under one power of two): found, and kept bit for bit.

Spellings: NAME.weight_packed [rows, cols / 2] and NAME.weight_scale [rows, cols / 32] (compressed-tensors; Kimi K3);
NAME_blocks [experts, rows, cols / 32, 16] and NAME_scales [experts, rows, cols / 32] (gpt-oss). U8, low nibble = even column.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Source
from engine.setup.source import TensorInfo, Tensors
from kernels_pyx.linear import pack_mxfp4


def spelled(name: str) -> list[tuple[str, str]]:
    """The names that codes and scales of the tensor `name` may have."""
    out = [(f"{name}_blocks", f"{name}_scales")]
    return [*out, (f"{name}_packed", f"{name}_scale")] if name.endswith(".weight") else out


def pair(tensors: Mapping[str, TensorInfo], name: str) -> tuple[str, str] | None:
    """Names of the codes and scales that stand for the tensor `name`, None where there are none."""
    return next(((codes, scales) for codes, scales in spelled(name) if codes in tensors and scales in tensors), None)


def shape(tensors: Mapping[str, TensorInfo], names: tuple[str, str]) -> tuple[int, ...] | None:
    """Shape of the tensor that a pair stands for, None where the two do not fit each other."""
    codes, scales = tensors[names[0]], tensors[names[1]]
    if len(codes.shape) < 2 or not scales.shape:
        return None
    flat = codes.shape if codes.shape[:-1] == scales.shape[:-1] else (*codes.shape[:-2], codes.shape[-2] * codes.shape[-1])
    if {codes.dtype, scales.dtype} != {"U8"} or (*flat[:-1], flat[-1] // 16) != scales.shape or flat[-1] % 16:
        return None
    return (*flat[:-1], 2 * flat[-1])


def scales_shape(codes: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the scales beside the tensor `codes` of this shape."""
    return shape[:-1] if codes.endswith("_blocks") else (*shape[:-1], shape[-1] // 16)


def packed(source: Tensors, s: Source, rows: int, cols: int) -> npt.NDArray[np.uint8]:
    """The matrix [rows, cols] as a packed mxfp4 matrix. Raises BadCheckpoint, StorageError, ValueError (a scale that is no number)."""
    names = pair(source.tensors, s.name)
    assert names is not None
    codes, scales = (source.raw(n, s.index) for n in names)
    chosen = slice(s.start, s.start + (rows - 1) * s.step + 1, s.step)
    return pack_mxfp4(codes.reshape(codes.shape[0], -1)[chosen], scales[chosen])
