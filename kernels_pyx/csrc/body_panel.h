/* One panel of 16 rows of weights times R rows of activations: y[r][lane] for lane in 0..15.
 *
 * fast:  y = sum over blocks of (d s_x) (c . q) + m (s_x sum(q)), block dots exact in int32, sums over blocks in f32 in order.
 * exact: per block two chains (even and odd columns) of f32 fma, their sum added to y.
 * fmt and R are constants at each call, so that each becomes its own loop. A row's arithmetic does not depend on R.
 */

INLINE void load_scales(int fmt, const uint8_t *p, int32_t b, vf d[V16], vf m[V16]) {
    UNROLL for (int v = 0; v < V16; v++) {
        m[v] = v_set1(0.0f);
        if (fmt == FMT_Q8) d[v] = v_load_f16((const uint16_t *)(const void *)(p + b * 32) + v * VF);
        else if (fmt == FMT_Q4) {
            d[v] = v_load_f16((const uint16_t *)(const void *)(p + b * 64) + v * VF);
            m[v] = v_load_f16((const uint16_t *)(const void *)(p + b * 64 + 32) + v * VF);
        } else d[v] = v_load_e8m0_half(p + b * 16 + v * VF); /* E2M1 codes count halves */
    }
}

/* What biased codes add to a dot, taken back: the start of its sum. */
INLINE int32_t start_of(int fmt, int32_t sum) { return fmt == FMT_Q8 ? -WQ_BIAS_Q8 * sum : fmt == FMT_Q4 ? 0 : -WQ_BIAS_MX * sum; }

#if defined(MATRIX_UNIT) && defined(WQ_MX_PERMUTED)
enum { MX_PERMUTED = FMT_COUNT }; /* FMT_MXFP4 by wq_load_mx_permuted */
INLINE wq load_codes(int fmt, const uint8_t *p) {
    return fmt == FMT_Q8 ? wq_load_q8(p) : fmt == FMT_Q4 ? wq_load_q4(p) : fmt == MX_PERMUTED ? wq_load_mx_permuted(p) : wq_load_mx(p);
}
#else
INLINE wq load_codes(int fmt, const uint8_t *p) { return fmt == FMT_Q8 ? wq_load_q8(p) : fmt == FMT_Q4 ? wq_load_q4(p) : wq_load_mx(p); }
#endif

INLINE vi16 dot_codes(int fmt, const wq *c, const int8_t *a, int32_t start) {
    return fmt == FMT_Q8 ? wq_dot_q8(c, a, start) : fmt == FMT_Q4 ? wq_dot_q4(c, a, start) : wq_dot_mx(c, a, start);
}

/* acc += (d s) dots + m total, with total = s sum(q): the one order of operations of all fast paths. */
INLINE void add_block(int fmt, vf *acc, const vf *d, const vf *m, float s, float total, const vi16 *dots) {
    UNROLL for (int v = 0; v < V16; v++) {
        acc[v] = v_fma(v_mul(d[v], v_set1(s)), vi_f32(dots, v), acc[v]);
        if (fmt == FMT_Q4) acc[v] = v_fma(m[v], v_set1(total), acc[v]);
    }
}

/* Block b of the panel at p comes to the cache. */
INLINE void fetch_block(int fmt, const mat *w, const uint8_t *p, int32_t b) {
    const int codes = fmt == FMT_Q8 ? 512 : 256, scales = fmt == FMT_Q8 ? 32 : fmt == FMT_Q4 ? 64 : 16;
    for (int i = 0; i < codes; i += 64) PREFETCH(p + (int64_t)b * codes + i);
    PREFETCH(p + w->codes_bytes + (int64_t)b * scales);
}

/* The panels at p[0..P-1] at once: P streams of reads keep more lines in flight than one, and share the codes of x.
 * A panel is too short for the hardware to see a stream, so what comes AHEAD blocks later is fetched: the last ones have those of the
 * panel `next` bytes behind instead, which is read after this one.
 * Rows n..R-1 repeat a row; y[j][r] of the others go `stride` rows apart from panel to panel. */
INLINE void panel_fast(int fmt, const mat *w, const uint8_t *const *panels, int64_t next, const int8_t *const *q, const int P, const int R,
                       int n, int stride, float *y) {
    enum { MOST = 16, AHEAD = 16 };
    const int32_t blocks = w->blocks;
    vf acc[MOST][V16];
    UNROLL for (int i = 0; i < P * R; i++) UNROLL for (int v = 0; v < V16; v++) acc[i][v] = v_set1(0.0f);
    for (int32_t b0 = 0; b0 < blocks; b0 += AHEAD) {
        const int32_t some = blocks - b0 < AHEAD ? blocks - b0 : AHEAD;
        float total[MOST][AHEAD];
        int32_t start[MOST][AHEAD];
        for (int r = 0; r < R; r++) {
            const float *s = (const float *)(const void *)(q[r] + BLOCK * blocks) + b0;
            const int32_t *sums = (const int32_t *)(const void *)(s - b0 + blocks) + b0;
            for (int k = 0; k < some; k++) {
                if (fmt == FMT_Q4) total[r][k] = s[k] * (float)sums[k];
                else start[r][k] = start_of(fmt, sums[k]);
            }
        }
        for (int32_t k = 0; k < some; k++) {
            const int32_t b = b0 + k, last = b + AHEAD >= blocks, later = last ? b + AHEAD - blocks : b + AHEAD;
            const int64_t there = last ? next : 0;
            UNROLL for (int j = 0; j < P; j++) {
                const uint8_t *p = panels[j];
                fetch_block(fmt, w, p + there, later);
                const wq c = load_codes(fmt, p + b * (fmt == FMT_Q8 ? 512 : 256));
                vf d[V16], m[V16];
                load_scales(fmt, p + w->codes_bytes, b, d, m);
                UNROLL for (int r = 0; r < R; r++) {
                    const float *s = (const float *)(const void *)(q[r] + BLOCK * blocks);
                    const vi16 dots = dot_codes(fmt, &c, q[r] + BLOCK * b, fmt == FMT_Q4 ? 0 : start[r][k]);
                    add_block(fmt, acc[j * R + r], d, m, s[b], fmt == FMT_Q4 ? total[r][k] : 0.0f, &dots);
                }
            }
        }
    }
    UNROLL for (int j = 0; j < P; j++)
        UNROLL for (int r = 0; r < R; r++)
            if (r < n) UNROLL for (int v = 0; v < V16; v++) v_store(y + (j * stride + r) * PANEL + v * VF, acc[j * R + r][v]);
}

/* Weights of block b as f32 [32][16]. d c + m: the product is exact in f32, so that there is one rounding, as in unpacking. */
INLINE void decode_block(int fmt, const mat *w, const uint8_t *p, int32_t b, float *out) {
    const uint8_t *codes = p + (int64_t)b * (fmt == FMT_Q8 ? 512 : 256);
    const wq c = load_codes(fmt, codes);
    const vf bias = v_set1((float)(fmt == FMT_Q8 ? WQ_BIAS_Q8 : fmt == FMT_MXFP4 ? WQ_BIAS_MX : 0));
    vf d[V16], m[V16];
    load_scales(fmt, p + w->codes_bytes, b, d, m);
    UNROLL for (int k = 0; k < 8; k++) UNROLL for (int i = 0; i < 4; i++) UNROLL for (int v = 0; v < V16; v++)
        v_store(out + (4 * k + i) * PANEL + v * VF, v_fma(d[v], v_sub(wq_column(&c, k, i, v), bias), m[v]));
}
static void decode_q8(const mat *w, const uint8_t *p, int32_t b, float *out) { decode_block(FMT_Q8, w, p, b, out); }
static void decode_q4(const mat *w, const uint8_t *p, int32_t b, float *out) { decode_block(FMT_Q4, w, p, b, out); }
static void decode_mxfp4(const mat *w, const uint8_t *p, int32_t b, float *out) { decode_block(FMT_MXFP4, w, p, b, out); }
static void decode_bf16(const uint8_t *p, int32_t b, int32_t cols, float *out) {
    const uint16_t *h = (const uint16_t *)(const void *)p + (int64_t)b * BLOCK * PANEL;
    for (int32_t i = 0; i < cols * PANEL; i += VF) v_store(out + i, v_load_bf16(h + i));
}

INLINE void panel_exact(int fmt, const mat *w, const uint8_t *p, const float *const *x, const int R, float *y) {
    enum { MOST = 8 };
    float decoded[BLOCK * PANEL];
    vf acc[MOST][V16];
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int v = 0; v < V16; v++) acc[r][v] = v_set1(0.0f);
    for (int32_t b = 0; b < w->blocks; b++) {
        const int32_t at = b * BLOCK, cols = w->cols - at < BLOCK ? w->cols - at : BLOCK;
        const float *f = (const float *)(const void *)p + (int64_t)at * PANEL;
        if (fmt == FMT_BF16) decode_bf16(p, b, cols, decoded);
        else if (fmt == FMT_Q8) decode_q8(w, p, b, decoded);
        else if (fmt == FMT_Q4) decode_q4(w, p, b, decoded);
        else if (fmt == FMT_MXFP4) decode_mxfp4(w, p, b, decoded);
        if (fmt != FMT_F32) f = decoded;
        UNROLL for (int v = 0; v < V16; v++) {
            vf even[MOST], odd[MOST];
            UNROLL for (int r = 0; r < R; r++) even[r] = odd[r] = v_set1(0.0f);
            int32_t i = 0;
            for (; i + 2 <= cols; i += 2) {
                const vf w0 = v_load(f + i * PANEL + v * VF), w1 = v_load(f + (i + 1) * PANEL + v * VF);
                UNROLL for (int r = 0; r < R; r++) {
                    even[r] = v_fma(w0, v_set1(x[r][at + i]), even[r]);
                    odd[r] = v_fma(w1, v_set1(x[r][at + i + 1]), odd[r]);
                }
            }
            if (i < cols) {
                const vf w0 = v_load(f + i * PANEL + v * VF);
                UNROLL for (int r = 0; r < R; r++) even[r] = v_fma(w0, v_set1(x[r][at + i]), even[r]);
            }
            UNROLL for (int r = 0; r < R; r++) acc[r][v] = v_add(acc[r][v], v_add(even[r], odd[r]));
        }
    }
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int v = 0; v < V16; v++) v_store(y + r * PANEL + v * VF, acc[r][v]);
}

/* ROW_BLOCK of the instruction set: as many rows at once as leave registers for codes and accumulators. One copy of each loop a format and an R. */
#if ROW_BLOCK >= 8
#define UP_TO_8(...) __VA_ARGS__
#else
#define UP_TO_8(...)
#endif
#if ROW_BLOCK >= 4
#define UP_TO_4(...) __VA_ARGS__
#else
#define UP_TO_4(...)
#endif
#define EXACT_FN(name, fmt, R) \
    static void name##_##R(const mat *w, const uint8_t *p, const float *const *x, float *y) { panel_exact(fmt, w, p, x, R, y); }
#define EXACT_FNS(name, fmt)                                                                                 \
    EXACT_FN(name, fmt, 1)                                                                                   \
    EXACT_FN(name, fmt, 2)                                                                                   \
    UP_TO_4(EXACT_FN(name, fmt, 4))                                                                          \
    UP_TO_8(EXACT_FN(name, fmt, 8))                                                                          \
    static void name(const mat *w, const uint8_t *p, const float *const *x, int n, float *y) {               \
        int i = 0;                                                                                           \
        UP_TO_8(for (; i + 8 <= n; i += 8) name##_8(w, p, x + i, y + i * PANEL);)                            \
        UP_TO_4(for (; i + 4 <= n; i += 4) name##_4(w, p, x + i, y + i * PANEL);)                            \
        for (; i + 2 <= n; i += 2) name##_2(w, p, x + i, y + i * PANEL);                                     \
        for (; i < n; i++) name##_1(w, p, x + i, y + i * PANEL);                                             \
    }
EXACT_FNS(exact_f32, FMT_F32)
EXACT_FNS(exact_bf16, FMT_BF16)
EXACT_FNS(exact_q8, FMT_Q8)
EXACT_FNS(exact_q4, FMT_Q4)
EXACT_FNS(exact_mxfp4, FMT_MXFP4)

/* Few rows: R rows (the last ones repeated) on as many panels at once as accumulators allow. */
enum { MOST_PANELS = 4 };
#define FAST_FN(name, fmt, P, R) \
    static void name##_##P##_##R(const mat *w, const uint8_t *const *p, int64_t next, const int8_t *const *q, int n, int stride, float *y) { \
        panel_fast(fmt, w, p, next, q, P, R, n, stride, y);                                                                                \
    }
#define BY_PANELS(name, P, R) \
    for (; j + P <= panels; j += P) name##_##P##_##R(w, p + j, next, q, n, stride, y + (int64_t)j * stride * PANEL);
#define FAST_FNS(name, fmt)                                                                                                                  \
    FAST_FN(name, fmt, 4, 1)                                                                                                                 \
    FAST_FN(name, fmt, 2, 1)                                                                                                                 \
    FAST_FN(name, fmt, 1, 1)                                                                                                                 \
    FAST_FN(name, fmt, 2, 2)                                                                                                                 \
    FAST_FN(name, fmt, 1, 2)                                                                                                                 \
    UP_TO_4(FAST_FN(name, fmt, 1, 4))                                                                                                        \
    UP_TO_8(FAST_FN(name, fmt, 4, 2) FAST_FN(name, fmt, 4, 4) FAST_FN(name, fmt, 2, 4) FAST_FN(name, fmt, 2, 8) FAST_FN(name, fmt, 1, 8))    \
    static void name(const mat *w, const uint8_t *const *p, int panels, int64_t next, const int8_t *const *q, int n, int stride, float *y) {        \
        int j = 0;                                                                                                                           \
        if (n == 1) { BY_PANELS(name, 4, 1) BY_PANELS(name, 2, 1) BY_PANELS(name, 1, 1) }                                                    \
        else if (n == 2) { UP_TO_8(BY_PANELS(name, 4, 2)) BY_PANELS(name, 2, 2) BY_PANELS(name, 1, 2) }                                      \
        UP_TO_4(else if (n <= 4) { UP_TO_8(BY_PANELS(name, 4, 4) BY_PANELS(name, 2, 4)) BY_PANELS(name, 1, 4) })                             \
        UP_TO_8(else { BY_PANELS(name, 2, 8) BY_PANELS(name, 1, 8) })                                                                        \
    }
FAST_FNS(fast_q8, FMT_Q8)
FAST_FNS(fast_q4, FMT_Q4)
FAST_FNS(fast_mxfp4, FMT_MXFP4)
#if defined(MATRIX_UNIT) && defined(WQ_MX_PERMUTED)
FAST_FNS(fast_mxfp4_unit, MX_PERMUTED)
#else
#define fast_mxfp4_unit fast_mxfp4
#endif

enum { CHUNK = 32 }; /* rows whose results wait for the epilogue */

/* y[j][i] = 16 results of the panel at p[j] for row from + i of the map; n <= CHUNK. The panels `next` bytes behind are read after these. */
static void panels_rows(int unit, const mat *w, const uint8_t *const *p, int panels, int64_t next, const row_map *rows, int32_t from, int n,
                        int exact, float *y) {
    const float *x[CHUNK];
    const int8_t *q[CHUNK + ROW_BLOCK];
    if (!exact && w->fmt >= FMT_Q8) {
        for (int i = 0; i < n + ROW_BLOCK; i++) {
            const int32_t k = from + (i < n ? i : n - 1);
            q[i] = rows->x.q + (rows->in_rows ? rows->in_rows[k] : rows->first_in + k) * rows->x.q_stride;
        }
        for (int i = 0; i < n; i += ROW_BLOCK) {
            const int here = n - i < ROW_BLOCK ? n - i : ROW_BLOCK;
            (w->fmt == FMT_Q8 ? fast_q8 : w->fmt == FMT_Q4 ? fast_q4 : unit ? fast_mxfp4_unit : fast_mxfp4)(
                w, p, panels, next, q + i, here, n, y + i * PANEL);
        }
        return;
    }
    for (int i = 0; i < n; i++) x[i] = rows->x.x + (rows->in_rows ? rows->in_rows[from + i] : rows->first_in + from + i) * rows->x.x_stride;
    for (int j = 0; j < panels; j++, y += n * PANEL)
        switch (w->fmt) {
        case FMT_F32: exact_f32(w, p[j], x, n, y); break;
        case FMT_BF16: exact_bf16(w, p[j], x, n, y); break;
        case FMT_Q8: exact_q8(w, p[j], x, n, y); break;
        case FMT_Q4: exact_q4(w, p[j], x, n, y); break;
        default: exact_mxfp4(w, p[j], x, n, y);
        }
}
