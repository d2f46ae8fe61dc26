/* Matrix products by the int8 matrix instruction of AArch64: 2 rows x 8 columns times 8 columns x 2 weight rows. Source: Arm ARM, SMMLA.
 *
 * A panel's codes lie as [8 columns][2 weight rows][8], so that each vector meets two rows at once. The sums are the same integers as those of
 * the dot product, and are scaled in the same order. */
#if defined(__clang__)
#define UNIT_FN __attribute__((target("i8mm")))
#else
#define UNIT_FN __attribute__((target("+i8mm")))
#endif
enum { UNIT_FEW = 8 };
#define unit_begin() ((void)0)
#define unit_end() ((void)0)

INLINE void unit_decode(int fmt, const mat *w, const uint8_t *p, const uint8_t *next, int32_t next_b0, int32_t b0, int32_t some, panel_block *to) {
    decode_panel(fmt, w, p, next, next_b0, b0, some, to);
    for (int32_t k = 0; k < some; k++) {
        const wq c = to[k].c;
        UNROLL for (int i = 0; i < 4; i++)
            UNROLL for (int g = 0; g < 4; g++) {
                const int32x4_t even = vreinterpretq_s32_s8(c.c[2 * i][g]), odd = vreinterpretq_s32_s8(c.c[2 * i + 1][g]);
                to[k].c.c[2 * i + g / 2][g % 2 * 2] = vreinterpretq_s8_s32(vzip1q_s32(even, odd));
                to[k].c.c[2 * i + g / 2][g % 2 * 2 + 1] = vreinterpretq_s8_s32(vzip2q_s32(even, odd));
            }
    }
}

/* Four rows from row r of a group, eight lanes from 8 * half; only the rows under n are read from and written to y. */
UNIT_FN INLINE void unit_four(int fmt, const row_block *a, const panel_block *b, int32_t some, int r, int half, int n, float *y) {
    vf acc[4][2];
    UNROLL for (int i = 0; i < 4; i++)
        UNROLL for (int v = 0; v < 2; v++) acc[i][v] = r + i < n ? v_load(y + (r + i) * PANEL + half * 8 + v * VF) : v_set1(0.0f);
    for (int32_t k = 0; k < some; k++) {
        int32x4_t sums[2][4];
        UNROLL for (int i = 0; i < 2; i++) UNROLL for (int j = 0; j < 4; j++) sums[i][j] = vdupq_n_s32(0);
        UNROLL for (int c = 0; c < 4; c++) {
            const int8_t *q = a[k].q[r] + 8 * c;
            const int8x16_t x[2] = {vcombine_s8(vld1_s8(q), vld1_s8(q + BLOCK)), vcombine_s8(vld1_s8(q + 2 * BLOCK), vld1_s8(q + 3 * BLOCK))};
            UNROLL for (int j = 0; j < 4; j++)
                UNROLL for (int i = 0; i < 2; i++) sums[i][j] = vmmlaq_s32(sums[i][j], x[i], b[k].c.c[2 * c + half][j]);
        }
        UNROLL for (int v = 0; v < 2; v++) {
            const vf d = v_load(b[k].d + half * 8 + v * VF), m = v_load(b[k].m + half * 8 + v * VF);
            UNROLL for (int i = 0; i < 4; i++) {
                const int64x2_t low = vreinterpretq_s64_s32(sums[i / 2][2 * v]), high = vreinterpretq_s64_s32(sums[i / 2][2 * v + 1]);
                const vf dots = vcvtq_f32_s32(vreinterpretq_s32_s64(i % 2 ? vzip2q_s64(low, high) : vzip1q_s64(low, high)));
                acc[i][v] = v_fma(v_mul(d, v_set1(a[k].s[r + i])), dots, acc[i][v]);
                if (fmt == FMT_Q4) acc[i][v] = v_fma(m, v_set1(a[k].total[r + i]), acc[i][v]);
            }
        }
    }
    UNROLL for (int i = 0; i < 4; i++)
        if (r + i < n) UNROLL for (int v = 0; v < 2; v++) v_store(y + (r + i) * PANEL + half * 8 + v * VF, acc[i][v]);
}

#define UNIT_GROUP(fmt)                                                                                                \
    UNIT_FN static void unit_group_##fmt(const row_block *a, const panel_block *b, int32_t some, int n, float *y) {    \
        for (int half = 0; half < 2; half++)                                                                           \
            for (int r = 0; r < n; r += 4) unit_four(fmt, a, b, some, r, half, n, y);                                  \
    }
UNIT_GROUP(FMT_Q8)
UNIT_GROUP(FMT_Q4)
UNIT_GROUP(FMT_MXFP4)
#define unit_group(fmt, a, b, p, b0, some, n, y) \
    (fmt == FMT_Q8 ? unit_group_FMT_Q8 : fmt == FMT_Q4 ? unit_group_FMT_Q4 : unit_group_FMT_MXFP4)(a, b, some, n, y)
