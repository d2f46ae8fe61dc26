/* Row and attention kernels of the NEON table against those of the generic one on the same inputs, under an emulator.
 * Prints the largest difference of each, relative to the largest value; the generic table is held to NumPy elsewhere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "kernels.h"
#include "rows.h"

enum { N = 75, HEADS = 6, GROUP = 3, KV = 2, D = 40, DV = 24, CAPACITY = 128, EXPERTS = 50, TOP_K = 6, COLS = 83 };

static uint64_t seed = 1;
static float uniform(void) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (float)(seed >> 40) / (float)(1 << 23) - 1.0f;
}
static void fill(float *x, int n) {
    for (int i = 0; i < n; i++) x[i] = 2.0f * uniform();
}

static void report(const char *name, const float *a, const float *b, int n) {
    double high = 0, error = 0;
    for (int i = 0; i < n; i++) {
        high = fmax(high, fabs((double)a[i]));
        error = fmax(error, isfinite(b[i]) ? fabs((double)a[i] - (double)b[i]) : INFINITY);
    }
    printf("%s %.3e\n", name, error / high);
}

static void run(tile_fn fn, void *job, int tiles) {
    for (int t = 0; t < tiles; t++) fn(job, t, 0);
}

static void rows(const struct kernels *k, const float *x, const float *w, float *norm, float *cap, float *sum, float *weights, int32_t *ids) {
    norm_args n = {.x = x, .weight = w, .out = norm, .n = N, .cols = COLS, .rows_per_tile = 4, .eps = 1e-6f};
    run(k->rms_norm, &n, (N + 3) / 4);
    memcpy(cap, x, sizeof(float) * N * COLS);
    flat_args f = {.out = cap, .count = N * COLS, .factor = 1.5f};
    run(k->soft_cap, &f, 1);
    f.factor = 0.7f;
    run(k->scale, &f, 1);
    f.x = x;
    run(k->add, &f, 1);
    route_args r = {.logits = x, .ids = ids, .weights = weights, .n = N, .rows_per_tile = N, .experts = EXPERTS, .top_k = TOP_K,
                    .score = ROUTE_SOFTMAX, .groups = 5, .topk_groups = 2, .two_best = 1, .renormalize = 1, .scale = 2.0f};
    run(k->route, &r, 1);
    combine_args c = {.outputs = x, .weights = weights, .out = sum, .n = N / TOP_K, .cols = COLS, .rows_per_tile = 5, .top_k = TOP_K};
    run(k->combine, &c, (N / TOP_K + 4) / 5);
}

static void attention(const struct kernels *k, const struct pool *pool, const float *input, int dtype, int extras, float *out) {
    static float q[N * HEADS * D], keys[N * KV * D], v[N * KV * DV], cache[KV * CAPACITY * (D + 32)], rotary[N * 2 * 8], sinks[HEADS];
    memcpy(q, input, sizeof q);
    memcpy(keys, input + 100, sizeof keys);
    memcpy(v, input + 200, sizeof v);
    memcpy(rotary, input + 300, sizeof rotary);
    memcpy(sinks, input + 400, sizeof sinks);
    memset(cache, 0, sizeof cache);
    const int key_head = dtype == KV_Q8 ? CAPACITY / KV_TILE * 2 * KV8_BYTES : CAPACITY * D; /* two blocks of 32 numbers, one of values */
    const int value_head = dtype == KV_Q8 ? CAPACITY / KV_TILE * KV8_BYTES : CAPACITY * 32;
    attention_args a = {.q = q, .k = keys, .v = v, .out = out, .keys = cache, .values = cache + KV * CAPACITY * D,
                        .key_head = key_head, .value_head = value_head, .capacity = CAPACITY, .window = extras ? 20 : INT64_MAX,
                        .n = N, .rows_per_tile = N, .dtype = dtype, .n_heads = HEADS, .n_kv_heads = KV, .group = GROUP, .d_key = D,
                        .d_value = DV, .d_value_padded = 32, .norm = HEAD_NORM_HEAD, .value_norm = extras, .half = 8,
                        .interleaved = extras, .q_norm = input, .k_norm = input + 50, .rotary = rotary, .norm_eps = 1e-6f,
                        .scale = 0.3f, .softcap = extras ? 2.0f : 0.0f, .sinks = extras ? sinks : NULL, .queries = 32,
                        .query_tiles = (N * GROUP + 31) / 32, .pool = pool};
    run(k->attention_rows, &a, 1);
    run(k->attend, &a, KV * a.query_tiles);
}

int main(void) {
    static float x[N * HEADS * D], out[2][4][N * HEADS * D];
    static int32_t ids[2][N * TOP_K];
    struct pool *pool = pool_create(1);
    const struct kernels *tables[2] = {&kernels_generic, &kernels_neon};
    fill(x, N * HEADS * D);
    for (int i = 0; i < 2; i++) rows(tables[i], x, x + 7, out[i][0], out[i][1], out[i][2], out[i][3], ids[i]);
    report("rms_norm", out[0][0], out[1][0], N * COLS);
    report("soft_cap, scale, add", out[0][1], out[1][1], N * COLS);
    report("combine", out[0][2], out[1][2], N / TOP_K * COLS);
    report("weights", out[0][3], out[1][3], N * TOP_K);
    printf("ids %d\n", memcmp(ids[0], ids[1], sizeof ids[0]) != 0);
    for (int dtype = 0; dtype < KV_DTYPES; dtype++)
        for (int extras = 0; extras < 2; extras++) {
            char name[32];
            for (int i = 0; i < 2; i++) attention(tables[i], pool, x, dtype, extras, out[i][0]);
            snprintf(name, sizeof name, "attention %d %d", dtype, extras);
            report(name, out[0][0], out[1][0], N * HEADS * DV);
        }
    pool_destroy(pool);
    return 0;
}
