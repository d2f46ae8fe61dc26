/* Arguments and cache layout of attention.
 *
 * Keys of a head lie in blocks of KV_BLOCK positions, each [d_key, KV_BLOCK], so that the scores of neighbouring keys are one
 * vector and need no horizontal sum. Values lie in rows of d_value_padded. Position j lies in row j % capacity; capacity is a
 * multiple of KV_TILE, so that a tile of keys never wraps.
 *
 * KV_Q8: codes int8 of 32 numbers of a head and their scale f16, in tiles of KV_TILE positions: codes [4, blocks, 512], scales f16 [4,
 * blocks, 16]. The 512 codes of 16 positions and 32 numbers are [8, 16 positions, 4 numbers] for keys, [8, 32 numbers, 2 positions] for values.
 */
#ifndef OUZEL_ATTENTION_H
#define OUZEL_ATTENTION_H

#include <stdint.h>

#define KV_BLOCK 16
#define KV_TILE 64     /* keys of one softmax step; tiles start at multiples of it */
#define KV_SPAN 512    /* keys whose partial sums are merged as one; spans start at multiples of it */
#define KV_MAX_D 1024  /* widest head */
#define ATTEND_QUERIES 32
#define ATTEND_SUMS 8192 /* numbers of one task's sums: queries * d_value_padded */

enum { KV_F32, KV_F16, KV_BF16, KV_Q8, KV_DTYPES };
enum { KV8_BYTES = KV_TILE * (32 + 2) }; /* of a block of 32 numbers in a tile */
enum { HEAD_NORM_NONE, HEAD_NORM_HEAD, HEAD_NORM_WIDTH };

typedef struct {
    float *q, *k, *v; /* rows of a step: [n, heads * d]; q is overwritten, in KV_Q8 with codes */
    float *out;           /* [n, n_heads * d_value] */
    void *keys, *values;
    int64_t key_head, value_head; /* numbers of one head in the cache; bytes in KV_Q8 */
    int64_t capacity, window;     /* window: INT64_MAX where there is none */
    int64_t position;
    int64_t n, rows_per_tile;     /* rows_per_tile: of attention_rows */
    int dtype, n_heads, n_kv_heads, group, d_key, d_value, d_value_padded;
    /* norm and rotation */
    int norm, value_norm, half, interleaved;
    const float *q_norm, *k_norm;
    const float *rotary; /* [n, 2, half]: cosines, sines; NULL where there is no rotation */
    float norm_eps;
    /* scores */
    float scale, softcap; /* softcap 0: none */
    const float *sinks;   /* [n_heads] or NULL */
    /* tasks: (head of keys) x (tile of queries); a wave of spans in split mode */
    int queries, query_tiles; /* queries a tile; a query is row * group + head of the group */
    int64_t wave_first;       /* span */
    int wave_spans, threads;
    float *partials;             /* [tasks, wave_spans + 1, queries, d_value_padded + 2]; the last is the running total */
    const struct pool *pool;     /* whose cancel flag is polled */
} attention_args;

/* A wave's spans, heads and tiles one after the other, go to threads in runs, since a thread that jumps finds nothing fetched: long runs
 * first, single spans last, so that all threads end together. Where run `task` begins among `total` spans; *size of it, 0 past the last. */
static inline int64_t attend_run(int64_t total, int threads, int64_t task, int64_t *size) {
    int64_t from = 0;
    for (;; task--, from += *size) {
        *size = (total - from) / (4 * threads);
        if (*size < 1) *size = total > from;
        if (task == 0 || *size == 0) return from;
    }
}

#endif
