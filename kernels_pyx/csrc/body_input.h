/* Inputs of products: RMS norm and int8 quantization by blocks of 32. Source of the norm: arXiv:1910.07467. */
#include "linear.h"

/* codes = round(x * 127 / max|x|), scale = max|x| / 127; a block of zeros (or under 1e-30) has scale 0. */
INLINE void quantize_block(const float *x, int8_t *codes, float *scale, int32_t *sum) {
    vf most = v_set1(0.0f);
    UNROLL for (int i = 0; i < BLOCK; i += VF) most = v_max(most, v_abs(v_load(x + i)));
    const float amax = v_hmax(most);
    const vf inverse = v_set1(amax < 1e-30f ? 0.0f : 127.0f / amax);
    vf total = v_set1(0.0f); /* integers: exact in any order */
    UNROLL for (int i = 0; i < BLOCK; i += VF) {
        const vf code = v_round(v_mul(v_load(x + i), inverse));
        v_store_i8(codes + i, code);
        total = v_add(total, code);
    }
    *scale = amax < 1e-30f ? 0.0f : amax / 127.0f;
    *sum = (int32_t)v_hsum(total);
}

/* 1 / sqrt(mean x^2 + eps); four fixed chains of lanes. */
INLINE float inverse_rms(const float *x, int32_t cols, float eps) {
    vf s[4] = {v_set1(0.0f), v_set1(0.0f), v_set1(0.0f), v_set1(0.0f)};
    int32_t i = 0;
    for (; i + 4 * VF <= cols; i += 4 * VF)
        UNROLL for (int j = 0; j < 4; j++) {
            const vf v = v_load(x + i + j * VF);
            s[j] = v_fma(v, v, s[j]);
        }
    for (int j = 0; i < cols; i += VF, j++) {
        const vf v = cols - i >= VF ? v_load(x + i) : v_load_n(x + i, cols - i);
        s[j] = v_fma(v, v, s[j]);
    }
    return 1.0f / sqrtf(v_hsum(v_add(v_add(s[0], s[1]), v_add(s[2], s[3]))) / (float)cols + eps);
}

static void input_row(const input_job *j, int32_t row) {
    const float *x = j->x + row * j->x_stride;
    const vf inverse = v_set1(j->norm ? inverse_rms(x, j->cols, j->eps) : 1.0f);
    const int32_t blocks = (j->cols + BLOCK - 1) / BLOCK;
    int8_t *codes = j->q ? j->q + row * j->q_stride : NULL;
    float *scales = (float *)(void *)(codes ? codes + BLOCK * blocks : NULL);
    int32_t *sums = (int32_t *)(void *)(scales ? scales + blocks : NULL);
    vf gate = v_set1(0.0f);
    for (int32_t b = 0; b < blocks; b++) {
        float h[BLOCK];
        const int32_t at = b * BLOCK;
        UNROLL for (int i = 0; i < BLOCK; i += VF) {
            const int32_t left = j->cols - at - i;
            vf v = v_set1(0.0f);
            if (left > 0) {
                v = left >= VF ? v_load(x + at + i) : v_load_n(x + at + i, left);
                if (j->norm) {
                    const vf w = left >= VF ? v_load(j->norm + at + i) : v_load_n(j->norm + at + i, left);
                    v = v_mul(v_mul(v, inverse), w);
                }
                if (j->row_gate) gate = v_fma(v, left >= VF ? v_load(j->row_gate + at + i) : v_load_n(j->row_gate + at + i, left), gate);
            }
            v_store(h + i, v);
        }
        if (j->normed) memcpy(j->normed + row * j->normed_stride + at, h, sizeof h);
        if (codes) quantize_block(h, codes + at, scales + b, sums + b);
    }
    if (j->row_gate) {
        float s[VF];
        v_store(s, v_sigmoid(v_set1(v_hsum(gate))));
        j->row_scale[row] = s[0];
    }
}

static void input_tile(void *job, int32_t tile, int32_t thread) {
    const input_job *j = job;
    const int32_t from = tile * j->rows_per_tile, to = from + j->rows_per_tile < j->n ? from + j->rows_per_tile : j->n;
    (void)thread;
    for (int32_t row = from; row < to; row++) input_row(j, row);
}
