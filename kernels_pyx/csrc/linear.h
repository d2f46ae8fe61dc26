/* Packed matrices, activations and the jobs of products.
 *
 * A matrix is cut into panels of 16 rows, one after the other; ragged rows are padded with zeros. Within a panel:
 *   f32    column by column, 16 values
 *   bf16   the same, padded to 64 bytes
 *   q8     blocks of 32 columns, 512 codes each (int8, layout of wq in isa_generic.h); then per block 16 scales f16.    w = d c
 *   q4     blocks of 256 bytes (nibbles, layout of wq); then per block 16 scales d and 16 offsets m, f16.               w = d c + m
 *   mxfp4  blocks of 256 bytes (E2M1 nibbles); then per block 16 scales E8M0, padded to 64 bytes.                      w = 2^(s-127) e
 * So a vector holds the same columns of 16 rows, a product needs no horizontal sums, and 16 scales are one load.
 *
 * Quantized activations: a row is int8 codes [32 * blocks], then scales f32 [blocks], then sums of codes int32 [blocks].
 */
#ifndef OUZEL_LINEAR_H
#define OUZEL_LINEAR_H

#include <stdint.h>

enum { FMT_F32, FMT_BF16, FMT_Q8, FMT_Q4, FMT_MXFP4, FMT_COUNT };
enum { ACT_SILU, ACT_GELU_TANH, ACT_SWIGLU_CLAMP, ACT_SITU };
enum { PANEL = 16, BLOCK = 32 };

typedef struct {
    const uint8_t *data;
    int32_t fmt, rows, cols, blocks, panels;
    int64_t codes_bytes, panel_bytes; /* per panel: where the scales begin, and its size */
} mat;

void mat_init(mat *m, int fmt, int32_t rows, int32_t cols, const uint8_t *data);
int64_t mat_bytes(const mat *m);

typedef struct {
    const float *x; /* f32 rows; stride in numbers */
    int64_t x_stride;
    const int8_t *q; /* quantized rows; stride in bytes; NULL where only x counts */
    int64_t q_stride;
} acts;

/* Row i of a job is row in_rows[i] of its input and out_rows[i] of its output; NULL: first_in + i and i. */
typedef struct {
    acts x;
    const int32_t *in_rows, *out_rows;
    int32_t first_in, n;
} row_map;

/* Products of more than FEW int8 rows go by tiles of at most GEMM_ROWS rows and GEMM_PANELS panels at once, through scratch of the thread. */
enum { FEW = 8, GEMM_ROWS = 128, GEMM_PANELS = 16, GEMM_SCRATCH = 230 * 1024 };

/* out[row] (+)= row_scale[row] * (W x[row] + bias) */
typedef struct {
    mat w;
    row_map rows;
    const float *bias, *row_scale; /* or NULL */
    float *out;
    int64_t out_stride;
    int32_t add, first_tile, panels_per_tile, rows_per_tile;
} product;

typedef struct {
    const product *products;
    int32_t count, exact;
    uint8_t *scratch; /* GEMM_SCRATCH a thread; NULL in exact arithmetic */
} product_job;

/* hidden[row] = act(gate x + bias, up x + bias), f32 or quantized in place; tiles hold whole blocks of 32 hidden columns. */
typedef struct {
    mat gate, up;
    row_map rows;
    const float *gate_bias, *up_bias;
    float *hidden;
    int64_t hidden_stride;
    int32_t quantize, first_tile, panels_per_tile, rows_per_tile;
} gated;

typedef struct {
    const gated *parts;
    int32_t count, exact, act;
    float p0, p1;
    uint8_t *scratch;
} gated_job;

/* h = x, or rms_norm(x) * norm; written as f32, quantized, or both; row_scale = sigmoid(row_gate . h). One tile: rows_per_tile. */
typedef struct {
    const float *x;
    int64_t x_stride;
    int32_t n, cols, rows_per_tile;
    const float *norm; /* [cols] or NULL */
    float eps;
    float *normed; /* or NULL */
    int64_t normed_stride;
    int8_t *q; /* or NULL */
    int64_t q_stride;
    const float *row_gate; /* [cols] or NULL */
    float *row_scale;
} input_job;

/* A plain read loop, the yardstick of the benchmark: XOR of `bytes` (a multiple of 64) per tile into sums[tile]. */
typedef struct {
    const uint8_t *data;
    int64_t bytes, tile_bytes;
    uint64_t *sums;
} read_job;

/* Packing: w is [rows, cols] f32 or bf16, out zeros. Returns -1, or the flat index of a number that the format cannot hold. */
struct kernels;
int64_t pack_matrix(const struct kernels *k, const mat *m, const void *w, int bf16, uint8_t *out);
void unpack_matrix(const mat *m, float *w);
void decode_row(const mat *m, int32_t row, float scale, float *out);
int64_t pack_published_mxfp4(const mat *m, const uint8_t *blocks, const uint8_t *scales, uint8_t *out);
void unpack_published_mxfp4(const mat *m, uint8_t *blocks, uint8_t *scales);

#endif
