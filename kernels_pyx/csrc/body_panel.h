/* One panel of 16 rows of weights times R rows of activations: y[r][lane] for lane in 0..15.
 *
 * fast:  y = sum over blocks of s_x (d * (c . q) + m * sum(q)), block dots exact in int32, sums over blocks in f32 in order.
 * exact: per block two chains (even and odd columns) of f32 fma, their sum added to y.
 * fmt and R are constants at each call, so that each becomes its own loop. A row's arithmetic does not depend on R.
 */

/* Half of 2^(s - 127), the step of E2M1 codes counted in halves. s = 0 is 2^-127, below the range of v_pow2. */
INLINE vf load_e8m0_half(const uint8_t *p) {
    const vf s = v_load_u8(p), e = v_max(v_sub(s, v_set1(127.0f)), v_set1(-126.0f));
    return v_mul(v_lt(s, v_set1(0.5f), v_set1(0x1p-127f), v_pow2(e)), v_set1(0.5f));
}

INLINE void load_scales(int fmt, const uint8_t *p, int32_t b, vf d[V16], vf m[V16]) {
    UNROLL for (int v = 0; v < V16; v++) {
        m[v] = v_set1(0.0f);
        if (fmt == FMT_Q8) d[v] = v_load_f16((const uint16_t *)(const void *)(p + b * 32) + v * VF);
        else if (fmt == FMT_Q4) {
            d[v] = v_load_f16((const uint16_t *)(const void *)(p + b * 64) + v * VF);
            m[v] = v_load_f16((const uint16_t *)(const void *)(p + b * 64 + 32) + v * VF);
        } else d[v] = load_e8m0_half(p + b * 16 + v * VF);
    }
}

/* P panels, one after the other in memory, at once: P streams of reads keep more lines in flight than one, and share the codes of x. */
INLINE void panel_fast(int fmt, const mat *w, const uint8_t *first, const int8_t *const *q, const int P, const int R, float *y) {
    enum { MOST = 8 };
    const int32_t blocks = w->blocks;
    vf acc[MOST][V16];
    UNROLL for (int i = 0; i < P * R; i++) UNROLL for (int v = 0; v < V16; v++) acc[i][v] = v_set1(0.0f);
    for (int32_t b = 0; b < blocks; b++)
        UNROLL for (int j = 0; j < P; j++) {
            const uint8_t *p = first + j * w->panel_bytes, *codes = p + b * (fmt == FMT_Q8 ? 512 : 256);
            const wq c = fmt == FMT_Q8 ? wq_load_q8(codes) : fmt == FMT_Q4 ? wq_load_q4(codes) : wq_load_mx(codes);
            vf d[V16], m[V16];
            load_scales(fmt, p + w->codes_bytes, b, d, m);
            UNROLL for (int r = 0; r < R; r++) {
                const float *scales = (const float *)(const void *)(q[r] + BLOCK * blocks);
                const int8_t *a = q[r] + BLOCK * b;
                int32_t sum;
                memcpy(&sum, scales + blocks + b, 4);
                const vi16 dots = fmt == FMT_Q8 ? wq_dot_q8(&c, a, sum) : fmt == FMT_Q4 ? wq_dot_q4(&c, a, sum) : wq_dot_mx(&c, a, sum);
                const vf s = v_set1(scales[b]), total = v_set1((float)sum);
                UNROLL for (int v = 0; v < V16; v++) {
                    vf t = v_mul(d[v], vi_f32(&dots, v));
                    if (fmt == FMT_Q4) t = v_fma(m[v], total, t);
                    acc[j * R + r][v] = v_fma(s, t, acc[j * R + r][v]);
                }
            }
        }
    UNROLL for (int i = 0; i < P * R; i++) UNROLL for (int v = 0; v < V16; v++) v_store(y + i * PANEL + v * VF, acc[i][v]);
}

/* Weights of block b as f32 [32][16]. d c + m: the product is exact in f32, so that there is one rounding, as in unpacking. */
INLINE void decode_block(int fmt, const mat *w, const uint8_t *p, int32_t b, float *out) {
    const uint8_t *codes = p + (int64_t)b * (fmt == FMT_Q8 ? 512 : 256);
    const wq c = fmt == FMT_Q8 ? wq_load_q8(codes) : fmt == FMT_Q4 ? wq_load_q4(codes) : wq_load_mx(codes);
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

INLINE void panel_exact(int fmt, const mat *w, const uint8_t *p, const float *const *x, const int P, const int R, float *y) {
    (void)P; /* always one panel */
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
#define PANEL_FN(name, kind, type, fmt, R) \
    static void name##_##R(const mat *w, const uint8_t *p, const type *const *x, float *y) { panel_##kind(fmt, w, p, x, 1, R, y); }
#if ROW_BLOCK >= 8
#define PANEL_FN_8(...) PANEL_FN(__VA_ARGS__, 8)
#define BY_8(name) for (; i + 8 <= n; i += 8) name##_8(w, p, x + i, y + i * PANEL);
#else
#define PANEL_FN_8(...)
#define BY_8(name)
#endif
#if ROW_BLOCK >= 4
#define PANEL_FN_4(...) PANEL_FN(__VA_ARGS__, 4)
#define BY_4(name) for (; i + 4 <= n; i += 4) name##_4(w, p, x + i, y + i * PANEL);
#else
#define PANEL_FN_4(...)
#define BY_4(name)
#endif
#define PANEL_FNS(name, kind, type, fmt)                                                      \
    PANEL_FN(name, kind, type, fmt, 1)                                                        \
    PANEL_FN(name, kind, type, fmt, 2)                                                        \
    PANEL_FN_4(name, kind, type, fmt)                                                         \
    PANEL_FN_8(name, kind, type, fmt)                                                         \
    static void name(const mat *w, const uint8_t *p, const type *const *x, int n, float *y) { \
        int i = 0;                                                                            \
        BY_8(name)                                                                            \
        BY_4(name)                                                                            \
        for (; i + 2 <= n; i += 2) name##_2(w, p, x + i, y + i * PANEL);                      \
        for (; i < n; i++) name##_1(w, p, x + i, y + i * PANEL);                              \
    }
/* One row: pairs and fours of panels. */
#define STREAMS_FN(name, fmt)                                                                                                            \
    static void name##_x4(const mat *w, const uint8_t *p, const int8_t *const *q, float *y) { panel_fast(fmt, w, p, q, 4, 1, y); } \
    static void name##_x2(const mat *w, const uint8_t *p, const int8_t *const *q, float *y) { panel_fast(fmt, w, p, q, 2, 1, y); }
STREAMS_FN(fast_q8, FMT_Q8)
STREAMS_FN(fast_q4, FMT_Q4)
STREAMS_FN(fast_mxfp4, FMT_MXFP4)
PANEL_FNS(exact_f32, exact, float, FMT_F32)
PANEL_FNS(exact_bf16, exact, float, FMT_BF16)
PANEL_FNS(exact_q8, exact, float, FMT_Q8)
PANEL_FNS(exact_q4, exact, float, FMT_Q4)
PANEL_FNS(exact_mxfp4, exact, float, FMT_MXFP4)
PANEL_FNS(fast_q8, fast, int8_t, FMT_Q8)
PANEL_FNS(fast_q4, fast, int8_t, FMT_Q4)
PANEL_FNS(fast_mxfp4, fast, int8_t, FMT_MXFP4)

enum { CHUNK = 32 }; /* rows whose results wait for the epilogue */

/* y[i] = 16 results of panel `panel` for rows from..from+n-1 of the map, n <= CHUNK. */
static void panel_rows(const mat *w, int32_t panel, const row_map *rows, int32_t from, int n, int exact, float *y) {
    const uint8_t *p = w->data + panel * w->panel_bytes;
    const float *x[CHUNK];
    const int8_t *q[CHUNK];
    const int use_q = !exact && w->fmt >= FMT_Q8;
    for (int i = 0; i < n; i++) {
        const int64_t row = rows->in_rows ? rows->in_rows[from + i] : rows->first_in + from + i;
        if (use_q) q[i] = rows->x.q + row * rows->x.q_stride;
        else x[i] = rows->x.x + row * rows->x.x_stride;
    }
    switch (w->fmt) {
    case FMT_F32: exact_f32(w, p, x, n, y); break;
    case FMT_BF16: exact_bf16(w, p, x, n, y); break;
    case FMT_Q8: if (use_q) fast_q8(w, p, q, n, y); else exact_q8(w, p, x, n, y); break;
    case FMT_Q4: if (use_q) fast_q4(w, p, q, n, y); else exact_q4(w, p, x, n, y); break;
    default: if (use_q) fast_mxfp4(w, p, q, n, y); else exact_mxfp4(w, p, x, n, y);
    }
}

/* y[j][i]: the same for `panels` panels. */
static void panels_rows(const mat *w, int32_t panel, int panels, const row_map *rows, int32_t from, int n, int exact, float *y) {
    int j = 0;
    if (n == 1 && !exact && w->fmt >= FMT_Q8) {
        const int64_t row = rows->in_rows ? rows->in_rows[from] : rows->first_in + from;
        const int8_t *q = rows->x.q + row * rows->x.q_stride;
        for (; j + 2 <= panels;) {
            const uint8_t *p = w->data + (panel + j) * w->panel_bytes;
            const int four = j + 4 <= panels;
            float *to = y + j * PANEL;
            if (w->fmt == FMT_Q8) (four ? fast_q8_x4 : fast_q8_x2)(w, p, &q, to);
            else if (w->fmt == FMT_Q4) (four ? fast_q4_x4 : fast_q4_x2)(w, p, &q, to);
            else (four ? fast_mxfp4_x4 : fast_mxfp4_x2)(w, p, &q, to);
            j += four ? 4 : 2;
        }
    }
    for (; j < panels; j++) panel_rows(w, panel + j, rows, from, n, exact, y + (int64_t)j * n * PANEL);
}
