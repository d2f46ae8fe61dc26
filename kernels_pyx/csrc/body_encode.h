/* q4 blocks: scale d and offset m (f16) and codes 0..15 with w ~ d c + m, small squared error, deterministic.
 *
 * Starts: min -> 0 and max -> 15, 14, 13 or 12 (published blocks do not always use all codes). Each is refined by least squares: given
 * the codes, the best d and m; given those, the best codes. That also averages out the rounding of published weights to bf16.
 */
typedef struct { float d, m, error; } fit;

INLINE float as_f16(float x) {
    float t[VF];
    uint16_t h[VF];
    v_store(t, v_set1(x));
    v_store_f16(h, v_load(t));
    v_store(t, v_load_f16(h));
    return t[0];
}

/* Codes for (d, m), the squared error, and the sums of c, c^2, c w that least squares needs. */
INLINE float codes_for(const float *w, float d, float m, float *codes, float sums[3]) {
    const vf inverse = v_set1(d > 0.0f ? 1.0f / d : 0.0f), dv = v_set1(d), mv = v_set1(m);
    vf e = v_set1(0.0f), c1 = e, c2 = e, cw = e;
    UNROLL for (int i = 0; i < BLOCK; i += VF) {
        const vf x = v_load(w + i);
        const vf c = v_min(v_max(v_round(v_mul(v_sub(x, mv), inverse)), v_set1(0.0f)), v_set1(15.0f));
        const vf gap = v_sub(x, v_fma(dv, c, mv));
        e = v_fma(gap, gap, e);
        c1 = v_add(c1, c);
        c2 = v_fma(c, c, c2);
        cw = v_fma(c, x, cw);
        v_store(codes + i, c);
    }
    sums[0] = v_hsum(c1);
    sums[1] = v_hsum(c2);
    sums[2] = v_hsum(cw);
    return v_hsum(e);
}

static void encode_q4_block(const float *w, uint8_t *codes, uint16_t *scale, uint16_t *offset) {
    vf lov = v_load(w), hiv = lov, sv = v_set1(0.0f);
    for (int i = 0; i < BLOCK; i += VF) {
        const vf x = v_load(w + i);
        lov = v_min(lov, x);
        hiv = v_max(hiv, x);
        sv = v_add(sv, x);
    }
    const float hi = v_hmax(hiv), lo = -v_hmax(v_sub(v_set1(0.0f), lov)), sw = v_hsum(sv);
    float c[BLOCK], sums[3];
    fit best = {0.0f, as_f16(lo), INFINITY};
    for (int top = 15; top >= 12; top--) {
        float d = as_f16((hi - lo) / (float)top), m = as_f16(lo);
        for (int round = 0; round < 3; round++) {
            const float e = codes_for(w, d, m, c, sums);
            if (e < best.error) best = (fit){d, m, e};
            const float det = (float)BLOCK * sums[1] - sums[0] * sums[0];
            if (!(det > 0.0f) || best.error == 0.0f) break;
            const float slope = ((float)BLOCK * sums[2] - sums[0] * sw) / det;
            d = as_f16(slope > 0.0f ? slope : 0.0f);
            m = as_f16((sw - d * sums[0]) / (float)BLOCK);
        }
        if (best.error == 0.0f) break;
    }
    codes_for(w, best.d, best.m, c, sums);
    for (int i = 0; i < BLOCK; i++) codes[i] = (uint8_t)c[i];
    uint16_t h[VF];
    v_store_f16(h, v_set1(best.d));
    *scale = h[0];
    v_store_f16(h, v_set1(best.m));
    *offset = h[0];
}
