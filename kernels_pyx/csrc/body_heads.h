/* Rows of a step: norm, rotation, and into the cache. Needs body_rows.h, body_input.h and body_kv8.h before it. */
#include "attention.h"

#include <string.h>

static void rotate(const attention_args *a, float *x, const float *cosine, const float *sine) {
    const int half = a->half;
    if (a->interleaved) {
        for (int i = 0; i < half; i++) {
            const float p = x[2 * i], q = x[2 * i + 1];
            x[2 * i] = p * cosine[i] - q * sine[i];
            x[2 * i + 1] = q * cosine[i] + p * sine[i];
        }
    } else {
        float *restrict first = x, *restrict second = x + half;
        for (int i = 0; i < half; i++) {
            const float p = first[i], q = second[i];
            first[i] = p * cosine[i] - q * sine[i];
            second[i] = q * cosine[i] + p * sine[i];
        }
    }
}

static void place(const attention_args *a, float *x, int heads, const float *weight, int64_t row) {
    const int d = a->d_key;
    if (a->norm == HEAD_NORM_WIDTH) rms_norm_row(x, weight, x, (int64_t)heads * d, a->norm_eps);
    for (int h = 0; h < heads; h++) {
        if (a->norm == HEAD_NORM_HEAD) rms_norm_row(x + h * d, weight, x + h * d, d, a->norm_eps);
        if (a->rotary) rotate(a, x + h * d, a->rotary + row * 2 * a->half, a->rotary + (row * 2 + 1) * a->half);
    }
}

/* n numbers, padded with zeros to n_padded; halves saturate, so that one overflow does not make a tile NaN. */
static void narrow(const float *x, int n, int n_padded, int dtype, uint16_t *out) {
    float padded[KV_MAX_D];
    memcpy(padded, x, (size_t)n * sizeof *x);
    for (int i = n; i < n_padded; i++) padded[i] = 0.0f;
    for (int i = 0; i < n_padded; i += VF) {
        const vf p = v_load(padded + i);
        if (dtype == KV_F16) v_store_f16(out + i, v_max(v_min(p, v_set1(65504.0f)), v_set1(-65504.0f)));
        else v_store_bf16(out + i, p);
    }
}

static void append(const attention_args *a, int64_t row) {
    const int64_t at = (a->position + row) % a->capacity;
    const int d = a->d_key, dv = a->d_value, dv_padded = a->d_value_padded;
    uint16_t half[KV_MAX_D];
    for (int h = 0; h < a->n_kv_heads; h++) {
        const float *k = a->k + (row * a->n_kv_heads + h) * d;
        float *v = a->v + (row * a->n_kv_heads + h) * dv;
        const int64_t key = h * a->key_head + at / KV_BLOCK * KV_BLOCK * d + at % KV_BLOCK;
        const int64_t value = h * a->value_head + at * dv_padded;
        float normed[KV_MAX_D];
        if (a->value_norm) {
            rms_norm_row(v, NULL, normed, dv, a->norm_eps);
            v = normed;
        }
        if (a->dtype == KV_Q8) {
            store_kv8(k, d, at, (uint8_t *)a->keys + h * a->key_head, 1);
            store_kv8(v, dv, at, (uint8_t *)a->values + h * a->value_head, 0);
        } else if (a->dtype == KV_F32) {
            for (int i = 0; i < d; i++) ((float *)a->keys)[key + i * KV_BLOCK] = k[i];
            memcpy((float *)a->values + value, v, (size_t)dv * sizeof *v);
        } else {
            narrow(k, d, (d + KV_BLOCK - 1) / KV_BLOCK * KV_BLOCK, a->dtype, half);
            for (int i = 0; i < d; i++) ((uint16_t *)a->keys)[key + i * KV_BLOCK] = half[i];
            narrow(v, dv, dv_padded, a->dtype, (uint16_t *)a->values + value);
        }
    }
}

static void attention_rows(const attention_args *a, int64_t row) {
    place(a, a->q + row * a->n_heads * a->d_key, a->n_heads, a->q_norm, row);
    place(a, a->k + row * a->n_kv_heads * a->d_key, a->n_kv_heads, a->k_norm, row);
    append(a, row);
    for (int h = 0; h < a->n_heads && a->dtype == KV_Q8; h++) encode_query(a->q + (row * a->n_heads + h) * a->d_key, a->d_key);
}
ROW_TILES(attention_rows, attention_args)
