/* Runs the NEON products on the vectors of a file and writes the results: linear.c IN OUT.
 * IN: int32 format, exact, rows, cols, n, table (0 neon, 1 i8mm); then f32 weights [rows, cols] and activations [n, cols]. OUT: f32 unpacked weights
 * [rows, cols], products [n, rows], silu-gated products [n, rows rounded up to 32] with the same weights as gate and up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "linear.h"

static void *zeroed(size_t bytes) {
    void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p) exit(3);
    memset(p, 0, bytes);
    return p;
}

int main(int argc, char **argv) {
    int32_t head[6];
    FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *out = argc == 3 ? fopen(argv[2], "wb") : NULL;
    if (!in || !out || fread(head, 4, 6, in) != 6) return 1;
    const int32_t fmt = head[0], exact = head[1], rows = head[2], cols = head[3], n = head[4];
    const size_t weights = (size_t)rows * cols, inputs = (size_t)n * cols;
    float *w = zeroed(weights * 4), *x = zeroed(inputs * 4), *y = zeroed((size_t)n * rows * 4);
    if (fread(w, 4, weights, in) != weights || fread(x, 4, inputs, in) != inputs) return 1;
    const struct kernels *k = head[5] ? &kernels_i8mm : &kernels_neon;
    mat m;
    mat_init(&m, fmt, rows, cols, NULL);
    uint8_t *packed = zeroed((size_t)mat_bytes(&m));
    if (pack_matrix(k, &m, w, 0, packed) >= 0) return 2;
    m.data = packed;
    unpack_matrix(&m, w);
    fwrite(w, 4, weights, out);

    const int64_t stride = (int64_t)m.blocks * 40;
    input_job input = {.x = x, .x_stride = cols, .n = n, .cols = cols, .rows_per_tile = n, .q = zeroed((size_t)(n * stride)), .q_stride = stride};
    k->input(&input, 0, 0);
    const acts a = {x, cols, input.q, stride};
    product p = {.w = m, .rows = {.x = a, .n = n}, .out = y, .out_stride = rows, .panels_per_tile = m.panels, .rows_per_tile = n};
    uint8_t *scratch = zeroed(GEMM_SCRATCH);
    product_job job = {&p, 1, exact, scratch};
    k->product(&job, 0, 0);
    fwrite(y, 4, (size_t)n * rows, out);

    const int64_t width = (rows + 31) / 32 * 32;
    float *hidden = zeroed((size_t)(n * width) * 4);
    gated g = {.gate = m, .up = m, .rows = {.x = a, .n = n}, .hidden = hidden, .hidden_stride = width, .panels_per_tile = m.panels, .rows_per_tile = n};
    gated_job gated = {&g, 1, exact, ACT_SILU, 0.0f, 0.0f, scratch};
    k->gated(&gated, 0, 0);
    fwrite(hidden, 4, (size_t)(n * width), out);
    return fclose(out) == 0 ? 0 : 1;
}
