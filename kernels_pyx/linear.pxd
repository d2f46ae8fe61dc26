"""C interface of linear: Matrix, the jobs of csrc/linear.h, and one product in exact arithmetic for other extensions."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from kernels_pyx.compute cimport Compute, Rows, kernels
from kernels_pyx.routes cimport Groups


cdef extern from "linear.h" nogil:
    enum:
        FMT_F32, FMT_BF16, FMT_Q8, FMT_Q4, FMT_MXFP4
        PANEL, BLOCK
        FEW, GEMM_ROWS, GEMM_PANELS
        ACT_SILU, ACT_GELU_TANH, ACT_SWIGLU_CLAMP, ACT_SITU
    ctypedef struct mat:
        const uint8_t *data
        int32_t fmt, rows, cols, blocks, panels
        int64_t codes_bytes, panel_bytes
    ctypedef struct acts:
        const float *x
        int64_t x_stride
        const int8_t *q
        int64_t q_stride
    ctypedef struct row_map:
        acts x
        const int32_t *in_rows
        const int32_t *out_rows
        int32_t first_in, n
    ctypedef struct product:
        mat w
        row_map rows
        const float *bias
        const float *row_scale
        float *out
        int64_t out_stride
        int32_t add, first_tile, panels_per_tile, rows_per_tile
    ctypedef struct product_job:
        const product *products
        int32_t count, exact
        uint8_t *scratch
    ctypedef struct gated:
        mat gate, up
        row_map rows
        const float *gate_bias
        const float *up_bias
        float *hidden
        int64_t hidden_stride
        int32_t quantize, first_tile, panels_per_tile, rows_per_tile
    ctypedef struct gated_job:
        const gated *parts
        int32_t count, exact, act
        float p0, p1
        uint8_t *scratch
    ctypedef struct input_job:
        const float *x
        int64_t x_stride
        int32_t n, cols, rows_per_tile
        const float *norm
        float eps
        float *normed
        int64_t normed_stride
        int8_t *q
        int64_t q_stride
        const float *row_gate
        float *row_scale
    ctypedef struct read_job:
        const uint8_t *data
        int64_t bytes, tile_bytes
        uint64_t *sums
    void mat_init(mat *m, int fmt, int32_t rows, int32_t cols, const uint8_t *data)
    int64_t mat_bytes(const mat *m)
    int64_t pack_matrix(const kernels *k, const mat *m, const void *w, int bf16, uint8_t *out)
    void unpack_matrix(const mat *m, float *w)
    void decode_row(const mat *m, int32_t row, float scale, float *out)
    int64_t pack_published_mxfp4(const mat *m, const uint8_t *blocks, const uint8_t *scales, uint8_t *out)
    void unpack_published_mxfp4(const mat *m, uint8_t *blocks, uint8_t *scales)


cdef class Matrix:
    cdef mat m
    cdef readonly str fmt
    cdef readonly int rows
    cdef readonly int cols
    cdef readonly int64_t nbytes
    cdef object _data


cdef class Linear:
    cdef list _matrices
    cdef list _keep
    cdef product *products
    cdef int count
    cdef int cols
    cdef const float *norm
    cdef float eps
    cdef bint any_quantized
    cdef bint any_float


cdef class GatedFfn:
    cdef gated up
    cdef product down
    cdef list _keep
    cdef int act
    cdef float p0, p1
    cdef const float *norm
    cdef const float *row_gate
    cdef float eps


cdef class Experts:
    cdef mat gate, up, down
    cdef int64_t gate_at, up_at, down_at
    cdef int64_t gate_bias_at, up_bias_at, down_bias_at
    cdef int act
    cdef float p0, p1
    cdef gated *parts
    cdef product *products
    cdef int capacity
    cdef int prepared
    cdef bint _quantizes(self, Compute c) noexcept
    cdef int _reserve(self, int count) except -1
    cdef void _fill(self, int i, Compute c, Rows x, Groups groups, int group, const uint8_t *record, Rows hidden, Rows out,
                    bint in_place) noexcept nogil


cdef int product_exact(Compute c, Matrix w, Rows x, int n, Rows out) except -1
cdef int run_products(Compute c, product *p, int count) noexcept nogil
cdef int run_input(Compute c, input_job *j) noexcept nogil
