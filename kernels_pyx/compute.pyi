"""Compute: one thread pool, one instruction set, one arithmetic; every kernel takes it as its first argument."""

from typing import Final

import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]

class Interrupted(Exception):
    """Raised by a kernel that saw the cancel flag; its output rows are undefined."""

ISAS: Final[tuple[str, ...]]
"""Instruction sets that this machine runs, slowest first, of "generic", "avx2", "avx512", "neon"."""

class Compute:
    """Worker pool, chosen kernel table, arithmetic and cancel flag of one engine.

    threads: compute threads, the caller's included. exact: decoded weights and f32 activations; else int8 activations
    per block of 32 for quantized formats. max_rows, max_cols: the widest activation [rows, cols] that will be
    quantized; fixes the scratch memory. isa: forces a table; default the environment variable OUZEL_ISA, else the best.
    memory: scratch_bytes_for bytes for the scratch, at a multiple of 64, instead of own.
    """

    threads: Final[int]
    exact: Final[bool]
    isa: Final[str]
    scratch_bytes: Final[int]
    def __init__(
        self, threads: int, exact: bool, max_rows: int, max_cols: int, isa: str | None = None, memory: U8 | None = None
    ) -> None: ...
    @staticmethod
    def scratch_bytes_for(threads: int, exact: bool, max_rows: int, max_cols: int) -> int: ...
    def cancel(self) -> None: ...  # any thread, no lock; running kernels raise Interrupted within milliseconds
    def resume(self) -> None: ...
    @property
    def cancelled(self) -> bool: ...
    @property
    def seconds(self) -> float: ...  # wall time that callers spent in kernels so far
    def close(self) -> None: ...  # joins the workers; idempotent

class Rows:
    """Activation buffer f32 [capacity, width], 64-byte aligned, zeroed; kernels use its first n rows.

    share: use that buffer's memory, which must be large enough, instead of own. memory: use these zeroed bytes at a multiple of 64.
    """

    capacity: Final[int]
    width: Final[int]
    nbytes: Final[int]
    array: npt.NDArray[np.float32]  # a view of the whole buffer
    def __init__(self, capacity: int, width: int, share: Rows | None = None, memory: U8 | None = None) -> None: ...
