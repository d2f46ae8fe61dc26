/* Kimi K3's attention residuals, and output gates; a task is one row. After body_rows.h and body_recurrent.h (load_some). */
#include "mix.h"

/* score = query . rms_norm(x, norm) */
static float mix_score(const mix_args *a, const float *x) {
    vf sum[4];
    UNROLL for (int u = 0; u < 4; u++) sum[u] = v_set1(0.0f);
    int64_t i = 0;
    for (; i + 4 * VF <= a->d; i += 4 * VF)
        UNROLL for (int u = 0; u < 4; u++)
            sum[u] = v_fma(v_load(x + i + u * VF), v_mul(v_load(a->norm + i + u * VF), v_load(a->query + i + u * VF)), sum[u]);
    for (; i < a->d; i += VF) {
        const int n = (int)(a->d - i);
        sum[0] = v_fma(load_some(x + i, n), v_mul(load_some(a->norm + i, n), load_some(a->query + i, n)), sum[0]);
    }
    const float dot = v_hsum(v_add(v_add(sum[0], sum[2]), v_add(sum[1], sum[3])));
    return dot * (float)(1.0 / sqrt(sum_squares(x, a->d) / (double)a->d + (double)a->eps));
}

static void mix_tile(void *job, int32_t row, int32_t thread) {
    const mix_args *a = job;
    float p[MIX_MAX + 16], high, total = 0.0f;
    (void)thread;
    for (int b = 0; b < MIX_MAX + 16; b++) p[b] = 0.0f;
    for (int b = 0; b < a->count; b++) p[b] = mix_score(a, a->streams[b] + row * a->d);
    high = p[0];
    for (int b = 1; b < a->count; b++) if (p[b] > high) high = p[b];
    for (int b = 0; b < a->count; b += VF) v_store(p + b, v_exp(v_sub(v_load(p + b), v_set1(high))));
    for (int b = 0; b < a->count; b++) total += p[b];
    for (int b = 0; b < a->count; b++) p[b] /= total;
    for (int64_t i = 0; i < a->d; i += VF) {
        const int n = (int)(a->d - i < VF ? a->d - i : VF);
        vf sum = v_set1(0.0f);
        for (int b = 0; b < a->count; b++) sum = v_fma(v_set1(p[b]), load_some(a->streams[b] + row * a->d + i, n), sum);
        store_some(a->out + row * a->d + i, sum, n);
    }
}

static void gate_tile(void *job, int32_t row, int32_t thread) {
    const gate_args *a = job;
    float *x = a->x + row * a->width;
    const float *g = a->gate + row * a->width;
    (void)thread;
    for (int64_t i = 0; i < a->width; i += VF) {
        const int n = (int)(a->width - i < VF ? a->width - i : VF);
        store_some(x + i, v_mul(load_some(x + i, n), v_sigmoid(load_some(g + i, n))), n);
    }
}
