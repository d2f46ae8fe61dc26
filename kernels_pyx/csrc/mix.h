/* Arguments of the mixture of streams and of the sigmoid gate. */
#ifndef OUZEL_MIX_H
#define OUZEL_MIX_H

#include <stdint.h>

enum { MIX_MAX = 32 };

typedef struct {
    const float *streams[MIX_MAX]; /* [n, d] each, oldest first */
    const float *norm, *query;     /* [d] */
    float *out;
    int64_t d;
    int32_t count;
    float eps;
} mix_args;

typedef struct {
    float *x;          /* x *= sigmoid(gate), [n, width] both */
    const float *gate;
    int64_t width;
} gate_args;

#endif
