/* Geometry of packed matrices, and their packing and unpacking, number by number; linear.h describes the layouts. */
#include <math.h>
#include <string.h>

#include "kernels.h"
#include "linear.h"
#include "scalar.h"

static int64_t rounded(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

void mat_init(mat *m, int fmt, int32_t rows, int32_t cols, const uint8_t *data) {
    static const int codes[FMT_COUNT] = {0, 0, 512, 256, 256}, scales[FMT_COUNT] = {0, 0, 32, 64, 16};
    m->data = data;
    m->fmt = fmt;
    m->rows = rows;
    m->cols = cols;
    m->blocks = (int32_t)(rounded(cols, BLOCK) / BLOCK);
    m->panels = (int32_t)(rounded(rows, PANEL) / PANEL);
    if (fmt <= FMT_BF16) {
        m->codes_bytes = (int64_t)cols * PANEL * (fmt == FMT_F32 ? 4 : 2);
        m->panel_bytes = rounded(m->codes_bytes, 64);
    } else {
        m->codes_bytes = (int64_t)m->blocks * codes[fmt];
        m->panel_bytes = rounded(m->codes_bytes + (int64_t)m->blocks * scales[fmt], 64);
    }
}

int64_t mat_bytes(const mat *m) { return m->panels * m->panel_bytes; }

/* Offset in a panel of the byte of column `col` of lane `lane`; nibbles: *high tells which half. */
static int64_t code_at(int fmt, int32_t col, int lane, int *high) {
    const int32_t b = col / BLOCK, quad = col % BLOCK / 4, in_quad = col % 4;
    *high = fmt != FMT_Q8 && quad >= 4;
    return fmt == FMT_Q8 ? (int64_t)b * 512 + quad * 64 + lane * 4 + in_quad : (int64_t)b * 256 + (quad & 3) * 64 + lane * 4 + in_quad;
}

static void put_code(int fmt, uint8_t *panel, int32_t col, int lane, int code) {
    int high;
    uint8_t *p = panel + code_at(fmt, col, lane, &high);
    if (fmt == FMT_Q8) *p = (uint8_t)(int8_t)code;
    else *p = high ? (uint8_t)((*p & 15) | code << 4) : (uint8_t)((*p & 0xf0) | code);
}

static int get_code(int fmt, const uint8_t *panel, int32_t col, int lane) {
    int high;
    const uint8_t byte = panel[code_at(fmt, col, lane, &high)];
    return fmt == FMT_Q8 ? (int8_t)byte : high ? byte >> 4 : byte & 15;
}

static void put_u16(uint8_t *p, uint16_t v) { memcpy(p, &v, 2); }
static uint16_t get_u16(const uint8_t *p) {
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}

static float e8m0(int s) { return s == 0 ? 0x1p-127f : ldexpf(1.0f, s - 127); }
static const float E2M1[16] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f, -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};

void decode_row(const mat *m, int32_t row, float scale, float *out) {
    const uint8_t *p = m->data + row / PANEL * m->panel_bytes, *sc = p + m->codes_bytes;
    const int lane = row % PANEL;
    for (int32_t b = 0; b < m->blocks; b++) {
        const int32_t end = (b + 1) * BLOCK < m->cols ? (b + 1) * BLOCK : m->cols;
        float d = 1.0f, off = 0.0f;
        if (m->fmt == FMT_Q8) d = f16_to_f32(get_u16(sc + b * 32 + lane * 2));
        if (m->fmt == FMT_Q4) d = f16_to_f32(get_u16(sc + b * 64 + lane * 2)), off = f16_to_f32(get_u16(sc + b * 64 + 32 + lane * 2));
        if (m->fmt == FMT_MXFP4) d = e8m0(sc[b * 16 + lane]);
        for (int32_t c = b * BLOCK; c < end; c++) {
            float v;
            if (m->fmt == FMT_F32) memcpy(&v, p + ((int64_t)c * PANEL + lane) * 4, 4);
            else if (m->fmt == FMT_BF16) v = bf16_to_f32(get_u16(p + ((int64_t)c * PANEL + lane) * 2));
            else if (m->fmt == FMT_MXFP4) v = d * E2M1[get_code(m->fmt, p, c, lane)];
            else v = d * (float)get_code(m->fmt, p, c, lane) + off;
            out[c] = scale * v;
        }
    }
}

void unpack_matrix(const mat *m, float *w) {
    for (int32_t row = 0; row < m->rows; row++) decode_row(m, row, 1.0f, w + (int64_t)row * m->cols);
}

static float largest(const float *w) {
    float most = 0.0f;
    for (int i = 0; i < BLOCK; i++) most = fabsf(w[i]) > most ? fabsf(w[i]) : most;
    return most;
}

/* Nearest E2M1 code of x, ties to the even code. */
static int e2m1_code(float x) {
    static const float edges[7] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
    const float a = fabsf(x);
    int code = 0;
    for (int i = 0; i < 7; i++) code += a > edges[i] || (a == edges[i] && (i & 1));
    return code | (x < 0.0f && code ? 8 : 0);
}

/* The scale that brings max|w| under 8, or the next one, whichever has the smaller squared error. */
static void encode_mxfp4(const float *w, uint8_t *codes, uint8_t *scale) {
    const float most = largest(w);
    int e;
    frexpf(most, &e);
    double best = INFINITY;
    int chosen = 0;
    for (int s = e - 3 + 127; s <= e - 2 + 127 && most > 0.0f; s++) {
        const int clamped = s < 0 ? 0 : s > 254 ? 254 : s;
        const double step = ldexp(1.0, clamped - 127);
        double error = 0.0;
        for (int i = 0; i < BLOCK; i++) {
            const double gap = w[i] - step * E2M1[e2m1_code((float)(w[i] / step))];
            error += gap * gap;
        }
        if (error < best) best = error, chosen = clamped;
    }
    *scale = (uint8_t)chosen;
    for (int i = 0; i < BLOCK; i++) codes[i] = (uint8_t)e2m1_code((float)(w[i] / ldexp(1.0, chosen - 127)));
}

/* Past these numbers an f16 scale or offset, or the top E8M0 scale, does not reach. */
static const float LIMIT[FMT_COUNT] = {3.4028235e38f, 3.38953139e38f, 8.3e6f, 3.2e4f, 3.4028235e38f};

typedef struct { const void *data; int bf16; } numbers;
static float number_at(const numbers *w, int64_t i) {
    return w->bf16 ? bf16_to_f32(((const uint16_t *)w->data)[i]) : ((const float *)w->data)[i];
}

/* Columns [BLOCK][PANEL] of the block that begins at number `at` of the first of some rows. A short block repeats its last number, which
 * changes no scale. */
static void columns_of(const numbers *w, int64_t at, int64_t cols, int rows, int n, float *columns) {
    for (int lane = 0; lane < rows; lane++, at += cols, columns++) {
        if (n < BLOCK) for (int i = 0; i < BLOCK; i++) columns[i * PANEL] = number_at(w, at + (i < n ? i : n - 1));
        else if (w->bf16) for (int i = 0; i < BLOCK; i++) columns[i * PANEL] = bf16_to_f32(((const uint16_t *)w->data)[at + i]);
        else for (int i = 0; i < BLOCK; i++) columns[i * PANEL] = ((const float *)w->data)[at + i];
    }
}

/* One panel of q4 or q8 from number `at` on, `rows` of its rows there; 0: a number may be none, or too large. */
static int pack_blocks(const struct kernels *k, const mat *m, const numbers *w, int64_t at, int rows, uint8_t *panel) {
    uint8_t *scales = panel + m->codes_bytes;
    float columns[BLOCK * PANEL];
    int ok = 1;
    memset(columns, 0, sizeof columns);
    for (int32_t b = 0; b < m->blocks; b++) {
        const int n = m->cols - b * BLOCK < BLOCK ? m->cols - b * BLOCK : BLOCK;
        columns_of(w, at + b * BLOCK, m->cols, rows, n, columns);
        if (m->fmt == FMT_Q4) ok &= k->encode_q4(columns, n, panel + b * 256, scales + b * 64, LIMIT[FMT_Q4]);
        else ok &= k->encode_q8(columns, n, panel + b * 512, scales + b * 32, LIMIT[FMT_Q8]);
    }
    return ok;
}

static void pack_row(const mat *m, const numbers *w, int64_t at, uint8_t *panel, int lane) {
    for (int32_t b = 0; m->fmt == FMT_MXFP4 && b < m->blocks; b++) {
        const int n = m->cols - b * BLOCK < BLOCK ? m->cols - b * BLOCK : BLOCK;
        float block[BLOCK];
        uint8_t codes[BLOCK];
        for (int i = 0; i < BLOCK; i++) block[i] = number_at(w, at + b * BLOCK + (i < n ? i : n - 1));
        encode_mxfp4(block, codes, panel + m->codes_bytes + b * 16 + lane);
        for (int i = 0; i < n; i++) put_code(FMT_MXFP4, panel, b * BLOCK + i, lane, codes[i]);
    }
    for (int32_t c = 0; m->fmt <= FMT_BF16 && c < m->cols; c++) {
        const float x = number_at(w, at + c);
        if (m->fmt == FMT_BF16) put_u16(panel + ((int64_t)c * PANEL + lane) * 2, f32_to_bf16(x));
        else memcpy(panel + ((int64_t)c * PANEL + lane) * 4, &x, 4);
    }
}

int64_t pack_matrix(const struct kernels *k, const mat *m, const void *data, int bf16, uint8_t *out) {
    const numbers w = {data, bf16};
    for (int32_t p = 0; p < m->panels; p++) {
        const int rows = m->rows - p * PANEL < PANEL ? m->rows - p * PANEL : PANEL;
        const int64_t at = (int64_t)p * PANEL * m->cols;
        uint8_t *panel = out + p * m->panel_bytes;
        const int blocks = m->fmt == FMT_Q4 || m->fmt == FMT_Q8;
        if (!blocks || !pack_blocks(k, m, &w, at, rows, panel))
            for (int64_t i = at; i < at + (int64_t)rows * m->cols; i++)
                if (!(fabsf(number_at(&w, i)) <= LIMIT[m->fmt])) return i;
        for (int lane = 0; !blocks && lane < rows; lane++) pack_row(m, &w, at + (int64_t)lane * m->cols, panel, lane);
    }
    return -1;
}

int64_t pack_published_mxfp4(const mat *m, const uint8_t *blocks, const uint8_t *scales, uint8_t *out) {
    memset(out, 0, (size_t)mat_bytes(m));
    for (int32_t row = 0; row < m->rows; row++) {
        uint8_t *panel = out + row / PANEL * m->panel_bytes;
        const int lane = row % PANEL;
        for (int32_t b = 0; b < m->blocks; b++) {
            const uint8_t s = scales[(int64_t)row * m->blocks + b];
            if (s == 255) return (int64_t)row * m->blocks + b; /* NaN in E8M0 */
            panel[m->codes_bytes + b * 16 + lane] = s;
        }
        for (int32_t c = 0; c < m->cols; c++)
            put_code(FMT_MXFP4, panel, c, lane, blocks[((int64_t)row * m->cols + c) / 2] >> (c & 1 ? 4 : 0) & 15);
    }
    return -1;
}

void unpack_published_mxfp4(const mat *m, uint8_t *blocks, uint8_t *scales) {
    for (int32_t row = 0; row < m->rows; row++) {
        const uint8_t *panel = m->data + row / PANEL * m->panel_bytes;
        const int lane = row % PANEL;
        for (int32_t b = 0; b < m->blocks; b++) scales[(int64_t)row * m->blocks + b] = panel[m->codes_bytes + b * 16 + lane];
        for (int32_t c = 0; c < m->cols; c += 2)
            blocks[((int64_t)row * m->cols + c) / 2] =
                (uint8_t)(get_code(FMT_MXFP4, panel, c, lane) | get_code(FMT_MXFP4, panel, c + 1, lane) << 4);
    }
}
