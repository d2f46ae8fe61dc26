/* What this processor and operating system run; asked once, from the processor itself. */
#ifndef OUZEL_CPU_FEATURES_H
#define OUZEL_CPU_FEATURES_H

struct cpu_features {
    int avx2;    /* AVX2, FMA, F16C, and an operating system that saves ymm */
    int avx512;  /* F, BW, DQ, VL, VNNI, and an operating system that saves zmm */
    int amx;     /* avx512 and AMX int8, and a Linux that lets this process use the tiles */
    int neon;    /* AArch64 with the int8 dot product */
    int i8mm;    /* and with the int8 matrix product */
};

struct cpu_features cpu_features(void);

#endif
