/* Elementary functions over the vector primitives. Source of the polynomials: Cephes expf.c and tanhf.c (S. Moshier). */

/* e^x, about 1 ulp; 0 under -87.3, e^88 over 88; NaN stays NaN. */
INLINE vf v_exp(vf x) {
    const vf lo = v_set1(-87.3f), hi = v_set1(88.0f);
    const vf a = v_min(hi, v_max(lo, x)); /* in this order, so that what is no number stays so */
    const vf n = v_round(v_mul(a, v_set1(1.44269504088896341f)));
    vf r = v_fma(n, v_set1(-0.693359375f), a); /* ln 2 in two parts */
    r = v_fma(n, v_set1(2.12194440e-4f), r);
    vf p = v_set1(1.9875691500e-4f);
    p = v_fma(p, r, v_set1(1.3981999507e-3f));
    p = v_fma(p, r, v_set1(8.3334519073e-3f));
    p = v_fma(p, r, v_set1(4.1665795894e-2f));
    p = v_fma(p, r, v_set1(1.6666665459e-1f));
    p = v_fma(p, r, v_set1(5.0000001201e-1f));
    const vf y = v_scale(v_add(v_fma(v_mul(r, r), p, r), v_set1(1.0f)), n);
    return v_lt(x, lo, v_set1(0.0f), y);
}

INLINE vf v_sigmoid(vf x) { return v_div(v_set1(1.0f), v_add(v_set1(1.0f), v_exp(v_sub(v_set1(0.0f), x)))); }

/* tanh x: a polynomial under 0.625, where 1 - 2 / (e^2x + 1) would cancel. */
INLINE vf v_tanh(vf x) {
    const vf a = v_abs(x), z = v_mul(x, x), one = v_set1(1.0f);
    vf p = v_set1(-5.70498872745e-3f);
    p = v_fma(p, z, v_set1(2.06390887954e-2f));
    p = v_fma(p, z, v_set1(-5.37397155531e-2f));
    p = v_fma(p, z, v_set1(1.33314422036e-1f));
    p = v_fma(p, z, v_set1(-3.33332819422e-1f));
    const vf small = v_fma(v_mul(p, z), x, x);
    const vf big = v_sub(one, v_div(v_set1(2.0f), v_add(v_exp(v_add(a, a)), one)));
    const vf signed_big = v_lt(x, v_set1(0.0f), v_sub(v_set1(0.0f), big), big);
    return v_lt(a, v_set1(0.625f), small, signed_big);
}
