/* Every body, in order, between isa_<name>.h and isa_end.h; KERNELS_TABLE then lists the entries. */
#include "body_math.h"

#define KERNELS_TABLE(isa)  \
    {                       \
        .name = isa,        \
    }
