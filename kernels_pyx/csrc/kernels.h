/* THE table: one function table per instruction set, filled by kernels_<isa>.c from the same bodies.
 *
 * Every entry is a tile_fn: it does tile `tile` of the job that it is given (a struct of this header), on any thread, and
 * writes only what belongs to that tile. Rules: no allocation, no printing, no errno; a row's result depends on that row alone
 * (not on the number of rows, tiles or threads); reductions run in one fixed order.
 */
#ifndef OUZEL_KERNELS_H
#define OUZEL_KERNELS_H

#include <stdint.h>

#include "pool.h"

struct kernels {
    const char *name;

    /* linear: (jobs of linear.h) */
    tile_fn input, product, gated, read;
    int (*encode_q8)(const float *w, int n, uint8_t *codes, uint8_t *scales, float limit); /* a block of 32 columns of a panel */
    int (*encode_q4)(const float *w, int n, uint8_t *codes, uint8_t *scales, float limit);
    /* rows, attention: (jobs of rows.h, attention.h) */
    tile_fn rms_norm, add, scale, soft_cap, route, combine;
    tile_fn attention_rows, attend, attend_span, attend_merge;
    /* latent, recurrent, mix: (jobs of latent.h, recurrent.h, mix.h) */
    tile_fn latent_rows, latent_attend, latent_span, latent_merge, delta, mix, gate;
};

extern const struct kernels kernels_generic;
#if defined(__x86_64__) || defined(_M_X64)
extern const struct kernels kernels_avx2, kernels_avx512, kernels_amx; /* amx: avx512 with products of many rows by tiles; Linux only */
#elif defined(__aarch64__) || defined(_M_ARM64)
extern const struct kernels kernels_neon, kernels_i8mm; /* i8mm: neon with products of many rows by its matrix instruction; not from MSVC */
#endif

/* The i-th table that this machine runs, slowest first; NULL past the last. */
const struct kernels *kernels_at(int i);

#endif
