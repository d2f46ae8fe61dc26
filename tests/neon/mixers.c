/* Latent attention, delta rule and mixtures of the NEON table against those of the generic one on the same inputs, under an emulator.
 * Prints the largest difference of each, relative to the largest value; the generic table is held to NumPy elsewhere. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attention.h"
#include "kernels.h"
#include "latent.h"
#include "mix.h"
#include "recurrent.h"

enum { N = 75, HEADS = 11, NOPE = 8, ROPE = 6, LATENT = 48, WIDTH = 64 };
enum { KEY_HEADS = 2, SHARE = 2, DK = 20, DV = 88, DV_PADDED = 96, CONV = 4, RING = 5, INPUTS = 2 * KEY_HEADS * DK };
enum { VALUES = KEY_HEADS * SHARE * DV, DECAYS = KEY_HEADS * SHARE * DK };

static float pool_of_numbers[1 << 18];

static void fill(void) {
    uint64_t seed = 1;
    for (int i = 0; i < 1 << 18; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        pool_of_numbers[i] = (float)(seed >> 40) / (float)(1 << 22) - 2.0f;
    }
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

/* split: the sums of spans apart, then their merge. */
static void latent(const struct kernels *k, const struct pool *pool, int dtype, int split, float *queries) {
    static float partials[(N * HEADS + LATENT_QUERIES) * 2 * (LATENT + 2)];
    static float q[N * HEADS * (NOPE + ROPE)], cache[N * WIDTH];
    memcpy(q, pool_of_numbers, sizeof q);
    memcpy(queries, pool_of_numbers + 999, sizeof(float) * N * HEADS * LATENT);
    latent_args a = {.q = q, .queries = queries, .kv = pool_of_numbers + 50000, .norm = pool_of_numbers + 70000,
                     .rotary = pool_of_numbers + 80000, .cache = cache,
                     .row_bytes = dtype == KV_F32 ? 4 * WIDTH : 2 * WIDTH, .n = N, .heads = HEADS, .d_nope = NOPE, .d_rope = ROPE,
                     .d_latent = LATENT, .width = WIDTH, .half = ROPE / 2, .interleaved = 1, .dtype = dtype,
                     .eps = 1e-6f, .scale = 0.1f, .tiles = (N * HEADS + LATENT_QUERIES - 1) / LATENT_QUERIES, .wave_spans = 1,
                     .partials = partials, .pool = pool};
    run(k->latent_rows, &a, N);
    if (split) {
        run(k->latent_span, &a, (int)a.tiles);
        run(k->latent_merge, &a, (int)a.tiles);
    } else run(k->latent_attend, &a, (int)a.tiles);
}

static void delta(const struct kernels *k, int bounded, float *out) {
    static float state[KEY_HEADS * SHARE * DK * DV_PADDED], ring[RING * (INPUTS + VALUES + DECAYS + KEY_HEADS * SHARE)];
    int64_t at[KEY_HEADS] = {0};
    const float *p = pool_of_numbers;
    memset(state, 0, sizeof state);
    memset(ring, 0, sizeof ring);
    for (int first = 0; first < N; first += 2) { /* short steps: each replays the one before */
        const int n = first + 2 <= N ? 2 : N - first;
        delta_args a = {.key_heads = KEY_HEADS, .share = SHARE, .d_key = DK, .d_value = DV, .d_value_padded = DV_PADDED, .conv = CONV,
                        .per_channel = 1, .bounded = bounded, .silu_gate = !bounded, .floor = -5.0f, .norm_eps = 1e-5f, .scale = 0.2f,
                        .conv_q = p, .conv_k = p + 1000, .conv_v = p + 2000, .decay_bias = p + 5000, .decay_log = p + 6000,
                        .norm = p + 7000, .q = p + 8000 + first * KEY_HEADS * DK, .k = p + 20000 + first * KEY_HEADS * DK,
                        .v = p + 40000 + first * VALUES, .decay = p + 80000 + first * DECAYS, .beta = p + 100000 + first * KEY_HEADS * SHARE,
                        .gate = p + 110000 + first * VALUES, .out = out + first * VALUES, .ring = ring, .ring_rows = RING,
                        .state = state, .at = at, .position = first, .n = n};
        run(k->delta, &a, KEY_HEADS);
    }
}

int main(void) {
    static float out[2][N * HEADS * LATENT];
    const struct kernels *tables[2] = {&kernels_generic, &kernels_neon};
    const char *names[] = {"latent f32", "latent f16", "latent bf16", "latent q8"};
    struct pool *pool = pool_create(1);
    fill();
    for (int dtype = 0; dtype < KV_DTYPES; dtype++) {
        for (int i = 0; i < 2; i++) latent(tables[i], pool, dtype, i, out[i]);
        report(names[dtype], out[0], out[1], N * HEADS * LATENT);
    }
    for (int bounded = 0; bounded < 2; bounded++) {
        for (int i = 0; i < 2; i++) delta(tables[i], bounded, out[i]);
        report(bounded ? "delta bounded" : "delta", out[0], out[1], N * VALUES);
    }
    for (int i = 0; i < 2; i++) {
        mix_args m = {.streams = {pool_of_numbers, pool_of_numbers + 20000, pool_of_numbers + 40000}, .norm = pool_of_numbers + 7,
                      .query = pool_of_numbers + 400, .out = out[i], .d = 107, .count = 3, .eps = 1e-5f};
        run(tables[i]->mix, &m, N);
        gate_args g = {.x = out[i], .gate = pool_of_numbers + 3, .width = 107};
        run(tables[i]->gate, &g, N);
    }
    report("mix and gate", out[0], out[1], N * 107);
    pool_destroy(pool);
    return 0;
}
