/* Matrix products by AMX int8 tiles: 16 rows x 32 columns times 32 columns x 16 weight rows are one instruction. Source: Intel SDM vol. 1 ch. 18.
 *
 * Tiles: 0, 1 sums of a full group, 2 its rows, 3 the panel's codes; 4, 5 sums and 6 rows of the last, short group. Codes are signed here,
 * so that a dot needs no correction; the sums are the same integers as those of the vector path. */
#define UNIT_FN __attribute__((target("amx-tile,amx-int8")))
#define UNIT_SYNC __asm__ volatile("" ::: "memory") /* the compiler does not know what tile loads read */

UNIT_FN static void unit_begin(int last) {
    struct { uint8_t palette, start_row, reserved[14]; uint16_t row_bytes[16]; uint8_t rows[16]; } c;
    memset(&c, 0, sizeof c);
    c.palette = 1;
    for (int i = 0; i < 7; i++) {
        c.row_bytes[i] = i == 2 || i == 6 ? BLOCK : 64;
        c.rows[i] = i == 3 ? 8 : i < 3 ? 16 : (uint8_t)(last ? last : 1);
    }
    UNIT_SYNC;
    _tile_loadconfig(&c);
}

UNIT_FN static void unit_end(void) { _tile_release(); }

INLINE void unit_decode(int fmt, const mat *w, const uint8_t *p, int32_t b0, int32_t some, panel_block *to) {
    const __m512i twice = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12));
    for (int32_t k = 0; k < some; k++) {
        vf d[V16], m[V16];
        if (fmt == FMT_Q8) memcpy(&to[k].c, p + (b0 + k) * 512, 512);
        else to[k].c = wq_load_q4(p + (b0 + k) * 256);
        if (fmt == FMT_MXFP4) UNROLL for (int i = 0; i < 8; i++) to[k].c.c[i] = _mm512_shuffle_epi8(twice, to[k].c.c[i]);
        load_scales(fmt, p + w->codes_bytes, b0 + k, d, m);
        v_store(to[k].d, d[0]);
        if (fmt == FMT_Q4) v_store(to[k].m, m[0]);
    }
}

#define UNIT_SUMS(c0, a0)                        \
    do {                                         \
        _tile_zero(c0);                          \
        _tile_loadd(a0, a[k].q, BLOCK);          \
        _tile_loadd(3, &b[k].c, 64);             \
        _tile_dpbssd(c0, a0, 3);                 \
        _tile_stored(c0, sums[k & 1], 64);       \
    } while (0)

/* A full group: the sums of block k are on their way while those of block k - 1 are scaled. */
UNIT_FN INLINE void unit_full(int fmt, const row_block *a, const panel_block *b, int32_t some, float *y) {
    int32_t sums[2][GROUP][PANEL] __attribute__((aligned(64)));
    vf acc[GROUP];
    UNROLL for (int r = 0; r < GROUP; r++) acc[r] = v_load(y + r * PANEL);
    int32_t k = 0;
    UNIT_SUMS(0, 2);
    for (;;) {
        const int32_t done = k++;
        if (k < some) {
            if (k & 1) UNIT_SUMS(1, 2);
            else UNIT_SUMS(0, 2);
        }
        const vf d = v_load(b[done].d), m = v_load(b[done].m);
        UNROLL for (int r = 0; r < GROUP; r++) {
            const vi16 dots = {_mm512_load_si512(sums[done & 1][r])};
            add_block(fmt, &acc[r], &d, &m, a[done].s[r], fmt == FMT_Q4 ? a[done].total[r] : 0.0f, &dots);
        }
        if (k >= some) break;
    }
    UNROLL for (int r = 0; r < GROUP; r++) v_store(y + r * PANEL, acc[r]);
}

UNIT_FN INLINE void unit_short(int fmt, const row_block *a, const panel_block *b, int32_t some, int n, float *y) {
    int32_t sums[2][GROUP][PANEL] __attribute__((aligned(64)));
    for (int32_t k = 0; k < some; k++) {
        UNIT_SUMS(4, 6);
        const vf d = v_load(b[k].d), m = v_load(b[k].m);
        for (int r = 0; r < n; r++) {
            const vi16 dots = {_mm512_load_si512(sums[k & 1][r])};
            vf acc = v_load(y + r * PANEL);
            add_block(fmt, &acc, &d, &m, a[k].s[r], fmt == FMT_Q4 ? a[k].total[r] : 0.0f, &dots);
            v_store(y + r * PANEL, acc);
        }
    }
}

#define UNIT_GROUP(fmt) \
    UNIT_FN static void unit_group_##fmt(const row_block *a, const panel_block *b, int32_t some, int n, float *y) { \
        UNIT_SYNC; \
        if (n == GROUP) unit_full(fmt, a, b, some, y); else unit_short(fmt, a, b, some, n, y);                       \
    }
UNIT_GROUP(FMT_Q8)
UNIT_GROUP(FMT_Q4)
UNIT_GROUP(FMT_MXFP4)
#define unit_group(fmt, a, b, some, n, y) \
    (fmt == FMT_Q8 ? unit_group_FMT_Q8 : fmt == FMT_Q4 ? unit_group_FMT_Q4 : unit_group_FMT_MXFP4)(a, b, some, n, y)
