/* Attention over a cache of keys and values (online softmax in tiles: Milakov and Gimelshein 2018, Dao et al. 2022).
 *
 * A query's sums run over spans of KV_SPAN keys and inside them over tiles of KV_TILE keys, at fixed positions, each score summed
 * over d in order, each output over keys in order. So its bits depend neither on the rows that ride with it nor on tasks.
 * Needs body_tiles.h and body_tiles8.h before it; included once per instruction set.
 */
/* Partial sums of one span for n queries, from nothing; a query that sees none of it keeps high == NONE. */
static void sum_span(const attention_args *a, query *x, int n, int64_t span, int kv) {
    static void (*const tiles[KV_DTYPES])(const attention_args *, query *, int, int64_t, int) = {tile_KV_F32, tile_KV_F16, tile_KV_BF16,
                                                                                                 tile_KV_Q8};
    for (int i = 0; i < n; i++) {
        memset(x[i].sums, 0, (size_t)a->d_value_padded * sizeof(float));
        x[i].high = NONE;
        x[i].total = 0.0f;
    }
    for (int64_t tile = span * KV_SPAN; tile < (span + 1) * KV_SPAN && !pool_cancelled(a->pool); tile += KV_TILE)
        for (int i = 0, m; i < n; i += m) {
            m = n - i >= TOGETHER ? TOGETHER : n - i < 4 ? n - i : 4;
            int seen = 0;
            for (int r = i; r < i + m; r++) seen |= x[r].first < tile + KV_TILE && x[r].last > tile;
            if (seen) tiles[a->dtype](a, x + i, m, tile, kv);
        }
}

static void merge(float *sums, float *high, float *total, const float *part, float part_high, float part_total, int d) {
    if (part_high == NONE) return;
    if (*high == NONE) {
        memcpy(sums, part, (size_t)d * sizeof *sums);
        *high = part_high;
        *total = part_total;
        return;
    }
    const float higher = *high > part_high ? *high : part_high;
    float scale[2 * VF];
    v_store(scale, v_exp(v_set1(*high - higher)));
    v_store(scale + VF, v_exp(v_set1(part_high - higher)));
    const float old = scale[0], new = scale[VF];
    for (int i = 0; i < d; i++) sums[i] = sums[i] * old + part[i] * new;
    *total = *total * old + part_total * new;
    *high = higher;
}

static void finish(const attention_args *a, int64_t row, int head, const float *sums, float high, float total) {
    float *out = a->out + (row * a->n_heads + head) * a->d_value;
    float scale = 1.0f;
    if (a->sinks) {
        const float sink = a->sinks[head], higher = sink > high ? sink : high;
        float e[2 * VF];
        v_store(e, v_exp(v_set1(high - higher)));
        v_store(e + VF, v_exp(v_set1(sink - higher)));
        scale = e[0];
        total = total * scale + e[VF];
    }
    scale /= total;
    for (int i = 0; i < a->d_value; i++) out[i] = sums[i] * scale;
}

/* The queries of a task and the spans that they see; sums holds n rows of d_value_padded. */
static int begin(const attention_args *a, int tile, int kv, query *x, float *sums, int64_t *first_span, int64_t *last_span) {
    const int from = tile * a->queries, all = (int)a->n * a->group, n = all - from < a->queries ? all - from : a->queries;
    for (int i = 0; i < n; i++) {
        const int row = (from + i) / a->group, head = kv * a->group + (from + i) % a->group;
        const int64_t last = a->position + row + 1;
        x[i].q = a->q + ((int64_t)row * a->n_heads + head) * a->d_key;
        x[i].last = last;
        x[i].first = last > a->window ? last - a->window : 0;
        x[i].sums = sums + (int64_t)i * a->d_value_padded;
    }
    *first_span = x[0].first / KV_SPAN;
    *last_span = (x[n - 1].last - 1) / KV_SPAN;
    return n;
}

/* task = kv head * query_tiles + tile of queries: all spans, one after the other. The last rows see most keys and go first. */
static void attend_tile(void *job, int32_t task, int32_t thread) {
    const attention_args *a = job;
    (void)thread;
    query x[ATTEND_QUERIES];
    float part[ATTEND_SUMS], sums[ATTEND_SUMS], high[ATTEND_QUERIES], total[ATTEND_QUERIES];
    const int tile = a->query_tiles - 1 - task % a->query_tiles, kv = task / a->query_tiles, d = a->d_value_padded;
    int64_t span, last;
    const int n = begin(a, tile, kv, x, part, &span, &last);
    for (int i = 0; i < n; i++) high[i] = NONE;
    for (; span <= last && !pool_cancelled(a->pool); span++) {
        sum_span(a, x, n, span, kv);
        for (int i = 0; i < n; i++) merge(sums + (int64_t)i * d, &high[i], &total[i], x[i].sums, x[i].high, x[i].total, d);
    }
    for (int i = 0; i < n && !pool_cancelled(a->pool); i++) {
        const int at = tile * a->queries + i;
        finish(a, at / a->group, kv * a->group + at % a->group, sums + (int64_t)i * d, high[i], total[i]);
    }
}

static float *partial(const attention_args *a, int64_t task, int span) {
    return a->partials + (task * (a->wave_spans + 1) + span) * a->queries * (a->d_value_padded + 2);
}

/* task = a run of spans of the wave (attend_run): leaves the partial sums of each. */
static void attend_span_tile(void *job, int32_t task, int32_t thread) {
    const attention_args *a = job;
    (void)thread;
    query x[ATTEND_QUERIES];
    float sums[ATTEND_SUMS];
    const int d = a->d_value_padded;
    int64_t first, last, size, at = attend_run((int64_t)a->n_kv_heads * a->query_tiles * a->wave_spans, a->threads, task, &size);
    for (const int64_t end = at + size; at < end && !pool_cancelled(a->pool); at++) {
        const int64_t who = at / a->wave_spans, span = at % a->wave_spans;
        float *out = partial(a, who, (int)span);
        const int n = begin(a, (int)(who % a->query_tiles), (int)(who / a->query_tiles), x, sums, &first, &last);
        sum_span(a, x, n, a->wave_first + span, (int)(who / a->query_tiles));
        for (int i = 0; i < n; i++, out += d + 2) {
            memcpy(out, x[i].sums, (size_t)d * sizeof *out);
            out[d] = x[i].high;
            out[d + 1] = x[i].total;
        }
    }
}

/* task = kv head and tile: merges the wave's partial sums in order, and finishes with the last wave. */
static void attend_merge_tile(void *job, int32_t task, int32_t thread) {
    const attention_args *a = job;
    (void)thread;
    query x[ATTEND_QUERIES];
    const int d = a->d_value_padded, tile = (int)(task % a->query_tiles), kv = (int)(task / a->query_tiles);
    int64_t first, last;
    const int n = begin(a, tile, kv, x, a->partials, &first, &last);
    for (int i = 0; i < n; i++) {
        float *total = partial(a, task, a->wave_spans) + (int64_t)i * (d + 2);
        if (a->wave_first <= first) total[d] = NONE;
        for (int s = 0; s < a->wave_spans; s++) {
            const float *part = partial(a, task, s) + (int64_t)i * (d + 2);
            merge(total, &total[d], &total[d + 1], part, part[d], part[d + 1], d);
        }
        if (a->wave_first + a->wave_spans > last) {
            const int at = tile * a->queries + i;
            finish(a, at / a->group, kv * a->group + at % a->group, total, total[d], total[d + 1]);
        }
    }
}
