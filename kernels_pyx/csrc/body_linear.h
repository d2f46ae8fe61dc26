/* Tiles of products: linear maps, gated hidden layers, the benchmark's read loop. */

/* The part of a job (an array with a member first_tile) that owns `tile`. */
#define OWNER(parts, count, tile, index)                                  \
    do {                                                                  \
        int32_t lo_ = 0, hi_ = (count)-1;                                 \
        while (lo_ < hi_) {                                               \
            const int32_t mid_ = (lo_ + hi_ + 1) / 2;                     \
            if ((parts)[mid_].first_tile <= (tile)) lo_ = mid_; else hi_ = mid_ - 1; \
        }                                                                 \
        (index) = lo_;                                                    \
    } while (0)

INLINE int32_t less_of(int32_t a, int32_t b) { return a < b ? a : b; }

/* Bias, scale, and out: rows from..from+n-1, the 16 columns of one panel. */
static void put_panel(const product *t, int32_t panel, int32_t from, int n, const float *y) {
    const int32_t at = panel * PANEL, lanes = less_of(PANEL, t->w.rows - at);
    for (int i = 0; i < n; i++) {
        const int64_t row = t->rows.out_rows ? t->rows.out_rows[from + i] : from + i;
        float *out = t->out + row * t->out_stride + at;
        const float s = t->row_scale ? t->row_scale[from + i] : 1.0f;
        for (int lane = 0; lane < lanes; lane++) {
            float v = y[i * PANEL + lane];
            if (t->bias) v += t->bias[at + lane];
            v *= s;
            out[lane] = t->add ? out[lane] + v : v;
        }
    }
}

static void product_tile(void *job, int32_t tile, int32_t thread) {
    const product_job *j = job;
    int32_t index;
    (void)thread;
    OWNER(j->products, j->count, tile, index);
    const product *t = &j->products[index];
    const int32_t local = tile - t->first_tile, row_tiles = (t->rows.n + t->rows_per_tile - 1) / t->rows_per_tile;
    const int32_t panel0 = local / row_tiles * t->panels_per_tile, panel1 = less_of(panel0 + t->panels_per_tile, t->w.panels);
    const int32_t row0 = local % row_tiles * t->rows_per_tile, row1 = less_of(row0 + t->rows_per_tile, t->rows.n);
    const int32_t together = t->rows.n == 1 ? 4 : 1;
    for (int32_t panel = panel0; panel < panel1; panel += together)
        for (int32_t from = row0; from < row1; from += CHUNK) {
            float y[CHUNK * PANEL];
            const int n = less_of(CHUNK, row1 - from), panels = less_of(together, panel1 - panel);
            panels_rows(&t->w, panel, panels, &t->rows, from, n, j->exact, y);
            for (int k = 0; k < panels; k++) put_panel(t, panel + k, from, n, y + k * PANEL);
        }
}

/* Sources: silu, gelu_tanh arXiv:1606.08415; swiglu_clamp: gpt-oss (p0 alpha, p1 limit); situ: Kimi K3 (p0 beta, p1 linear beta). */
INLINE vf activate(int act, vf g, vf u, float p0, float p1) {
    const vf one = v_set1(1.0f);
    if (act == ACT_SILU) return v_mul(v_mul(g, v_sigmoid(g)), u);
    if (act == ACT_GELU_TANH) {
        const vf inner = v_mul(v_set1(0.7978845608028654f), v_fma(v_mul(v_mul(g, g), g), v_set1(0.044715f), g));
        return v_mul(v_mul(v_mul(v_set1(0.5f), g), v_add(one, v_tanh(inner))), u);
    }
    if (act == ACT_SWIGLU_CLAMP) {
        const vf limit = v_set1(p1), a = v_lt(limit, g, limit, g);
        vf b = v_lt(limit, u, limit, u);
        b = v_lt(b, v_set1(-p1), v_set1(-p1), b);
        return v_mul(v_mul(a, v_sigmoid(v_mul(v_set1(p0), a))), v_add(b, one));
    }
    const vf t = v_mul(v_mul(v_set1(p0), v_tanh(v_div(g, v_set1(p0)))), v_sigmoid(g));
    return v_mul(t, v_mul(v_set1(p1), v_tanh(v_div(u, v_set1(p1)))));
}

/* y[j][i]: results of `panels` panels for n rows, with the bias added. */
static void biased_panels(const mat *w, const float *bias, int32_t panel, int panels, const row_map *rows, int32_t from, int n, int exact, float *y) {
    panels_rows(w, panel, panels, rows, from, n, exact, y);
    for (int j = 0; bias && j < panels; j++) {
        const int32_t at = (panel + j) * PANEL, lanes = less_of(PANEL, w->rows - at);
        for (int i = 0; i < n; i++)
            for (int lane = 0; lane < lanes; lane++) y[(j * n + i) * PANEL + lane] += bias[at + lane];
    }
}

static void gated_tile(void *job, int32_t tile, int32_t thread) {
    const gated_job *j = job;
    int32_t index;
    (void)thread;
    OWNER(j->parts, j->count, tile, index);
    const gated *t = &j->parts[index];
    const int32_t local = tile - t->first_tile, row_tiles = (t->rows.n + t->rows_per_tile - 1) / t->rows_per_tile;
    const int32_t panel0 = local / row_tiles * t->panels_per_tile, panel1 = less_of(panel0 + t->panels_per_tile, t->gate.panels);
    const int32_t row0 = local % row_tiles * t->rows_per_tile, row1 = less_of(row0 + t->rows_per_tile, t->rows.n);
    const int32_t width = t->gate.rows, blocks = (width + BLOCK - 1) / BLOCK;
    for (int32_t panel = panel0; panel < panel1; panel += 2)
        for (int32_t from = row0; from < row1; from += CHUNK) {
            float h[CHUNK][BLOCK]; /* two panels make one block of the hidden row */
            const int n = less_of(CHUNK, row1 - from), panels = less_of(2, t->gate.panels - panel);
            memset(h, 0, sizeof h);
            float g[2 * CHUNK * PANEL], u[2 * CHUNK * PANEL];
            biased_panels(&t->gate, t->gate_bias, panel, panels, &t->rows, from, n, j->exact, g);
            biased_panels(&t->up, t->up_bias, panel, panels, &t->rows, from, n, j->exact, u);
            for (int half = 0; half < panels; half++)
                for (int i = 0; i < n; i++)
                    for (int lane = 0; lane < PANEL; lane += VF) {
                        const int k = (half * n + i) * PANEL + lane;
                        v_store(&h[i][half * PANEL + lane], activate(j->act, v_load(g + k), v_load(u + k), j->p0, j->p1));
                    }
            const int32_t at = panel * PANEL, b = at / BLOCK;
            for (int i = 0; i < n; i++) {
                const int64_t row = t->rows.out_rows ? t->rows.out_rows[from + i] : from + i;
                float *out = t->hidden + row * t->hidden_stride;
                if (t->quantize) {
                    int8_t *codes = (int8_t *)out;
                    float *scales = (float *)(void *)(codes + BLOCK * blocks);
                    quantize_block(h[i], codes + BLOCK * b, scales + b, (int32_t *)(void *)(scales + blocks) + b);
                } else memcpy(out + at, h[i], sizeof(float) * (size_t)less_of(BLOCK, width - at));
            }
        }
}

static void read_tile(void *job, int32_t tile, int32_t thread) {
    const read_job *j = job;
    const int64_t from = tile * j->tile_bytes, to = from + j->tile_bytes < j->bytes ? from + j->tile_bytes : j->bytes;
    uint64_t s[8] = {0};
    (void)thread;
    for (int64_t i = from; i < to; i += 64) {
        uint64_t w[8];
        memcpy(w, j->data + i, 64);
        for (int k = 0; k < 8; k++) s[k] ^= w[k];
    }
    j->sums[tile] = s[0] ^ s[1] ^ s[2] ^ s[3] ^ s[4] ^ s[5] ^ s[6] ^ s[7];
}
