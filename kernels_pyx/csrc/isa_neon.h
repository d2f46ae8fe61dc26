/* AArch64 NEON with the int8 dot product: 4 lanes. See isa_generic.h for the meaning of each primitive. */
#include <arm_neon.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "isa_begin.h"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif

#define ROW_BLOCK 4
enum { VF = 4, V16 = 4 };
typedef float32x4_t vf;

INLINE vf v_load(const float *p) { return vld1q_f32(p); }
INLINE void v_store(float *p, vf a) { vst1q_f32(p, a); }
INLINE vf v_load_n(const float *p, int n) {
    float t[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = 0; i < n; i++) t[i] = p[i];
    return vld1q_f32(t);
}
INLINE void v_store_n(float *p, vf a, int n) {
    float t[4];
    vst1q_f32(t, a);
    for (int i = 0; i < n; i++) p[i] = t[i];
}
INLINE vf v_set1(float a) { return vdupq_n_f32(a); }
INLINE vf v_add(vf a, vf b) { return vaddq_f32(a, b); }
INLINE vf v_sub(vf a, vf b) { return vsubq_f32(a, b); }
INLINE vf v_mul(vf a, vf b) { return vmulq_f32(a, b); }
INLINE vf v_div(vf a, vf b) { return vdivq_f32(a, b); }
INLINE vf v_fma(vf a, vf b, vf c) { return vfmaq_f32(c, a, b); }
INLINE vf v_max(vf a, vf b) { return vmaxq_f32(a, b); }
INLINE vf v_min(vf a, vf b) { return vminq_f32(a, b); }
INLINE vf v_abs(vf a) { return vabsq_f32(a); }
INLINE vf v_lt(vf a, vf b, vf x, vf y) { return vbslq_f32(vcltq_f32(a, b), x, y); }
INLINE float v_hsum(vf a) {
    const float32x2_t h = vadd_f32(vget_low_f32(a), vget_high_f32(a));
    return vget_lane_f32(h, 0) + vget_lane_f32(h, 1);
}
INLINE float v_hmax(vf a) { return vmaxvq_f32(a); }
INLINE vf v_round(vf a) { return vrndnq_f32(a); }
INLINE vf v_scale(vf a, vf n) {
    return vmulq_f32(a, vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtnq_s32_f32(n), vdupq_n_s32(127)), 23)));
}
INLINE vf v_load_f16(const uint16_t *p) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))); }
INLINE void v_store_f16(uint16_t *p, vf a) { vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(a))); }
INLINE vf v_load_bf16(const uint16_t *p) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16)); }
INLINE void v_store_bf16(uint16_t *p, vf a) {
    const uint32x4_t u = vreinterpretq_u32_f32(a), odd = vandq_u32(vshrq_n_u32(u, 16), vdupq_n_u32(1));
    const uint32x4_t r = vshrq_n_u32(vaddq_u32(u, vaddq_u32(odd, vdupq_n_u32(0x7fff))), 16);
    const uint32x4_t nan = vorrq_u32(vshrq_n_u32(u, 16), vdupq_n_u32(0x40));
    vst1_u16(p, vmovn_u32(vbslq_u32(vceqq_f32(a, a), r, nan)));
}
INLINE void v_store_i8(int8_t *p, vf a) {
    const int16x4_t h = vqmovn_s32(vcvtnq_s32_f32(a));
    const int8x8_t b = vqmovn_s16(vcombine_s16(h, h));
    vst1_lane_s32((int32_t *)(void *)p, vreinterpret_s32_s8(b), 0);
}
INLINE void v_store_i16(int16_t *p, vf a) { vst1_s16(p, vqmovn_s32(vcvtnq_s32_f32(a))); }
INLINE vf v_load_i8(const int8_t *p) {
    int32_t w;
    memcpy(&w, p, 4);
    return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(w))))));
}

/* Half of 2^(s - 127): 2^(s - 128), which is subnormal under s = 2. */
INLINE vf v_load_e8m0_half(const uint8_t *p) {
    uint32_t w;
    memcpy(&w, p, 4);
    const uint32x4_t s = vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(w)))));
    const uint32x4_t subnormal = vshlq_u32(vdupq_n_u32(0x200000), vreinterpretq_s32_u32(s));
    return vreinterpretq_f32_u32(vbslq_u32(vcltq_u32(s, vdupq_n_u32(2)), subnormal, vshlq_n_u32(vsubq_u32(s, vdupq_n_u32(1)), 23)));
}

/* int8 dot products by sdot, see isa_generic.h. */
typedef struct { int8x16_t c[8][4]; } wq;
typedef struct { int32x4_t s[4]; } vi16;

INLINE int8x16_t four_of(const int8_t *a) { int32_t w; memcpy(&w, a, 4); return vreinterpretq_s8_s32(vdupq_n_s32(w)); }
INLINE wq wq_load_q8(const uint8_t *p) {
    wq w;
    UNROLL for (int k = 0; k < 32; k++) w.c[k / 4][k % 4] = vreinterpretq_s8_u8(vld1q_u8(p + 16 * k));
    return w;
}
INLINE wq wq_load_q4(const uint8_t *p) {
    wq w;
    UNROLL for (int k = 0; k < 16; k++) {
        const uint8x16_t x = vld1q_u8(p + 16 * k);
        w.c[k / 4][k % 4] = vreinterpretq_s8_u8(vandq_u8(x, vdupq_n_u8(15)));
        w.c[4 + k / 4][k % 4] = vreinterpretq_s8_u8(vshrq_n_u8(x, 4));
    }
    return w;
}
INLINE wq wq_load_mx(const uint8_t *p) {
    static const int8_t twice[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    const int8x16_t table = vld1q_s8(twice);
    wq w = wq_load_q4(p);
    UNROLL for (int k = 0; k < 32; k++) w.c[k / 4][k % 4] = vqtbl1q_s8(table, vreinterpretq_u8_s8(w.c[k / 4][k % 4]));
    return w;
}
INLINE vi16 wq_dot_q8(const wq *w, const int8_t *a, int32_t start) {
    vi16 r;
    (void)start;
    UNROLL for (int g = 0; g < 4; g++) r.s[g] = vdupq_n_s32(0);
    UNROLL for (int k = 0; k < 8; k++) {
        const int8x16_t x = four_of(a + 4 * k);
        UNROLL for (int g = 0; g < 4; g++) r.s[g] = vdotq_s32(r.s[g], w->c[k][g], x);
    }
    return r;
}
INLINE vi16 wq_dot_once(const wq *w, const int8_t *a, int32_t start) { return wq_dot_q8(w, a, start); }
INLINE vi16 wq_dot_q4(const wq *w, const int8_t *a, int32_t start) { return wq_dot_q8(w, a, start); }
INLINE vi16 wq_dot_mx(const wq *w, const int8_t *a, int32_t start) { return wq_dot_q8(w, a, start); }
typedef struct { int16x8_t first[2], second[2]; } vp;
INLINE vi16 vi_zero(void) {
    vi16 r;
    UNROLL for (int g = 0; g < 4; g++) r.s[g] = vdupq_n_s32(0);
    return r;
}
INLINE vp vp_load(const int8_t *p) {
    const int8x16x2_t x = vld2q_s8(p);
    const vp r = {{vmovl_s8(vget_low_s8(x.val[0])), vmovl_high_s8(x.val[0])}, {vmovl_s8(vget_low_s8(x.val[1])), vmovl_high_s8(x.val[1])}};
    return r;
}
INLINE vi16 vp_dot(vi16 sum, const vp *x, const int16_t *w) {
    UNROLL for (int h = 0; h < 2; h++) {
        sum.s[2 * h] = vmlal_n_s16(vmlal_n_s16(sum.s[2 * h], vget_low_s16(x->first[h]), w[0]), vget_low_s16(x->second[h]), w[1]);
        sum.s[2 * h + 1] = vmlal_high_n_s16(vmlal_high_n_s16(sum.s[2 * h + 1], x->first[h], w[0]), x->second[h], w[1]);
    }
    return sum;
}
INLINE vf vi_f32(const vi16 *x, int v) { return vcvtq_f32_s32(x->s[v]); }

enum { WQ_BIAS_Q8 = 0, WQ_BIAS_MX = 0 };
INLINE vf wq_column(const wq *w, int k, int b, int v) {
    const int32x4_t top = vshlq_s32(vreinterpretq_s32_s8(w->c[k][v]), vdupq_n_s32(24 - 8 * b));
    return vcvtq_f32_s32(vshrq_n_s32(top, 24));
}
