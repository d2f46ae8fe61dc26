"""The delta rule block: Kimi delta attention and gated delta net."""

from collections.abc import Sequence

from engine.arch.spec import Delta as DeltaSpec
from engine.arch.spec import LayerSpec
from engine.model.residual import Ports
from engine.model.scratch import Scratch
from engine.model.step import Span
from engine.model.weights import Weights
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Linear
from kernels_pyx.recurrent import Delta, DeltaState


class DeltaBlock:
    """target (+)= o(rms_norm(recurrence(conv(q h), conv(k h), conv(v h), decay h, beta h)) * act(gate h)), h = rms_norm(source)."""

    def __init__(self, spec: DeltaSpec, layer: LayerSpec, i: int, w: Weights, s: Scratch, ports: Ports) -> None:
        p = f"layers.{i}.attn."
        keys, values = spec.n_key_heads * spec.d_key, spec.n_value_heads * spec.d_value
        self._q, self._k, self._v, self._mixed = s.rows("q", keys), s.rows("k", keys), s.rows("v", values), s.rows("mixed", values)
        self._decay, self._beta = s.rows("decay", spec.d_decay), s.rows("beta", spec.n_value_heads)
        first = {"q": self._q, "k": self._k, "v": self._v, "beta": self._beta}
        second: list[tuple[Linear, Rows, tuple[Rows]]] = []
        for part, rank, low, out in (
            ("decay", spec.decay_rank, "low", self._decay), ("gate", spec.gate_rank, "gate_low", self._mixed),
        ):
            if rank is None:
                first[part] = out
            else:
                first[part + "_a"] = s.rows(low, rank)
                second.append((Linear([w.matrix(p + part)]), first[part + "_a"], (out,)))
        self._project = Linear([w.matrix(p + part) for part in first], norm=w.vector(f"layers.{i}.attn_norm"), eps=layer.norm_eps)
        self._parts, self._second = tuple(first.values()), tuple(second)
        self._recur = Delta(
            spec.n_key_heads, spec.n_value_heads, spec.d_key, spec.d_value,
            conv_q=w.vector(p + "q_conv"), conv_k=w.vector(p + "k_conv"), conv_v=w.vector(p + "v_conv"),
            decay_bias=w.vector(p + "decay_bias"), decay_log=w.vector(p + "decay_log"), per_channel=spec.decay.per_channel,
            floor=spec.decay.floor, norm=w.vector(p + "o_norm"), norm_eps=spec.norm_eps, gate=spec.gate_act,
        )
        self._out = Linear([w.matrix(p + "o")])
        self._source, self._target, self._add = ports.source, (ports.target,), ports.add

    def forward(self, c: Compute, n: int, spans: Sequence[Span], states: Sequence[DeltaState]) -> None:
        """n rows, which are `spans`; each one's state follows as its docstring says."""
        self._project(c, self._source, n, self._parts)
        for linear, low, out in self._second:
            linear(c, low, n, out)
        # The gate's rows are read before they are overwritten with the result.
        q, k, v, decay, beta, mixed = self._q, self._k, self._v, self._decay, self._beta, self._mixed
        for (first, count, position), state in zip(spans, states, strict=True):
            self._recur(c, q, k, v, decay, beta, mixed, count, position, state, mixed, first)
        self._out(c, self._mixed, n, self._target, self._add)
