/* Arguments of latent attention: one shared key a token whose first d_latent numbers are also its value (DeepSeek-V2).
 *
 * The cache is [capacity, width]: normed latent, rotated shared key, zeros up to a multiple of LATENT_PAD.
 */
#ifndef OUZEL_LATENT_H
#define OUZEL_LATENT_H

#include <stdint.h>

enum { LATENT_PAD = 16, LATENT_TILE = 64, LATENT_MAX = 1024 };
enum { LATENT_QUERIES = 8, LATENT_GROUP = 4 }; /* heads of one task; heads that share registers */

typedef struct {
    float *q;           /* [n, heads * (d_nope + d_rope)]; the last d_rope of each head are rotated in place */
    float *queries;     /* [n, heads * d_latent]: queries in latent space, replaced by what they attended */
    const float *kv;    /* [n, d_latent + d_rope] */
    const float *norm;  /* [d_latent] */
    const float *rotary; /* [n, 2, half] cosines, sines; NULL: no rotation */
    void *cache;
    int64_t position, n;
    int32_t heads, d_nope, d_rope, d_latent, width, half, interleaved, dtype, heads_per_tile;
    float eps, scale;
} latent_args;

#endif
