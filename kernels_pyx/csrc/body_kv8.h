/* Keys, values and queries as 8-bit codes with a scale for 32 numbers of a head (layouts in attention.h).
 *
 * Keys and queries are turned first: each 32 numbers by the same Hadamard matrix, which leaves their products as they are and spreads
 * the few channels in which keys of trained models are large, so that these do not coarsen the others (QuaRot, arXiv:2404.00456).
 * After body_input.h.
 */
#include "attention.h"
#include "linear.h"
#include "scalar.h"

/* x [32] times the Hadamard matrix over sqrt(32), which is its own inverse. */
INLINE void turn(float *x) {
    float y[BLOCK];
    for (int i = 0; i < 16; i++) y[i] = x[i] + x[i + 16], y[i + 16] = x[i] - x[i + 16];
    for (int i = 0; i < 32; i += 16)
        for (int j = i; j < i + 8; j++) x[j] = y[j] + y[j + 8], x[j + 8] = y[j] - y[j + 8];
    for (int i = 0; i < 32; i += 8)
        for (int j = i; j < i + 4; j++) y[j] = x[j] + x[j + 4], y[j + 4] = x[j] - x[j + 4];
    for (int i = 0; i < 32; i += 4)
        for (int j = i; j < i + 2; j++) x[j] = y[j] + y[j + 2], x[j + 2] = y[j] - y[j + 2];
    for (int i = 0; i < 32; i += 2) y[i] = x[i] + x[i + 1], y[i + 1] = x[i] - x[i + 1];
    for (int i = 0; i < 32; i++) x[i] = y[i] * 0.17677669529663687f;
}

/* Block b of d numbers, with zeros behind the last. */
INLINE void block_of(const float *x, int b, int d, float *block) {
    const int n = d - b * BLOCK < BLOCK ? d - b * BLOCK : BLOCK;
    memset(block, 0, BLOCK * sizeof *block);
    memcpy(block, x + b * BLOCK, (size_t)n * sizeof *block);
}

INLINE int all_numbers(const float *x) {
    vf none = v_set1(0.0f);
    for (int i = 0; i < BLOCK; i += VF) none = v_fma(v_load(x + i), v_set1(0.0f), none);
    return v_hsum(none) == 0.0f;
}

/* Codes of 32 numbers, each at most half a scale off: the scale is the least half with 127 of it over all of them, at most the largest
 * half, where codes saturate. A block with an infinity or no number has codes 0 and an infinite scale: no product with it is a number. */
static void encode_kv8(const float *x, int8_t *codes, uint16_t *scale) {
    vf most = v_set1(0.0f);
    if (!all_numbers(x)) {
        memset(codes, 0, BLOCK);
        *scale = 0x7c00;
        return;
    }
    for (int i = 0; i < BLOCK; i += VF) most = v_max(most, v_abs(v_load(x + i)));
    const float high = v_hmax(most);
    uint16_t half = f32_to_f16(high / 127.0f);
    if (f16_to_f32(half) * 127.0f < high) half++;
    if (half > 0x7bff) half = 0x7bff;
    const vf inverse = v_set1(half ? 1.0f / f16_to_f32(half) : 0.0f);
    for (int i = 0; i < BLOCK; i += VF)
        v_store_i8(codes + i, v_max(v_min(v_mul(v_load(x + i), inverse), v_set1(127.0f)), v_set1(-127.0f)));
    *scale = half;
}

/* Row `at` of a head: d numbers. tiles: of this head. Keys are turned, values (pairs of keys side by side) are not. */
static void store_kv8(const float *x, int d, int64_t at, uint8_t *tiles, const int is_key) {
    const int blocks = (d + BLOCK - 1) / BLOCK, j = (int)(at % KV_TILE), key = j % KV_BLOCK;
    uint8_t *tile = tiles + at / KV_TILE * blocks * KV8_BYTES, *scales = tile + (int64_t)blocks * KV_TILE * BLOCK;
    for (int b = 0; b < blocks; b++) {
        const int64_t block = (int64_t)(j / KV_BLOCK) * blocks + b;
        uint8_t *to = tile + block * KV_BLOCK * BLOCK;
        float part[BLOCK];
        int8_t codes[BLOCK];
        uint16_t scale;
        block_of(x, b, d, part);
        if (is_key) turn(part);
        encode_kv8(part, codes, &scale);
        memcpy(scales + 2 * (block * KV_BLOCK + key), &scale, 2);
        if (is_key) for (int c = 0; c < BLOCK; c += 4) memcpy(to + (c / 4 * KV_BLOCK + key) * 4, codes + c, 4);
        else for (int c = 0; c < BLOCK; c++) to[(key / 2 * BLOCK + c) * 2 + key % 2] = (uint8_t)codes[c];
    }
}

/* A head's query in place of its d numbers: codes [32 blocks], then scales f32 [blocks], then starts of wq_dot int32 [blocks]. */
static void encode_query(float *q, int d) {
    const int blocks = (d + BLOCK - 1) / BLOCK;
    int8_t codes[KV_MAX_D];
    float scales[KV_MAX_D / BLOCK];
    int32_t starts[KV_MAX_D / BLOCK];
    for (int b = 0; b < blocks; b++) {
        float part[BLOCK];
        block_of(q, b, d, part);
        turn(part);
        quantize_block(part, codes + b * BLOCK, scales + b, starts + b);
        starts[b] *= -WQ_BIAS_Q8;
        if (all_numbers(part)) continue;
        memset(codes + b * BLOCK, 0, BLOCK);
        starts[b] = 0;
        scales[b] = NAN;
    }
    char *to = (char *)q;
    memcpy(to, codes, (size_t)(blocks * BLOCK));
    memcpy(to + blocks * BLOCK, scales, (size_t)blocks * 4);
    memcpy(to + blocks * (BLOCK + 4), starts, (size_t)blocks * 4);
}
