/* The delta rule with short convolutions, token by token (Kimi Linear, arXiv 2510.26692; Gated DeltaNet, arXiv 2412.06464).
 *
 * A task is one key head and its value heads; a token's arithmetic is the same whether it is new or replayed, so that neither
 * chunks nor drafts nor threads change a bit. After body_rows.h.
 */
#include "recurrent.h"

enum { DELTA_BLOCK = 64, DELTA_VECTORS = DELTA_BLOCK / VF };

typedef struct {
    float q[DELTA_MAX], k[DELTA_MAX], v[DELTA_MAX], decay[DELTA_MAX]; /* decay: factors, d_key of them */
    float beta;
} delta_token;

INLINE vf load_some(const float *p, int n) { return n >= VF ? v_load(p) : v_load_n(p, n); }
INLINE void store_some(float *p, vf x, int n) { if (n >= VF) v_store(p, x); else v_store_n(p, x, n); }

/* ln(1 + e^x) = max(x, 0) + ln(1 + t), t = e^-|x|; the series of 2 artanh(t / (2 + t)), whose argument is at most 1/3. */
INLINE vf v_softplus(vf x) {
    const vf zero = v_set1(0.0f), t = v_exp(v_sub(zero, v_abs(x))), s = v_div(t, v_add(t, v_set1(2.0f))), z = v_mul(s, s);
    vf p = v_set1(2.0f / 15);
    p = v_fma(p, z, v_set1(2.0f / 13));
    p = v_fma(p, z, v_set1(2.0f / 11));
    p = v_fma(p, z, v_set1(2.0f / 9));
    p = v_fma(p, z, v_set1(2.0f / 7));
    p = v_fma(p, z, v_set1(2.0f / 5));
    p = v_fma(p, z, v_set1(2.0f / 3));
    return v_add(v_max(x, zero), v_fma(v_mul(p, z), s, v_add(s, s)));
}

static int64_t delta_ring_width(const delta_args *a) {
    const int64_t values = (int64_t)a->key_heads * a->share;
    return 2 * (int64_t)a->key_heads * a->d_key + values * a->d_value + values * (a->per_channel ? a->d_key : 1) + values;
}

/* Input part of token p: from the step's rows [.., width] or from column `offset` of the ring; NULL before the start. */
INLINE const float *delta_input(const delta_args *a, const float *rows, int64_t width, int64_t offset, int64_t p) {
    if (p < 0) return NULL;
    if (p >= a->position) return rows + (p - a->position) * width;
    return a->ring + p % a->ring_rows * delta_ring_width(a) + offset;
}

/* y[0..d) = silu(sum_j taps[j] x[p - (conv - 1) + j]) of channels first.. */
static void delta_conv(const delta_args *a, const float *taps, const float *rows, int64_t width, int64_t offset, int64_t first, int64_t p,
                       int d, float *y) {
    const float *x[DELTA_MAX_CONV];
    for (int j = 0; j < a->conv; j++) x[j] = delta_input(a, rows, width, offset, p - (a->conv - 1) + j);
    for (int i = 0; i < d; i += VF) {
        vf sum = v_set1(0.0f);
        for (int j = 0; j < a->conv; j++)
            if (x[j]) sum = v_fma(load_some(x[j] + first + i, d - i), load_some(taps + j * width + first + i, d - i), sum);
        store_some(y + i, v_mul(sum, v_sigmoid(sum)), d - i);
    }
}

/* x / sqrt(sum(x^2) + 1e-6) * scale */
static void delta_unit(float *x, int d, float scale) {
    const float r = scale / sqrtf((float)sum_squares(x, d) + 1e-6f);
    for (int i = 0; i < d; i++) x[i] *= r;
}

/* Everything that token p brings to value head h; the query only where it is wanted. */
static void delta_prepare(const delta_args *a, int32_t head, int32_t h, int64_t p, int want, delta_token *t) {
    const int64_t keys = (int64_t)a->key_heads * a->d_key, heads = (int64_t)a->key_heads * a->share, values = heads * a->d_value;
    const int64_t decays = heads * (a->per_channel ? a->d_key : 1);
    const int d = a->per_channel ? a->d_key : 1;
    if (want) {
        delta_conv(a, a->conv_q, a->q, keys, 0, (int64_t)head * a->d_key, p, a->d_key, t->q);
        delta_unit(t->q, a->d_key, a->scale);
    }
    delta_conv(a, a->conv_k, a->k, keys, keys, (int64_t)head * a->d_key, p, a->d_key, t->k);
    delta_unit(t->k, a->d_key, 1.0f);
    delta_conv(a, a->conv_v, a->v, values, 2 * keys, (int64_t)h * a->d_value, p, a->d_value, t->v);
    const float *z = delta_input(a, a->decay, decays, 2 * keys + values, p) + (int64_t)h * d;
    const float *b = delta_input(a, a->beta, heads, 2 * keys + values + decays, p) + h;
    const vf rate = v_exp(v_set1(a->decay_log[h]));
    for (int i = 0; i < d; i += VF) {
        const vf x = v_add(load_some(z + i, d - i), load_some(a->decay_bias + (int64_t)h * d + i, d - i));
        const vf g = a->bounded ? v_mul(v_set1(a->floor), v_sigmoid(v_mul(rate, x)))
                                : v_sub(v_set1(0.0f), v_mul(rate, v_softplus(x)));
        store_some(t->decay + i, v_exp(g), d - i);
    }
    for (int i = d; i < a->d_key; i++) t->decay[i] = t->decay[0];
    v_store_n(&t->beta, v_sigmoid(v_set1(*b)), 1);
}

/* Columns of the state: decay, read with k, write k (x) beta (v - read), read with q into o where that is wanted. */
INLINE void delta_columns(const delta_token *t, float *s, int64_t stride, int d_key, int column, float *o, const int vectors) {
    vf read[DELTA_VECTORS], sum[DELTA_VECTORS];
    s += column;
    UNROLL for (int c = 0; c < vectors; c++) read[c] = sum[c] = v_set1(0.0f);
    for (int i = 0; i < d_key; i++) {
        const vf decay = v_set1(t->decay[i]), k = v_set1(t->k[i]);
        UNROLL for (int c = 0; c < vectors; c++) {
            const vf x = v_mul(v_load(s + i * stride + c * VF), decay);
            v_store(s + i * stride + c * VF, x);
            read[c] = v_fma(k, x, read[c]);
        }
    }
    UNROLL for (int c = 0; c < vectors; c++)
        read[c] = v_mul(v_set1(t->beta), v_sub(v_load(t->v + column + c * VF), read[c]));
    for (int i = 0; i < d_key; i++) {
        const vf k = v_set1(t->k[i]), q = v_set1(t->q[i]);
        UNROLL for (int c = 0; c < vectors; c++) {
            const vf x = v_fma(k, read[c], v_load(s + i * stride + c * VF));
            v_store(s + i * stride + c * VF, x);
            sum[c] = v_fma(q, x, sum[c]);
        }
    }
    UNROLL for (int c = 0; c < vectors; c++) v_store(o + column + c * VF, sum[c]);
}

static void delta_advance(const delta_args *a, const delta_token *t, float *s, float *o) {
    int column = 0;
    for (; column + DELTA_BLOCK <= a->d_value_padded; column += DELTA_BLOCK)
        delta_columns(t, s, a->d_value_padded, a->d_key, column, o, DELTA_VECTORS);
    for (; column < a->d_value_padded; column += DELTA_PAD) delta_columns(t, s, a->d_value_padded, a->d_key, column, o, DELTA_PAD / VF);
}

/* out = rms_norm(o) * act(gate) */
static void delta_finish(const delta_args *a, int32_t h, int64_t row, float *o) {
    const int64_t at = (row * a->key_heads * a->share + h) * a->d_value;
    rms_norm_row(o, a->norm, o, a->d_value, a->norm_eps);
    for (int i = 0; i < a->d_value; i += VF) {
        const vf g = load_some(a->gate + at + i, a->d_value - i), s = v_sigmoid(g);
        store_some(a->out + at + i, v_mul(load_some(o + i, a->d_value - i), a->silu_gate ? v_mul(g, s) : s), a->d_value - i);
    }
}

/* The step's inputs of this key head go to the ring, as far back as it reaches. */
static void delta_keep(const delta_args *a, int32_t head) {
    const int64_t keys = (int64_t)a->key_heads * a->d_key, heads = (int64_t)a->key_heads * a->share, values = heads * a->d_value;
    const int64_t d = a->per_channel ? a->d_key : 1, h = (int64_t)head * a->share;
    const struct { const float *rows; int64_t width, offset, first, count; } parts[] = {
        {a->q, keys, 0, (int64_t)head * a->d_key, a->d_key},
        {a->k, keys, keys, (int64_t)head * a->d_key, a->d_key},
        {a->v, values, 2 * keys, h * a->d_value, (int64_t)a->share * a->d_value},
        {a->decay, heads * d, 2 * keys + values, h * d, a->share * d},
        {a->beta, heads, 2 * keys + values + heads * d, h, a->share},
    };
    for (int64_t row = a->n > a->ring_rows ? a->n - a->ring_rows : 0; row < a->n; row++) {
        float *to = a->ring + (a->position + row) % a->ring_rows * delta_ring_width(a);
        for (int i = 0; i < 5; i++)
            memcpy(to + parts[i].offset + parts[i].first, parts[i].rows + row * parts[i].width + parts[i].first,
                   (size_t)parts[i].count * sizeof(float));
    }
}

static void delta_tile(void *job, int32_t head, int32_t thread) {
    const delta_args *a = job;
    const int64_t size = (int64_t)a->d_key * a->d_value_padded;
    delta_token t;
    float o[DELTA_MAX];
    memset(&t, 0, sizeof t);
    for (int32_t h = head * a->share; h < (head + 1) * a->share; h++) {
        float *s = a->state + h * size;
        for (int64_t p = a->at[head]; p < a->position; p++) {
            delta_prepare(a, head, h, p, 0, &t);
            delta_advance(a, &t, s, o);
        }
        if (!a->in_place) {
            float *copy = a->scratch + thread * size;
            memcpy(copy, s, (size_t)size * sizeof(float));
            s = copy;
        }
        for (int64_t p = a->position; p < a->position + a->n; p++) {
            delta_prepare(a, head, h, p, 1, &t);
            delta_advance(a, &t, s, o);
            delta_finish(a, h, p - a->position, o);
        }
    }
    delta_keep(a, head);
    a->at[head] = a->position + (a->in_place ? a->n : 0);
}
