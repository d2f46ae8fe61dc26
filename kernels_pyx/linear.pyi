"""Packed weight matrices and the products over them.

Result rules: a row's result depends on that row alone, not on n, on threads or on tiles. exact: y = sum_j decode(w)_j x_j.
fast: activations are int8 with one f32 scale per block of 32, block sums are exact integers.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from kernels_pyx.compute import Compute, Rows
from kernels_pyx.routes import Groups

FORMATS: Final[tuple[str, ...]]  # ("f32", "bf16", "q8", "q4", "mxfp4")

def packed_bytes(fmt: str, rows: int, cols: int) -> int: ...  # a multiple of 64; ragged rows and columns are padded
def pack(fmt: str, w: npt.NDArray[np.float32 | np.uint16], isa: str | None = None) -> npt.NDArray[np.uint8]:
    """w [rows, cols]: f32, or the bits u16 of bf16. Every instruction set of compute.ISAS gives the same bytes, isa chooses one. Runs
    without the GIL."""

def pack_mxfp4(blocks: npt.NDArray[np.uint8], scales: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """As published: blocks [rows, cols / 2], low nibble = even column; scales [rows, cols / 32]. Repacked, never requantized."""

def unpack_mxfp4(rows: int, cols: int, data: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]: ...
def unpack(fmt: str, rows: int, cols: int, data: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]: ...

class Matrix:
    """Packed weights [rows, cols] in one format; borrows `data` (u8, packed_bytes long, 64-byte aligned) and keeps it alive."""

    fmt: Final[str]
    rows: Final[int]
    cols: Final[int]
    nbytes: Final[int]
    def __init__(self, fmt: str, rows: int, cols: int, data: npt.NDArray[np.uint8]) -> None: ...
    def lookup(self, ids: npt.NDArray[np.int32], out: Rows, scale: float = 1.0) -> None:
        """out[i] = scale * decode(row ids[i]); an id out of range raises IndexError."""

class Linear:
    """y_i = W_i h + b_i with h = x, or rms_norm(x, norm, eps); one pass over the threads for all W_i."""

    def __init__(
        self,
        weights: Sequence[Matrix],
        *,
        norm: npt.NDArray[np.float32] | None = None,
        eps: float = 0.0,
        biases: Sequence[npt.NDArray[np.float32] | None] | None = None,
    ) -> None: ...
    def __call__(self, c: Compute, x: Rows, n: int, outs: Sequence[Rows], add: bool = False, first: int = 0) -> None:
        """Rows first..first+n of x go to rows 0..n of outs; add: outs[i] += y_i."""

class GatedFfn:
    """out (+)= s * down(act(gate h, up h)), h as in Linear; s = sigmoid(row_gate h) where row_gate [1, cols] is given.

    act: "silu" | "gelu_tanh" | "swiglu_clamp" (params alpha, limit: gpt-oss) | "situ" (params beta, linear_beta: Kimi K3).
    hidden: scratch of width gate.rows, shared between layers.
    """

    def __init__(
        self,
        gate: Matrix,
        up: Matrix,
        down: Matrix,
        act: str,
        *,
        act_params: tuple[float, ...] = (),
        norm: npt.NDArray[np.float32] | None = None,
        eps: float = 0.0,
        row_gate: Matrix | None = None,
    ) -> None: ...
    def __call__(self, c: Compute, x: Rows, n: int, hidden: Rows, out: Rows, add: bool = False) -> None: ...

class Experts:
    """Routed gated FFNs whose weights lie in slots of memory, one record an expert.

    gate, up, down: (format, byte offset in the record); gate, up are [d_hidden, d_in], down [d_out, d_hidden].
    biases: byte offsets of the f32 gate, up and down biases, or None.
    """

    def __init__(
        self,
        d_in: int,
        d_hidden: int,
        d_out: int,
        gate: tuple[str, int],
        up: tuple[str, int],
        down: tuple[str, int],
        act: str,
        *,
        act_params: tuple[float, ...] = (),
        biases: tuple[int, int, int] | None = None,
    ) -> None: ...
    def prepare(self, c: Compute, x: Rows, n: int) -> None:
        """Quantize the n input rows once (nothing in exact arithmetic); `run` uses them until the next prepare."""

    def run(
        self, c: Compute, x: Rows, groups: Groups, which: npt.NDArray[np.int32], addresses: npt.NDArray[np.int64], hidden: Rows, out: Rows
    ) -> None:
        """For each j: expert groups.experts[which[j]], whose record lies at memory address addresses[j], is applied to its
        rows of x; the result of pair p = row * top_k + rank goes to out[p]. hidden: [pairs, d_hidden] scratch."""

def read_loop(c: Compute, data: npt.NDArray[np.uint8]) -> int:
    """Reads `data` (a multiple of 64 bytes) once with the threads of c, XOR of its 64-bit words: the yardstick of benchmarks."""
