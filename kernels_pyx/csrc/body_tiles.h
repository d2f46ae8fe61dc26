/* One tile of keys for up to TOGETHER queries: scores, weights, sums of values.
 *
 * While keys are scored the values of the tile come to the cache, and while values are summed the next tile's keys: `ahead` moves by
 * `pace` bytes with each step of the loops.
 */
#include "attention.h"
#include "pool.h"

#include <float.h>
#include <string.h>

#define NONE (-FLT_MAX) /* the maximum of no scores */
enum { VECTORS = KV_BLOCK / VF };
/* Registers for accumulators, so that neither the sums nor what is loaded spills. */
#if defined(__aarch64__)
enum { ACCUMULATORS = 16 };
#else
enum { ACCUMULATORS = VF >= 16 ? 16 : 8 };
#endif
enum { MOST_SUMS = (int)ACCUMULATORS > (int)VECTORS ? ACCUMULATORS : VECTORS };
enum { TOGETHER = VF >= 16 ? 8 : 4 }; /* queries that share what is loaded and converted */

INLINE vf load_kv(const void *p, int64_t i, const int dtype) {
    if (dtype == KV_F32) return v_load((const float *)p + i);
    if (dtype == KV_F16) return v_load_f16((const uint16_t *)p + i);
    return v_load_bf16((const uint16_t *)p + i);
}

INLINE void score_blocks(const float *const *q, const void *keys, int64_t at, int d, float (*s)[KV_TILE], int first, const char *ahead,
                         int pace, const int queries, const int blocks, const int dtype) {
    vf sum[TOGETHER][MOST_SUMS];
    UNROLL
    for (int r = 0; r < queries; r++)
        UNROLL
        for (int b = 0; b < blocks * VECTORS; b++) sum[r][b] = v_set1(0.0f);
    for (int i = 0; i < d; i++, ahead += pace) {
        PREFETCH(ahead);
        UNROLL
        for (int b = 0; b < blocks; b++)
            UNROLL
            for (int v = 0; v < VECTORS; v++) {
                const vf k = load_kv(keys, at + ((int64_t)b * d + i) * KV_BLOCK + v * VF, dtype);
                UNROLL
                for (int r = 0; r < queries; r++) sum[r][b * VECTORS + v] = v_fma(v_set1(q[r][i]), k, sum[r][b * VECTORS + v]);
            }
    }
    UNROLL
    for (int r = 0; r < queries; r++)
        UNROLL
        for (int b = 0; b < blocks * VECTORS; b++) v_store(&s[r][first * KV_BLOCK + b * VF], sum[r][b]);
}

/* Blocks [first, last) of the tile that starts at number `at` of the keys. */
INLINE void score_tile(const float *const *q, const void *keys, int64_t at, int d, float (*s)[KV_TILE], int first, int last,
                       const char *ahead, int64_t ahead_bytes, const int queries, const int dtype) {
    const int step = ACCUMULATORS / VECTORS / queries >= 4 ? 4 : ACCUMULATORS / VECTORS / queries >= 2 ? 2 : 1;
    const int64_t part = ahead_bytes * step * KV_BLOCK / KV_TILE;
    for (int b = first / step * step; b < last; b += step, ahead += part)
        score_blocks(q, keys, at + (int64_t)b * KV_BLOCK * d, d, s, b, ahead, (int)(part / d), queries, step, dtype);
}

INLINE void add_columns(const float (*p)[KV_TILE], const float *scale, const void *values, int64_t at, int stride, int first, int last,
                        float *const *sums, int column, const char *ahead, int pace, const int queries, const int vectors, const int dtype) {
    vf sum[TOGETHER][MOST_SUMS];
    UNROLL
    for (int r = 0; r < queries; r++)
        UNROLL
        for (int c = 0; c < vectors; c++) sum[r][c] = v_mul(v_load(sums[r] + column + c * VF), v_set1(scale[r]));
    for (int j = first; j < last; j++, ahead += pace) {
        PREFETCH(ahead);
        UNROLL
        for (int c = 0; c < vectors; c++) {
            const vf v = load_kv(values, at + (int64_t)j * stride + column + c * VF, dtype);
            UNROLL
            for (int r = 0; r < queries; r++) sum[r][c] = v_fma(v_set1(p[r][j]), v, sum[r][c]);
        }
    }
    UNROLL
    for (int r = 0; r < queries; r++)
        UNROLL
        for (int c = 0; c < vectors; c++) v_store(sums[r] + column + c * VF, sum[r][c]);
}

/* sums[r] = scale[r] * sums[r] + sum over keys first..last of the tile of p[r][j] * values[j]. */
INLINE void add_values(const float (*p)[KV_TILE], const float *scale, const void *values, int64_t at, int d, int first, int last,
                       float *const *sums, const char *ahead, int64_t ahead_bytes, const int queries, const int dtype) {
    const int most = ACCUMULATORS / queries >= 4 ? 4 : 2;
    const int64_t part = ahead_bytes * most * VF / d;
    int c = 0;
    for (; c + most * VF <= d; c += most * VF, ahead += part)
        add_columns(p, scale, values, at, d, first, last, sums, c, ahead, (int)(part / KV_TILE), queries, most, dtype);
    for (; c < d; c += VF) add_columns(p, scale, values, at, d, first, last, sums, c, ahead, 0, queries, 1, dtype);
}

typedef struct {
    float *sums, high, total; /* sums [d_value_padded] of exp(score - high) * value, total of exp(score - high) */
    const float *q;
    int64_t first, last; /* keys seen: [first, last) */
} query;

/* Scores to weights: masks, keeps the running maximum; returns what the sums so far are multiplied with. */
static float weigh(const attention_args *a, query *x, float *s, int64_t tile) {
    const int64_t lo = x->first - tile, hi = x->last - tile;
    const int from = lo > 0 ? (int)lo : 0, to = hi < KV_TILE ? (int)hi : KV_TILE;
    float rescale = 1.0f;
    vf w[KV_TILE / VF];
    UNROLL for (int i = 0; i < KV_TILE / VF; i++) w[i] = v_mul(v_load(s + i * VF), v_set1(a->scale));
    if (a->softcap > 0.0f || from > 0 || to < KV_TILE) {
        UNROLL for (int i = 0; i < KV_TILE / VF; i++) v_store(s + i * VF, w[i]);
        if (a->softcap > 0.0f) soft_cap(s, KV_TILE, a->softcap);
        for (int j = 0; j < from; j++) s[j] = NONE; /* what is not seen may be anything, a number or not */
        for (int j = to; j < KV_TILE; j++) s[j] = NONE;
        UNROLL for (int i = 0; i < KV_TILE / VF; i++) w[i] = v_load(s + i * VF);
    }
    vf highest = v_set1(x->high);
    UNROLL for (int i = 0; i < KV_TILE / VF; i++) highest = v_max(highest, w[i]);
    float high = v_hmax(highest);
    if (high == NONE) high = 0.5f * NONE; /* no score is a number: not the same as none seen, the sums then are no numbers either */
    UNROLL for (int i = 0; i < KV_TILE / VF; i++) v_store(s + i * VF, w[i] = v_exp(v_sub(w[i], v_set1(high))));
    if (from > 0 || to < KV_TILE) {
        for (int j = 0; j < from; j++) s[j] = 0.0f;
        for (int j = to; j < KV_TILE; j++) s[j] = 0.0f;
        UNROLL for (int i = 0; i < KV_TILE / VF; i++) w[i] = v_load(s + i * VF);
    }
    vf total = v_set1(0.0f);
    UNROLL for (int i = 0; i < KV_TILE / VF; i++) total = v_add(total, w[i]);
    if (x->high == NONE) rescale = 0.0f;
    else if (x->high != high) {
        float e[VF];
        v_store(e, v_exp(v_set1(x->high - high)));
        rescale = e[0];
    }
    x->high = high;
    x->total = x->total * rescale + v_hsum(total);
    return rescale;
}

INLINE void tile_of_queries(const attention_args *a, query *x, int64_t tile, int kv, const int queries, const int dtype) {
    const int64_t size = dtype == KV_F32 ? 4 : 2;
    float s[TOGETHER][KV_TILE], scale[TOGETHER], *sums[TOGETHER];
    const float *q[TOGETHER];
    int64_t lo = INT64_MAX, hi = 0;
    for (int r = 0; r < queries; r++) {
        q[r] = x[r].q;
        sums[r] = x[r].sums;
        lo = x[r].first < lo ? x[r].first : lo;
        hi = x[r].last > hi ? x[r].last : hi;
    }
    const int from = lo > tile ? (int)(lo - tile) : 0, to = hi - tile < KV_TILE ? (int)(hi - tile) : KV_TILE;
    const int64_t row = tile % a->capacity, key = kv * a->key_head + row * a->d_key, value = kv * a->value_head + row * a->d_value_padded;
    score_tile(q, a->keys, key, a->d_key, s, from / KV_BLOCK, (to + KV_BLOCK - 1) / KV_BLOCK, (const char *)a->values + value * size,
               KV_TILE * a->d_value_padded * size, queries, dtype);
    for (int r = 0; r < queries; r++) {
        if (x[r].first >= tile + KV_TILE || x[r].last <= tile) { /* a neighbour's tile */
            memset(s[r], 0, sizeof s[r]);
            scale[r] = 1.0f;
        } else scale[r] = weigh(a, &x[r], s[r], tile);
    }
    add_values((const float(*)[KV_TILE])s, scale, a->values, value, a->d_value_padded, from, to, sums,
               (const char *)a->keys + (key + KV_TILE * a->d_key) * size, KV_TILE * a->d_key * size, queries, dtype);
}

#define TILES(DTYPE)                                                                                         \
    static void tile_##DTYPE(const attention_args *a, query *x, int queries, int64_t tile, int kv) {         \
        switch (queries) {                                                                                   \
        case 1: tile_of_queries(a, x, tile, kv, 1, DTYPE); break;                                            \
        case 2: tile_of_queries(a, x, tile, kv, 2, DTYPE); break;                                            \
        case 3: tile_of_queries(a, x, tile, kv, 3, DTYPE); break;                                            \
        case 4: if (TOGETHER > 4) { tile_of_queries(a, x, tile, kv, 4, DTYPE); break; } /* else: */          \
        default: tile_of_queries(a, x, tile, kv, TOGETHER, DTYPE);                                           \
        }                                                                                                    \
    }
TILES(KV_F32)
TILES(KV_F16)
TILES(KV_BF16)
