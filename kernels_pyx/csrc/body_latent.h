/* Latent attention (DeepSeek-V2, arXiv 2405.04434, absorbed form; online softmax: Milakov and Gimelshein 2018).
 *
 * A query's sums run over spans of LATENT_SPAN keys and inside them over tiles of LATENT_TILE keys, at fixed positions; scores are
 * summed over the width in a fixed order, outputs over keys in order. So its bits depend neither on the rows and heads beside it
 * nor on the tasks. After body_rows.h, body_kv8.h and body_attention.h (rms_norm_row, encode_kv8, load_kv, narrow, merge).
 */
#include "latent.h"

static void latent_rotate(const latent_args *a, float *x, int64_t row) {
    const float *cosine = a->rotary + row * 2 * a->half, *sine = cosine + a->half;
    const int step = a->interleaved ? 2 : 1, other = a->interleaved ? 1 : a->half;
    for (int i = 0; i < a->half; i++) {
        float *first = x + i * step, *second = first + other;
        const float p = *first, q = *second;
        *first = p * cosine[i] - q * sine[i];
        *second = q * cosine[i] + p * sine[i];
    }
}

/* Latents are not turned as keys are, since they are values, too. */
static void latent_encode(const latent_args *a, const float *key, uint8_t *to) {
    const int rest = a->width - a->d_latent;
    uint16_t *scales = (uint16_t *)(void *)(to + a->d_latent + 2 * rest);
    for (int b = 0; b * BLOCK < a->d_latent; b++) {
        float part[BLOCK];
        int8_t codes[BLOCK];
        block_of(key, b, a->d_latent, part);
        encode_kv8(part, codes, scales + b);
        memcpy(to + b * BLOCK, codes, (size_t)(a->d_latent - b * BLOCK < BLOCK ? a->d_latent - b * BLOCK : BLOCK));
    }
    narrow(key + a->d_latent, rest, rest, KV_F16, (uint16_t *)(void *)(to + a->d_latent));
}

/* One row: norm and rotate what is cached, rotate the queries' last dims. */
static void latent_rows_tile(void *job, int32_t row, int32_t thread) {
    const latent_args *a = job;
    const int d = a->d_latent + a->d_rope;
    uint8_t *to = (uint8_t *)a->cache + (a->position + row) * a->row_bytes;
    float key[LATENT_MAX];
    (void)thread;
    rms_norm_row(a->kv + (int64_t)row * d, a->norm, key, a->d_latent, a->eps);
    memcpy(key + a->d_latent, a->kv + (int64_t)row * d + a->d_latent, (size_t)a->d_rope * sizeof(float));
    if (a->rotary) {
        latent_rotate(a, key + a->d_latent, row);
        for (int h = 0; h < a->heads; h++)
            latent_rotate(a, a->q + ((int64_t)row * a->heads + h) * (a->d_nope + a->d_rope) + a->d_nope, row);
    }
    for (int i = d; i < a->width; i++) key[i] = 0.0f;
    if (a->dtype == KV_F32) memcpy(to, key, (size_t)a->width * sizeof(float));
    else if (a->dtype == KV_Q8) latent_encode(a, key, to);
    else narrow(key, a->width, a->width, a->dtype, (uint16_t *)(void *)to);
}

/* Queries that share what is loaded and converted, and keys scored at once: as many as registers hold. */
#if defined(__aarch64__)
enum { LATENT_GROUP = 4, LATENT_KEYS = 4 };
#else
enum { LATENT_GROUP = VF >= 16 ? 8 : 4, LATENT_KEYS = 2 };
#endif
enum { LATENT_STRIDE = LATENT_MAX + 16 }; /* not a multiple of a page, or all queries would meet in the same lines of the cache */

typedef struct {
    float high[LATENT_QUERIES], total[LATENT_QUERIES];
    int64_t keys[LATENT_QUERIES]; /* a query sees [0, keys) */
    float q[LATENT_QUERIES][LATENT_STRIDE], sums[LATENT_QUERIES][LATENT_STRIDE];
} latent_tile;

/* A tile of cached rows; scales: of their codes in KV_Q8. */
typedef struct {
    const uint8_t *first;
    int64_t row_bytes;
    int d_latent;
    float scales[LATENT_TILE][LATENT_MAX / BLOCK];
} latent_keys;

/* Numbers i.. of row j, which in KV_Q8 are of the latent. */
INLINE vf latent_load(const latent_keys *k, int j, int i, const int dtype) {
    const uint8_t *row = k->first + j * k->row_bytes;
    if (dtype == KV_Q8) return v_mul(v_load_i8((const int8_t *)row + i), v_set1(k->scales[j][i / BLOCK]));
    return load_kv(row, i, dtype);
}

INLINE void latent_products(const float (*q)[LATENT_STRIDE], const latent_keys *k, int j0, int from, int to, vf (*sum)[LATENT_KEYS],
                            const int keys, const int dtype) {
    for (int i = from; i < to; i += VF) {
        vf x[LATENT_KEYS];
        UNROLL for (int j = 0; j < keys; j++) x[j] = latent_load(k, j0 + j, i, dtype);
        UNROLL for (int g = 0; g < LATENT_GROUP; g++) {
            const vf mine = v_load(q[g] + i);
            UNROLL for (int j = 0; j < keys; j++) sum[g][j] = v_fma(mine, x[j], sum[g][j]);
        }
    }
}

/* s[g][j0 + j] of LATENT_GROUP queries and `keys` cached rows from j0 on. */
INLINE void latent_scores(const float (*q)[LATENT_STRIDE], const latent_keys *k, int width, float (*s)[LATENT_TILE], int j0, const int keys,
                          const int dtype) {
    vf sum[LATENT_GROUP][LATENT_KEYS];
    UNROLL for (int g = 0; g < LATENT_GROUP; g++)
        UNROLL for (int j = 0; j < keys; j++) sum[g][j] = v_set1(0.0f);
    latent_products(q, k, j0, 0, dtype == KV_Q8 ? k->d_latent : width, sum, keys, dtype);
    if (dtype == KV_Q8) { /* the halves behind the codes, as if halves stood before them, too */
        const latent_keys halves = {.first = k->first - k->d_latent, .row_bytes = k->row_bytes};
        latent_products(q, &halves, j0, k->d_latent, width, sum, keys, KV_F16);
    }
    UNROLL for (int g = 0; g < LATENT_GROUP; g++)
        UNROLL for (int j = 0; j < keys; j++) s[g][j0 + j] = v_hsum(sum[g][j]);
}

/* out[g] = out[g] * old[g] + sum_j p[g][j] * latent_j, over d_latent numbers, two vectors at a time where they are even. */
INLINE void latent_values(const float (*p)[LATENT_TILE], const float *old, const latent_keys *k, int count, int d, float (*out)[LATENT_STRIDE],
                          int from, const int vectors, const int dtype) {
    const uint8_t *ahead = k->first + LATENT_TILE * k->row_bytes; /* the next tile */
    for (int i = from; i < d; i += vectors * VF) {
        vf sum[LATENT_GROUP][2];
        UNROLL for (int g = 0; g < LATENT_GROUP; g++)
            UNROLL for (int u = 0; u < vectors; u++) sum[g][u] = v_mul(v_load(out[g] + i + u * VF), v_set1(old[g]));
        for (int j = 0; j < count; j++, ahead += 64) {
            vf x[2];
            PREFETCH(ahead);
            UNROLL for (int u = 0; u < vectors; u++) x[u] = latent_load(k, j, i + u * VF, dtype);
            UNROLL for (int g = 0; g < LATENT_GROUP; g++) {
                const vf w = v_set1(p[g][j]);
                UNROLL for (int u = 0; u < vectors; u++) sum[g][u] = v_fma(w, x[u], sum[g][u]);
            }
        }
        UNROLL for (int g = 0; g < LATENT_GROUP; g++)
            UNROLL for (int u = 0; u < vectors; u++) v_store(out[g] + i + u * VF, sum[g][u]);
    }
}

/* Scores of one query to weights: hides what it does not see, keeps the running maximum; returns what the sums are multiplied with. */
static float latent_weigh(float *s, float scale, int count, float *high, float *total) {
    float best = *high, old[VF], sum = 0.0f;
    for (int j = 0; j < count; j++) {
        s[j] *= scale;
        if (s[j] > best) best = s[j];
    }
    if (best == NONE) best = 0.5f * NONE; /* no score is a number: the sums are none either */
    for (int j = 0; j < LATENT_TILE; j += VF) v_store(s + j, v_exp(v_sub(v_load(s + j), v_set1(best))));
    for (int j = count; j < LATENT_TILE; j++) s[j] = 0.0f;
    v_store(old, v_exp(v_set1(*high - best)));
    if (*high == NONE) old[0] = 0.0f;
    for (int j = 0; j < count; j++) sum += s[j];
    *total = *total * old[0] + sum;
    *high = best;
    return old[0];
}

/* One tile of keys for the LATENT_GROUP queries from g0 on. */
INLINE void latent_group(const latent_args *a, latent_tile *t, int g0, int64_t first, const int dtype) {
    float s[LATENT_GROUP][LATENT_TILE], old[LATENT_GROUP];
    latent_keys k;
    int64_t most = 0;
    for (int g = g0; g < g0 + LATENT_GROUP; g++) most = t->keys[g] > most ? t->keys[g] : most;
    const int count = most - first < LATENT_TILE ? (int)(most - first) : LATENT_TILE;
    const float(*q)[LATENT_STRIDE] = (const float(*)[LATENT_STRIDE])(t->q + g0);
    k.first = (const uint8_t *)a->cache + first * a->row_bytes;
    k.row_bytes = a->row_bytes;
    k.d_latent = a->d_latent;
    int j = 0;
    for (; j < count && dtype == KV_Q8; j++) {
        const uint8_t *scales = k.first + j * k.row_bytes + 2 * a->width - a->d_latent;
        for (int b = 0; b * BLOCK < a->d_latent; b += VF) v_store(&k.scales[j][b], v_load_f16((const uint16_t *)(const void *)scales + b));
    }
    for (j = 0; j + LATENT_KEYS <= count; j += LATENT_KEYS)
        latent_scores(q, &k, a->width, s, j, LATENT_KEYS, dtype);
    for (; j < count; j++) latent_scores(q, &k, a->width, s, j, 1, dtype);
    for (int g = 0; g < LATENT_GROUP; g++) {
        const int64_t seen = t->keys[g0 + g] - first;
        for (j = count; j < LATENT_TILE; j++) s[g][j] = NONE;
        if (seen <= 0) { /* a neighbour's tile */
            memset(s[g], 0, sizeof s[g]);
            old[g] = 1.0f;
        } else old[g] = latent_weigh(s[g], a->scale, seen < LATENT_TILE ? (int)seen : LATENT_TILE, &t->high[g0 + g], &t->total[g0 + g]);
    }
    const float(*p)[LATENT_TILE] = (const float(*)[LATENT_TILE])s;
    const int even = a->d_latent / (2 * VF) * (2 * VF);
    latent_values(p, old, &k, count, even, t->sums + g0, 0, 2, dtype);
    if (even < a->d_latent) latent_values(p, old, &k, count, a->d_latent, t->sums + g0, even, 1, dtype);
}

/* Not inlined: one copy each. */
#define LATENT_KIND(DTYPE) \
    static void latent_##DTYPE(const latent_args *a, latent_tile *t, int g0, int64_t first) { latent_group(a, t, g0, first, DTYPE); }
LATENT_KIND(KV_F32)
LATENT_KIND(KV_F16)
LATENT_KIND(KV_BF16)
LATENT_KIND(KV_Q8)

/* The queries of a tile; returns how many there are. Those past the last are zeros that are dropped. */
static int latent_begin(const latent_args *a, int64_t tile, latent_tile *t) {
    const int64_t from = tile * LATENT_QUERIES, all = a->n * a->heads;
    const int n = all - from < LATENT_QUERIES ? (int)(all - from) : LATENT_QUERIES;
    for (int g = 0; g < LATENT_QUERIES; g++) {
        memset(t->q[g], 0, (size_t)a->width * sizeof(float));
        t->keys[g] = 0;
        if (g >= n) continue;
        const int64_t h = from + g;
        memcpy(t->q[g], a->queries + h * a->d_latent, (size_t)a->d_latent * sizeof(float));
        memcpy(t->q[g] + a->d_latent, a->q + h * (a->d_nope + a->d_rope) + a->d_nope, (size_t)a->d_rope * sizeof(float));
        t->keys[g] = a->position + h / a->heads + 1;
    }
    return n;
}

/* Partial sums of one span, from nothing; a query that sees none of it keeps high == NONE. */
static void latent_sum_span(const latent_args *a, latent_tile *t, int n, int64_t span) {
    static void (*const kinds[KV_DTYPES])(const latent_args *, latent_tile *, int, int64_t) = {latent_KV_F32, latent_KV_F16, latent_KV_BF16, latent_KV_Q8};
    for (int g = 0; g < LATENT_QUERIES; g++) {
        memset(t->sums[g], 0, (size_t)a->d_latent * sizeof(float));
        t->high[g] = NONE;
        t->total[g] = 0.0f;
    }
    const int64_t last = t->keys[n - 1], end = (span + 1) * LATENT_SPAN < last ? (span + 1) * LATENT_SPAN : last;
    for (int64_t tile = span * LATENT_SPAN; tile < end && !pool_cancelled(a->pool); tile += LATENT_TILE)
        for (int g0 = 0; g0 < n; g0 += LATENT_GROUP) {
            const int most = g0 + LATENT_GROUP < n ? g0 + LATENT_GROUP : n;
            if (t->keys[most - 1] > tile) kinds[a->dtype](a, t, g0, tile);
        }
}

static void latent_finish(const latent_args *a, int64_t query, const float *sums, float total) {
    float *out = a->queries + query * a->d_latent;
    const float r = 1.0f / total;
    for (int i = 0; i < a->d_latent; i++) out[i] = sums[i] * r;
}

/* task = tile of queries: all spans, one after the other. The last rows see most keys and go first. */
static void latent_attend_tile(void *job, int32_t task, int32_t thread) {
    const latent_args *a = job;
    const int64_t tile = a->tiles - 1 - task;
    latent_tile t;
    float sums[LATENT_QUERIES][LATENT_MAX], high[LATENT_QUERIES], total[LATENT_QUERIES];
    (void)thread;
    const int n = latent_begin(a, tile, &t);
    for (int g = 0; g < n; g++) high[g] = NONE;
    for (int64_t span = 0; span * LATENT_SPAN < t.keys[n - 1]; span++) {
        latent_sum_span(a, &t, n, span);
        if (pool_cancelled(a->pool)) return;
        for (int g = 0; g < n; g++) merge(sums[g], &high[g], &total[g], t.sums[g], t.high[g], t.total[g], a->d_latent);
    }
    for (int g = 0; g < n; g++) latent_finish(a, tile * LATENT_QUERIES + g, sums[g], total[g]);
}

static float *latent_partial(const latent_args *a, int64_t tile, int64_t span, int g) {
    return a->partials + ((tile * (a->wave_spans + 1) + span) * LATENT_QUERIES + g) * (a->d_latent + 2);
}

/* task = span of the wave * tiles + tile of queries, so that neighbouring tasks read the same keys. */
static void latent_span_tile(void *job, int32_t task, int32_t thread) {
    const latent_args *a = job;
    const int64_t span = task / a->tiles, tile = task % a->tiles;
    latent_tile t;
    (void)thread;
    const int n = latent_begin(a, tile, &t);
    latent_sum_span(a, &t, n, a->wave_first + span);
    for (int g = 0; g < n; g++) {
        float *to = latent_partial(a, tile, span, g);
        memcpy(to, t.sums[g], (size_t)a->d_latent * sizeof *to);
        to[a->d_latent] = t.high[g];
        to[a->d_latent + 1] = t.total[g];
    }
}

/* task = tile of queries: merges the wave's partial sums in order, and finishes with the last wave. */
static void latent_merge_tile(void *job, int32_t task, int32_t thread) {
    const latent_args *a = job;
    const int d = a->d_latent;
    (void)thread;
    for (int g = 0; g < LATENT_QUERIES; g++) {
        const int64_t query = (int64_t)task * LATENT_QUERIES + g;
        if (query >= a->n * a->heads) return;
        float *total = latent_partial(a, task, a->wave_spans, g);
        if (a->wave_first == 0) total[d] = NONE;
        for (int64_t s = 0; s < a->wave_spans; s++) {
            const float *part = latent_partial(a, task, s, g);
            merge(total, &total[d], &total[d + 1], part, part[d], part[d + 1], d);
        }
        if ((a->wave_first + a->wave_spans) * LATENT_SPAN >= a->position + a->n) latent_finish(a, query, total, total[d + 1]);
    }
}
