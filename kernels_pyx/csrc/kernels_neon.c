#if defined(__aarch64__) || defined(_M_ARM64)
#include "kernels.h"
#include "isa_neon.h"
#if defined(__GNUC__)
#define MATRIX_UNIT "unit_i8mm.h"
#endif
#include "kernels_bodies.h"
#include "isa_end.h"

const struct kernels kernels_neon = KERNELS_TABLE("neon");
#ifdef MATRIX_UNIT
const struct kernels kernels_i8mm = KERNELS_TABLE_UNIT("i8mm");
#endif

#else
typedef int no_kernels_here; /* a file must not be empty */
#endif
