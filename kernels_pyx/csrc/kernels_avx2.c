#if defined(__x86_64__) || defined(_M_X64)
#include "kernels.h"
#include "isa_avx2.h"
#include "kernels_bodies.h"
#include "isa_end.h"

const struct kernels kernels_avx2 = KERNELS_TABLE("avx2");

#else
typedef int no_kernels_here; /* a file must not be empty */
#endif
