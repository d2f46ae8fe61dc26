#include <stddef.h>

#include "cpu_features.h"
#include "kernels.h"

const struct kernels *kernels_at(int i) {
    const struct kernels *found[5] = {&kernels_generic};
    int n = 1;
    const struct cpu_features f = cpu_features();
#if defined(__x86_64__) || defined(_M_X64)
    if (f.avx2) found[n++] = &kernels_avx2;
    if (f.avx512) found[n++] = &kernels_avx512;
#if defined(__linux__) && defined(__GNUC__)
    if (f.amx) found[n++] = &kernels_amx;
#endif
#elif defined(__aarch64__) || defined(_M_ARM64)
    if (f.neon) found[n++] = &kernels_neon;
#if defined(__GNUC__)
    if (f.i8mm) found[n++] = &kernels_i8mm;
#endif
#else
    (void)f;
#endif
    return i >= 0 && i < n ? found[i] : NULL;
}
