/* Many rows: a slice of columns of one panel is decoded once into the first cache level and applied to all rows of the tile.
 *
 * The rows' codes are gathered before, 16 rows and a block of 32 columns adjacent, so that a group of rows is one stream of reads
 * wherever its rows lie. Each row and lane sees the operations of panel_fast in the same order, so the bits are the same.
 */

enum { GROUP = 16, SLICE = 16 };

typedef struct { int8_t q[GROUP][BLOCK]; float s[GROUP], total[GROUP]; int32_t start[GROUP]; } row_block;
typedef struct { wq c; float d[PANEL], m[PANEL]; } panel_block;
typedef struct { row_block a[GEMM_ROWS / GROUP][SLICE]; panel_block b[SLICE]; float y[GEMM_PANELS * GEMM_ROWS * PANEL]; } gemm_scratch;
typedef char gemm_scratch_fits[sizeof(gemm_scratch) <= GEMM_SCRATCH ? 1 : -1];

/* Blocks b0..b0+some-1 of n rows. Rows past n in the last group keep what they have: their results are never read. */
INLINE void gather_rows(int fmt, int matrix_unit, const mat *w, const row_map *rows, int32_t from, int32_t n, int32_t b0, int32_t some, gemm_scratch *t) {
    for (int32_t i = 0; i < n; i++) {
        const int64_t row = rows->in_rows ? rows->in_rows[from + i] : rows->first_in + from + i;
        const int8_t *q = rows->x.q + row * rows->x.q_stride;
        const float *s = (const float *)(const void *)(q + BLOCK * w->blocks) + b0;
        const int32_t *sums = (const int32_t *)(const void *)(s - b0 + w->blocks) + b0;
        row_block *to = t->a[i / GROUP];
        const int g = i % GROUP;
        for (int32_t k = 0; k < some; k++) {
            memcpy(to[k].q[g], q + BLOCK * (b0 + k), BLOCK);
            to[k].s[g] = s[k];
            if (fmt == FMT_Q4) to[k].total[g] = s[k] * (float)sums[k];
            else if (!matrix_unit) to[k].start[g] = start_of(fmt, sums[k]);
        }
    }
}

/* next: the panel whose turn comes after this one; slices are too short for the hardware to see a stream. */
INLINE void decode_panel(int fmt, const mat *w, const uint8_t *p, const uint8_t *next, int32_t next_b0, int32_t b0, int32_t some, panel_block *to) {
    for (int32_t k = 0; k < some; k++) {
        vf d[V16], m[V16];
        fetch_block(fmt, w, next, next_b0 + k);
        to[k].c = load_codes(fmt, p + (b0 + k) * (fmt == FMT_Q8 ? 512 : 256));
        load_scales(fmt, p + w->codes_bytes, b0 + k, d, m);
        UNROLL for (int v = 0; v < V16; v++) {
            v_store(to[k].d + v * VF, d[v]);
            if (fmt == FMT_Q4) v_store(to[k].m + v * VF, m[v]);
        }
    }
}

/* y[r] += the products of rows r0..r0+R-1 of a group over one slice. */
INLINE void group_rows(int fmt, const row_block *a, const panel_block *b, int32_t some, int r0, const int R, float *y) {
    vf acc[ROW_BLOCK][V16];
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int v = 0; v < V16; v++) acc[r][v] = v_load(y + r * PANEL + v * VF);
    for (int32_t k = 0; k < some; k++) {
        const wq c = b[k].c;
        vf d[V16], m[V16];
        UNROLL for (int v = 0; v < V16; v++) {
            d[v] = v_load(b[k].d + v * VF);
            if (fmt == FMT_Q4) m[v] = v_load(b[k].m + v * VF);
        }
        UNROLL for (int r = 0; r < R; r++) {
            const vi16 dots = dot_codes(fmt, &c, a[k].q[r0 + r], fmt == FMT_Q4 ? 0 : a[k].start[r0 + r]);
            add_block(fmt, acc[r], d, m, a[k].s[r0 + r], fmt == FMT_Q4 ? a[k].total[r0 + r] : 0.0f, &dots);
        }
    }
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int v = 0; v < V16; v++) v_store(y + r * PANEL + v * VF, acc[r][v]);
}

INLINE void group(int fmt, const row_block *a, const panel_block *b, int32_t some, int n, float *y) {
    int r = 0;
    for (; r + ROW_BLOCK <= n; r += ROW_BLOCK) group_rows(fmt, a, b, some, r, ROW_BLOCK, y + r * PANEL);
    for (; r < n; r++) group_rows(fmt, a, b, some, r, 1, y + r * PANEL);
}

#ifdef MATRIX_UNIT
#include MATRIX_UNIT
#else
enum { UNIT_FEW = FEW };
#define unit_begin() ((void)0)
#define unit_end() ((void)0)
#define unit_decode(fmt, w, p, next, next_b0, b0, some, to) ((void)0)
#define unit_group(fmt, a, b, p, b0, some, n, y) ((void)0)
#endif

/* t->y[j][i]: 16 results of the panel at `panels[j]` for row from + i of the map; n <= GEMM_ROWS, count <= GEMM_PANELS; int8 inputs only. */
INLINE void gemm_fmt(int fmt, int unit, const mat *w, const uint8_t *const *panels, int count, const row_map *rows, int32_t from, int32_t n, gemm_scratch *t) {
    memset(t->y, 0, sizeof(float) * PANEL * (size_t)(count * n));
    if (unit) unit_begin();
    for (int32_t b0 = 0; b0 < w->blocks; b0 += SLICE) {
        const int32_t some = w->blocks - b0 < SLICE ? w->blocks - b0 : SLICE;
        gather_rows(fmt, unit, w, rows, from, n, b0, some, t);
        for (int j = 0; j < count; j++) {
            const int last = j + 1 == count;
            const uint8_t *next = panels[last ? 0 : j + 1];
            const int32_t next_b0 = last && b0 + SLICE < w->blocks ? b0 + SLICE : b0;
            if (unit) unit_decode(fmt, w, panels[j], next, next_b0, b0, some, t->b);
            else decode_panel(fmt, w, panels[j], next, next_b0, b0, some, t->b);
            for (int32_t i = 0; i < n; i += GROUP) {
                const int here = n - i < GROUP ? n - i : GROUP;
                float *y = t->y + ((int64_t)j * n + i) * PANEL;
                if (unit) unit_group(fmt, t->a[i / GROUP], t->b, panels[j], b0, some, here, y);
                else group(fmt, t->a[i / GROUP], t->b, some, here, y);
            }
        }
    }
    if (unit) unit_end();
}

#define GEMM_FN(name, fmt, unit)                                                                                                    \
    static void name(const mat *w, const uint8_t *const *panels, int count, const row_map *rows, int32_t from, int32_t n, gemm_scratch *t) { \
        gemm_fmt(fmt, unit, w, panels, count, rows, from, n, t);                                                                    \
    }
#define GEMM_FNS(name, unit)            \
    GEMM_FN(name##_q8, FMT_Q8, unit)    \
    GEMM_FN(name##_q4, FMT_Q4, unit)    \
    GEMM_FN(name##_mxfp4, FMT_MXFP4, unit)
GEMM_FNS(gemm, 0)
#ifdef MATRIX_UNIT
GEMM_FNS(gemm_unit, 1)
#else
#define gemm_unit_q8 gemm_q8
#define gemm_unit_q4 gemm_q4
#define gemm_unit_mxfp4 gemm_mxfp4
#endif

INLINE void gemm(int unit, const mat *w, const uint8_t *const *panels, int count, const row_map *rows, int32_t from, int32_t n, gemm_scratch *t) {
    if (w->fmt == FMT_Q8) (unit ? gemm_unit_q8 : gemm_q8)(w, panels, count, rows, from, n, t);
    else if (w->fmt == FMT_Q4) (unit ? gemm_unit_q4 : gemm_q4)(w, panels, count, rows, from, n, t);
    else (unit ? gemm_unit_mxfp4 : gemm_mxfp4)(w, panels, count, rows, from, n, t);
}
