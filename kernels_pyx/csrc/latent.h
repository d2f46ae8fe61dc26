/* Arguments of latent attention: one shared key a token whose first d_latent numbers are also its value (DeepSeek-V2).
 *
 * The cache is [capacity, width]: normed latent, rotated shared key, zeros up to a multiple of LATENT_PAD. In KV_Q8 a row is bytes: int8
 * codes of the latent, the rest as f16, then a scale f16 for 32 codes.
 */
#ifndef OUZEL_LATENT_H
#define OUZEL_LATENT_H

#include <stdint.h>

enum { LATENT_PAD = 16, LATENT_MAX = 1024 };
enum { LATENT_TILE = 64, LATENT_SPAN = 512 }; /* keys of one softmax step, and those whose partial sums are merged as one */
enum { LATENT_QUERIES = 16 };                 /* queries of a task; a query is row * heads + head */

struct pool;

typedef struct {
    float *q;           /* [n, heads * (d_nope + d_rope)]; the last d_rope of each head are rotated in place */
    float *queries;     /* [n, heads * d_latent]: queries in latent space, replaced by what they attended */
    const float *kv;    /* [n, d_latent + d_rope] */
    const float *norm;  /* [d_latent] */
    const float *rotary; /* [n, 2, half] cosines, sines; NULL: no rotation */
    void *cache;
    int64_t row_bytes; /* of the cache */
    int64_t position, n;
    int32_t heads, d_nope, d_rope, d_latent, width, half, interleaved, dtype;
    float eps, scale;
    /* tasks: tiles of queries; times the spans of a wave in split mode */
    int64_t tiles, wave_first, wave_spans;
    float *partials;         /* [tiles, wave_spans + 1, LATENT_QUERIES, d_latent + 2]; the last is the running total */
    const struct pool *pool; /* whose cancel flag is polled */
} latent_args;

#endif
