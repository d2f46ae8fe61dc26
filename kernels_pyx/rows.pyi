"""Row-wise kernels: norms, routing, combination of expert outputs."""

import numpy as np
import numpy.typing as npt

from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Matrix
from kernels_pyx.routes import Routes

def rms_norm(c: Compute, x: Rows, n: int, weight: npt.NDArray[np.float32] | None, eps: float, out: Rows) -> None: ...
def add(c: Compute, x: Rows, n: int, out: Rows) -> None: ...  # out += x
def scale(c: Compute, x: Rows, n: int, factor: float) -> None: ...  # x *= factor
def soft_cap(c: Compute, x: Rows, n: int, cap: float) -> None: ...  # x = cap * tanh(x / cap)

class Router:
    """Scores, choice and weights of experts. logits = weight h (+ logit_bias), always in exact arithmetic.

    score: "softmax" | "sigmoid" over all experts, then choice by score + choice_bias; or "topk_softmax": choice by logit,
    softmax over the chosen (gpt-oss). groups > 1: a group's score is its best ("max") or the sum of its two best ("top2")
    choice scores; topk_groups groups are kept. renormalize: divide by (sum + renorm_eps). Ties go to the lower id.
    weights are then multiplied by scale and per_expert_scale[id].
    """

    def __init__(
        self,
        weight: Matrix,
        top_k: int,
        score: str,
        *,
        logit_bias: npt.NDArray[np.float32] | None = None,
        choice_bias: npt.NDArray[np.float32] | None = None,
        groups: int = 1,
        topk_groups: int = 1,
        group_score: str = "max",
        renormalize: bool = False,
        renorm_eps: float = 0.0,
        scale: float = 1.0,
        per_expert_scale: npt.NDArray[np.float32] | None = None,
    ) -> None: ...
    def __call__(self, c: Compute, x: Rows, n: int, logits: Rows, routes: Routes) -> None: ...

def combine(c: Compute, outputs: Rows, routes: Routes, n: int, out: Rows, add: bool = False) -> None:
    """out[r] (+)= sum over ranks k, in router order, of routes.weights[r, k] * outputs[r * top_k + k]."""
