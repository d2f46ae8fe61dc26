/* Latent attention (DeepSeek-V2, arXiv 2405.04434, absorbed form; online softmax: Milakov and Gimelshein 2018).
 *
 * A query's keys are taken in tiles of LATENT_TILE at fixed positions; scores are summed over the width in a fixed order, outputs
 * over keys in order. So its bits depend neither on the rows and heads beside it nor on the tasks.
 * After body_rows.h and body_attention.h (rms_norm_row, load_kv, narrow).
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

/* One row: norm and rotate what is cached, rotate the queries' last dims. */
static void latent_rows_tile(void *job, int32_t row, int32_t thread) {
    const latent_args *a = job;
    const int d = a->d_latent + a->d_rope;
    const int64_t at = (a->position + row) * a->width;
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
    if (a->dtype == KV_F32) memcpy((float *)a->cache + at, key, (size_t)a->width * sizeof(float));
    else narrow(key, a->width, a->width, a->dtype, (uint16_t *)a->cache + at);
}

/* s[g][j] of `groups` queries and `keys` cached rows from `at` on. */
INLINE void latent_scores(const float *q, const void *cache, int64_t at, int width, float (*s)[LATENT_TILE], int j0, const int groups,
                          const int keys, const int dtype) {
    vf sum[LATENT_QUERIES][4];
    UNROLL for (int g = 0; g < groups; g++)
        UNROLL for (int j = 0; j < keys; j++) sum[g][j] = v_set1(0.0f);
    for (int i = 0; i < width; i += VF) {
        vf k[4];
        UNROLL for (int j = 0; j < keys; j++) k[j] = load_kv(cache, at + (int64_t)j * width + i, dtype);
        UNROLL for (int g = 0; g < groups; g++) {
            const vf x = v_load(q + g * LATENT_MAX + i);
            UNROLL for (int j = 0; j < keys; j++) sum[g][j] = v_fma(x, k[j], sum[g][j]);
        }
    }
    UNROLL for (int g = 0; g < groups; g++)
        UNROLL for (int j = 0; j < keys; j++) s[g][j0 + j] = v_hsum(sum[g][j]);
}

/* out[g] = out[g] * old[g] + sum_j p[g][j] * latent_j, over d_latent numbers, two vectors at a time. */
INLINE void latent_values(const float (*p)[LATENT_TILE], const float *old, const void *cache, int64_t at, int width, int count, int d,
                          float *out, const int groups, const int vectors, const int dtype) {
    for (int i = 0; i < d; i += vectors * VF) {
        vf sum[LATENT_QUERIES][2];
        UNROLL for (int g = 0; g < groups; g++)
            UNROLL for (int u = 0; u < vectors; u++) sum[g][u] = v_mul(v_load(out + g * LATENT_MAX + i + u * VF), v_set1(old[g]));
        for (int j = 0; j < count; j++) {
            vf x[2];
            UNROLL for (int u = 0; u < vectors; u++) x[u] = load_kv(cache, at + (int64_t)j * width + i + u * VF, dtype);
            UNROLL for (int g = 0; g < groups; g++) {
                const vf w = v_set1(p[g][j]);
                UNROLL for (int u = 0; u < vectors; u++) sum[g][u] = v_fma(w, x[u], sum[g][u]);
            }
        }
        UNROLL for (int g = 0; g < groups; g++)
            UNROLL for (int u = 0; u < vectors; u++) v_store(out + g * LATENT_MAX + i + u * VF, sum[g][u]);
    }
}

/* One tile of keys for `groups` queries: online softmax, sums. */
INLINE void latent_tile(const latent_args *a, const float *q, float *out, float *high, float *total, int64_t first, int count,
                        const int groups, const int dtype) {
    float s[LATENT_QUERIES][LATENT_TILE], old[LATENT_QUERIES + 16];
    const int64_t at = first * a->width;
    const int keys = groups == LATENT_QUERIES ? 2 : 4;
    int j = 0;
    for (; j + keys <= count; j += keys) latent_scores(q, a->cache, at + (int64_t)j * a->width, a->width, s, j, groups, keys, dtype);
    for (; j < count; j++) latent_scores(q, a->cache, at + (int64_t)j * a->width, a->width, s, j, groups, 1, dtype);
    for (int g = 0; g < groups; g++) {
        float best = high[g];
        for (j = 0; j < count; j++) {
            s[g][j] *= a->scale;
            if (s[g][j] > best) best = s[g][j];
        }
        for (j = count; j < LATENT_TILE; j++) s[g][j] = NONE;
        for (j = 0; j < LATENT_TILE; j += VF) v_store(s[g] + j, v_exp(v_sub(v_load(s[g] + j), v_set1(best))));
        v_store_n(old + g, v_exp(v_set1(high[g] - best)), 1);
        float sum = 0.0f;
        for (j = 0; j < count; j++) sum += s[g][j];
        total[g] = total[g] * old[g] + sum;
        high[g] = best;
    }
    const float(*p)[LATENT_TILE] = (const float(*)[LATENT_TILE])s;
    const int even = a->d_latent / (2 * VF) * (2 * VF);
    latent_values(p, old, a->cache, at, a->width, count, even, out, groups, 2, dtype);
    if (even < a->d_latent) latent_values(p, old, a->cache, at + even, a->width, count, a->d_latent - even, out + even, groups, 1, dtype);
}

/* The tiles of keys of one group of queries. Not inlined: one copy each. */
#define LATENT_GROUPS(name, groups, dtype)                                                                                   \
    static void name(const latent_args *a, const float *q, float *out, float *high, float *total, int64_t keys) {            \
        for (int64_t first = 0; first < keys; first += LATENT_TILE)                                                          \
            latent_tile(a, q, out, high, total, first, (int)(keys - first < LATENT_TILE ? keys - first : LATENT_TILE), groups, dtype); \
    }
LATENT_GROUPS(latent_4_f32, LATENT_GROUP, KV_F32)
LATENT_GROUPS(latent_4_f16, LATENT_GROUP, KV_F16)
LATENT_GROUPS(latent_4_bf16, LATENT_GROUP, KV_BF16)
LATENT_GROUPS(latent_8_f32, LATENT_QUERIES, KV_F32)
LATENT_GROUPS(latent_8_f16, LATENT_QUERIES, KV_F16)
LATENT_GROUPS(latent_8_bf16, LATENT_QUERIES, KV_BF16)

/* Task: heads_per_tile heads of one row. Heads past the last are computed on zeros and dropped. */
static void latent_attend_tile(void *job, int32_t task, int32_t thread) {
    const latent_args *a = job;
    const int tiles = (a->heads + a->heads_per_tile - 1) / a->heads_per_tile;
    const int64_t row = task / tiles, keys = a->position + row + 1;
    const int h0 = task % tiles * a->heads_per_tile, h1 = h0 + a->heads_per_tile < a->heads ? h0 + a->heads_per_tile : a->heads;
    float q[LATENT_QUERIES][LATENT_MAX], out[LATENT_QUERIES][LATENT_MAX], high[LATENT_QUERIES], total[LATENT_QUERIES];
    (void)thread;
    for (int g = 0; g < LATENT_QUERIES; g++) {
        high[g] = NONE;
        total[g] = 0.0f;
        for (int i = 0; i < a->width; i++) q[g][i] = out[g][i] = 0.0f;
        if (h0 + g >= h1) continue;
        const int64_t h = row * a->heads + h0 + g;
        memcpy(q[g], a->queries + h * a->d_latent, (size_t)a->d_latent * sizeof(float));
        memcpy(q[g] + a->d_latent, a->q + h * (a->d_nope + a->d_rope) + a->d_nope, (size_t)a->d_rope * sizeof(float));
    }
    void (*const attend[2][3])(const latent_args *, const float *, float *, float *, float *, int64_t) = {
        {latent_4_f32, latent_4_f16, latent_4_bf16}, {latent_8_f32, latent_8_f16, latent_8_bf16}};
    const int group = a->heads_per_tile == LATENT_QUERIES && VF >= 16 ? LATENT_QUERIES : LATENT_GROUP; /* as many as registers hold */
    for (int g = 0; g < a->heads_per_tile && h0 + g < h1; g += group)
        attend[group == LATENT_QUERIES][a->dtype](a, q[g], out[g], high + g, total + g, keys);
    for (int h = h0; h < h1; h++) {
        float *to = a->queries + (row * a->heads + h) * a->d_latent;
        const float *from = out[h - h0], r = 1.0f / total[h - h0];
        for (int i = 0; i < a->d_latent; i++) to[i] = from[i] * r;
    }
}
