/* Vector primitives in plain C: the reference that every other set is tested against, and the fallback.
 *
 * Every isa_*.h gives the same names. vf: VF lanes of f32. v_hsum adds halves, then halves of those (a fixed tree).
 * v_round: to nearest, ties to even. v_pow2: 2^n of integral n in -126..127. v_lt(a, b, x, y): a < b ? x : y by lane (y at NaN).
 * v_load_n, v_store_n: the first n < VF lanes, the others zero or untouched. v_store_i8: rounded, values within -127..127.
 * v16: one panel of 16 lanes as V16 vectors. i16: 16 sums of int32.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "isa_begin.h"

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

INLINE float bits_to_f32(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
INLINE uint32_t f32_to_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
INLINE vf v_pow2(vf n) { V_MAP(bits_to_f32((uint32_t)((int32_t)n.f[i] + 127) << 23)); }

/* Half precision by magic numbers: the exponent is moved by a multiplication, which also handles subnormals. */
INLINE float f16_to_f32(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00) return bits_to_f32(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    return bits_to_f32(sign | f32_to_bits(bits_to_f32(rest << 13) * 0x1p112f));
}
INLINE uint16_t f32_to_f16(float f) {
    const uint32_t u = f32_to_bits(f), sign = (u >> 16) & 0x8000, a = u & 0x7fffffff;
    if (a > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (a >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* 65520 and more round to infinity */
    if (a < 0x38800000) return (uint16_t)(sign | (f32_to_bits(bits_to_f32(a) + 0.5f) - 0x3f000000)); /* subnormal */
    return (uint16_t)(sign | ((a + 0xfff + ((a >> 13) & 1) - 0x38000000) >> 13));
}
INLINE float bf16_to_f32(uint16_t h) { return bits_to_f32((uint32_t)h << 16); }
INLINE uint16_t f32_to_bf16(float f) {
    const uint32_t u = f32_to_bits(f);
    if ((u & 0x7fffffff) > 0x7f800000) return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
INLINE vf v_load_f16(const uint16_t *p) { V_MAP(f16_to_f32(p[i])); }
INLINE void v_store_f16(uint16_t *p, vf a) { for (int i = 0; i < VF; i++) p[i] = f32_to_f16(a.f[i]); }
INLINE vf v_load_bf16(const uint16_t *p) { V_MAP(bf16_to_f32(p[i])); }
INLINE void v_store_bf16(uint16_t *p, vf a) { for (int i = 0; i < VF; i++) p[i] = f32_to_bf16(a.f[i]); }
INLINE void v_store_i8(int8_t *p, vf a) { a = v_round(a); for (int i = 0; i < VF; i++) p[i] = (int8_t)a.f[i]; }
INLINE vf v_load_i8(const int8_t *p) { V_MAP((float)p[i]); }
INLINE vf v_load_u8(const uint8_t *p) { V_MAP((float)p[i]); }
