/* Opens a region whose functions may use the instruction set named by ISA_TARGET (a string); isa_end.h closes it.
 * Without ISA_TARGET the compiler's own baseline holds. MSVC needs no such region. */
#if defined(__GNUC__) && !defined(__clang__)
#define INLINE static inline __attribute__((always_inline, unused))
#else
#if defined(_MSC_VER)
#define INLINE static __forceinline
#else
#define INLINE static inline __attribute__((always_inline, unused))
#endif
#endif

/* Fixed trip counts: unrolling keeps arrays of vectors in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 32")
#else
#define UNROLL
#endif
