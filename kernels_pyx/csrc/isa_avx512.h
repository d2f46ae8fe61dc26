/* AVX-512 F, BW, DQ, VL and VNNI: 16 lanes. See isa_generic.h for the meaning of each primitive. */
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "isa_begin.h"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")
#endif

#define ROW_BLOCK 8
enum { VF = 16, V16 = 1 };
typedef __m512 vf;

INLINE vf v_load(const float *p) { return _mm512_loadu_ps(p); }
INLINE void v_store(float *p, vf a) { _mm512_storeu_ps(p, a); }
INLINE vf v_load_n(const float *p, int n) { return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p); }
INLINE void v_store_n(float *p, vf a, int n) { _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), a); }
INLINE vf v_set1(float a) { return _mm512_set1_ps(a); }
INLINE vf v_add(vf a, vf b) { return _mm512_add_ps(a, b); }
INLINE vf v_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
INLINE vf v_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
INLINE vf v_div(vf a, vf b) { return _mm512_div_ps(a, b); }
INLINE vf v_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
INLINE vf v_max(vf a, vf b) { return _mm512_max_ps(a, b); }
INLINE vf v_min(vf a, vf b) { return _mm512_min_ps(a, b); }
INLINE vf v_abs(vf a) { return _mm512_abs_ps(a); }
INLINE vf v_lt(vf a, vf b, vf x, vf y) { return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x); }
INLINE float v_hsum(vf a) {
    __m256 q = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 h = _mm_add_ps(_mm256_castps256_ps128(q), _mm256_extractf128_ps(q, 1));
    h = _mm_add_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_add_ss(h, _mm_shuffle_ps(h, h, 1)));
}
INLINE float v_hmax(vf a) {
    __m256 q = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 h = _mm_max_ps(_mm256_castps256_ps128(q), _mm256_extractf128_ps(q, 1));
    h = _mm_max_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_max_ss(h, _mm_shuffle_ps(h, h, 1)));
}
INLINE vf v_round(vf a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
INLINE vf v_scale(vf a, vf n) { return _mm512_scalef_ps(a, n); }
INLINE vf v_load_f16(const uint16_t *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p)); }
INLINE void v_store_f16(uint16_t *p, vf a) { _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT)); }
INLINE vf v_load_bf16(const uint16_t *p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16));
}
INLINE void v_store_bf16(uint16_t *p, vf a) {
    const __m512i u = _mm512_castps_si512(a), odd = _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
    const __m512i r = _mm512_srli_epi32(_mm512_add_epi32(u, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
    const __m512i nan = _mm512_or_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(0x40));
    const __m512i w = _mm512_mask_blend_epi32(_mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), r, nan);
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16(w));
}
INLINE void v_store_i8(int8_t *p, vf a) { _mm_storeu_si128((__m128i *)p, _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(a))); }
INLINE void v_store_i16(int16_t *p, vf a) { _mm256_storeu_si256((__m256i *)p, _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(a))); }
INLINE vf v_load_i8(const int8_t *p) { return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p))); }

/* Half of 2^(s - 127): 2^(s - 128), which is subnormal under s = 2. */
INLINE vf v_load_e8m0_half(const uint8_t *p) {
    const __m512i s = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)), normal = _mm512_slli_epi32(_mm512_sub_epi32(s, _mm512_set1_epi32(1)), 23);
    const __mmask16 low = _mm512_cmplt_epi32_mask(s, _mm512_set1_epi32(2));
    return _mm512_castsi512_ps(_mm512_mask_sllv_epi32(normal, low, _mm512_set1_epi32(0x200000), s));
}

/* int8 dot products by VNNI, see isa_generic.h. Signed codes are made unsigned by a bias that the sum of the a takes back. */
typedef struct { __m512i c[8]; } wq;
typedef struct { __m512i s; } vi16;

INLINE __m512i four_of(const int8_t *a) { int32_t w; memcpy(&w, a, 4); return _mm512_set1_epi32(w); }
INLINE wq wq_load_q8(const uint8_t *p) {
    wq w;
    UNROLL for (int k = 0; k < 8; k++) w.c[k] = _mm512_xor_si512(_mm512_loadu_si512(p + 64 * k), _mm512_set1_epi8((char)0x80));
    return w;
}
INLINE wq wq_load_q4(const uint8_t *p) {
    wq w;
    const __m512i low = _mm512_set1_epi8(15);
    UNROLL for (int k = 0; k < 4; k++) {
        const __m512i x = _mm512_loadu_si512(p + 64 * k);
        w.c[k] = _mm512_and_si512(x, low);
        w.c[k + 4] = _mm512_and_si512(_mm512_srli_epi16(x, 4), low);
    }
    return w;
}
INLINE wq wq_load_mx(const uint8_t *p) {
    wq w = wq_load_q4(p);
    const __m512i table =
        _mm512_broadcast_i32x4(_mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0));
    UNROLL for (int k = 0; k < 8; k++) w.c[k] = _mm512_shuffle_epi8(table, w.c[k]);
    return w;
}
#if defined(__GNUC__)
#define WQ_MX_PERMUTED
/* The same by VBMI's permutation, which looks at six bits: a table of four copies spares the masks. Only where there is a matrix unit, since
 * machines with tiles have it; as assembler, since functions for other targets are not inlined. */
INLINE wq wq_load_mx_permuted(const uint8_t *p) {
    const __m512i table =
        _mm512_broadcast_i32x4(_mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0));
    wq w;
    UNROLL for (int k = 0; k < 4; k++) {
        const __m512i x = _mm512_loadu_si512(p + 64 * k), high = _mm512_srli_epi16(x, 4);
        __asm__("vpermb %1, %2, %0" : "=v"(w.c[k]) : "v"(table), "v"(x));
        __asm__("vpermb %1, %2, %0" : "=v"(w.c[k + 4]) : "v"(table), "v"(high));
    }
    return w;
}
#endif
INLINE vi16 wq_dot(const wq *w, const int8_t *a, __m512i start) {
    vi16 r = {start};
    UNROLL for (int k = 0; k < 8; k++) r.s = _mm512_dpbusd_epi32(r.s, w->c[k], four_of(a + 4 * k));
    return r;
}
/* As wq_dot_q8, for keys in registers and a query that is read once: its bytes come with the product. */
INLINE vi16 wq_dot_once(const wq *w, const int8_t *a, int32_t start) {
#if defined(__GNUC__)
    vi16 r = {_mm512_set1_epi32(start)};
    UNROLL for (int k = 0; k < 8; k++)
        __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(r.s) : "v"(w->c[k]), "m"(*(const int32_t *)(const void *)(a + 4 * k)));
    return r;
#else
    return wq_dot(w, a, _mm512_set1_epi32(start));
#endif
}
INLINE vi16 wq_dot_q8(const wq *w, const int8_t *a, int32_t start) { return wq_dot(w, a, _mm512_set1_epi32(start)); }
INLINE vi16 wq_dot_q4(const wq *w, const int8_t *a, int32_t start) { (void)start; return wq_dot(w, a, _mm512_setzero_si512()); }
INLINE vi16 wq_dot_mx(const wq *w, const int8_t *a, int32_t start) { return wq_dot(w, a, _mm512_set1_epi32(start)); }
typedef struct { __m512i c; } vp;
INLINE vi16 vi_zero(void) { const vi16 r = {_mm512_setzero_si512()}; return r; }
INLINE vp vp_load(const int8_t *p) { const vp r = {_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)p))}; return r; }
INLINE vi16 vp_dot(vi16 sum, const vp *x, const int16_t *w) {
#if defined(__GNUC__) /* compilers copy the sums to and fro, and load w apart */
    __asm__("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sum.s) : "v"(x->c), "m"(*(const int32_t *)(const void *)w));
#else
    int32_t two;
    memcpy(&two, w, 4);
    sum.s = _mm512_dpwssd_epi32(sum.s, x->c, _mm512_set1_epi32(two));
#endif
    return sum;
}
INLINE vf vi_f32(const vi16 *x, int v) { (void)v; return _mm512_cvtepi32_ps(x->s); }

enum { WQ_BIAS_Q8 = 128, WQ_BIAS_MX = 12 };
INLINE vf wq_column(const wq *w, int k, int b, int v) {
    (void)v;
    return _mm512_cvtepi32_ps(_mm512_and_si512(_mm512_srli_epi32(w->c[k], (unsigned)(8 * b)), _mm512_set1_epi32(255)));
}
