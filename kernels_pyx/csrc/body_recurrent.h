/* The delta rule with short convolutions, token by token (Kimi Linear, arXiv 2510.26692; Gated DeltaNet, arXiv 2412.06464).
 *
 * A task is one key head and its value heads. The matrix is walked in strips of columns that stay in the first cache, each by all
 * tokens of a group, and once a token: with x = decay * s, read = k x and o = q x, the token adds k (x) w, w = beta (v - read), and
 * gives o + (q k) w; what it adds is written in the walk that the next token reads. A token's arithmetic is the same whether it is new or
 * replayed, first of its group or last, so that neither chunks nor drafts nor threads change a bit. After body_rows.h.
 */
#include "recurrent.h"

enum { DELTA_VECTORS = 4, DELTA_BLOCK = DELTA_VECTORS * VF };

typedef struct {
    float q[DELTA_MAX], k[DELTA_MAX], v[DELTA_MAX], decay[DELTA_MAX], o[DELTA_MAX]; /* decay: factors, d_key of them */
    float beta, qk;
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

/* Key and query of token p; a replayed one needs no query. */
static void delta_keys(const delta_args *a, int32_t head, int64_t p, delta_token *t) {
    const int64_t keys = (int64_t)a->key_heads * a->d_key, first = (int64_t)head * a->d_key;
    delta_conv(a, a->conv_k, a->k, keys, keys, first, p, a->d_key, t->k);
    delta_unit(t->k, a->d_key, 1.0f);
    t->qk = 0.0f;
    if (p < a->position) {
        memset(t->q, 0, (size_t)a->d_key * sizeof(float));
        return;
    }
    delta_conv(a, a->conv_q, a->q, keys, 0, first, p, a->d_key, t->q);
    delta_unit(t->q, a->d_key, a->scale);
    for (int i = 0; i < a->d_key; i++) t->qk += t->q[i] * t->k[i];
}

/* What token p brings to value head h. */
static void delta_values(const delta_args *a, int32_t h, int64_t p, delta_token *t) {
    const int64_t keys = (int64_t)a->key_heads * a->d_key, heads = (int64_t)a->key_heads * a->share, values = heads * a->d_value;
    const int64_t decays = heads * (a->per_channel ? a->d_key : 1);
    const int d = a->per_channel ? a->d_key : 1;
    delta_conv(a, a->conv_v, a->v, values, 2 * keys, (int64_t)h * a->d_value, p, a->d_value, t->v);
    memset(t->v + a->d_value, 0, (size_t)(a->d_value_padded - a->d_value) * sizeof(float));
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

/* read = k x and o = q x of one row of a strip that x = decay * s holds. */
INLINE void delta_row(const delta_token *t, int i, const vf *s, vf *read, vf *o, const int vectors) {
    const vf decay = v_set1(t->decay[i]), k = v_set1(t->k[i]), q = v_set1(t->q[i]);
    UNROLL for (int c = 0; c < vectors; c++) {
        const vf x = v_mul(s[c], decay);
        read[c] = v_fma(k, x, read[c]);
        o[c] = v_fma(q, x, o[c]);
    }
}

/* `count` tokens over the columns from `column` on; the state moves past the first `kept` of them. more: room for a strip. */
INLINE void delta_columns(delta_token *t, int count, int kept, float *s, int64_t stride, int d_key, int column, float *more,
                          const int vectors) {
    vf read[DELTA_VECTORS], o[DELTA_VECTORS], w[DELTA_VECTORS], row[DELTA_VECTORS];
    const float *from = s + column;
    int64_t step = stride;
    UNROLL for (int c = 0; c < vectors; c++) read[c] = o[c] = v_set1(0.0f);
    for (int i = 0; i < d_key; i++) {
        UNROLL for (int c = 0; c < vectors; c++) row[c] = v_load(from + i * step + c * VF);
        delta_row(t, i, row, read, o, vectors);
    }
    for (int n = 0; n < count; n++) {
        const delta_token *now = t + n, *next = n + 1 < count ? t + n + 1 : NULL;
        UNROLL for (int c = 0; c < vectors; c++) {
            w[c] = v_mul(v_set1(now->beta), v_sub(v_load(now->v + column + c * VF), read[c]));
            v_store(t[n].o + column + c * VF, v_fma(v_set1(now->qk), w[c], o[c]));
            read[c] = o[c] = v_set1(0.0f);
        }
        if (!next && n >= kept) return;
        float *to = n < kept ? s + column : more;
        const int64_t to_step = n < kept ? stride : vectors * VF;
        for (int i = 0; i < d_key; i++) {
            const vf decay = v_set1(now->decay[i]), k = v_set1(now->k[i]);
            UNROLL for (int c = 0; c < vectors; c++) {
                row[c] = v_fma(k, w[c], v_mul(v_load(from + i * step + c * VF), decay));
                v_store(to + i * to_step + c * VF, row[c]);
            }
            if (next) delta_row(next, i, row, read, o, vectors);
        }
        from = to;
        step = to_step;
    }
}

static void delta_advance(const delta_args *a, delta_token *t, int count, int kept, float *s) {
    float more[DELTA_MAX * DELTA_BLOCK];
    int column = 0;
    for (; column + DELTA_BLOCK <= a->d_value_padded; column += DELTA_BLOCK)
        delta_columns(t, count, kept, s, a->d_value_padded, a->d_key, column, more, DELTA_VECTORS);
    for (; column < a->d_value_padded; column += DELTA_PAD)
        delta_columns(t, count, kept, s, a->d_value_padded, a->d_key, column, more, DELTA_PAD / VF);
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

/* Tokens first..first+count-1, of which the state takes up those before `end`. */
static void delta_group(const delta_args *a, int32_t head, int64_t first, int count, int64_t end) {
    delta_token t[DELTA_GROUP];
    const int64_t kept = end - first;
    for (int n = 0; n < count; n++) delta_keys(a, head, first + n, &t[n]);
    for (int32_t h = head * a->share; h < (head + 1) * a->share; h++) {
        for (int n = 0; n < count; n++) delta_values(a, h, first + n, &t[n]);
        delta_advance(a, t, count, kept < count ? (int)kept : count, a->state + (int64_t)h * a->d_key * a->d_value_padded);
        for (int n = 0; n < count; n++)
            if (first + n >= a->position) delta_finish(a, h, first + n - a->position, t[n].o);
    }
}

/* Rows that may be taken back must lie in one group: what it keeps of the state beside the strips is nothing. */
static void delta_tile(void *job, int32_t head, int32_t thread) {
    const delta_args *a = job;
    const int64_t last = a->position + a->n, end = a->in_place ? last : a->position;
    int64_t p = a->at[head];
    (void)thread;
    for (int64_t rest = last - p; rest > DELTA_GROUP && (a->in_place || p < a->position); rest = last - p) {
        const int64_t limit = a->in_place ? last : a->position;
        const int count = limit - p < DELTA_GROUP ? (int)(limit - p) : DELTA_GROUP;
        delta_group(a, head, p, count, end);
        p += count;
    }
    delta_group(a, head, p, (int)(last - p), end);
    delta_keep(a, head);
    a->at[head] = end;
}
