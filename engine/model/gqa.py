"""The grouped-query attention block: norm and projections, heads, output projection onto the residual stream."""

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Gqa as GqaSpec
from engine.arch.spec import LayerSpec
from engine.model.scratch import Scratch
from engine.model.weights import Weights
from kernels_pyx.attention import Gqa, KvCache, Rope
from kernels_pyx.compute import Compute
from kernels_pyx.linear import Linear


class GqaBlock:
    """x += o(attend(rope(q h), rope(k h), v h)) with h = rms_norm(x); x [n, d_model] in scratch."""

    def __init__(self, spec: GqaSpec, layer: LayerSpec, i: int, w: Weights, rope: Rope | None, s: Scratch) -> None:
        p = f"layers.{i}.attn."

        def bias(part: str) -> npt.NDArray[np.float32] | None:
            return w.vector(f"{p}{part}_bias") if w.has(f"{p}{part}_bias") else None

        self._project = Linear(
            [w.matrix(p + part) for part in "qkv"],
            norm=w.vector(f"layers.{i}.attn_norm"),
            eps=layer.norm_eps,
            biases=[bias(part) for part in "qkv"] if spec.qkv_bias else None,
        )
        self._heads = Gqa(
            spec.n_heads,
            spec.n_kv_heads,
            spec.d_head,
            rope=rope,
            norm=spec.qk_norm,
            q_norm=w.vector(p + "q_norm") if spec.qk_norm != "none" else None,
            k_norm=w.vector(p + "k_norm") if spec.qk_norm != "none" else None,
            norm_eps=spec.qk_norm_eps,
            scale=spec.scale,
            softcap=spec.softcap,
            sinks=w.vector(p + "sinks") if spec.sinks else None,
        )
        self._out = Linear([w.matrix(p + "o")], biases=[bias("o")] if spec.o_bias else None)
        self._q, self._k, self._v, self._attended, self._x = s.q, s.k, s.v, s.attended, s.x
        self._qkv = (s.q, s.k, s.v)
        self._residual = (s.x,)

    def forward(self, c: Compute, n: int, position: int, cache: KvCache) -> None:
        """n rows at position..position+n-1; appends to the cache and adds to the residual stream."""
        self._project(c, self._x, n, self._qkv)
        self._heads(c, self._q, self._k, self._v, n, position, cache, self._attended)
        self._out(c, self._attended, n, self._residual, True)
