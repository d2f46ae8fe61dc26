"""Mixtures of residual streams (Kimi K3's attention residuals) and sigmoid output gates."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from kernels_pyx.compute cimport Compute, Rows, tile_fn
from kernels_pyx.tiles cimport run_tiles

cdef extern from "mix.h":
    enum:
        MIX_MAX
    ctypedef struct mix_args:
        const float *streams[32]
        const float *norm
        const float *query
        float *out
        int64_t d
        int32_t count
        float eps
    ctypedef struct gate_args:
        float *x
        const float *gate
        int64_t width

cdef extern from "kernels.h" nogil:
    ctypedef struct mix_kernels "struct kernels":
        tile_fn mix, gate


cdef class Mix:
    """out = sum_b softmax_b(query . rms_norm(stream_b, norm)) stream_b, row by row; norm and query [d]."""

    cdef mix_args args
    cdef object norm, query

    def __init__(self, norm, query, float eps):
        self.norm, self.query = (np.ascontiguousarray(x, np.float32) for x in (norm, query))
        if self.norm.ndim != 1 or self.norm.shape != self.query.shape:
            raise ValueError(f"norm and query have shapes {self.norm.shape} and {self.query.shape}")
        self.args.norm = <const float *><size_t>self.norm.ctypes.data
        self.args.query = <const float *><size_t>self.query.ctypes.data
        self.args.d, self.args.eps = len(self.norm), eps

    def __call__(self, Compute c not None, streams, int n, Rows out not None):
        """streams: 1 to 32 buffers [n, d], oldest first; out is none of them."""
        cdef mix_args a = self.args
        cdef Rows r
        cdef int i
        if not 1 <= len(streams) <= MIX_MAX:
            raise ValueError(f"1 to {MIX_MAX} streams are mixed, not {len(streams)}")
        a.count = len(streams)
        for i in range(a.count):
            r = streams[i]
            if r.width != a.d or n > r.capacity or r is out:
                raise ValueError(f"stream {i} is [{r.capacity}, {r.width}], not [{n}, {a.d}], or is the output")
            a.streams[i] = r.data
        if out.width != a.d or not 0 <= n <= out.capacity:
            raise ValueError(f"the output is [{out.capacity}, {out.width}], not [{n}, {a.d}]")
        a.out = out.data
        run_tiles(c, (<const mix_kernels *>c.k).mix, &a, n)


def gate(Compute c not None, Rows x not None, Rows gate not None, int n):
    """x *= sigmoid(gate), both [n, width]."""
    cdef gate_args a
    if x.width != gate.width or not 0 <= n <= min(x.capacity, gate.capacity):
        raise ValueError(f"x is [{x.capacity}, {x.width}], gate [{gate.capacity}, {gate.width}], rows {n}")
    a.x, a.gate, a.width = x.data, gate.data, x.width
    run_tiles(c, (<const mix_kernels *>c.k).gate, &a, n)
