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

/* Bias, scale, and out: rows from..from+n-1, the 16 columns of each of some panels; row by row, since rows of the output lie pages apart. */
static void put_panels(const product *t, int32_t panel, int panels, int32_t from, int n, const float *y) {
    for (int i = 0; i < n; i++) {
        const int64_t row = t->rows.out_rows ? t->rows.out_rows[from + i] : from + i;
        const vf s = v_set1(t->row_scale ? t->row_scale[from + i] : 1.0f);
        for (int k = 0; k < panels; k++) {
            const int32_t at = (panel + k) * PANEL, lanes = less_of(PANEL, t->w.rows - at);
            float *out = t->out + row * t->out_stride + at;
            for (int lane = 0; lane < lanes; lane += VF) {
                const int32_t here = less_of(VF, lanes - lane);
                vf v = v_load(y + ((int64_t)k * n + i) * PANEL + lane);
                if (t->bias) v = v_add(v, v_load_n(t->bias + at + lane, here));
                v = v_mul(v, s);
                if (t->add) v = v_add(v_load_n(out + lane, here), v);
                v_store_n(out + lane, v, here);
            }
        }
    }
}

/* The matrix unit pays earlier where codes must be unpacked. */
INLINE int many_rows(int unit, int fmt, int exact, int32_t n) { return n > (unit && fmt != FMT_Q8 ? UNIT_FEW : FEW) && !exact && fmt >= FMT_Q8; }

INLINE void product_tile_on(int unit, const product_job *j, int32_t tile, int32_t thread) {
    int32_t index;
    OWNER(j->products, j->count, tile, index);
    const product *t = &j->products[index];
    const int32_t local = tile - t->first_tile, row_tiles = (t->rows.n + t->rows_per_tile - 1) / t->rows_per_tile;
    const int32_t panel0 = local / row_tiles * t->panels_per_tile, panel1 = less_of(panel0 + t->panels_per_tile, t->w.panels);
    const int32_t row0 = local % row_tiles * t->rows_per_tile, row1 = less_of(row0 + t->rows_per_tile, t->rows.n);
    const int many = many_rows(unit, t->w.fmt, j->exact, t->rows.n);
    const int32_t together = many ? GEMM_PANELS : t->rows.n <= FEW ? MOST_PANELS : 1;
    for (int32_t panel = panel0; panel < panel1; panel += together) {
        const int panels = less_of(together, panel1 - panel);
        for (int32_t from = row0; from < row1; from += many ? GEMM_ROWS : CHUNK) {
            float few[MOST_PANELS * CHUNK * PANEL];
            const int n = less_of(many ? GEMM_ROWS : CHUNK, row1 - from);
            float *y = few;
            const uint8_t *at[GEMM_PANELS];
            for (int k = 0; k < panels; k++) at[k] = t->w.data + (panel + k) * t->w.panel_bytes;
            if (many) {
                gemm_scratch *scratch = (gemm_scratch *)(void *)(j->scratch + (int64_t)thread * GEMM_SCRATCH);
                gemm(unit, &t->w, at, panels, &t->rows, from, n, scratch);
                y = scratch->y;
            } else {
                const int64_t next = panel + panels < t->w.panels ? panels * t->w.panel_bytes : 0;
                panels_rows(unit, &t->w, at, panels, next, &t->rows, from, n, j->exact, y);
            }
            put_panels(t, panel, panels, from, n, y);
        }
    }
}

static void product_tile(void *job, int32_t tile, int32_t thread) { product_tile_on(0, job, tile, thread); }

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

/* One block of 32 hidden columns (panels panel, panel + 1) for rows from..from+n-1; g, u: [2][n of the product][16], half_stride apart. */
static void put_gated(const gated_job *j, const gated *t, int32_t panel, int32_t from, int n, const float *g, const float *u, int64_t half_stride) {
    const int32_t width = t->gate.rows, blocks = (width + BLOCK - 1) / BLOCK, at = panel * PANEL, b = at / BLOCK;
    for (int i = 0; i < n; i++) {
        float h[BLOCK];
        UNROLL for (int lane = 0; lane < BLOCK; lane += VF) {
            const int32_t here = less_of(VF, width - at - lane);
            if (here <= 0) {
                v_store(h + lane, v_set1(0.0f));
                continue;
            }
            const int64_t k = lane / PANEL * half_stride + i * PANEL + lane % PANEL;
            vf x = v_load(g + k), y = v_load(u + k);
            if (t->gate_bias) x = v_add(x, v_load_n(t->gate_bias + at + lane, here));
            if (t->up_bias) y = v_add(y, v_load_n(t->up_bias + at + lane, here));
            v_store(h + lane, activate(j->act, x, y, j->p0, j->p1));
        }
        const int64_t row = t->rows.out_rows ? t->rows.out_rows[from + i] : from + i;
        float *out = t->hidden + row * t->hidden_stride;
        if (t->quantize) {
            int8_t *codes = (int8_t *)out;
            float *scales = (float *)(void *)(codes + BLOCK * blocks);
            quantize_block(h, codes + BLOCK * b, scales + b, (int32_t *)(void *)(scales + blocks) + b);
        } else memcpy(out + at, h, sizeof(float) * (size_t)less_of(BLOCK, width - at));
    }
}

INLINE void gated_tile_on(int unit, const gated_job *j, int32_t tile, int32_t thread) {
    enum { HALF = GEMM_PANELS / 2 };
    int32_t index;
    OWNER(j->parts, j->count, tile, index);
    const gated *t = &j->parts[index];
    const int32_t local = tile - t->first_tile, row_tiles = (t->rows.n + t->rows_per_tile - 1) / t->rows_per_tile;
    const int32_t panel0 = local / row_tiles * t->panels_per_tile, panel1 = less_of(panel0 + t->panels_per_tile, t->gate.panels);
    const int32_t row0 = local % row_tiles * t->rows_per_tile, row1 = less_of(row0 + t->rows_per_tile, t->rows.n);
    const int alike = t->gate.fmt == t->up.fmt, many = alike && many_rows(unit, t->gate.fmt, j->exact, t->rows.n);
    for (int32_t panel = panel0; panel < panel1; panel += many ? HALF : 2) {
        const int panels = less_of(many ? HALF : 2, panel1 - panel);
        for (int32_t from = row0; from < row1; from += many ? GEMM_ROWS : CHUNK) {
            const int n = less_of(many ? GEMM_ROWS : CHUNK, row1 - from);
            const uint8_t *at[GEMM_PANELS];
            for (int k = 0; k < panels; k++) {
                at[k] = t->gate.data + (panel + k) * t->gate.panel_bytes;
                at[panels + k] = t->up.data + (panel + k) * t->up.panel_bytes;
            }
            if (many) {
                gemm_scratch *scratch = (gemm_scratch *)(void *)(j->scratch + (int64_t)thread * GEMM_SCRATCH);
                gemm(unit, &t->gate, at, 2 * panels, &t->rows, from, n, scratch);
                const int64_t half = (int64_t)n * PANEL;
                for (int k = 0; k < panels; k += 2) put_gated(j, t, panel + k, from, n, scratch->y + k * half, scratch->y + (panels + k) * half, half);
            } else {
                float y[4 * CHUNK * PANEL]; /* gate's panels, then those of up */
                const int64_t half = (int64_t)n * PANEL;
                const int64_t more = panel + panels < t->gate.panels ? panels : 0, next = more * t->gate.panel_bytes;
                panels_rows(unit, &t->gate, at, alike ? 2 * panels : panels, next, &t->rows, from, n, j->exact, y);
                if (!alike) panels_rows(unit, &t->up, at + panels, panels, more * t->up.panel_bytes, &t->rows, from, n, j->exact, y + panels * half);
                put_gated(j, t, panel, from, n, y, y + panels * half, half);
            }
        }
    }
}

static void gated_tile(void *job, int32_t tile, int32_t thread) { gated_tile_on(0, job, tile, thread); }

#ifdef MATRIX_UNIT
static void product_tile_unit(void *job, int32_t tile, int32_t thread) { product_tile_on(1, job, tile, thread); }
static void gated_tile_unit(void *job, int32_t tile, int32_t thread) { gated_tile_on(1, job, tile, thread); }
#endif

/* Four streams of reads, as in products of one row. */
static void read_tile(void *job, int32_t tile, int32_t thread) {
    const read_job *j = job;
    const int64_t from = tile * j->tile_bytes, to = from + j->tile_bytes < j->bytes ? from + j->tile_bytes : j->bytes;
    const int64_t part = (to - from) / 256 * 64;
    uint64_t s[4][8] = {{0}};
    (void)thread;
    for (int64_t i = from; i < from + part; i += 64)
        UNROLL for (int k = 0; k < 4; k++) {
            uint64_t w[8];
            memcpy(w, j->data + i + k * part, 64);
            for (int m = 0; m < 8; m++) s[k][m] ^= w[m];
        }
    for (int64_t i = from + 4 * part; i < to; i += 64)
        for (int m = 0; m < 8; m++) {
            uint64_t w;
            memcpy(&w, j->data + i + 8 * m, 8);
            s[0][m] ^= w;
        }
    uint64_t all = 0;
    for (int k = 0; k < 4; k++) for (int m = 0; m < 8; m++) all ^= s[k][m];
    j->sums[tile] = all;
}
