/* Matrix products by AMX int8 tiles: 16 rows x 32 columns times 32 columns x 16 weight rows are one instruction. Source: Intel SDM vol. 1 ch. 18.
 *
 * Tiles of 16 rows: 0, 1 sums, 2, 4 rows; of 8 rows: 5, 6 sums, 7 rows; 3 the panel's codes. Codes are signed here, so that a dot needs no
 * correction; the sums are the same integers as those of the vector path. */
#define UNIT_FN __attribute__((target("amx-tile,amx-int8")))
#define UNIT_SYNC __asm__ volatile("" ::: "memory") /* the compiler does not know what tile loads read */
enum { UNIT_FEW = 4 };

UNIT_FN static void unit_begin(void) {
    struct { uint8_t palette, start_row, reserved[14]; uint16_t row_bytes[16]; uint8_t rows[16]; } c = {
        1, 0, {0}, {64, 64, BLOCK, 64, BLOCK, 64, 64, BLOCK}, {16, 16, 16, 8, 16, 8, 8, 8}};
    UNIT_SYNC;
    _tile_loadconfig(&c);
}

UNIT_FN static void unit_end(void) { _tile_release(); }

INLINE void unit_decode(int fmt, const mat *w, const uint8_t *p, const uint8_t *next, int32_t next_b0, int32_t b0, int32_t some, panel_block *to) {
    const __m512i twice = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12));
    for (int32_t k = 0; k < some; k++) {
        vf d[V16], m[V16];
        fetch_block(fmt, w, next, next_b0 + k);
        if (fmt != FMT_Q8) to[k].c = wq_load_q4(p + (b0 + k) * 256);
        if (fmt == FMT_MXFP4) UNROLL for (int i = 0; i < 8; i++) to[k].c.c[i] = _mm512_shuffle_epi8(twice, to[k].c.c[i]);
        load_scales(fmt, p + w->codes_bytes, b0 + k, d, m);
        v_store(to[k].d, d[0]);
        if (fmt == FMT_Q4) v_store(to[k].m, m[0]);
    }
}

/* Where the codes of blocks b0.. of the panel at p lie, and how far apart: those of q8 go into tiles as they are. */
INLINE const uint8_t *unit_codes(int fmt, const panel_block *b, const uint8_t *p, int32_t b0, int64_t *apart) {
    *apart = fmt == FMT_Q8 ? 512 : (int64_t)sizeof *b;
    return fmt == FMT_Q8 ? p + (int64_t)b0 * 512 : (const uint8_t *)&b->c;
}

#define UNIT_SUMS(c0, a0)                        \
    do {                                         \
        _tile_zero(c0);                          \
        _tile_loadd(a0, a[k].q, BLOCK);          \
        _tile_loadd(3, codes + k * apart, 64);   \
        _tile_dpbssd(c0, a0, 3);                 \
        _tile_stored(c0, sums[k & 1], 64);       \
    } while (0)
#define UNIT_SUMS_OF(odd) do { if (R == 8) { if (odd) UNIT_SUMS(6, 7); else UNIT_SUMS(5, 7); } else if (odd) UNIT_SUMS(1, 4); else UNIT_SUMS(0, 2); } while (0)

/* R = 8 or 16 rows, of which n are wanted: the sums of block k are on their way while those of block k - 1 are scaled. */
UNIT_FN INLINE void unit_rows(int fmt, const int R, const row_block *a, const panel_block *b, const uint8_t *codes, int64_t apart,
                              int32_t some, int n, float *y) {
    int32_t sums[2][GROUP][PANEL] __attribute__((aligned(64)));
    vf acc[GROUP];
    UNROLL for (int r = 0; r < R; r++) acc[r] = r < n ? v_load(y + r * PANEL) : v_set1(0.0f);
    int32_t k = 0;
    UNIT_SUMS_OF(0);
    for (;;) {
        const int32_t done = k++;
        if (k < some) {
            if (k & 1) UNIT_SUMS_OF(1);
            else UNIT_SUMS_OF(0);
        }
        const vf d = v_load(b[done].d), m = v_load(b[done].m);
        UNROLL for (int r = 0; r < R; r++) {
            const vi16 dots = {_mm512_load_si512(sums[done & 1][r])};
            add_block(fmt, &acc[r], &d, &m, a[done].s[r], fmt == FMT_Q4 ? a[done].total[r] : 0.0f, &dots);
        }
        if (k >= some) break;
    }
    UNROLL for (int r = 0; r < R; r++)
        if (r < n) v_store(y + r * PANEL, acc[r]);
}

#define UNIT_GROUP(fmt)                                                                                                               \
    UNIT_FN static void unit_group_##fmt(const row_block *a, const panel_block *b, const uint8_t *p, int32_t b0, int32_t some, int n, \
                                         float *y) {                                                                                  \
        int64_t apart;                                                                                                                \
        const uint8_t *codes = unit_codes(fmt, b, p, b0, &apart);                                                                     \
        UNIT_SYNC;                                                                                                                    \
        if (n > 8) unit_rows(fmt, 16, a, b, codes, apart, some, n, y);                                                                \
        else unit_rows(fmt, 8, a, b, codes, apart, some, n, y);                                                                       \
    }
UNIT_GROUP(FMT_Q8)
UNIT_GROUP(FMT_Q4)
UNIT_GROUP(FMT_MXFP4)
#define unit_group(fmt, a, b, p, b0, some, n, y) \
    (fmt == FMT_Q8 ? unit_group_FMT_Q8 : fmt == FMT_Q4 ? unit_group_FMT_Q4 : unit_group_FMT_MXFP4)(a, b, p, b0, some, n, y)
