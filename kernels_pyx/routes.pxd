"""C interface of routes."""

from libc.stdint cimport int32_t, int64_t


cdef class Routes:
    cdef readonly int capacity
    cdef readonly int top_k
    cdef readonly int64_t nbytes
    cdef readonly object ids
    cdef readonly object weights
    cdef int32_t *ids_data
    cdef float *weights_data


cdef class Groups:
    cdef readonly int n_experts
    cdef readonly int64_t nbytes
    cdef readonly object experts
    cdef readonly object starts
    cdef readonly object rows
    cdef readonly object pairs
    cdef int capacity
    cdef int top_k
    cdef int total
    cdef int n_pairs
    cdef int32_t *experts_data
    cdef int32_t *starts_data
    cdef int32_t *rows_data
    cdef int32_t *pairs_data
    cdef int32_t[::1] _counts
    cdef int32_t _sort(self, const int32_t *ids, int n, int32_t *counts) noexcept nogil
