"""The feed-forward blocks: dense, and Mixture of Experts with experts streamed from disk."""

from contextlib import closing
from time import perf_counter

from engine.arch.spec import Activation, Dense, LayerSpec, Moe
from engine.cancel import CancelToken
from engine.container.format import RecordLayout
from engine.experts.streamer import ExpertStreamer
from engine.model.clock import Clock
from engine.model.scratch import Scratch
from engine.model.weights import Weights
from kernels_pyx.compute import Compute
from kernels_pyx.linear import Experts, GatedFfn
from kernels_pyx.rows import Router, combine, rms_norm


def gated_ffn(spec: Dense, layer: LayerSpec, i: int, w: Weights, name: str, normed: bool) -> GatedFfn:
    """The gated FFN of layer i named "ffn" or "shared"; normed: its input still needs the layer's norm."""
    p = f"layers.{i}.{name}."
    return GatedFfn(
        w.matrix(p + "gate"),
        w.matrix(p + "up"),
        w.matrix(p + "down"),
        spec.act.kind,
        act_params=spec.act.params,
        norm=None if normed else w.vector(f"layers.{i}.ffn_norm"),
        eps=layer.norm_eps,
        row_gate=w.matrix(p + "row_gate") if spec.row_gate else None,
    )


class DenseBlock:
    """x += ffn(rms_norm(x)); x [n, d_model] in scratch."""

    def __init__(self, spec: Dense, layer: LayerSpec, i: int, w: Weights, s: Scratch) -> None:
        self._ffn = gated_ffn(spec, layer, i, w, "ffn", normed=False)
        self._x, self._hidden = s.x, s.hidden(spec.d_hidden)

    def forward(self, c: Compute, n: int, cancel: CancelToken) -> None:
        """Adds to the residual stream of n rows."""
        self._ffn(c, self._x, n, self._hidden, self._x, True)


class MoeBlock:
    """x += sum_k weight_k expert_k(h) + shared(h) with h = rms_norm(x); the sum is in router order.

    All misses of the layer are read at once; experts are computed as they arrive, each once for all its rows.
    """

    def __init__(
        self,
        spec: Moe,
        layer: LayerSpec,
        i: int,
        ordinal: int,
        w: Weights,
        s: Scratch,
        record: RecordLayout,
        streamer: ExpertStreamer,
        clock: Clock,
    ) -> None:
        self._norm, self._eps = w.vector(f"layers.{i}.ffn_norm"), layer.norm_eps
        r, p = spec.router, f"layers.{i}.router"
        self._router = Router(
            w.matrix(p),
            spec.top_k,
            r.score,
            logit_bias=w.vector(p + "_bias") if r.logit_bias else None,
            choice_bias=w.vector(p + "_choice_bias") if r.choice_bias else None,
            groups=r.groups,
            topk_groups=r.topk_groups,
            group_score=r.group_score,
            renormalize=r.renormalize,
            renorm_eps=r.renorm_eps,
            scale=r.scale,
            per_expert_scale=w.vector(p + "_expert_scale") if r.per_expert_scale else None,
        )
        self._experts = _experts(record, spec.act)
        self._shared = gated_ffn(spec.shared, layer, i, w, "shared", normed=True) if spec.shared else None
        self._hidden = s.hidden(spec.shared.d_hidden) if spec.shared else s.h
        self._ordinal, self._streamer, self._clock = ordinal, streamer, clock
        self._s = s

    def forward(self, c: Compute, n: int, cancel: CancelToken) -> None:
        """Adds to the residual stream of n rows; s.router_logits and s.routes keep the choice until the next MoE layer."""
        s, clock = self._s, self._clock
        rms_norm(c, s.x, n, self._norm, self._eps, s.h)
        self._router(c, s.h, n, s.router_logits, s.routes)
        groups = s.groups
        groups.fill(s.routes, n)
        self._experts.prepare(c, s.h, n)
        start = perf_counter()
        with closing(self._streamer.stream(self._ordinal, groups.experts[: groups.n_experts], cancel)) as batches:
            for which, addresses in batches:
                ready = perf_counter()
                clock.read_wait += ready - start
                self._experts.run(c, s.h, groups, which, addresses, s.expert_hidden, s.expert_out)
                start = perf_counter()
                clock.experts += start - ready
        combine(c, s.expert_out, s.routes, n, s.x, True)
        if self._shared is not None:
            self._shared(c, s.h, n, self._hidden, s.x, True)


def _experts(r: RecordLayout, act: Activation) -> Experts:
    return Experts(r.d_in, r.d_hidden, r.d_out, r.gate, r.up, r.down, act.kind, act_params=act.params, biases=r.biases)
