/* Attention over a cache of keys and values (online softmax in tiles: Milakov and Gimelshein 2018, Dao et al. 2022).
 *
 * A query's sums run over spans of KV_SPAN keys and inside them over tiles of KV_TILE keys, at fixed positions, each score summed
 * over d in order, each output over keys in order. So its bits depend neither on the rows that ride with it nor on tasks.
 * Needs body_rows.h before it; included once per instruction set.
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

#if defined(_MSC_VER)
#define PREFETCH(p) ((void)(p))
#else
#define PREFETCH(p) __builtin_prefetch(p)
#endif

/* ---- rows of a step: norm, rotation, append ---- */

static void rotate(const attention_args *a, float *x, const float *cosine, const float *sine) {
    const int half = a->half;
    if (a->interleaved) {
        for (int i = 0; i < half; i++) {
            const float p = x[2 * i], q = x[2 * i + 1];
            x[2 * i] = p * cosine[i] - q * sine[i];
            x[2 * i + 1] = q * cosine[i] + p * sine[i];
        }
    } else {
        float *restrict first = x, *restrict second = x + half;
        for (int i = 0; i < half; i++) {
            const float p = first[i], q = second[i];
            first[i] = p * cosine[i] - q * sine[i];
            second[i] = q * cosine[i] + p * sine[i];
        }
    }
}

static void place(const attention_args *a, float *x, int heads, const float *weight, int64_t row) {
    const int d = a->d_key;
    if (a->norm == HEAD_NORM_WIDTH) rms_norm_row(x, weight, x, (int64_t)heads * d, a->norm_eps);
    for (int h = 0; h < heads; h++) {
        if (a->norm == HEAD_NORM_HEAD) rms_norm_row(x + h * d, weight, x + h * d, d, a->norm_eps);
        if (a->rotary) rotate(a, x + h * d, a->rotary + row * 2 * a->half, a->rotary + (row * 2 + 1) * a->half);
    }
}

/* n numbers, padded with zeros to n_padded; halves saturate, so that one overflow does not make a tile NaN. */
static void narrow(const float *x, int n, int n_padded, int dtype, uint16_t *out) {
    float padded[KV_MAX_D];
    memcpy(padded, x, (size_t)n * sizeof *x);
    for (int i = n; i < n_padded; i++) padded[i] = 0.0f;
    for (int i = 0; i < n_padded; i += VF) {
        const vf p = v_load(padded + i);
        if (dtype == KV_F16) v_store_f16(out + i, v_max(v_min(p, v_set1(65504.0f)), v_set1(-65504.0f)));
        else v_store_bf16(out + i, p);
    }
}

static void append(const attention_args *a, int64_t row) {
    const int64_t at = (a->position + row) % a->capacity;
    const int d = a->d_key, dv = a->d_value, dv_padded = a->d_value_padded;
    uint16_t half[KV_MAX_D];
    for (int h = 0; h < a->n_kv_heads; h++) {
        const float *k = a->k + (row * a->n_kv_heads + h) * d;
        float *v = a->v + (row * a->n_kv_heads + h) * dv;
        const int64_t key = h * a->key_head + at / KV_BLOCK * KV_BLOCK * d + at % KV_BLOCK;
        const int64_t value = h * a->value_head + at * dv_padded;
        float normed[KV_MAX_D];
        if (a->value_norm) {
            rms_norm_row(v, NULL, normed, dv, a->norm_eps);
            v = normed;
        }
        if (a->dtype == KV_F32) {
            for (int i = 0; i < d; i++) ((float *)a->keys)[key + i * KV_BLOCK] = k[i];
            memcpy((float *)a->values + value, v, (size_t)dv * sizeof *v);
        } else {
            narrow(k, d, (d + KV_BLOCK - 1) / KV_BLOCK * KV_BLOCK, a->dtype, half);
            for (int i = 0; i < d; i++) ((uint16_t *)a->keys)[key + i * KV_BLOCK] = half[i];
            narrow(v, dv, dv_padded, a->dtype, (uint16_t *)a->values + value);
        }
    }
}

static void attention_rows(const attention_args *a, int64_t row) {
    place(a, a->q + row * a->n_heads * a->d_key, a->n_heads, a->q_norm, row);
    place(a, a->k + row * a->n_kv_heads * a->d_key, a->n_kv_heads, a->k_norm, row);
    append(a, row);
}
ROW_TILES(attention_rows, attention_args)

/* ---- one tile of keys for up to TOGETHER queries ----
 *
 * While keys are scored the values of the tile come to the cache, and while values are summed the next tile's keys: `ahead` moves by
 * `pace` bytes with each step of the loops. */

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
    for (int j = 0; j < KV_TILE; j++) s[j] *= a->scale;
    if (a->softcap > 0.0f) soft_cap(s, KV_TILE, a->softcap);
    for (int j = 0; j < from; j++) s[j] = NONE; /* what is not seen may be anything, a number or not */
    for (int j = to; j < KV_TILE; j++) s[j] = NONE;
    vf highest = v_set1(x->high);
    for (int j = 0; j < KV_TILE; j += VF) highest = v_max(highest, v_load(s + j));
    float high = v_hmax(highest);
    if (high == NONE) high = 0.5f * NONE; /* no score is a number: not the same as none seen, the sums then are no numbers either */
    for (int j = 0; j < KV_TILE; j += VF) v_store(s + j, v_exp(v_sub(v_load(s + j), v_set1(high))));
    for (int j = 0; j < from; j++) s[j] = 0.0f;
    for (int j = to; j < KV_TILE; j++) s[j] = 0.0f;
    vf total = v_set1(0.0f);
    for (int j = 0; j < KV_TILE; j += VF) total = v_add(total, v_load(s + j));
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

/* ---- spans and tasks ---- */

/* Partial sums of one span for n queries, from nothing; a query that sees none of it keeps high == NONE. */
static void sum_span(const attention_args *a, query *x, int n, int64_t span, int kv) {
    static void (*const tiles[KV_DTYPES])(const attention_args *, query *, int, int64_t, int) = {tile_KV_F32, tile_KV_F16, tile_KV_BF16};
    for (int i = 0; i < n; i++) {
        memset(x[i].sums, 0, (size_t)a->d_value_padded * sizeof(float));
        x[i].high = NONE;
        x[i].total = 0.0f;
    }
    for (int64_t tile = span * KV_SPAN; tile < (span + 1) * KV_SPAN && !pool_cancelled(a->pool); tile += KV_TILE)
        for (int i = 0, m; i < n; i += m) {
            m = n - i >= TOGETHER ? TOGETHER : n - i < 4 ? n - i : 4;
            int seen = 0;
            for (int r = i; r < i + m; r++) seen |= x[r].first < tile + KV_TILE && x[r].last > tile;
            if (seen) tiles[a->dtype](a, x + i, m, tile, kv);
        }
}

static void merge(float *sums, float *high, float *total, const float *part, float part_high, float part_total, int d) {
    if (part_high == NONE) return;
    if (*high == NONE) {
        memcpy(sums, part, (size_t)d * sizeof *sums);
        *high = part_high;
        *total = part_total;
        return;
    }
    const float higher = *high > part_high ? *high : part_high;
    float scale[2 * VF];
    v_store(scale, v_exp(v_set1(*high - higher)));
    v_store(scale + VF, v_exp(v_set1(part_high - higher)));
    const float old = scale[0], new = scale[VF];
    for (int i = 0; i < d; i++) sums[i] = sums[i] * old + part[i] * new;
    *total = *total * old + part_total * new;
    *high = higher;
}

static void finish(const attention_args *a, int64_t row, int head, const float *sums, float high, float total) {
    float *out = a->out + (row * a->n_heads + head) * a->d_value;
    float scale = 1.0f;
    if (a->sinks) {
        const float sink = a->sinks[head], higher = sink > high ? sink : high;
        float e[2 * VF];
        v_store(e, v_exp(v_set1(high - higher)));
        v_store(e + VF, v_exp(v_set1(sink - higher)));
        scale = e[0];
        total = total * scale + e[VF];
    }
    scale /= total;
    for (int i = 0; i < a->d_value; i++) out[i] = sums[i] * scale;
}

/* The queries of a task and the spans that they see; sums holds n rows of d_value_padded. */
static int begin(const attention_args *a, int tile, int kv, query *x, float *sums, int64_t *first_span, int64_t *last_span) {
    const int from = tile * a->queries, all = (int)a->n * a->group, n = all - from < a->queries ? all - from : a->queries;
    for (int i = 0; i < n; i++) {
        const int row = (from + i) / a->group, head = kv * a->group + (from + i) % a->group;
        const int64_t last = a->position + row + 1;
        x[i].q = a->q + ((int64_t)row * a->n_heads + head) * a->d_key;
        x[i].last = last;
        x[i].first = last > a->window ? last - a->window : 0;
        x[i].sums = sums + (int64_t)i * a->d_value_padded;
    }
    *first_span = x[0].first / KV_SPAN;
    *last_span = (x[n - 1].last - 1) / KV_SPAN;
    return n;
}

/* task = kv head * query_tiles + tile of queries: all spans, one after the other. The last rows see most keys and go first. */
static void attend_tile(void *job, int32_t task, int32_t thread) {
    const attention_args *a = job;
    (void)thread;
    query x[ATTEND_QUERIES];
    float part[ATTEND_SUMS], sums[ATTEND_SUMS], high[ATTEND_QUERIES], total[ATTEND_QUERIES];
    const int tile = a->query_tiles - 1 - task % a->query_tiles, kv = task / a->query_tiles, d = a->d_value_padded;
    int64_t span, last;
    const int n = begin(a, tile, kv, x, part, &span, &last);
    for (int i = 0; i < n; i++) high[i] = NONE;
    for (; span <= last && !pool_cancelled(a->pool); span++) {
        sum_span(a, x, n, span, kv);
        for (int i = 0; i < n; i++) merge(sums + (int64_t)i * d, &high[i], &total[i], x[i].sums, x[i].high, x[i].total, d);
    }
    for (int i = 0; i < n && !pool_cancelled(a->pool); i++) {
        const int at = tile * a->queries + i;
        finish(a, at / a->group, kv * a->group + at % a->group, sums + (int64_t)i * d, high[i], total[i]);
    }
}

static float *partial(const attention_args *a, int64_t task, int span) {
    return a->partials + (task * (a->wave_spans + 1) + span) * a->queries * (a->d_value_padded + 2);
}

/* task = (kv head and tile) * wave_spans + span of the wave: leaves the partial sums of that span. */
static void attend_span_tile(void *job, int32_t task, int32_t thread) {
    const attention_args *a = job;
    (void)thread;
    query x[ATTEND_QUERIES];
    float sums[ATTEND_SUMS];
    const int64_t who = task / a->wave_spans, span = task % a->wave_spans;
    const int d = a->d_value_padded;
    int64_t first, last;
    float *out = partial(a, who, (int)span);
    const int n = begin(a, (int)(who % a->query_tiles), (int)(who / a->query_tiles), x, sums, &first, &last);
    sum_span(a, x, n, a->wave_first + span, (int)(who / a->query_tiles));
    for (int i = 0; i < n; i++, out += d + 2) {
        memcpy(out, x[i].sums, (size_t)d * sizeof *out);
        out[d] = x[i].high;
        out[d + 1] = x[i].total;
    }
}

/* task = kv head and tile: merges the wave's partial sums in order, and finishes with the last wave. */
static void attend_merge_tile(void *job, int32_t task, int32_t thread) {
    const attention_args *a = job;
    (void)thread;
    query x[ATTEND_QUERIES];
    const int d = a->d_value_padded, tile = (int)(task % a->query_tiles), kv = (int)(task / a->query_tiles);
    int64_t first, last;
    const int n = begin(a, tile, kv, x, a->partials, &first, &last);
    for (int i = 0; i < n; i++) {
        float *total = partial(a, task, a->wave_spans) + (int64_t)i * (d + 2);
        if (a->wave_first <= first) total[d] = NONE;
        for (int s = 0; s < a->wave_spans; s++) {
            const float *part = partial(a, task, s) + (int64_t)i * (d + 2);
            merge(total, &total[d], &total[d + 1], part, part[d], part[d + 1], d);
        }
        if (a->wave_first + a->wave_spans > last) {
            const int at = tile * a->queries + i;
            finish(a, at / a->group, kv * a->group + at % a->group, total, total[d], total[d + 1]);
        }
    }
}
