"""C interface of compute: other extensions cimport Compute and Rows and start jobs through `c.run(c.pool, fn, job, tiles)`."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t


cdef extern from "pool.h" nogil:
    struct pool:
        pass
    ctypedef void (*tile_fn)(void *job, int32_t tile, int32_t thread) noexcept nogil


cdef extern from "kernels.h" nogil:
    struct kernels:
        const char *name
        tile_fn input, product, gated, read


cdef extern from "linear.h" nogil:
    enum:
        GEMM_SCRATCH


ctypedef int (*run_fn)(pool *p, tile_fn fn, void *job, int32_t tiles) noexcept nogil


cdef object aligned(int64_t nbytes)
cdef object given(object memory, int64_t nbytes)
cdef const kernels *kernels_of(object isa) except NULL


cdef class Rows:
    cdef float *data
    cdef readonly int capacity
    cdef readonly int width
    cdef readonly int64_t nbytes
    cdef readonly object array
    cdef object _memory


cdef class Compute:
    cdef pool *pool
    cdef const kernels *k
    cdef run_fn run
    cdef run_fn run_here
    cdef readonly int threads
    cdef readonly bint exact
    cdef readonly str isa
    cdef readonly int64_t scratch_bytes
    cdef int max_rows
    cdef int max_cols
    cdef float *normed
    cdef int8_t *q
    cdef int8_t *q_experts
    cdef uint8_t *gemm
    cdef float *row_scale
    cdef float *partials
    cdef int64_t n_partials
    cdef object _memory
    cdef int _take_scratch(self, object memory) except -1
    cdef int check(self) except -1
