/* What every instruction set's header needs first: forced inlining and unrolling.
 * An isa_*.h then opens a region of functions for its target by pragma; isa_end.h closes it. MSVC needs no such region. */
#ifndef OUZEL_ISA_BEGIN_H
#define OUZEL_ISA_BEGIN_H

#if defined(_MSC_VER)
#define INLINE static __forceinline
#else
#define INLINE static inline __attribute__((always_inline, unused))
#endif


/* Fixed trip counts: unrolling keeps arrays of vectors in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 32")
#else
#define UNROLL
#endif

#if defined(__GNUC__)
#define PREFETCH(p) __builtin_prefetch(p)
#else
#define PREFETCH(p) ((void)(p))
#endif

#endif
