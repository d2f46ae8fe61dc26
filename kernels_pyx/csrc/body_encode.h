/* Blocks of 16 rows at once, a lane a row: what a lane becomes depends on its own row alone, sums go down the columns, and no product is
 * fused with a sum, so that every instruction set writes the same bytes. w: columns [BLOCK][PANEL]; the codes of columns from n on are 0.
 *
 * Returns 0 where a number may be none or beyond what the format holds; the caller looks closer.
 */

/* What an f16 holds of each lane. */
INLINE vf as_f16(vf x) {
    uint16_t h[VF];
    v_store_f16(h, x);
    return v_load_f16(h);
}

/* Whether all numbers are known to be within the limit, lane by lane from their sum and the largest of them. */
INLINE int within(vf total, vf most, float limit) {
    const vf bad = v_set1(1.0f), good = v_set1(0.0f);
    const vf no_number = v_lt(v_abs(total), v_set1(limit * (float)(2 * BLOCK)), good, bad);
    return !(v_hmax(v_max(no_number, v_lt(v_set1(limit), most, bad, good))) > 0.0f);
}

/* d = max|w| / 127 in f16; codes follow the rounded d. codes: int8 of the panel's layout, scales: 16 f16. */
static int encode_q8_block(const float *w, int n, uint8_t *codes, uint8_t *scales, float limit) {
    int ok = 1;
    int8_t c[BLOCK][PANEL];
    for (int v = 0; v < V16; v++) {
        const vf zero = v_set1(0.0f), top = v_set1(127.0f), bottom = v_set1(-127.0f);
        vf most = zero, total = zero;
        for (int i = 0; i < BLOCK; i++) {
            const vf x = v_load(w + i * PANEL + v * VF);
            most = v_max(most, v_abs(x));
            total = v_add(total, x);
        }
        ok &= within(total, most, limit);
        uint16_t h[VF];
        v_store_f16(h, v_div(most, top));
        const vf d = v_load_f16(h);
        memcpy(scales + v * VF * 2, h, sizeof h);
        for (int i = 0; i < BLOCK; i++) {
            const vf code = v_min(v_max(v_round(v_div(v_load(w + i * PANEL + v * VF), d)), bottom), top);
            v_store_i8(c[i] + v * VF, i < n ? v_lt(zero, d, code, zero) : zero);
        }
    }
    for (int k = 0; k < BLOCK / 4; k++)
        for (int lane = 0; lane < PANEL; lane++)
            for (int b = 0; b < 4; b++) codes[k * 64 + lane * 4 + b] = (uint8_t)c[4 * k + b][lane];
    return ok;
}

/* q4: scale d and offset m (f16) and codes 0..15 with w ~ d c + m, small squared error.
 *
 * Starts: min -> 0 and max -> 15, 14, 13 or 12 (published blocks do not always use all codes). Each is refined by least squares: given
 * the codes, the best d and m; given those, the best codes. That also averages out the rounding of published weights to bf16.
 */
INLINE vf q4_code(vf x, vf m, vf inverse) {
    return v_min(v_max(v_round(v_mul(v_sub(x, m), inverse)), v_set1(0.0f)), v_set1(15.0f));
}
INLINE vf q4_inverse(vf d) { return v_lt(v_set1(0.0f), d, v_div(v_set1(1.0f), d), v_set1(0.0f)); }

typedef struct { vf error, c, cc, cw; } q4_sums; /* the squared error, and the sums of c, c^2, c w that least squares needs */

INLINE q4_sums q4_try(const float *w, vf d, vf m, int all) {
    const vf inverse = q4_inverse(d);
    q4_sums s;
    s.error = s.c = s.cc = s.cw = v_set1(0.0f);
    for (int i = 0; i < BLOCK; i++) {
        const vf x = v_load(w + i * PANEL), c = q4_code(x, m, inverse), gap = v_sub(x, v_add(v_mul(d, c), m));
        s.error = v_add(s.error, v_mul(gap, gap));
        if (!all) continue;
        s.c = v_add(s.c, c);
        s.cc = v_add(s.cc, v_mul(c, c));
        s.cw = v_add(s.cw, v_mul(c, x));
    }
    return s;
}

/* codes: nibbles of the panel's layout, scales: 16 f16 of d, then of m. */
static int encode_q4_block(const float *w, int n, uint8_t *codes, uint8_t *scales, float limit) {
    int ok = 1;
    int8_t c[BLOCK][PANEL];
    const vf zero = v_set1(0.0f), many = v_set1((float)BLOCK);
    for (int v = 0; v < V16; v++) {
        const float *x = w + v * VF;
        vf lo = v_load(x), hi = lo, total = zero;
        for (int i = 0; i < BLOCK; i++) {
            const vf one = v_load(x + i * PANEL);
            lo = v_min(lo, one);
            hi = v_max(hi, one);
            total = v_add(total, one);
        }
        ok &= within(total, v_max(v_abs(lo), v_abs(hi)), limit);
        lo = v_add(lo, zero), hi = v_add(hi, zero); /* no -0 */
        const vf first = as_f16(lo);
        vf best_d = zero, best_m = first, best = v_set1(INFINITY);
        for (int top = 15; top >= 12; top--) {
            vf d = as_f16(v_div(v_sub(hi, lo), v_set1((float)top))), m = first;
            for (int round = 0; round < 3; round++) {
                const q4_sums s = round < 2 ? q4_try(x, d, m, 1) : q4_try(x, d, m, 0);
                best_d = v_lt(s.error, best, d, best_d);
                best_m = v_lt(s.error, best, m, best_m);
                best = v_lt(s.error, best, s.error, best);
                if (round == 2) break;
                const vf det = v_sub(v_mul(many, s.cc), v_mul(s.c, s.c));
                const vf slope = v_div(v_sub(v_mul(many, s.cw), v_mul(s.c, total)), det);
                const vf next = as_f16(v_lt(zero, slope, slope, zero));
                const vf offset = as_f16(v_mul(v_sub(total, v_mul(next, s.c)), v_set1(1.0f / BLOCK)));
                d = v_lt(zero, det, next, d); /* where all codes are equal, there is nothing to refine */
                m = v_lt(zero, det, offset, m);
            }
            if (!(v_hmax(best) > 0.0f)) break; /* every lane is exact, and nothing is better than that */
        }
        const vf inverse = q4_inverse(best_d);
        for (int i = 0; i < BLOCK; i++) v_store_i8(c[i] + v * VF, i < n ? q4_code(v_load(x + i * PANEL), best_m, inverse) : zero);
        uint16_t h[VF];
        v_store_f16(h, best_d);
        memcpy(scales + v * VF * 2, h, sizeof h);
        v_store_f16(h, best_m);
        memcpy(scales + (PANEL + v * VF) * 2, h, sizeof h);
    }
    for (int k = 0; k < BLOCK / 8; k++)
        for (int lane = 0; lane < PANEL; lane++)
            for (int b = 0; b < 4; b++)
                codes[k * 64 + lane * 4 + b] = (uint8_t)(c[4 * k + b][lane] | c[BLOCK / 2 + 4 * k + b][lane] << 4);
    return ok;
}
