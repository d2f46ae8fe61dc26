"""Multi-head latent attention, absorbed (DeepSeek-V2): a cache of latents, and attention over them."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from kernels_pyx.compute cimport Compute, Rows, given, pool, tile_fn
from kernels_pyx.tiles cimport run_tiles

cdef extern from "attention.h":
    enum:
        KV_F32
        KV_F16
        KV_BF16
        KV_Q8

cdef extern from "latent.h":
    enum:
        LATENT_PAD
        LATENT_MAX
        LATENT_QUERIES
        LATENT_SPAN
    ctypedef struct latent_args:
        float *q
        float *queries
        const float *kv
        const float *norm
        const float *rotary
        void *cache
        int64_t row_bytes, position, n
        int32_t heads, d_nope, d_rope, d_latent, width, half, interleaved, dtype
        float eps, scale
        int64_t tiles, wave_first, wave_spans
        float *partials
        const pool *pool

cdef extern from "kernels.h" nogil:
    ctypedef struct latent_kernels "struct kernels":
        tile_fn latent_rows, latent_attend, latent_span, latent_merge

_DTYPES = {"f32": (KV_F32, np.float32), "f16": (KV_F16, np.float16), "bf16": (KV_BF16, np.uint16), "q8": (KV_Q8, np.uint8)}


cdef int64_t padded(int64_t n):
    return (n + LATENT_PAD - 1) // LATENT_PAD * LATENT_PAD


cdef int64_t row_size(int d_latent, int d_rope, str dtype):
    """Bytes of a row: numbers, or int8 codes of the latent, the rest as f16, and a scale f16 for 32 codes, padded to 16 scales."""
    cdef int64_t width = padded(d_latent + d_rope)
    if dtype == "q8":
        return d_latent + 2 * (width - d_latent) + 2 * padded((d_latent + 31) // 32)
    return width * np.dtype(_DTYPES[dtype][1]).itemsize


cdef class LatentCache:
    """[capacity, d_latent + d_rope, padded to 16] of one layer as "f32", "f16" or "bf16": normed latent, rotated shared key.

    "q8": bytes [capacity, bytes of a row], see csrc/latent.h.
    """

    cdef readonly int64_t capacity
    cdef readonly int64_t nbytes
    cdef readonly object array
    cdef int d_latent, d_rope, dtype
    cdef int64_t row_bytes
    cdef void *data

    def __init__(self, int d_latent, int d_rope, int64_t capacity, str dtype, memory=None):
        self.nbytes = LatentCache.nbytes_for(d_latent, d_rope, capacity, dtype)
        self.dtype, kind = _DTYPES[dtype]
        self.capacity, self.d_latent, self.d_rope = capacity, d_latent, d_rope
        self.array = given(memory, self.nbytes).view(kind).reshape(capacity, -1)
        self.row_bytes = row_size(d_latent, d_rope, dtype)
        self.data = <void *><size_t>self.array.ctypes.data

    @staticmethod
    def nbytes_for(int d_latent, int d_rope, int64_t capacity, str dtype):
        """Bytes of a cache. Raises ValueError for an unknown dtype or an impossible shape."""
        if dtype not in _DTYPES:
            raise ValueError(f'a cache is "f32", "f16", "bf16" or "q8", not {dtype!r}')
        if d_latent < LATENT_PAD or d_latent % LATENT_PAD or d_rope < 1 or padded(d_latent + d_rope) > LATENT_MAX or capacity < 1:
            raise ValueError(f"no latent cache of {d_latent} + {d_rope} numbers (latents in steps of {LATENT_PAD}), {capacity} rows")
        return capacity * row_size(d_latent, d_rope, dtype)


cdef class Latent:
    """Norm and rotate the new latents, append them, attend: causal, softmax in f32, tiles of keys at fixed positions."""

    cdef latent_args args
    cdef object norm, rope
    cdef const float[:, :, ::1] table

    def __init__(self, int n_heads, int d_nope, int d_rope, int d_latent, *, norm, float norm_eps, rope, float scale):
        cdef latent_args *a = &self.args
        LatentCache.nbytes_for(d_latent, d_rope, 1, "f32")
        if n_heads < 1 or d_nope < 1:
            raise ValueError(f"{n_heads} heads of {d_nope} numbers")
        self.norm = np.ascontiguousarray(norm, np.float32)
        if self.norm.shape != (d_latent,):
            raise ValueError(f"norm has shape {self.norm.shape}, not ({d_latent},)")
        a.heads, a.d_nope, a.d_rope, a.d_latent, a.width = n_heads, d_nope, d_rope, d_latent, <int32_t>padded(d_latent + d_rope)
        a.norm, a.eps, a.scale = <const float *><size_t>self.norm.ctypes.data, norm_eps, scale
        self.rope = rope
        if rope is not None:
            self.table = rope.array
            a.half, a.interleaved = rope.half, rope.interleaved
            if 2 * a.half != d_rope:
                raise ValueError(f"{2 * a.half} rotated dims of {d_rope}")

    def __call__(self, Compute c not None, Rows q not None, Rows queries not None, Rows kv not None, int n, int64_t position,
                 LatentCache cache not None, int first=0):
        """Rows first.. of q [n, n_heads * (d_nope + d_rope)], of which the last d_rope a head count (rotated in place); queries [n, n_heads *
        d_latent]: the others in latent space, replaced by what they attended; kv [n, d_latent + d_rope].

        Raises IndexError where position + n exceeds the cache, ValueError for other shapes, Interrupted.
        """
        cdef latent_args a = self.args
        cdef const latent_kernels *k = <const latent_kernels *>c.k
        cdef int64_t spans, row = first
        if n == 0:
            return
        if n < 0 or first < 0 or n > min(q.capacity, queries.capacity, kv.capacity) - first:
            raise ValueError(f"{n} rows pass the capacity of the buffers")
        if q.width != a.heads * (a.d_nope + a.d_rope) or queries.width != a.heads * a.d_latent or kv.width != a.d_latent + a.d_rope:
            raise ValueError(f"widths {q.width}, {queries.width} and {kv.width} are not those of the heads")
        if cache.d_latent != a.d_latent or cache.d_rope != a.d_rope:
            raise ValueError("the cache has other widths")
        if position < 0 or position + n > cache.capacity:
            raise IndexError(f"{n} rows at position {position} do not fit a cache of {cache.capacity} rows")
        if self.rope is not None:
            self.rope.require(position, n, first)
            a.rotary = &self.table[first, 0, 0]
        a.q, a.queries, a.kv = q.data + row * q.width, queries.data + row * queries.width, kv.data + row * kv.width
        a.cache, a.dtype = cache.data, cache.dtype
        a.row_bytes = cache.row_bytes
        a.position, a.n, a.pool = position, n, c.pool
        a.tiles = (n * a.heads + LATENT_QUERIES - 1) // LATENT_QUERIES
        run_tiles(c, k.latent_rows, &a, n)
        spans = (position + n + LATENT_SPAN - 1) // LATENT_SPAN
        a.wave_spans = min(spans, c.n_partials // (a.tiles * LATENT_QUERIES * (a.d_latent + 2)) - 1)
        if c.threads == 1 or a.tiles >= 3 * c.threads or a.wave_spans < 2:
            run_tiles(c, k.latent_attend, &a, <int32_t>a.tiles)
            return
        # Too few tiles for the threads: waves of spans that fit the room for partial sums, merged in order as in one task.
        a.partials = c.partials
        while a.wave_first < spans:
            run_tiles(c, k.latent_span, &a, <int32_t>(a.tiles * a.wave_spans))
            run_tiles(c, k.latent_merge, &a, <int32_t>a.tiles)
            a.wave_first += a.wave_spans
