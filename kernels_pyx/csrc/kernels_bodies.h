/* Every body, in order, between isa_<name>.h and isa_end.h; KERNELS_TABLE then lists the entries. */
#include "body_math.h"
#include "body_input.h"
#include "body_panel.h"
#include "body_gemm.h"
#include "body_linear.h"
#include "body_encode.h"

#include "body_rows.h"

#include "body_kv8.h"
#include "body_heads.h"
#include "body_tiles.h"
#include "body_tiles8.h"
#include "body_attention.h"
#include "body_latent.h"
#include "body_recurrent.h"
#include "body_mix.h"

#define ROW_KERNELS                                                                                                      \
    .rms_norm = rms_norm_tile, .add = add_tile, .scale = scale_tile, .soft_cap = soft_cap_tile, .route = route_tile,     \
    .combine = combine_tile, .attention_rows = attention_rows_tile, .attend = attend_tile, .attend_span = attend_span_tile, \
    .attend_merge = attend_merge_tile,

#define MIXER_KERNELS                                                                                                    \
    .latent_rows = latent_rows_tile, .latent_attend = latent_attend_tile, .latent_span = latent_span_tile,               \
    .latent_merge = latent_merge_tile, .delta = delta_tile, .mix = mix_tile, .gate = gate_tile,
#define LINEAR_KERNELS .input = input_tile, .read = read_tile, .encode_q8 = encode_q8_block, .encode_q4 = encode_q4_block,

#define KERNELS_TABLE_WITH(isa, product_fn, gated_fn)      \
    {                                                      \
        .product = product_fn, .gated = gated_fn,          \
        LINEAR_KERNELS                                     \
        ROW_KERNELS                                        \
        MIXER_KERNELS                                      \
        .name = isa,                                       \
    }
#define KERNELS_TABLE(isa) KERNELS_TABLE_WITH(isa, product_tile, gated_tile)
#define KERNELS_TABLE_UNIT(isa) KERNELS_TABLE_WITH(isa, product_tile_unit, gated_tile_unit)
