"""The grouped-query attention block: norm and projections, heads, output gate, output projection."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Gqa as GqaSpec
from engine.arch.spec import LayerSpec
from engine.model.residual import Ports
from engine.model.scratch import Scratch
from engine.model.step import Span
from engine.model.weights import Weights
from kernels_pyx.attention import Gqa, KvCache, Rope
from kernels_pyx.compute import Compute
from kernels_pyx.linear import Linear
from kernels_pyx.mix import gate


class GqaBlock:
    """target (+)= o(attend(rope(q h), rope(k h), v h) * sigmoid(gate h)) with h = rms_norm(source), or source where norms come after."""

    def __init__(self, spec: GqaSpec, layer: LayerSpec, i: int, w: Weights, rope: Rope | None, s: Scratch, ports: Ports) -> None:
        p = f"layers.{i}.attn."

        def bias(part: str) -> npt.NDArray[np.float32] | None:
            return w.vector(f"{p}{part}_bias") if w.has(f"{p}{part}_bias") else None

        parts = ["q", "k"] + ([] if spec.v_from_k else ["v"]) + (["gate"] if spec.gate else [])
        self._project = Linear(
            [w.matrix(p + part) for part in parts],
            norm=None if layer.residual == "after" else w.vector(f"layers.{i}.attn_norm"),
            eps=layer.norm_eps,
            biases=[bias(part) for part in parts] if spec.qkv_bias else None,
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
            value_norm=spec.value_norm,
            scale=spec.scale,
            softcap=spec.softcap,
            sinks=w.vector(p + "sinks") if spec.sinks else None,
        )
        self._out = Linear([w.matrix(p + "o")], biases=[bias("o")] if spec.o_bias else None)
        q, kv = spec.n_heads * spec.d_head, spec.n_kv_heads * spec.d_head
        self._q, self._k, self._v, self._mixed = s.rows("q", q), s.rows("k", kv), s.rows("v", kv), s.rows("mixed", q)
        self._gate = s.rows("gate", q) if spec.gate else None
        rows = {"q": self._q, "k": self._k, "v": self._v, "gate": self._gate}
        self._parts = tuple(r for part in parts if (r := rows[part]) is not None)
        self._v_from_k = spec.v_from_k
        self._source, self._target, self._add = ports.source, (ports.target,), ports.add

    def forward(self, c: Compute, n: int, spans: Sequence[Span], caches: Sequence[KvCache]) -> None:
        """n rows, which are `spans`; each appends to its sequence's cache."""
        self._project(c, self._source, n, self._parts)
        if self._v_from_k:
            np.copyto(self._v.array[:n], self._k.array[:n])
        for (first, count, position), cache in zip(spans, caches, strict=True):
            self._heads(c, self._q, self._k, self._v, count, position, cache, self._mixed, first)
        if self._gate is not None:
            gate(c, self._mixed, self._gate, n)
        self._out(c, self._mixed, n, self._target, self._add)
