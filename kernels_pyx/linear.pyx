"""Packed weight matrices and the products over them. The layouts and jobs are described in csrc/linear.h."""

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from kernels_pyx.compute import Interrupted

from kernels_pyx.compute cimport Compute, Rows, aligned, kernels, kernels_of
from kernels_pyx.routes cimport Groups

FORMATS = ("f32", "bf16", "q8", "q4", "mxfp4")

# Weights of a tile of few rows, and a tile of the read loop; below SMALL a job is not worth waking a thread.
cdef int64_t TILE_BYTES = 256 * 1024
cdef int64_t READ_BYTES = 128 * 1024
cdef int64_t SMALL = 16 * 1024

_ACTS = {"silu": (ACT_SILU, 0), "gelu_tanh": (ACT_GELU_TANH, 0), "swiglu_clamp": (ACT_SWIGLU_CLAMP, 2), "situ": (ACT_SITU, 2)}


include "packing.pxi"


cdef const float *floats(object array, int64_t n, str what, list keep) except? NULL:
    """The data of f32 [n], kept alive in `keep`; NULL for None."""
    if array is None:
        return NULL
    if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.shape != (n,):
        raise ValueError(f"{what} must be a float32 array of {n} numbers")
    kept = np.ascontiguousarray(array)
    keep.append(kept)
    cdef const float[::1] view = kept
    return &view[0]


cdef inline bint quantized(const mat *m) noexcept nogil:
    return m.fmt >= FMT_Q8


cdef inline int64_t q_stride(int64_t cols) noexcept nogil:
    return (cols + 31) // 32 * 40


cdef int32_t panels_per_tile(int32_t panels, int64_t panel_bytes, int32_t n, int most, int threads, int count) noexcept nogil:
    """Even, so that a tile ends with a block of 32 rows; at least four tiles a thread where `count` such products have panels enough.

    Many rows: up to `most` panels share the gathering of the rows."""
    cdef int64_t k = TILE_BYTES // panel_bytes if n <= FEW else most
    k = min(k, <int64_t>panels * count * ((n + GEMM_ROWS - 1) // GEMM_ROWS) // (4 * threads))
    return <int32_t>max(k + (k & 1), 2)


cdef inline int32_t tiles_of(int32_t panels, int32_t per_tile, int32_t n, int32_t rows_per_tile) noexcept nogil:
    return (panels + per_tile - 1) // per_tile * ((n + rows_per_tile - 1) // rows_per_tile)


cdef int run_products(Compute c, product *p, int count) noexcept nogil:
    """Gives the products their tiles and runs them as one job; 1: cancelled."""
    cdef product_job job
    cdef int32_t tiles = 0, i
    cdef int64_t work = 0
    for i in range(count):
        p[i].first_tile = tiles
        p[i].panels_per_tile = panels_per_tile(p[i].w.panels, p[i].w.panel_bytes, p[i].rows.n, GEMM_PANELS, c.threads, count)
        p[i].rows_per_tile = min(p[i].rows.n, GEMM_ROWS)
        tiles += tiles_of(p[i].w.panels, p[i].panels_per_tile, p[i].rows.n, p[i].rows_per_tile)
        work += mat_bytes(&p[i].w) * p[i].rows.n
    job.products = p
    job.count = count
    job.exact = c.exact
    job.scratch = c.gemm
    return (c.run if work > SMALL else c.run_here)(c.pool, c.k.product, &job, tiles)


cdef int run_gated(Compute c, gated *p, int count, int act, float p0, float p1) noexcept nogil:
    cdef gated_job job
    cdef int32_t tiles = 0, i
    cdef int64_t work = 0
    for i in range(count):
        p[i].first_tile = tiles
        p[i].panels_per_tile = panels_per_tile(
            p[i].gate.panels, p[i].gate.panel_bytes + p[i].up.panel_bytes, p[i].rows.n, GEMM_PANELS // 2, c.threads, count)
        p[i].rows_per_tile = min(p[i].rows.n, GEMM_ROWS)
        tiles += tiles_of(p[i].gate.panels, p[i].panels_per_tile, p[i].rows.n, p[i].rows_per_tile)
        work += (mat_bytes(&p[i].gate) + mat_bytes(&p[i].up)) * p[i].rows.n
    job.parts = p
    job.count = count
    job.exact = c.exact
    job.scratch = c.gemm
    job.act = act
    job.p0 = p0
    job.p1 = p1
    return (c.run if work > SMALL else c.run_here)(c.pool, c.k.gated, &job, tiles)


cdef int run_input(Compute c, input_job *j) noexcept nogil:
    j.rows_per_tile = 4
    if j.n <= 4:
        return c.run_here(c.pool, c.k.input, j, (j.n + 3) // 4)
    return c.run(c.pool, c.k.input, j, (j.n + 3) // 4)


cdef int check_rows(Rows x, int first, int n, int cols) except -1:
    if x.width != cols:
        raise ValueError(f"the input is {x.width} wide, the weights need {cols}")
    if n < 0 or first < 0 or first + n > x.capacity:
        raise ValueError(f"rows {first} to {first + n} are not in a buffer of {x.capacity} rows")
    return 0


cdef int check_out(Rows out, int n, int width, str what) except -1:
    if out.width != width or out.capacity < n:
        raise ValueError(f"{what} must hold {n} rows of {width}, not {out.capacity} of {out.width}")
    return 0


cdef int check_scratch(Compute c, int n, int cols) except -1:
    c.check()
    if n > c.max_rows or <int64_t>n * q_stride(cols) > <int64_t>c.max_rows * q_stride(c.max_cols):
        raise ValueError(f"{n} rows of {cols} exceed the scratch of this Compute: {c.max_rows} rows of {c.max_cols}")
    return 0


cdef int make_input(
    Compute c, Rows x, int first, int n, int cols, const float *norm, float eps, const float *row_gate, bint want_q, bint want_f, int8_t *q, acts *out
) noexcept nogil:
    """Norm and quantize rows first..first+n; out then describes them as rows 0..n."""
    cdef input_job j
    memset(&j, 0, sizeof(j))
    j.x = x.data + <int64_t>first * x.width
    j.x_stride = x.width
    j.n = n
    j.cols = cols
    j.norm = norm
    j.eps = eps
    j.row_gate = row_gate
    j.row_scale = c.row_scale
    out.x = j.x
    out.x_stride = x.width
    out.q = NULL
    out.q_stride = q_stride(cols)
    if norm != NULL and want_f:
        j.normed = c.normed
        j.normed_stride = (cols + 31) // 32 * 32
        out.x = c.normed
        out.x_stride = j.normed_stride
    if want_q:
        j.q = q
        j.q_stride = out.q_stride
        out.q = q
    if j.normed == NULL and j.q == NULL and row_gate == NULL:
        return 0
    return run_input(c, &j)


cdef int product_exact(Compute c, Matrix w, Rows x, int n, Rows out) except -1:
    """out = W x in exact arithmetic, whatever the arithmetic of c. Raises ValueError, Interrupted."""
    cdef product p
    cdef product_job job
    cdef int stopped
    c.check()
    check_rows(x, 0, n, w.cols)
    check_out(out, n, w.rows, "the output")
    if n == 0:
        return 0
    memset(&p, 0, sizeof(p))
    p.w = w.m
    p.rows.x.x = x.data
    p.rows.x.x_stride = x.width
    p.rows.n = n
    p.out = out.data
    p.out_stride = out.width
    job.products = &p
    job.count = 1
    job.exact = 1
    job.scratch = NULL
    with nogil:
        p.panels_per_tile = panels_per_tile(w.m.panels, w.m.panel_bytes, n, GEMM_PANELS, c.threads, 1)
        p.rows_per_tile = min(n, GEMM_ROWS)
        stopped = (c.run if w.nbytes * n > SMALL else c.run_here)(
            c.pool, c.k.product, &job, tiles_of(w.m.panels, p.panels_per_tile, n, p.rows_per_tile))
    if stopped:
        raise Interrupted
    return 0


cdef class Linear:
    def __init__(self, weights, *, norm=None, float eps=0.0, biases=None):
        self._matrices = list(weights)
        self._keep = []
        self.count = <int>len(self._matrices)
        if self.count < 1:
            raise ValueError("Linear needs at least one matrix")
        biases = [None] * self.count if biases is None else list(biases)
        if len(biases) != self.count:
            raise ValueError(f"{self.count} matrices need as many biases, not {len(biases)}")
        self.products = <product *>calloc(self.count, sizeof(product))
        if self.products == NULL:
            raise MemoryError
        cdef Matrix w
        cdef int i
        for i in range(self.count):
            w = <Matrix?>self._matrices[i]
            if i == 0:
                self.cols = w.cols
            elif w.cols != self.cols:
                raise ValueError(f"matrices of one Linear share their input: {w.cols} columns are not {self.cols}")
            self.products[i].w = w.m
            self.products[i].bias = floats(biases[i], w.rows, "a bias", self._keep)
            if quantized(&w.m):
                self.any_quantized = True
            else:
                self.any_float = True
        self.norm = floats(norm, self.cols, "norm", self._keep)
        self.eps = eps

    def __dealloc__(self):
        free(self.products)

    def __call__(self, Compute c not None, Rows x not None, int n, outs, bint add=False, int first=0):
        cdef int i, stopped
        cdef bint want_q = self.any_quantized and not c.exact
        cdef bint want_f = self.any_float or c.exact
        cdef Rows out
        cdef acts a
        check_scratch(c, n, self.cols)
        check_rows(x, first, n, self.cols)
        if len(outs) != self.count:
            raise ValueError(f"{self.count} matrices need as many outputs, not {len(outs)}")
        for i in range(self.count):
            out = <Rows?>outs[i]
            check_out(out, n, self.products[i].w.rows, "an output")
            if out is x and want_f and self.norm == NULL:
                raise ValueError("an output that is also the input would change under the product")
            self.products[i].out = out.data
            self.products[i].out_stride = out.width
            self.products[i].add = add
        if n == 0:
            return
        with nogil:
            stopped = make_input(c, x, first, n, self.cols, self.norm, self.eps, NULL, want_q, want_f, c.q, &a)
            for i in range(self.count):
                self.products[i].rows.x = a
                self.products[i].rows.n = n
            stopped = stopped or run_products(c, self.products, self.count)
        if stopped:
            raise Interrupted


cdef int act_of(str act, act_params, int *kind, float *p0, float *p1) except -1:
    if act not in _ACTS:
        raise ValueError(f"unknown activation {act!r}; known are {', '.join(_ACTS)}")
    kind[0], wanted = _ACTS[act]
    if len(act_params) != wanted:
        raise ValueError(f"{act} takes {wanted} parameters, not {len(act_params)}")
    p0[0] = act_params[0] if wanted else 0.0
    p1[0] = act_params[1] if wanted else 0.0
    return 0


cdef int check_hidden(Rows hidden, int64_t rows, int width, bint in_place) except -1:
    if hidden.width != width or hidden.capacity < rows:
        raise ValueError(f"hidden must hold {rows} rows of {width}, not {hidden.capacity} of {hidden.width}")
    if in_place and q_stride(width) > 4 * <int64_t>width:
        raise ValueError(f"a hidden width of {width} is too small for int8 blocks; use f32 or bf16 weights")
    return 0


cdef class GatedFfn:
    def __init__(self, Matrix gate not None, Matrix up not None, Matrix down not None, str act, *, act_params=(), norm=None, float eps=0.0,
                 Matrix row_gate=None):
        if gate.cols != up.cols or gate.rows != up.rows or down.cols != gate.rows:
            raise ValueError(
                f"gate [{gate.rows}, {gate.cols}], up [{up.rows}, {up.cols}] and down [{down.rows}, {down.cols}] do not fit together")
        self._keep = [gate, up, down]
        act_of(act, act_params, &self.act, &self.p0, &self.p1)
        self.norm = floats(norm, gate.cols, "norm", self._keep)
        self.eps = eps
        self.up.gate = gate.m
        self.up.up = up.m
        self.down.w = down.m
        if row_gate is not None:
            if row_gate.rows != 1 or row_gate.cols != gate.cols:
                raise ValueError(f"row_gate must be [1, {gate.cols}], not [{row_gate.rows}, {row_gate.cols}]")
            # One row, decoded once: a packed panel would read 16 rows for it.
            self.row_gate = floats(unpack(row_gate.fmt, 1, row_gate.cols, row_gate._data)[0], gate.cols, "row_gate", self._keep)

    def __call__(self, Compute c not None, Rows x not None, int n, Rows hidden not None, Rows out not None, bint add=False):
        cdef bint any_q = quantized(&self.up.gate) or quantized(&self.up.up)
        cdef bint any_f = not (quantized(&self.up.gate) and quantized(&self.up.up))
        cdef bint in_place = quantized(&self.down.w) and not c.exact
        cdef int stopped
        cdef acts a
        check_scratch(c, n, self.up.gate.cols)
        check_rows(x, 0, n, self.up.gate.cols)
        check_hidden(hidden, n, self.up.gate.rows, in_place)
        check_out(out, n, self.down.w.rows, "the output")
        if hidden is x or hidden is out:
            raise ValueError("hidden must be a buffer of its own")
        if n == 0:
            return
        with nogil:
            stopped = make_input(c, x, 0, n, self.up.gate.cols, self.norm, self.eps, self.row_gate,
                                 any_q and not c.exact, any_f or c.exact, c.q, &self.up.rows.x)
            self.up.rows.n = n
            self.up.hidden = hidden.data
            self.up.hidden_stride = hidden.width
            self.up.quantize = in_place
            stopped = stopped or run_gated(c, &self.up, 1, self.act, self.p0, self.p1)
            a.x = hidden.data
            a.x_stride = hidden.width
            a.q = <int8_t *>hidden.data
            a.q_stride = 4 * <int64_t>hidden.width
            self.down.rows.x = a
            self.down.rows.n = n
            self.down.out = out.data
            self.down.out_stride = out.width
            self.down.add = add
            self.down.row_scale = c.row_scale if self.row_gate != NULL else NULL
            stopped = stopped or run_products(c, &self.down, 1)
        if stopped:
            raise Interrupted


include "experts.pxi"


def read_loop(Compute c not None, const uint8_t[::1] data):
    """Reads every byte once with the threads of c; the yardstick of the benchmark. Returns the XOR of the 64-bit words."""
    cdef read_job job
    cdef int64_t tile = READ_BYTES
    cdef int32_t tiles = <int32_t>((data.shape[0] + tile - 1) // tile)
    if data.shape[0] % 64 or data.shape[0] == 0:
        raise ValueError("read_loop needs a positive multiple of 64 bytes")
    c.check()
    sums = np.zeros(tiles, dtype=np.uint64)
    cdef uint64_t[::1] s = sums
    job.data = &data[0]
    job.bytes = data.shape[0]
    job.tile_bytes = tile
    job.sums = &s[0]
    cdef int stopped
    with nogil:
        stopped = c.run(c.pool, c.k.read, &job, tiles)
    if stopped:
        raise Interrupted
    return int(np.bitwise_xor.reduce(sums))
