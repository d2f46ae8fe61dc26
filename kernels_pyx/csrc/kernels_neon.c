#if defined(__aarch64__) || defined(_M_ARM64)
#include "kernels.h"
#include "isa_neon.h"
#include "kernels_bodies.h"
#include "isa_end.h"

const struct kernels kernels_neon = KERNELS_TABLE("neon");

#else
typedef int no_kernels_here; /* a file must not be empty */
#endif
