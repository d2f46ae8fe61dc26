/* Arguments of the row kernels: arrays [n, cols] of f32 without gaps between rows; a tile is rows_per_tile rows. */
#ifndef OUZEL_ROWS_H
#define OUZEL_ROWS_H

#include <stdint.h>

#define ROUTE_MAX_EXPERTS 4096
#define ROUTE_MAX_TOP_K 64

typedef struct {
    const float *x, *weight; /* weight [cols] or NULL */
    float *out;              /* may be x */
    int64_t n, cols, rows_per_tile;
    float eps;
} norm_args;

/* Number by number: a tile is FLAT_TILE of them. */
#define FLAT_TILE 16384
typedef struct {
    const float *x; /* add only */
    float *out;
    int64_t count;
    float factor; /* scale: factor; soft_cap: cap */
} flat_args;

enum { ROUTE_SOFTMAX, ROUTE_SIGMOID, ROUTE_TOPK_SOFTMAX };

typedef struct {
    float *logits;                                            /* [n, experts] without logit_bias, which is added here */
    const float *logit_bias, *choice_bias, *per_expert_scale; /* [experts] or NULL */
    int32_t *ids;                                /* [n, top_k] */
    float *weights;                              /* [n, top_k] */
    int64_t n, rows_per_tile;
    int experts, top_k, score, groups, topk_groups, two_best, renormalize;
    float renorm_eps, scale;
} route_args;

typedef struct {
    const float *outputs; /* [n * top_k, cols] */
    const float *weights; /* [n, top_k] */
    float *out;
    int64_t n, cols, rows_per_tile;
    int top_k, add;
} combine_args;

#endif
