/* AVX2, FMA and F16C: 8 lanes. See isa_generic.h for the meaning of each primitive. */
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "isa_begin.h"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif

#define ROW_BLOCK 4
enum { VF = 8, V16 = 2 };
typedef __m256 vf;

INLINE vf v_load(const float *p) { return _mm256_loadu_ps(p); }
INLINE void v_store(float *p, vf a) { _mm256_storeu_ps(p, a); }
INLINE __m256i v_first(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
INLINE vf v_load_n(const float *p, int n) { return _mm256_maskload_ps(p, v_first(n)); }
INLINE void v_store_n(float *p, vf a, int n) { _mm256_maskstore_ps(p, v_first(n), a); }
INLINE vf v_set1(float a) { return _mm256_set1_ps(a); }
INLINE vf v_add(vf a, vf b) { return _mm256_add_ps(a, b); }
INLINE vf v_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
INLINE vf v_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
INLINE vf v_div(vf a, vf b) { return _mm256_div_ps(a, b); }
INLINE vf v_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
INLINE vf v_max(vf a, vf b) { return _mm256_max_ps(a, b); }
INLINE vf v_min(vf a, vf b) { return _mm256_min_ps(a, b); }
INLINE vf v_abs(vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
INLINE vf v_lt(vf a, vf b, vf x, vf y) { return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ)); }
INLINE float v_hsum(vf a) {
    __m128 h = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    h = _mm_add_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_add_ss(h, _mm_shuffle_ps(h, h, 1)));
}
INLINE float v_hmax(vf a) {
    __m128 h = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    h = _mm_max_ps(h, _mm_movehl_ps(h, h));
    return _mm_cvtss_f32(_mm_max_ss(h, _mm_shuffle_ps(h, h, 1)));
}
INLINE vf v_round(vf a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
INLINE vf v_scale(vf a, vf n) {
    return _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23)));
}
INLINE vf v_load_f16(const uint16_t *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)); }
INLINE void v_store_f16(uint16_t *p, vf a) { _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT)); }
INLINE vf v_load_bf16(const uint16_t *p) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)), 16));
}
INLINE void v_store_bf16(uint16_t *p, vf a) {
    const __m256i u = _mm256_castps_si256(a), odd = _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
    const __m256i r = _mm256_srli_epi32(_mm256_add_epi32(u, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff))), 16);
    const __m256i nan = _mm256_or_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(0x40));
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q));
    const __m256i w = _mm256_blendv_epi8(r, nan, is_nan);
    _mm_storeu_si128((__m128i *)p, _mm_packus_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1)));
}
INLINE void v_store_i8(int8_t *p, vf a) {
    const __m256i w = _mm256_cvtps_epi32(a);
    const __m128i h = _mm_packs_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
    _mm_storel_epi64((__m128i *)p, _mm_packs_epi16(h, h));
}
INLINE void v_store_i16(int16_t *p, vf a) {
    const __m256i w = _mm256_cvtps_epi32(a);
    _mm_storeu_si128((__m128i *)p, _mm_packs_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1)));
}
INLINE vf v_load_i8(const int8_t *p) { return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p))); }

/* Half of 2^(s - 127): 2^(s - 128), which is subnormal under s = 2. */
INLINE vf v_load_e8m0_half(const uint8_t *p) {
    const __m256i s = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p)), normal = _mm256_slli_epi32(_mm256_sub_epi32(s, _mm256_set1_epi32(1)), 23);
    const __m256i low = _mm256_cmpgt_epi32(_mm256_set1_epi32(2), s);
    return _mm256_castsi256_ps(_mm256_blendv_epi8(normal, _mm256_sllv_epi32(_mm256_set1_epi32(0x200000), s), low));
}

/* int8 dot products, see isa_generic.h. Words of 16 bits hold sums of as many products as cannot overflow. */
typedef struct { __m256i c[8][2]; } wq;
typedef struct { __m256i s[2]; } vi16;

INLINE __m256i four_of(const int8_t *a) { int32_t w; memcpy(&w, a, 4); return _mm256_set1_epi32(w); }
INLINE wq wq_load_q8(const uint8_t *p) {
    wq w;
    UNROLL for (int k = 0; k < 16; k++) w.c[k / 2][k % 2] = _mm256_loadu_si256((const __m256i *)(p + 32 * k));
    return w;
}
INLINE wq wq_load_q4(const uint8_t *p) {
    wq w;
    const __m256i low = _mm256_set1_epi8(15);
    UNROLL for (int k = 0; k < 8; k++) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(p + 32 * k));
        w.c[k / 2][k % 2] = _mm256_and_si256(x, low);
        w.c[4 + k / 2][k % 2] = _mm256_and_si256(_mm256_srli_epi16(x, 4), low);
    }
    return w;
}
/* Codes plus 12, so that they are unsigned. */
INLINE wq wq_load_mx(const uint8_t *p) {
    wq w = wq_load_q4(p);
    const __m256i table = _mm256_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0,
                                           12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0);
    UNROLL for (int k = 0; k < 16; k++) w.c[k / 2][k % 2] = _mm256_shuffle_epi8(table, w.c[k / 2][k % 2]);
    return w;
}
INLINE vi16 wq_dot_q8(const wq *w, const int8_t *a, int32_t start) {
    const __m256i ones = _mm256_set1_epi16(1);
    vi16 r = {{_mm256_setzero_si256(), _mm256_setzero_si256()}};
    (void)start;
    UNROLL for (int k = 0; k < 8; k++) {
        const __m256i x = four_of(a + 4 * k);
        UNROLL for (int h = 0; h < 2; h++) {
            const __m256i c = w->c[k][h], two = _mm256_maddubs_epi16(_mm256_abs_epi8(c), _mm256_sign_epi8(x, c));
            r.s[h] = _mm256_add_epi32(r.s[h], _mm256_madd_epi16(two, ones));
        }
    }
    return r;
}
INLINE vi16 wq_dot_once(const wq *w, const int8_t *a, int32_t start) { return wq_dot_q8(w, a, start); }
/* 8 quads of codes up to 15: at most 8 * 2 * 15 * 127 = 30480. */
INLINE vi16 wq_dot_q4(const wq *w, const int8_t *a, int32_t start) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i s[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    vi16 r;
    (void)start;
    UNROLL for (int k = 0; k < 8; k++) {
        const __m256i x = four_of(a + 4 * k);
        UNROLL for (int h = 0; h < 2; h++) s[h] = _mm256_add_epi16(s[h], _mm256_maddubs_epi16(w->c[k][h], x));
    }
    UNROLL for (int h = 0; h < 2; h++) r.s[h] = _mm256_madd_epi16(s[h], ones);
    return r;
}
/* 4 quads of codes up to 24: at most 4 * 2 * 24 * 127 = 24384. */
INLINE vi16 wq_dot_mx(const wq *w, const int8_t *a, int32_t start) {
    const __m256i ones = _mm256_set1_epi16(1);
    vi16 r = {{_mm256_set1_epi32(start), _mm256_set1_epi32(start)}};
    UNROLL for (int g = 0; g < 8; g += 4) {
        __m256i s[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
        UNROLL for (int k = g; k < g + 4; k++) {
            const __m256i x = four_of(a + 4 * k);
            UNROLL for (int h = 0; h < 2; h++) s[h] = _mm256_add_epi16(s[h], _mm256_maddubs_epi16(w->c[k][h], x));
        }
        UNROLL for (int h = 0; h < 2; h++) r.s[h] = _mm256_add_epi32(r.s[h], _mm256_madd_epi16(s[h], ones));
    }
    return r;
}
typedef struct { __m256i c[2]; } vp;
INLINE vi16 vi_zero(void) { const vi16 r = {{_mm256_setzero_si256(), _mm256_setzero_si256()}}; return r; }
INLINE vp vp_load(const int8_t *p) {
    const vp r = {{_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p)), _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(p + 16)))}};
    return r;
}
INLINE vi16 vp_dot(vi16 sum, const vp *x, const int16_t *w) {
    int32_t two;
    memcpy(&two, w, 4);
    UNROLL for (int h = 0; h < 2; h++) sum.s[h] = _mm256_add_epi32(sum.s[h], _mm256_madd_epi16(x->c[h], _mm256_set1_epi32(two)));
    return sum;
}
INLINE vf vi_f32(const vi16 *x, int v) { return _mm256_cvtepi32_ps(x->s[v]); }

enum { WQ_BIAS_Q8 = 0, WQ_BIAS_MX = 12 };
INLINE vf wq_column(const wq *w, int k, int b, int v) {
    return _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(w->c[k][v], 24 - 8 * b), 24));
}
