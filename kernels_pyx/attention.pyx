"""Grouped-query attention over a cache of keys and values."""

from libc.math cimport cos, sin
from libc.stdint cimport INT64_MAX, int32_t, int64_t

import numpy as np

from kernels_pyx.compute cimport Compute, Rows, given, pool
from kernels_pyx.tiles cimport pointer, run_tiles, table, vector

cdef extern from "attention.h":
    enum:
        KV_BLOCK
        KV_TILE
        KV_SPAN
        KV_MAX_D
        ATTEND_QUERIES
        ATTEND_SUMS
        KV_F32
        KV_F16
        KV_BF16
        KV_Q8
        KV8_BYTES
        HEAD_NORM_NONE
        HEAD_NORM_HEAD
        HEAD_NORM_WIDTH
    ctypedef struct attention_args:
        float *q
        float *k
        float *v
        float *out
        void *keys
        void *values
        int64_t key_head, value_head, capacity, window, position, n, rows_per_tile
        int dtype, n_heads, n_kv_heads, group, d_key, d_value, d_value_padded, norm, value_norm, half, interleaved
        const float *q_norm
        const float *k_norm
        const float *rotary
        float norm_eps, scale, softcap
        const float *sinks
        int queries, query_tiles, wave_spans, threads
        int64_t wave_first
        float *partials
        const pool *pool
    int64_t attend_run(int64_t total, int threads, int64_t task, int64_t *size) nogil

cdef enum:
    ROW_NUMBERS = 4096  # numbers of queries and keys that are worth a tile of their own
    WIDTH_Q8 = 32  # numbers of a head that share a scale

_DTYPES = {"f32": (KV_F32, np.float32), "f16": (KV_F16, np.float16), "bf16": (KV_BF16, np.uint16), "q8": (KV_Q8, np.uint8)}
_NORMS = {"none": HEAD_NORM_NONE, "head": HEAD_NORM_HEAD, "width": HEAD_NORM_WIDTH}


cdef float *at(Rows rows, int first):
    return rows.data + <int64_t>first * rows.width


cdef int64_t up(int64_t n, int64_t to):
    return (n + to - 1) // to * to


cdef int64_t head_size(int d, int64_t capacity, int dtype, bint is_key):
    """Numbers of a head's keys or values in a cache of `capacity` rows (a multiple of KV_TILE); bytes in KV_Q8."""
    if dtype == KV_Q8:
        return up(d, WIDTH_Q8) // WIDTH_Q8 * (capacity // KV_TILE) * KV8_BYTES
    return capacity * (d if is_key else up(d, KV_BLOCK))


cdef class Rope:
    """Rotary tables of one step: angle = f32(position) * inv_freq, cos and sin times `factor` (yarn's attention factor).

    inv_freq f32 [d_rotated / 2]; interleaved: pairs (2i, 2i+1), else halves (i, i + d_rotated / 2). Zero frequencies are the identity.
    """

    cdef readonly object array  # [capacity, 2, half]
    cdef float *table
    cdef const float[::1] inv_freq
    cdef int capacity
    cdef readonly int half
    cdef readonly bint interleaved
    cdef double factor
    cdef int64_t[::1] positions  # of each row, -1 before it is filled
    cdef readonly int64_t nbytes

    def __init__(self, int capacity, inv_freq, *, double factor=1.0, bint interleaved=False):
        cdef float[:, :, ::1] view
        self.inv_freq = np.array(inv_freq, np.float32, ndmin=1)
        self.half = <int>self.inv_freq.shape[0]
        if capacity < 1 or self.half < 1:
            raise ValueError(f"a rotary table needs rows and frequencies, not {capacity} and {self.half}")
        self.array = np.zeros((capacity, 2, self.half), np.float32)
        view = self.array
        self.table = &view[0, 0, 0]
        self.capacity, self.factor, self.interleaved = capacity, factor, interleaved
        self.positions = np.full(capacity, -1, np.int64)
        self.nbytes = self.array.nbytes + self.positions.nbytes

    def fill(self, int64_t position, int n, int first=0):
        """Rows first..first+n-1 are those of positions position..position+n-1. Raises IndexError beyond the capacity."""
        cdef int i, j
        cdef double angle
        cdef float *row
        if position < 0 or n < 0 or first < 0 or n > self.capacity - first:
            raise IndexError(f"rows {first}..{first + n} at position {position} in a rotary table of {self.capacity} rows")
        with nogil:
            for i in range(n):
                self.positions[first + i] = position + i
                row = self.table + <int64_t>(first + i) * 2 * self.half
                for j in range(self.half):
                    angle = <float>((<float>(position + i)) * self.inv_freq[j])
                    row[j] = <float>(cos(angle) * self.factor)
                    row[self.half + j] = <float>(sin(angle) * self.factor)

    cpdef int require(self, int64_t position, int n, int first) except -1:
        """Raises ValueError unless rows first..first+n-1 are those of position.., n at least 1."""
        if first + n > self.capacity or self.positions[first] != position or self.positions[first + n - 1] != position + n - 1:
            raise ValueError(f"the rotary table does not hold {n} positions from {position} at row {first}")
        return 0


cdef class KvCache:
    """Keys and values of one layer as "f32", "f16", "bf16" (float32, float16, uint16 arrays) or "q8".

    keys [n_kv_heads, capacity / 16, d_key, 16]: key j is [:, j // 16, :, j % 16]. values [n_kv_heads, capacity, d_value].
    q8: int8 codes with a scale f16 for 32 numbers of a head, as csrc/attention.h lays them out; keys and values are bytes
    [n_kv_heads, capacity / 64, bytes of a tile].
    capacity is rounded up to a multiple of 64. Position j lies in row j % capacity.
    window: a ring; keys j with i - j < window are seen by row i, and capacity must be at least window + the rows of a step.
    """

    cdef readonly int64_t capacity
    cdef readonly int64_t nbytes
    cdef readonly object keys
    cdef readonly object values
    cdef void *k
    cdef void *v
    cdef int n_kv_heads, d_key, d_value, d_value_padded, dtype
    cdef int64_t window, key_head, value_head

    def __init__(self, int n_kv_heads, int d_key, int d_value, int64_t capacity, str dtype, window=None, memory=None):
        cdef int64_t n_keys
        self.nbytes = KvCache.nbytes_for(n_kv_heads, d_key, d_value, capacity, dtype)
        if window is not None and window < 1:
            raise ValueError(f"a window sees at least one key, not {window}")
        self.dtype, kind = _DTYPES[dtype]
        self.capacity = up(capacity, KV_TILE)
        self.n_kv_heads, self.d_key, self.d_value = n_kv_heads, d_key, d_value
        self.d_value_padded = <int>up(d_value, KV_BLOCK)
        self.window = INT64_MAX if window is None else window
        memory = given(memory, self.nbytes).view(kind)
        self.key_head = head_size(d_key, self.capacity, self.dtype, True)
        self.value_head = head_size(d_value, self.capacity, self.dtype, False)
        n_keys = n_kv_heads * self.key_head
        self.k = <void *><size_t>memory.ctypes.data
        self.v = <void *><size_t>memory[n_keys:].ctypes.data
        if self.dtype == KV_Q8:
            self.keys = memory[:n_keys].reshape(n_kv_heads, self.capacity // KV_TILE, -1)
            self.values = memory[n_keys:].reshape(n_kv_heads, self.capacity // KV_TILE, -1)
        else:
            self.keys = memory[:n_keys].reshape(n_kv_heads, self.capacity // KV_BLOCK, d_key, KV_BLOCK)
            self.values = memory[n_keys:].reshape(n_kv_heads, self.capacity, self.d_value_padded)[:, :, :d_value]

    @staticmethod
    def nbytes_for(int n_kv_heads, int d_key, int d_value, int64_t capacity, str dtype):
        """Bytes of the keys and values of a cache. Raises ValueError for an unknown dtype or an empty shape."""
        if dtype not in _DTYPES:
            raise ValueError(f'a cache is "f32", "f16", "bf16" or "q8", not {dtype!r}')
        if n_kv_heads < 1 or not 1 <= d_key <= KV_MAX_D or not 1 <= d_value <= KV_MAX_D or capacity < 1:
            raise ValueError(f"no cache of {n_kv_heads} heads, {d_key} and {d_value} wide (at most {KV_MAX_D}), {capacity} rows")
        kind, number = _DTYPES[dtype]
        if kind == KV_Q8 and 4 * d_key < up(d_key, WIDTH_Q8) // WIDTH_Q8 * (WIDTH_Q8 + 8):
            raise ValueError(f"keys of {d_key} numbers are too narrow for 8-bit codes; take f16")
        capacity = up(capacity, KV_TILE)
        return n_kv_heads * (head_size(d_key, capacity, kind, True) + head_size(d_value, capacity, kind, False)) * np.dtype(number).itemsize


cdef class Gqa:
    """Norm and rotate queries and keys, append keys and values, attend; softmax in f32, causal, tiles of keys at fixed positions.

    norm: "none" | "head" (over d_head) | "width" (over all heads) with weights q_norm, k_norm; value_norm: rms without
    weight on v (Gemma 4). sinks f32 [n_heads]: one extra logit each whose probability is dropped (gpt-oss).
    softcap: scores = cap * tanh(scores / cap). scale default d_head ** -0.5.
    """

    cdef attention_args args
    cdef Rope rope
    cdef const float[::1] q_norm
    cdef const float[::1] k_norm
    cdef const float[::1] sinks

    def __init__(self, int n_heads, int n_kv_heads, int d_head, *, d_value=None, Rope rope=None, str norm="none", q_norm=None,
                 k_norm=None, float norm_eps=0.0, bint value_norm=False, scale=None, softcap=None, sinks=None):
        cdef attention_args *a = &self.args
        if n_heads < 1 or n_kv_heads < 1 or n_heads % n_kv_heads:
            raise ValueError(f"{n_heads} query heads do not share {n_kv_heads} key heads evenly")
        a.n_heads, a.n_kv_heads, a.group = n_heads, n_kv_heads, n_heads // n_kv_heads
        a.d_key = d_head
        a.d_value = d_head if d_value is None else d_value
        if not 1 <= a.d_key <= KV_MAX_D or not 1 <= a.d_value <= KV_MAX_D:
            raise ValueError(f"heads are 1 to {KV_MAX_D} wide, not {a.d_key} and {a.d_value}")
        a.d_value_padded = <int>up(a.d_value, KV_BLOCK)
        a.queries = min(ATTEND_QUERIES, ATTEND_SUMS // a.d_value_padded)
        if rope is not None and 2 * rope.half > d_head:
            raise ValueError(f"{2 * rope.half} rotated dims in heads of {d_head}")
        self.rope = rope
        a.half = 0 if rope is None else rope.half
        a.interleaved = rope is not None and rope.interleaved
        if norm not in _NORMS:
            raise ValueError(f'norm is "none", "head" or "width", not {norm!r}')
        a.norm = _NORMS[norm]
        if a.norm == HEAD_NORM_NONE and not (q_norm is None and k_norm is None):
            raise ValueError("q_norm and k_norm go with a norm")
        if a.norm != HEAD_NORM_NONE and (q_norm is None or k_norm is None):
            raise ValueError(f'norm "{norm}" needs q_norm and k_norm')
        wide = a.norm == HEAD_NORM_WIDTH
        self.q_norm = vector("q_norm", q_norm, d_head * n_heads if wide else d_head)
        self.k_norm = vector("k_norm", k_norm, d_head * n_kv_heads if wide else d_head)
        self.sinks = vector("sinks", sinks, n_heads)
        a.q_norm, a.k_norm, a.sinks = pointer(self.q_norm), pointer(self.k_norm), pointer(self.sinks)
        a.norm_eps, a.value_norm = norm_eps, value_norm
        a.scale = d_head ** -0.5 if scale is None else scale
        if softcap is not None and not softcap > 0:
            raise ValueError(f"a softcap is positive, not {softcap}")
        a.softcap = 0.0 if softcap is None else softcap

    def __call__(self, Compute c not None, Rows q not None, Rows k not None, Rows v not None, int n, int64_t position,
                 KvCache cache not None, Rows out not None, int first=0):
        """q [n, n_heads * d_head], k, v [n, n_kv_heads * d]: rows first.. are positions position..position+n-1; q, k are overwritten.

        Raises IndexError where the cache does not hold those positions, ValueError for other shapes, Interrupted.
        """
        cdef attention_args a = self.args
        cdef int64_t spans, tasks
        if n == 0:
            return
        if n < 0 or first < 0 or n > min(q.capacity, k.capacity, v.capacity, out.capacity) - first:
            raise ValueError(f"{n} rows pass the capacity of the buffers")
        if (q.width != a.n_heads * a.d_key or k.width != a.n_kv_heads * a.d_key or v.width != a.n_kv_heads * a.d_value
                or out.width != a.n_heads * a.d_value):
            raise ValueError(f"widths {q.width}, {k.width}, {v.width} and {out.width} are not those of the heads")
        if cache.n_kv_heads != a.n_kv_heads or cache.d_key != a.d_key or cache.d_value != a.d_value:
            raise ValueError("the cache has other heads")
        if position < 0 or (position + n > cache.capacity and (cache.window == INT64_MAX or cache.capacity < cache.window + n - 1)):
            raise IndexError(f"{n} rows at position {position} do not fit a cache of {cache.capacity} rows")
        if self.rope is not None:
            self.rope.require(position, n, first)
            a.rotary = self.rope.table + <int64_t>first * 2 * self.rope.half
        a.q, a.k, a.v, a.out = at(q, first), at(k, first), at(v, first), at(out, first)
        a.keys, a.values, a.dtype = cache.k, cache.v, cache.dtype
        a.capacity, a.window = cache.capacity, cache.window
        a.key_head, a.value_head = cache.key_head, cache.value_head
        a.position, a.n, a.pool = position, n, c.pool
        a.queries = min(a.queries, n * a.group)
        a.query_tiles = (n * a.group + a.queries - 1) // a.queries
        a.rows_per_tile = 1 + ROW_NUMBERS // ((a.n_heads + a.n_kv_heads) * a.d_key)
        run_tiles(c, table(c).attention_rows, &a, <int32_t>((n + a.rows_per_tile - 1) // a.rows_per_tile))
        if self.wave(&a, c):
            self.attend_in_spans(c, &a)
        else:
            run_tiles(c, table(c).attend, &a, a.n_kv_heads * a.query_tiles)

    cdef bint wave(self, attention_args *a, Compute c):
        """Whether spans are worth tasks of their own: too few heads for the threads. Sets the spans of a wave."""
        cdef int64_t tasks = a.n_kv_heads * a.query_tiles, spans, room
        if c.threads == 1 or tasks >= 3 * c.threads:
            return False
        spans = (a.position + a.n - 1) // KV_SPAN - first_span(a) + 1
        room = c.n_partials // (tasks * a.queries * (a.d_value_padded + 2)) - 1
        a.wave_spans = <int>min(spans, room)
        a.partials = c.partials
        return a.wave_spans >= 2

    cdef attend_in_spans(self, Compute c, attention_args *a):
        """Waves of spans that fit the room for partial sums; the merge goes in the order of spans, as in one task."""
        cdef int tasks = a.n_kv_heads * a.query_tiles
        cdef int64_t last = (a.position + a.n - 1) // KV_SPAN
        cdef int32_t runs = runs_of(tasks * a.wave_spans, c.threads)
        a.threads = c.threads
        a.wave_first = first_span(a)
        while a.wave_first <= last:
            run_tiles(c, table(c).attend_span, a, runs)
            run_tiles(c, table(c).attend_merge, a, tasks)
            a.wave_first += a.wave_spans


cdef int32_t runs_of(int64_t total, int threads):
    cdef int64_t size = 1
    cdef int32_t n = 0
    while size:
        attend_run(total, threads, n, &size)
        n += size > 0
    return n


cdef int64_t first_span(attention_args *a):
    return 0 if a.window > a.position else (a.position + 1 - a.window) // KV_SPAN
