/* Row kernels over the vector primitives, after body_math.h; included once per instruction set. A row's result depends on that row alone. */
#include "rows.h"

#include <math.h>

/* In double, because a sum of thousands of squares in f32 would lose three digits against the reference. */
static double sum_squares(const float *x, int64_t n) {
    double a[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) a[j] += (double)x[i + j] * (double)x[i + j];
    for (int j = 0; i < n; i++, j++) a[j] += (double)x[i] * (double)x[i];
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

static void rms_norm_row(const float *x, const float *weight, float *out, int64_t n, float eps) {
    const float r = (float)(1.0 / sqrt(sum_squares(x, n) / (double)n + (double)eps));
    if (weight)
        for (int64_t i = 0; i < n; i++) out[i] = x[i] * r * weight[i];
    else
        for (int64_t i = 0; i < n; i++) out[i] = x[i] * r;
}

/* A kernel of one row as one of a tile of rows. */
#define ROW_TILES(NAME, ARGS)                                                                              \
    static void NAME##_tile(void *job, int32_t tile, int32_t thread) {                                     \
        const ARGS *a = job;                                                                               \
        const int64_t first = tile * a->rows_per_tile, end = first + a->rows_per_tile;                     \
        (void)thread;                                                                                      \
        for (int64_t row = first; row < end && row < a->n; row++) NAME(a, row);                            \
    }

static void rms_norm(const norm_args *a, int64_t row) {
    rms_norm_row(a->x + row * a->cols, a->weight, a->out + row * a->cols, a->cols, a->eps);
}
ROW_TILES(rms_norm, norm_args)

static int64_t flat_end(const flat_args *a, int32_t tile) {
    const int64_t end = (int64_t)(tile + 1) * FLAT_TILE;
    return end < a->count ? end : a->count;
}

static void add_tile(void *job, int32_t tile, int32_t thread) {
    const flat_args *a = job;
    const int64_t end = flat_end(a, tile);
    (void)thread;
    for (int64_t i = (int64_t)tile * FLAT_TILE; i < end; i++) a->out[i] += a->x[i];
}

static void scale_tile(void *job, int32_t tile, int32_t thread) {
    const flat_args *a = job;
    const int64_t end = flat_end(a, tile);
    (void)thread;
    for (int64_t i = (int64_t)tile * FLAT_TILE; i < end; i++) a->out[i] *= a->factor;
}

static void soft_cap(float *x, int64_t n, float cap) {
    const vf c = v_set1(cap);
    int64_t i = 0;
    for (; i + VF <= n; i += VF) v_store(x + i, v_mul(c, v_tanh(v_div(v_load(x + i), c))));
    if (i < n) v_store_n(x + i, v_mul(c, v_tanh(v_div(v_load_n(x + i, (int)(n - i)), c))), (int)(n - i));
}

static void soft_cap_tile(void *job, int32_t tile, int32_t thread) {
    const flat_args *a = job;
    const int64_t first = (int64_t)tile * FLAT_TILE;
    (void)thread;
    soft_cap(a->out + first, flat_end(a, tile) - first, a->factor);
}

/* x[i] = exp(x[i] - shift); x has room for whole vectors. */
static void exp_shifted(float *x, int n, float shift) {
    for (int i = 0; i < n; i += VF) v_store(x + i, v_exp(v_sub(v_load(x + i), v_set1(shift))));
}

/* Indices of the k best of n, best first, ties to the lower index; skip: those are no candidates. */
static int best(const float *score, const unsigned char *skip, int n, int k, int32_t *ids) {
    int m = 0;
    for (int e = 0; e < n; e++) {
        if ((skip && skip[e]) || (m == k && !(score[e] > score[ids[k - 1]]))) continue;
        int at = m < k ? m++ : k - 1;
        for (; at > 0 && score[e] > score[ids[at - 1]]; at--) ids[at] = ids[at - 1];
        ids[at] = e;
    }
    return m;
}

static void skip_groups(const route_args *a, const float *choice, unsigned char *skip) {
    const int size = a->experts / a->groups;
    float score[ROUTE_MAX_EXPERTS];
    int32_t kept[ROUTE_MAX_EXPERTS], two[2];
    for (int g = 0; g < a->groups; g++) {
        const float *c = choice + g * size;
        best(c, NULL, size, a->two_best ? 2 : 1, two);
        score[g] = a->two_best ? c[two[0]] + c[two[1]] : c[two[0]];
    }
    best(score, NULL, a->groups, a->topk_groups, kept);
    for (int e = 0; e < a->experts; e++) skip[e] = 1;
    for (int i = 0; i < a->topk_groups; i++)
        for (int e = 0; e < size; e++) skip[kept[i] * size + e] = 0;
}

static void softmax(float *x, int n) {
    float high = -INFINITY;
    double sum = 0;
    for (int i = 0; i < n; i++) high = x[i] > high ? x[i] : high;
    exp_shifted(x, n, high);
    for (int i = 0; i < n; i++) sum += (double)x[i];
    for (int i = 0; i < n; i++) x[i] = (float)((double)x[i] / sum);
}

static void route(const route_args *a, int64_t row) {
    float *logits = a->logits + row * a->experts;
    int32_t *ids = a->ids + row * a->top_k;
    float *weights = a->weights + row * a->top_k;
    const int n = a->experts, k = a->top_k;
    float score[ROUTE_MAX_EXPERTS + VF], biased[ROUTE_MAX_EXPERTS], chosen[ROUTE_MAX_TOP_K + VF];
    unsigned char skip[ROUTE_MAX_EXPERTS];
    const float *choice = score;

    if (a->logit_bias)
        for (int e = 0; e < n; e++) logits[e] += a->logit_bias[e];
    for (int e = 0; e < n; e++) score[e] = a->score == ROUTE_SIGMOID ? -logits[e] : logits[e];
    for (int e = n; e % VF; e++) score[e] = 0.0f;
    if (a->score == ROUTE_SOFTMAX) softmax(score, n);
    if (a->score == ROUTE_SIGMOID) {
        exp_shifted(score, n, 0.0f);
        for (int e = 0; e < n; e++) score[e] = 1.0f / (1.0f + score[e]);
    }
    if (a->choice_bias) {
        for (int e = 0; e < n; e++) biased[e] = score[e] + a->choice_bias[e];
        choice = biased;
    }
    if (a->groups > 1) skip_groups(a, choice, skip);
    best(choice, a->groups > 1 ? skip : NULL, n, k, ids);

    for (int i = 0; i < k; i++) chosen[i] = score[ids[i]];
    for (int i = k; i % VF; i++) chosen[i] = 0.0f;
    if (a->score == ROUTE_TOPK_SOFTMAX) softmax(chosen, k);
    if (a->renormalize) {
        float sum = 0;
        for (int i = 0; i < k; i++) sum += chosen[i];
        for (int i = 0; i < k; i++) chosen[i] /= sum + a->renorm_eps;
    }
    for (int i = 0; i < k; i++)
        weights[i] = chosen[i] * a->scale * (a->per_expert_scale ? a->per_expert_scale[ids[i]] : 1.0f);
}
ROW_TILES(route, route_args)

static void combine(const combine_args *a, int64_t row) {
    const float *y = a->outputs + row * a->top_k * a->cols, *w = a->weights + row * a->top_k;
    float *out = a->out + row * a->cols;
    for (int64_t i = 0; i < a->cols; i += 64) { /* a piece stays in registers while the ranks are summed */
        const int m = a->cols - i < 64 ? (int)(a->cols - i) : 64;
        float sum[64] = {0};
        for (int k = 0; k < a->top_k; k++)
            for (int j = 0; j < m; j++) sum[j] += w[k] * y[k * a->cols + i + j];
        for (int j = 0; j < m; j++) out[i + j] = a->add ? out[i + j] + sum[j] : sum[j];
    }
}
ROW_TILES(combine, combine_args)
