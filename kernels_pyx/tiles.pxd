"""What rows and attention share: their entries of the kernel table, the start of a job of tiles, vectors as arguments."""

from libc.stdint cimport int32_t

from kernels_pyx.compute cimport Compute, tile_fn

cdef extern from "kernels.h" nogil:
    ctypedef struct row_kernels "struct kernels":
        tile_fn rms_norm, add, scale, soft_cap, route, combine
        tile_fn attention_rows, attend, attend_span, attend_merge


cdef inline const row_kernels *table(Compute c) noexcept:
    return <const row_kernels *>c.k


cdef inline int run_tiles(Compute c, tile_fn fn, void *job, int32_t tiles) except -1:
    """Runs tiles 0..tiles-1 without the GIL, one alone on this thread. Raises Interrupted where the cancel flag was seen."""
    cdef int stopped
    c.check()
    if tiles == 0:
        return 0
    with nogil:
        stopped = c.run_here(c.pool, fn, job, tiles) if tiles == 1 else c.run(c.pool, fn, job, tiles)
    if stopped:
        from kernels_pyx.compute import Interrupted
        raise Interrupted("stopped")
    return 0


cdef inline const float[::1] vector(str name, x, int n):
    """x as contiguous f32 [n], or None. Raises ValueError for another shape."""
    if x is None:
        return None
    from numpy import ascontiguousarray, float32
    y = ascontiguousarray(x, float32)
    if y.shape != (n,):
        raise ValueError(f"{name} has shape {y.shape}, not ({n},)")
    return y


cdef inline const float *pointer(const float[::1] x) noexcept:
    if x is None:
        return NULL
    return &x[0]
