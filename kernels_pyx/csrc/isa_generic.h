/* Vector primitives in plain C: the reference that every other set is tested against, and the fallback.
 *
 * Every isa_*.h gives the same names. vf: VF lanes of f32. v_hsum adds halves, then halves of those (a fixed tree).
 * v_round: to nearest, ties to even. v_scale: a * 2^n of integral n in -126..127. v_lt(a, b, x, y): a < b ? x : y by lane (y at NaN).
 * v_load_n, v_store_n: the first n < VF lanes, the others zero or untouched. v_store_i8: rounded, values within -127..127.
 * v_store_i16: rounded, values within -32767..32767; what is no number becomes any code.
 * v16: one panel of 16 lanes as V16 vectors. i16: 16 sums of int32.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "isa_begin.h"
#include "scalar.h"
#undef UNROLL
#define UNROLL /* loops over plain structs: unrolled, they take the compiler a minute */

#define ROW_BLOCK 2
enum { VF = 4, V16 = 4 };
typedef struct { float f[4]; } vf;

#define V_MAP(expr) do { vf r_; for (int i = 0; i < VF; i++) r_.f[i] = (expr); return r_; } while (0)
INLINE vf v_load(const float *p) { vf r; memcpy(&r, p, sizeof r); return r; }
INLINE void v_store(float *p, vf a) { memcpy(p, &a, sizeof a); }
INLINE vf v_load_n(const float *p, int n) { V_MAP(i < n ? p[i] : 0.0f); }
INLINE void v_store_n(float *p, vf a, int n) { for (int i = 0; i < n; i++) p[i] = a.f[i]; }
INLINE vf v_set1(float a) { V_MAP(a); }
INLINE vf v_add(vf a, vf b) { V_MAP(a.f[i] + b.f[i]); }
INLINE vf v_sub(vf a, vf b) { V_MAP(a.f[i] - b.f[i]); }
INLINE vf v_mul(vf a, vf b) { V_MAP(a.f[i] * b.f[i]); }
INLINE vf v_div(vf a, vf b) { V_MAP(a.f[i] / b.f[i]); }
INLINE vf v_fma(vf a, vf b, vf c) { V_MAP(a.f[i] * b.f[i] + c.f[i]); }
INLINE vf v_max(vf a, vf b) { V_MAP(a.f[i] > b.f[i] ? a.f[i] : b.f[i]); }
INLINE vf v_min(vf a, vf b) { V_MAP(a.f[i] < b.f[i] ? a.f[i] : b.f[i]); }
INLINE vf v_abs(vf a) { V_MAP(fabsf(a.f[i])); }
INLINE vf v_lt(vf a, vf b, vf x, vf y) { V_MAP(a.f[i] < b.f[i] ? x.f[i] : y.f[i]); }
INLINE float v_hsum(vf a) { return (a.f[0] + a.f[2]) + (a.f[1] + a.f[3]); }
INLINE float v_hmax(vf a) { return fmaxf(fmaxf(a.f[0], a.f[2]), fmaxf(a.f[1], a.f[3])); }
/* Adding 1.5 * 2^23 rounds to an integer in the default mode; larger values are integral already. */
INLINE vf v_round(vf a) { V_MAP(fabsf(a.f[i]) < 4194304.0f ? (a.f[i] + 12582912.0f) - 12582912.0f : a.f[i]); }

INLINE vf v_scale(vf a, vf n) { V_MAP(a.f[i] * bits_to_f32((uint32_t)((int32_t)n.f[i] + 127) << 23)); }

INLINE vf v_load_f16(const uint16_t *p) { V_MAP(f16_to_f32(p[i])); }
INLINE void v_store_f16(uint16_t *p, vf a) { for (int i = 0; i < VF; i++) p[i] = f32_to_f16(a.f[i]); }
INLINE vf v_load_bf16(const uint16_t *p) { V_MAP(bf16_to_f32(p[i])); }
INLINE void v_store_bf16(uint16_t *p, vf a) { for (int i = 0; i < VF; i++) p[i] = f32_to_bf16(a.f[i]); }
INLINE void v_store_i8(int8_t *p, vf a) { a = v_round(a); for (int i = 0; i < VF; i++) p[i] = (int8_t)a.f[i]; }
INLINE void v_store_i16(int16_t *p, vf a) {
    a = v_round(a);
    for (int i = 0; i < VF; i++) p[i] = (int16_t)(fabsf(a.f[i]) <= 32767.0f ? a.f[i] : 0.0f);
}
INLINE vf v_load_i8(const int8_t *p) { V_MAP((float)p[i]); }

/* Half of 2^(s - 127): 2^(s - 128), which is subnormal under s = 2. */
INLINE vf v_load_e8m0_half(const uint8_t *p) { V_MAP(bits_to_f32(p[i] < 2 ? 0x200000u << p[i] : (uint32_t)(p[i] - 1) << 23)); }

/* int8 dot products. One block of one panel: 16 rows x 32 columns; byte [k][r][b] is row r, column 4k + b.
 * wq: its codes ready for dots. wq_dot_*: per row start plus the exact sum of code * a over the 32 columns; where
 * codes are biased (WQ_BIAS_*), start takes bias * sum(a) back.
 * Nibbles: byte j of chunk k < 4 holds column 4k + b low and 16 + 4k + b high. mxfp4 codes count halves (E2M1 times 2). */
typedef struct { int8_t c[8][16][4]; } wq;
typedef struct { int32_t s[16]; } vi16;

static const int8_t E2M1_TWICE[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

INLINE wq wq_load_q8(const uint8_t *p) { wq w; memcpy(&w, p, sizeof w); return w; }
INLINE wq wq_load_q4(const uint8_t *p) {
    wq w;
    int8_t *lo = &w.c[0][0][0];
    for (int i = 0; i < 256; i++) { lo[i] = (int8_t)(p[i] & 15); lo[i + 256] = (int8_t)(p[i] >> 4); }
    return w;
}
INLINE wq wq_load_mx(const uint8_t *p) {
    wq w;
    int8_t *lo = &w.c[0][0][0];
    for (int i = 0; i < 256; i++) { lo[i] = E2M1_TWICE[p[i] & 15]; lo[i + 256] = E2M1_TWICE[p[i] >> 4]; }
    return w;
}
INLINE vi16 wq_dot_q8(const wq *w, const int8_t *a, int32_t start) {
    vi16 r;
    for (int i = 0; i < 16; i++) {
        int32_t s = start;
        for (int k = 0; k < 8; k++) for (int b = 0; b < 4; b++) s += w->c[k][i][b] * a[4 * k + b];
        r.s[i] = s;
    }
    return r;
}
INLINE vi16 wq_dot_once(const wq *w, const int8_t *a, int32_t start) { return wq_dot_q8(w, a, start); }
INLINE vi16 wq_dot_q4(const wq *w, const int8_t *a, int32_t start) { return wq_dot_q8(w, a, start); }
INLINE vi16 wq_dot_mx(const wq *w, const int8_t *a, int32_t start) { return wq_dot_q8(w, a, start); }
/* vp: 16 pairs of int8 side by side. vp_dot: per pair, sum + first * w[0] + second * w[1]. */
typedef struct { int8_t c[16][2]; } vp;
INLINE vi16 vi_zero(void) { vi16 r; memset(&r, 0, sizeof r); return r; }
INLINE vp vp_load(const int8_t *p) { vp r; memcpy(&r, p, sizeof r); return r; }
INLINE vi16 vp_dot(vi16 sum, const vp *x, const int16_t *w) {
    for (int i = 0; i < 16; i++) sum.s[i] += x->c[i][0] * w[0] + x->c[i][1] * w[1];
    return sum;
}
INLINE vf vi_f32(const vi16 *x, int v) { V_MAP((float)x->s[v * VF + i]); }

/* Codes of column 4k + b as f32, lanes v * VF..; minus WQ_BIAS_* they are the signed codes. */
enum { WQ_BIAS_Q8 = 0, WQ_BIAS_MX = 0 };
INLINE vf wq_column(const wq *w, int k, int b, int v) { V_MAP((float)w->c[k][v * VF + i][b]); }
