"""The latent attention block, absorbed: queries go to the latent space head by head, what they attended comes back as values."""

from collections.abc import Sequence

from engine.arch.spec import LayerSpec, Mla
from engine.model.residual import Ports
from engine.model.scratch import Scratch
from engine.model.step import Span
from engine.model.weights import Weights
from kernels_pyx.attention import Rope
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.heads import HeadLinear
from kernels_pyx.latent import Latent, LatentCache
from kernels_pyx.linear import Linear
from kernels_pyx.mix import gate


class MlaBlock:
    """target (+)= o(v_up(attend(k_up(q), rope(q), latent)) * sigmoid(gate h)) with h = rms_norm(source)."""

    def __init__(self, spec: Mla, layer: LayerSpec, i: int, w: Weights, rope: Rope | None, s: Scratch, ports: Ports) -> None:
        p = f"layers.{i}.attn."
        self._q = s.rows("q", spec.n_heads * (spec.d_nope + spec.d_rope))
        self._kv, self._queries = s.rows("kv", spec.d_cache), s.rows("queries", spec.n_heads * spec.d_latent)
        self._mixed = s.rows("mixed", spec.n_heads * spec.d_value)
        self._gate = s.rows("gate", spec.n_heads * spec.d_value) if spec.gate else None
        self._low = s.rows("low", spec.d_q_latent) if spec.d_q_latent else None
        first: dict[str, Rows] = {"kv_a": self._kv}
        first |= {"q": self._q} if self._low is None else {"q_a": self._low}
        first |= {"gate": self._gate} if self._gate is not None else {}
        self._project = Linear([w.matrix(p + part) for part in first], norm=w.vector(f"layers.{i}.attn_norm"), eps=layer.norm_eps)
        self._parts = tuple(first.values())
        if self._low is not None:
            self._q_up = Linear([w.matrix(p + "q")], norm=w.vector(p + "q_norm"), eps=spec.norm_eps)
        self._k_up, self._v_up = (HeadLinear(w.matrix(p + part), spec.n_heads) for part in ("k_up", "v_up"))
        self._heads = Latent(
            spec.n_heads, spec.d_nope, spec.d_rope, spec.d_latent, norm=w.vector(p + "kv_norm"), norm_eps=spec.norm_eps,
            rope=rope, scale=spec.scale,
        )
        self._out = Linear([w.matrix(p + "o")])
        self._source, self._target, self._add = ports.source, (ports.target,), ports.add

    def forward(self, c: Compute, n: int, spans: Sequence[Span], caches: Sequence[LatentCache]) -> None:
        """n rows, which are `spans`; each appends to its sequence's cache."""
        self._project(c, self._source, n, self._parts)
        if self._low is not None:
            self._q_up(c, self._low, n, (self._q,))
        self._k_up(c, self._q, n, self._queries)
        for (first, count, position), cache in zip(spans, caches, strict=True):
            self._heads(c, self._q, self._queries, self._kv, count, position, cache, first)
        self._v_up(c, self._queries, n, self._mixed)
        if self._gate is not None:
            gate(c, self._mixed, self._gate, n)
        self._out(c, self._mixed, n, self._target, self._add)
