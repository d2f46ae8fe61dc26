/* Conversions of single numbers between f32, f16 and bf16, in plain C. */
#ifndef OUZEL_SCALAR_H
#define OUZEL_SCALAR_H

#include <stdint.h>
#include <string.h>

#include "isa_begin.h"

INLINE float bits_to_f32(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
INLINE uint32_t f32_to_bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }

/* Half precision by magic numbers: the exponent is moved by a multiplication, which also handles subnormals. */
INLINE float f16_to_f32(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00) return bits_to_f32(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    return bits_to_f32(sign | f32_to_bits(bits_to_f32(rest << 13) * 0x1p112f));
}
INLINE uint16_t f32_to_f16(float f) {
    const uint32_t u = f32_to_bits(f), sign = (u >> 16) & 0x8000, a = u & 0x7fffffff;
    if (a > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (a >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* 65520 and more round to infinity */
    if (a < 0x38800000) return (uint16_t)(sign | (f32_to_bits(bits_to_f32(a) + 0.5f) - 0x3f000000)); /* subnormal */
    return (uint16_t)(sign | ((a + 0xfff + ((a >> 13) & 1) - 0x38000000) >> 13));
}
INLINE float bf16_to_f32(uint16_t h) { return bits_to_f32((uint32_t)h << 16); }
INLINE uint16_t f32_to_bf16(float f) {
    const uint32_t u = f32_to_bits(f);
    if ((u & 0x7fffffff) > 0x7f800000) return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

#endif
