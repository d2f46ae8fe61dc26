/* Arguments of the delta rule with short convolutions (Kimi delta attention, gated delta net).
 *
 * The state of a value head is [d_key, d_value_padded]. at[key head] tells how many tokens it holds; the inputs of tokens
 * after that lie in the ring, row p % ring_rows holding token p: q, k and v before convolution, decay and beta before their
 * functions. So a step's rows can be taken back: a short step leaves the state where it is and the next one replays what stayed.
 */
#ifndef OUZEL_RECURRENT_H
#define OUZEL_RECURRENT_H

#include <stdint.h>

enum { DELTA_PAD = 16, DELTA_MAX = 256, DELTA_MAX_CONV = 8 };
enum { DELTA_GROUP = 16 }; /* tokens that walk the state together; no more can be taken back */

typedef struct {
    int32_t key_heads, share, d_key, d_value, d_value_padded, conv;
    int32_t per_channel, bounded, silu_gate; /* decay a channel; floor * sigmoid(a z) in place of -a softplus(z); else sigmoid */
    float floor, norm_eps, scale;
    const float *conv_q, *conv_k, *conv_v; /* [conv, channels] */
    const float *decay_bias, *decay_log;   /* [decays], [value heads] */
    const float *norm;                     /* [d_value] */
    const float *q, *k, *v, *decay, *beta, *gate; /* rows of the step */
    float *out;                                   /* [n, value heads * d_value] */
    float *ring;                                  /* [ring_rows, q | k | v | decay | beta] */
    int64_t ring_rows;
    float *state;
    int64_t *at;
    int64_t position, n; /* tokens position..position+n-1 */
    int32_t in_place;    /* the state moves to the end of the step */
} delta_args;

#endif
