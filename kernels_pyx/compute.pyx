"""Compute: one thread pool, one instruction set, one arithmetic. Rows: aligned activations. All C is linked into this module."""

import os

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uintptr_t


cdef extern from "pool.h" nogil:
    pool *pool_create(int threads)
    void pool_destroy(pool *p)
    int pool_run(pool *p, tile_fn fn, void *job, int32_t tiles) noexcept
    int pool_run_here(pool *p, tile_fn fn, void *job, int32_t tiles) noexcept
    void pool_cancel(pool *p, int on)
    int pool_cancelled(const pool *p)
    int64_t pool_run_ns(const pool *p)
    enum:
        POOL_MAX_THREADS


cdef extern from "kernels.h" nogil:
    const kernels *kernels_at(int i)


class Interrupted(Exception):
    """Raised by a kernel that saw the cancel flag; its output rows are undefined."""


def _isas():
    names = []
    cdef const kernels *k = kernels_at(0)
    while k != NULL:
        names.append((<bytes>k.name).decode())
        k = kernels_at(<int>len(names))
    return tuple(names)


ISAS = _isas()

cdef int ALIGN = 64


cdef const kernels *kernels_of(object isa) except NULL:
    """The table of an instruction set, the fastest one where that is None."""
    isa = isa or ISAS[len(ISAS) - 1]
    if isa not in ISAS:
        raise ValueError(f"this machine does not run the instruction set {isa!r}; it runs {', '.join(ISAS)}")
    return kernels_at(<int>ISAS.index(isa))


cdef object aligned(int64_t nbytes):
    """Zeroed u8 memory whose first byte lies on a cache line; never empty."""
    raw = np.zeros(nbytes + ALIGN, dtype=np.uint8)
    start = -raw.ctypes.data % ALIGN
    return raw[start:start + nbytes]


cdef object given(object memory, int64_t nbytes):
    """The first nbytes of `memory` (u8, zeroed, at a multiple of 64 bytes), or memory of our own where that is None."""
    if memory is None:
        return aligned(nbytes)
    if memory.dtype != np.uint8 or memory.ndim != 1 or memory.shape[0] < nbytes or memory.ctypes.data % ALIGN:
        raise ValueError(f"{nbytes} bytes at a multiple of {ALIGN} are needed, not {memory.dtype} {memory.shape}")
    return memory[:nbytes]


cdef int64_t rounded(int64_t n, int64_t unit) noexcept:
    return (n + unit - 1) // unit * unit


cdef int64_t quantized_bytes(int64_t rows, int64_t cols) noexcept:
    """One int8 a column (padded to 32), an f32 scale and an int32 sum a block of 32."""
    cols = rounded(cols, 32)
    return rounded(rows * (cols + cols // 4), ALIGN)


cdef int64_t normed_bytes(int64_t rows, int64_t cols) noexcept:
    return rows * rounded(cols, 32) * 4


cdef int64_t partial_bytes(int threads) noexcept:
    """Room for the sums of spans of keys that wait for their merge: tasks enough for all threads at once; one thread needs none."""
    return 0 if threads == 1 else min(<int64_t>threads << 18, <int64_t>1 << 21)


cdef int64_t gemm_bytes(int threads, bint exact) noexcept:
    return 0 if exact else <int64_t>threads * GEMM_SCRATCH


cdef class Rows:
    def __init__(self, int capacity, int width, Rows share=None, memory=None):
        if capacity < 1 or width < 1:
            raise ValueError(f"Rows needs a positive capacity and width, not {capacity} x {width}")
        self.capacity = capacity
        self.width = width
        self.nbytes = <int64_t>capacity * width * 4
        if share is not None and share.nbytes < self.nbytes:
            raise ValueError(f"{capacity} rows of {width} do not fit into the {share.nbytes} bytes of the shared buffer")
        self._memory = given(memory, self.nbytes) if share is None else share._memory[: self.nbytes]
        self.array = self._memory.view(np.float32).reshape(capacity, width)
        cdef uint8_t[::1] view = self._memory
        self.data = <float *>&view[0]


cdef class Compute:
    def __cinit__(self):
        self.pool = NULL

    def __init__(self, int threads, bint exact, int max_rows, int max_cols, isa=None, memory=None):
        if not 1 <= threads <= POOL_MAX_THREADS:
            raise ValueError(f"threads must be 1 to {POOL_MAX_THREADS}, not {threads}")
        if max_rows < 1 or max_cols < 1:
            raise ValueError(f"max_rows and max_cols must be positive, not {max_rows} and {max_cols}")
        self.k = kernels_of(isa or os.environ.get("OUZEL_ISA"))
        self.isa = (<bytes>self.k.name).decode()
        self.threads = threads
        self.exact = exact
        self.max_rows = max_rows
        self.max_cols = max_cols
        self.run = pool_run
        self.run_here = pool_run_here
        self._take_scratch(memory)
        self.pool = pool_create(threads)
        if self.pool == NULL:
            raise MemoryError(f"the system refused {threads - 1} more threads")

    cdef int _take_scratch(self, object memory) except -1:
        """normed f32 [max_rows, padded cols], row_scale f32 [max_rows]; in fast arithmetic two quantized inputs (of a product, of experts) and
        GEMM_SCRATCH for each thread; partial sums of attention."""
        cdef int64_t normed = normed_bytes(self.max_rows, self.max_cols)
        cdef int64_t scale = rounded(<int64_t>self.max_rows * 4, ALIGN)
        cdef int64_t quantized = 0 if self.exact else quantized_bytes(self.max_rows, self.max_cols)
        cdef int64_t partials = partial_bytes(self.threads)
        cdef int64_t gemm = gemm_bytes(self.threads, self.exact)
        self.scratch_bytes = normed + scale + 2 * quantized + gemm + partials
        self._memory = given(memory, self.scratch_bytes)
        cdef uint8_t[::1] view = self._memory
        self.normed = <float *>&view[0]
        self.row_scale = <float *>&view[normed]
        if quantized:
            self.q = <int8_t *>&view[normed + scale]
            self.q_experts = <int8_t *>&view[normed + scale + quantized]
            self.gemm = &view[normed + scale + 2 * quantized]
        self.n_partials = partials // 4
        if partials:
            self.partials = <float *>&view[normed + scale + 2 * quantized + gemm]
        return 0

    @staticmethod
    def scratch_bytes_for(int threads, bint exact, int max_rows, int max_cols):
        cdef int64_t quantized = 0 if exact else quantized_bytes(max_rows, max_cols)
        cdef int64_t scale = rounded(<int64_t>max_rows * 4, ALIGN)
        return normed_bytes(max_rows, max_cols) + scale + 2 * quantized + gemm_bytes(threads, exact) + partial_bytes(threads)

    cdef int check(self) except -1:
        """Raises where the pool is gone; every kernel calls it first."""
        if self.pool == NULL:
            raise ValueError("this Compute is closed")
        return 0

    def cancel(self):
        if self.pool != NULL:
            pool_cancel(self.pool, 1)

    def resume(self):
        if self.pool != NULL:
            pool_cancel(self.pool, 0)

    @property
    def cancelled(self):
        return self.pool != NULL and pool_cancelled(self.pool) != 0

    @property
    def seconds(self):
        return pool_run_ns(self.pool) * 1e-9 if self.pool != NULL else 0.0

    def close(self):
        cdef pool *p = self.pool
        self.pool = NULL
        self._memory = None
        with nogil:
            pool_destroy(p)

    def __dealloc__(self):
        pool_destroy(self.pool)
