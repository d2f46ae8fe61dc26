#if defined(__x86_64__) || defined(_M_X64)
#include "kernels.h"
#include "isa_avx512.h"
#if defined(__linux__) && defined(__GNUC__)
#define MATRIX_UNIT "unit_amx.h"
#endif
#include "kernels_bodies.h"
#include "isa_end.h"

const struct kernels kernels_avx512 = KERNELS_TABLE("avx512");
#ifdef MATRIX_UNIT
const struct kernels kernels_amx = KERNELS_TABLE_UNIT("amx");
#endif

#else
typedef int no_kernels_here; /* a file must not be empty */
#endif
