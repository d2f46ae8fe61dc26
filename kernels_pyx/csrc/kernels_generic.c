#include "kernels.h"
#include "isa_generic.h"
#include "kernels_bodies.h"

const struct kernels kernels_generic = KERNELS_TABLE("generic");
