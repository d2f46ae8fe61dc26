/* One tile of 8-bit keys and values for up to TOGETHER queries, as body_tiles.h for wider ones.
 *
 * Scores are exact integer products of 32 codes each, scaled and summed over d in order. Weights of a tile become 15-bit codes: of
 * p_j * (scale of values j) over the largest p and the largest scale among the keys that the query sees; their products with the
 * values' codes are exact sums of integers (below 64 * 127 * 32767). After body_tiles.h and body_kv8.h.
 */

enum { CODES = KV_BLOCK * BLOCK, WEIGHT_MAX = 32767 };

typedef struct { const int8_t *codes; const float *scales; const int32_t *starts; } query8;

INLINE const uint8_t *tile8(const void *heads, int64_t head, int64_t row, int blocks) {
    return (const uint8_t *)heads + head + row / KV_TILE * blocks * KV8_BYTES;
}

/* Scores of the 16 keys of group g; all bytes of as many values come to the cache meanwhile. */
INLINE void score8(const query8 *q, const uint8_t *tile, int blocks, int g, float (*s)[KV_TILE], const uint8_t *ahead, const int queries) {
    const uint8_t *codes = tile + (int64_t)g * blocks * CODES;
    const uint8_t *scales = tile + (int64_t)blocks * BLOCK * KV_TILE + (int64_t)g * blocks * KV_BLOCK * 2;
    vf sum[TOGETHER][V16];
    UNROLL for (int r = 0; r < queries; r++)
        UNROLL for (int v = 0; v < V16; v++) sum[r][v] = v_set1(0.0f);
    for (int b = 0; b < blocks; b++, codes += CODES, scales += 2 * KV_BLOCK, ahead += CODES + 2 * KV_BLOCK) {
        const wq k = wq_load_q8(codes);
        vf scale[V16];
        UNROLL for (int i = 0; i < CODES + 64; i += 64) PREFETCH(ahead + i);
        UNROLL for (int v = 0; v < V16; v++) scale[v] = v_load_f16((const uint16_t *)(const void *)scales + v * VF);
        UNROLL for (int r = 0; r < queries; r++) {
            const vi16 dots = wq_dot_once(&k, q[r].codes + b * BLOCK, q[r].starts[b]);
            const vf mine = v_set1(q[r].scales[b]);
            UNROLL for (int v = 0; v < V16; v++) sum[r][v] = v_fma(vi_f32(&dots, v), v_mul(scale[v], mine), sum[r][v]);
        }
    }
    UNROLL for (int r = 0; r < queries; r++)
        UNROLL for (int v = 0; v < V16; v++) v_store(&s[r][g * KV_BLOCK + v * VF], sum[r][v]);
}

/* Scales of the values' block b over the largest of the keys [from, to), times WEIGHT_MAX; returns that largest over WEIGHT_MAX. */
static float value_scales(const uint8_t *tile, int blocks, int b, int from, int to, float *relative) {
    const uint8_t *scales = tile + (int64_t)blocks * BLOCK * KV_TILE;
    float all[KV_TILE], high;
    for (int j = 0; j < KV_TILE; j += VF) {
        const int64_t at = ((int64_t)(j / KV_BLOCK) * blocks + b) * KV_BLOCK + j % KV_BLOCK;
        v_store(all + j, v_load_f16((const uint16_t *)(const void *)scales + at));
    }
    if (from == 0 && to == KV_TILE) {
        vf most = v_load(all);
        for (int j = VF; j < KV_TILE; j += VF) most = v_max(most, v_load(all + j));
        high = v_hmax(most);
    } else {
        high = 0.0f;
        for (int j = from; j < to; j++) high = all[j] > high ? all[j] : high;
    }
    const vf factor = v_set1(high > 0.0f ? (float)WEIGHT_MAX / high : 0.0f);
    for (int j = 0; j < KV_TILE; j += VF) v_store(relative + j, v_mul(v_load(all + j), factor));
    return high / (float)WEIGHT_MAX;
}

/* sums[r] [from `column` on] = scale[r] * sums[r] + factor[r] * sum over groups first..last of weights[r][j] * codes[j]. */
INLINE void add_codes(const int16_t (*weights)[KV_TILE], const float *scale, const float *factor, const uint8_t *codes, int64_t stride,
                      int first, int last, float *const *sums, int column, const uint8_t **ahead, const int queries, const int halves) {
    vi16 sum[TOGETHER][2];
    UNROLL for (int r = 0; r < queries; r++)
        UNROLL for (int h = 0; h < halves; h++) sum[r][h] = vi_zero();
    for (int g = first; g < last; g++)
        for (int j = 0; j < KV_BLOCK; j += 2, *ahead += 32 * halves) {
            vp two[2];
            PREFETCH(*ahead);
            UNROLL for (int h = 0; h < halves; h++) two[h] = vp_load((const int8_t *)codes + g * stride + j * BLOCK + h * 32);
            UNROLL for (int r = 0; r < queries; r++)
                UNROLL for (int h = 0; h < halves; h++) sum[r][h] = vp_dot(sum[r][h], &two[h], weights[r] + g * KV_BLOCK + j);
        }
    UNROLL for (int r = 0; r < queries; r++)
        UNROLL for (int h = 0; h < halves; h++)
            UNROLL for (int v = 0; v < V16; v++) {
                float *to = sums[r] + column + h * KV_BLOCK + v * VF;
                v_store(to, v_fma(vi_f32(&sum[r][h], v), v_set1(factor[r]), v_mul(v_load(to), v_set1(scale[r]))));
            }
}

/* Block b of the values. p: weights of each query over the largest of them, which is high, [from, to): the keys that it sees. */
INLINE void add_block8(const float (*p)[KV_TILE], const float *high, const int *from, const int *to, const float *scale, const uint8_t *tile,
                       int blocks, int b, int wide, int first, int last, float *const *sums, const uint8_t **ahead, const int queries) {
    enum { AT_ONCE = VF >= 16 ? 2 : 1 }; /* halves of a block whose sums the registers hold */
    int16_t weights[TOGETHER][KV_TILE];
    float relative[KV_TILE], largest = 0.0f, factor[TOGETHER];
    for (int r = 0; r < queries; r++) {
        if (r == 0 || from[r] != from[r - 1] || to[r] != to[r - 1]) largest = value_scales(tile, blocks, b, from[r], to[r], relative);
        for (int j = 0; j < KV_TILE; j += VF)
            v_store_i16(weights[r] + j, v_mul(v_load(p[r] + j), v_load(relative + j)));
        factor[r] = high[r] * largest;
    }
    const uint8_t *codes = tile + b * CODES;
    const int64_t stride = (int64_t)blocks * CODES;
    const int16_t(*w)[KV_TILE] = (const int16_t(*)[KV_TILE])weights;
    if (AT_ONCE == 2 && wide) add_codes(w, scale, factor, codes, stride, first, last, sums, b * BLOCK, ahead, queries, 2);
    else
        for (int h = 0; h <= wide; h++)
            add_codes(w, scale, factor, codes + 32 * h, stride, first, last, sums, b * BLOCK + KV_BLOCK * h, ahead, queries, 1);
}

INLINE void tile_of_queries8(const attention_args *a, query *x, int64_t tile, int kv, const int queries) {
    const int key_blocks = (a->d_key + BLOCK - 1) / BLOCK, value_blocks = (a->d_value + BLOCK - 1) / BLOCK;
    float s[TOGETHER][KV_TILE], scale[TOGETHER], high[TOGETHER], *sums[TOGETHER];
    int from[TOGETHER], to[TOGETHER], first = KV_TILE, last = 0;
    query8 q[TOGETHER];
    for (int r = 0; r < queries; r++) {
        const int64_t lo = x[r].first - tile, hi = x[r].last - tile;
        from[r] = lo < 0 ? 0 : lo < KV_TILE ? (int)lo : KV_TILE;
        to[r] = hi < 0 ? 0 : hi < KV_TILE ? (int)hi : KV_TILE;
        first = from[r] < first ? from[r] : first;
        last = to[r] > last ? to[r] : last;
        sums[r] = x[r].sums;
        q[r].codes = (const int8_t *)(const void *)x[r].q;
        q[r].scales = (const float *)(const void *)(q[r].codes + key_blocks * BLOCK);
        q[r].starts = (const int32_t *)(const void *)(q[r].codes + key_blocks * (BLOCK + 4));
    }
    const int64_t row = tile % a->capacity;
    const uint8_t *keys = tile8(a->keys, kv * a->key_head, row, key_blocks);
    const uint8_t *values = tile8(a->values, kv * a->value_head, row, value_blocks);
    const int g0 = first / KV_BLOCK, g1 = (last + KV_BLOCK - 1) / KV_BLOCK;
    for (int g = g0; g < g1; g++) score8(q, keys, key_blocks, g, s, values + (int64_t)g * value_blocks * (CODES + 2 * KV_BLOCK), queries);
    for (int r = 0; r < queries; r++) {
        if (from[r] >= to[r]) { /* a neighbour's tile */
            memset(s[r], 0, sizeof s[r]);
            scale[r] = 1.0f;
            high[r] = 0.0f;
            continue;
        }
        scale[r] = weigh(a, &x[r], s[r], tile);
        vf most = v_load(s[r]);
        for (int j = VF; j < KV_TILE; j += VF) most = v_max(most, v_load(s[r] + j));
        high[r] = v_hmax(most);
        const vf inverse = v_set1(high[r] > 0.0f ? 1.0f / high[r] : 0.0f);
        for (int j = 0; j < KV_TILE; j += VF) v_store(s[r] + j, v_mul(v_load(s[r] + j), inverse));
    }
    const uint8_t *ahead = keys + (int64_t)key_blocks * KV8_BYTES, *scales = ahead + (int64_t)key_blocks * BLOCK * KV_TILE;
    for (int b = 0; b < value_blocks; b++, scales += 2 * KV_TILE) {
        PREFETCH(scales);
        PREFETCH(scales + 64);
        add_block8((const float(*)[KV_TILE])s, high, from, to, scale, values, value_blocks, b, a->d_value_padded > b * BLOCK + KV_BLOCK, g0, g1,
                   sums, &ahead, queries);
    }
}

static void tile_KV_Q8(const attention_args *a, query *x, int queries, int64_t tile, int kv) {
    switch (queries) {
    case 1: tile_of_queries8(a, x, tile, kv, 1); break;
    case 2: tile_of_queries8(a, x, tile, kv, 2); break;
    case 3: tile_of_queries8(a, x, tile, kv, 3); break;
    case 4: if (TOGETHER > 4) { tile_of_queries8(a, x, tile, kv, 4); break; } /* else: */
    default: tile_of_queries8(a, x, tile, kv, TOGETHER);
    }
}
