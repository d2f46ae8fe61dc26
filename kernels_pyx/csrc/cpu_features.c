/* Sources: Intel SDM vol. 2 CPUID and vol. 1 section 13 (XCR0); Linux arm64 elf_hwcaps; Apple hw.optional sysctls. */
#include "cpu_features.h"

#include <stdint.h>

#if defined(__x86_64__) || defined(_M_X64)

#if defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
static void cpuid(uint32_t leaf, uint32_t sub, uint32_t r[4]) {
    int out[4];
    __cpuidex(out, (int)leaf, (int)sub);
    for (int i = 0; i < 4; i++) r[i] = (uint32_t)out[i];
}
static uint64_t xcr0(void) { return _xgetbv(0); }
#else
static void cpuid(uint32_t leaf, uint32_t sub, uint32_t r[4]) {
    __asm__ volatile("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "a"(leaf), "c"(sub));
}
static uint64_t xcr0(void) {
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return ((uint64_t)hi << 32) | lo;
}
#endif

/* Linux grants the tiles' registers to a process that asks (Documentation/arch/x86/xstate.rst). */
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
static int tiles_allowed(void) { return syscall(SYS_arch_prctl, 0x1023 /* ARCH_REQ_XCOMP_PERM */, 18 /* XFEATURE_XTILEDATA */) == 0; }
#else
static int tiles_allowed(void) { return 0; }
#endif

static int bit(uint32_t word, int i) { return (int)((word >> i) & 1u); }

struct cpu_features cpu_features(void) {
    struct cpu_features f = {0};
    uint32_t r[4];
    cpuid(0, 0, r);
    if (r[0] < 7) return f;
    cpuid(1, 0, r);
    const uint32_t c1 = r[2];
    if (!bit(c1, 27)) return f; /* OSXSAVE: without it xgetbv faults */
    const uint64_t saved = xcr0();
    if ((saved & 0x6) != 0x6) return f; /* xmm and ymm state */
    cpuid(7, 0, r);
    const uint32_t b7 = r[1], c7 = r[2];
    f.avx2 = bit(b7, 5) && bit(c1, 12) && bit(c1, 29);
    f.avx512 = f.avx2 && (saved & 0xe0) == 0xe0 && bit(b7, 16) && bit(b7, 17) && bit(b7, 30) && bit(b7, 31) && bit(c7, 11);
    f.amx = f.avx512 && bit(c7, 1) /* VBMI */ && (saved & 0x60000) == 0x60000 && bit(r[3], 24) && bit(r[3], 25) && tiles_allowed();
    return f;
}

#elif defined(__aarch64__) || defined(_M_ARM64)

#if defined(__linux__)
#include <sys/auxv.h>
struct cpu_features cpu_features(void) {
    struct cpu_features f = {0};
    f.neon = (int)((getauxval(AT_HWCAP) >> 20) & 1u); /* HWCAP_ASIMDDP */
    f.i8mm = f.neon && (int)((getauxval(AT_HWCAP2) >> 13) & 1u); /* HWCAP2_I8MM */
    return f;
}
#elif defined(__APPLE__)
#include <stddef.h>
#include <sys/sysctl.h>
struct cpu_features cpu_features(void) {
    struct cpu_features f = {0};
    int value = 0;
    size_t size = sizeof value;
    f.neon = sysctlbyname("hw.optional.arm.FEAT_DotProd", &value, &size, NULL, 0) == 0 && value != 0;
    size = sizeof value;
    f.i8mm = f.neon && sysctlbyname("hw.optional.arm.FEAT_I8MM", &value, &size, NULL, 0) == 0 && value != 0;
    return f;
}
#elif defined(_WIN32)
#include <windows.h>
struct cpu_features cpu_features(void) {
    struct cpu_features f = {0};
    f.neon = IsProcessorFeaturePresent(43) != 0; /* PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE */
    return f;
}
#else
struct cpu_features cpu_features(void) {
    struct cpu_features f = {0};
    return f;
}
#endif

#else

struct cpu_features cpu_features(void) {
    struct cpu_features f = {0};
    return f;
}

#endif
