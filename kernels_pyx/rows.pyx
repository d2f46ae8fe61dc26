"""Row-wise kernels: norms, routing, combination of expert outputs."""

from libc.stdint cimport int32_t, int64_t

from kernels_pyx.compute cimport Compute, Rows
from kernels_pyx.linear cimport Matrix, product_exact
from kernels_pyx.routes cimport Routes
from kernels_pyx.tiles cimport pointer, run_tiles, table, vector

cdef extern from "rows.h":
    enum:
        FLAT_TILE
        ROUTE_MAX_EXPERTS
        ROUTE_MAX_TOP_K
        ROUTE_SOFTMAX
        ROUTE_SIGMOID
        ROUTE_TOPK_SOFTMAX
    ctypedef struct norm_args:
        const float *x
        const float *weight
        float *out
        int64_t n, cols, rows_per_tile
        float eps
    ctypedef struct flat_args:
        const float *x
        float *out
        int64_t count
        float factor
    ctypedef struct route_args:
        float *logits
        const float *logit_bias
        const float *choice_bias
        const float *per_expert_scale
        int32_t *ids
        float *weights
        int64_t n, rows_per_tile
        int experts, top_k, score, groups, topk_groups, two_best, renormalize
        float renorm_eps, scale
    ctypedef struct combine_args:
        const float *outputs
        const float *weights
        float *out
        int64_t n, cols, rows_per_tile
        int top_k, add

cdef enum:
    TILE = 8192  # numbers that are worth a tile of their own

_SCORES = {"softmax": ROUTE_SOFTMAX, "sigmoid": ROUTE_SIGMOID, "topk_softmax": ROUTE_TOPK_SOFTMAX}


cdef int64_t rows_of_tile(int64_t cols):
    return (TILE + cols - 1) // cols


cdef int32_t tiles_of(int64_t n, int64_t per_tile):
    return <int32_t>((n + per_tile - 1) // per_tile)


cdef void check_rows(Rows x, int n) except *:
    if n < 0 or n > x.capacity:
        raise ValueError(f"{n} rows of a buffer of {x.capacity}")


def rms_norm(Compute c not None, Rows x not None, int n, const float[::1] weight, float eps, Rows out not None):
    """out = x / sqrt(mean(x^2) + eps) * weight, row by row; weight None: without. out may be x. Raises ValueError, Interrupted."""
    cdef norm_args a
    check_rows(x, n)
    check_rows(out, n)
    if x.width != out.width or (weight is not None and weight.shape[0] != x.width):
        raise ValueError(f"a norm of width {x.width} with a weight or an output of another width")
    a.x, a.out, a.weight = x.data, out.data, pointer(weight)
    a.n, a.cols, a.rows_per_tile, a.eps = n, x.width, rows_of_tile(x.width), eps
    run_tiles(c, table(c).rms_norm, &a, tiles_of(n, a.rows_per_tile))


def add(Compute c not None, Rows x not None, int n, Rows out not None):
    """out += x. Raises ValueError, Interrupted."""
    cdef flat_args a
    check_rows(x, n)
    check_rows(out, n)
    if x.width != out.width:
        raise ValueError(f"widths {x.width} and {out.width} differ")
    a.x, a.out, a.count = x.data, out.data, <int64_t>n * x.width
    run_tiles(c, table(c).add, &a, tiles_of(a.count, FLAT_TILE))


def scale(Compute c not None, Rows x not None, int n, float factor):
    """x *= factor. Raises ValueError, Interrupted."""
    cdef flat_args a
    check_rows(x, n)
    a.out, a.count, a.factor = x.data, <int64_t>n * x.width, factor
    run_tiles(c, table(c).scale, &a, tiles_of(a.count, FLAT_TILE))


def soft_cap(Compute c not None, Rows x not None, int n, float cap):
    """x = cap * tanh(x / cap). Raises ValueError, Interrupted."""
    cdef flat_args a
    check_rows(x, n)
    if not cap > 0:
        raise ValueError(f"a cap is positive, not {cap}")
    a.out, a.count, a.factor = x.data, <int64_t>n * x.width, cap
    run_tiles(c, table(c).soft_cap, &a, tiles_of(a.count, FLAT_TILE))


cdef class Router:
    """Scores, choice and weights of experts. logits = weight h (+ logit_bias), always in exact arithmetic.

    score: "softmax" | "sigmoid" over all experts, then choice by score + choice_bias; or "topk_softmax": choice by logit,
    softmax over the chosen (gpt-oss). groups > 1: a group's score is its best ("max") or the sum of its two best ("top2")
    choice scores; topk_groups groups are kept. renormalize: divide by (sum + renorm_eps). Ties go to the lower id.
    weights are then multiplied by scale and per_expert_scale[id].
    """

    cdef Matrix weight
    cdef route_args args
    cdef const float[::1] logit_bias
    cdef const float[::1] choice_bias
    cdef const float[::1] per_expert_scale

    def __init__(self, Matrix weight not None, int top_k, str score, *, logit_bias=None, choice_bias=None, int groups=1, int topk_groups=1,
                 str group_score="max", bint renormalize=False, float renorm_eps=0.0, float scale=1.0, per_expert_scale=None):
        cdef route_args *a = &self.args
        cdef int n = weight.rows, kept
        if score not in _SCORES:
            raise ValueError(f"a router scores with {', '.join(_SCORES)}, not {score!r}")
        if group_score not in ("max", "top2"):
            raise ValueError(f'a group is scored by "max" or "top2", not {group_score!r}')
        if not 1 <= n <= ROUTE_MAX_EXPERTS:
            raise ValueError(f"{n} experts; at most {ROUTE_MAX_EXPERTS}")
        if groups < 1 or n % groups or not 1 <= topk_groups <= groups:
            raise ValueError(f"{topk_groups} of {groups} groups of {n} experts")
        if group_score == "top2" and n // groups < 2:
            raise ValueError(f"no two best in groups of {n // groups}")
        kept = n // groups * topk_groups if groups > 1 else n
        if not 1 <= top_k <= min(kept, ROUTE_MAX_TOP_K):
            raise ValueError(f"{top_k} of {kept} experts; at most {ROUTE_MAX_TOP_K}")
        self.weight = weight
        self.logit_bias = vector("logit_bias", logit_bias, n)
        self.choice_bias = vector("choice_bias", choice_bias, n)
        self.per_expert_scale = vector("per_expert_scale", per_expert_scale, n)
        a.logit_bias = pointer(self.logit_bias)
        a.choice_bias = pointer(self.choice_bias)
        a.per_expert_scale = pointer(self.per_expert_scale)
        a.experts, a.top_k, a.score = n, top_k, _SCORES[score]
        a.groups, a.topk_groups, a.two_best = groups, topk_groups, group_score == "top2"
        a.renormalize, a.renorm_eps, a.scale = renormalize, renorm_eps, scale
        a.rows_per_tile = rows_of_tile(4 * n)

    def __call__(self, Compute c not None, Rows x not None, int n, Rows logits not None, Routes routes not None):
        """logits [n, experts] and routes of the n rows of x. Raises ValueError, Interrupted."""
        cdef route_args a = self.args
        check_rows(logits, n)
        if logits.width != a.experts:
            raise ValueError(f"logits are {a.experts} wide, not {logits.width}")
        if routes.top_k != a.top_k or n > routes.capacity:
            raise ValueError(f"routes of {n} rows, top {a.top_k}, in {routes.capacity} rows, top {routes.top_k}")
        product_exact(c, self.weight, x, n, logits)
        a.logits, a.ids, a.weights, a.n = logits.data, routes.ids_data, routes.weights_data, n
        run_tiles(c, table(c).route, &a, tiles_of(n, a.rows_per_tile))


def combine(Compute c not None, Rows outputs not None, Routes routes not None, int n, Rows out not None, bint add=False):
    """out[r] (+)= sum over ranks k, in router order, of routes.weights[r, k] * outputs[r * top_k + k]. Raises ValueError, Interrupted."""
    cdef combine_args a
    check_rows(out, n)
    if n > routes.capacity or <int64_t>n * routes.top_k > outputs.capacity:
        raise ValueError(f"{n} rows of top {routes.top_k} pass routes of {routes.capacity} or outputs of {outputs.capacity} rows")
    if outputs.width != out.width:
        raise ValueError(f"widths {outputs.width} and {out.width} differ")
    a.outputs, a.weights, a.out = outputs.data, routes.weights_data, out.data
    a.n, a.cols, a.top_k, a.add = n, out.width, routes.top_k, add
    a.rows_per_tile = rows_of_tile(a.cols * a.top_k)
    run_tiles(c, table(c).combine, &a, tiles_of(n, a.rows_per_tile))
