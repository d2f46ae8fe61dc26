"""The feed-forward blocks: dense, and Mixture of Experts with experts streamed from disk."""

from contextlib import closing
from time import perf_counter

import numpy as np
import numpy.typing as npt

from engine.arch.spec import Activation, Dense, LayerSpec, Moe
from engine.cancel import CancelToken
from engine.container.format import RecordLayout
from engine.experts.lookahead import ROWS
from engine.experts.streamer import ExpertStreamer
from engine.model.clock import Clock
from engine.model.residual import Ports
from engine.model.scratch import Scratch
from engine.model.weights import Weights
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.linear import Experts, GatedFfn, Linear
from kernels_pyx.rows import Router, add, combine, rms_norm


def gated_ffn(spec: Dense, p: str, w: Weights, norm: str | None, eps: float) -> GatedFfn:
    """The gated FFN whose tensors lie under p; norm: the vector that its input still needs."""
    return GatedFfn(
        w.matrix(p + "gate"),
        w.matrix(p + "up"),
        w.matrix(p + "down"),
        spec.act.kind,
        act_params=spec.act.params,
        norm=None if norm is None else w.vector(norm),
        eps=eps,
        row_gate=w.matrix(p + "row_gate") if spec.row_gate else None,
    )


class DenseBlock:
    """target (+)= ffn(rms_norm(source)), or ffn(source) where norms come after."""

    def __init__(self, spec: Dense, layer: LayerSpec, i: int, w: Weights, s: Scratch, ports: Ports) -> None:
        norm = None if layer.residual == "after" else f"layers.{i}.ffn_norm"
        self._ffn = gated_ffn(spec, f"layers.{i}.ffn.", w, norm, layer.norm_eps)
        self._hidden, self._ports = s.rows("hidden", spec.d_hidden), ports

    def forward(self, c: Compute, n: int, cancel: CancelToken) -> None:
        """n rows of the source."""
        self._ffn(c, self._ports.source, n, self._hidden, self._ports.target, self._ports.add)


class Routed:
    """out (+)= sum_k weight_k expert_k(h), in router order.

    All misses of the layer are read at once; experts are computed as they arrive, each once for all its rows.
    """

    def __init__(
        self, spec: Moe, i: int, ordinal: int, w: Weights, s: Scratch, record: RecordLayout, streamer: ExpertStreamer, clock: Clock
    ) -> None:
        r, p = spec.router, f"layers.{i}.router"
        self.router = Router(
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
        self.logits = s.rows("router_logits", spec.n_experts)
        self.ordinal, self.streamer, self._clock, self._s = ordinal, streamer, clock, s

    def choose(self, c: Compute, rows: Rows, n: int) -> None:
        """Choose the experts of n rows; `logits` and the scratch's routes keep the choice until the next MoE layer."""
        self.router(c, rows, n, self.logits, self._s.routes)
        self._s.groups.fill(self._s.routes, n)

    def run(self, c: Compute, h: Rows, n: int, out: Rows, onto: bool, cancel: CancelToken) -> None:
        """The chosen experts of the rows of h; onto: added to out."""
        s, clock = self._s, self._clock
        groups = s.groups
        self._experts.prepare(c, h, n)
        start = perf_counter()
        m = groups.n_experts
        uses = np.diff(groups.starts[: m + 1]) if n > 1 else None
        with closing(self.streamer.stream(self.ordinal, groups.experts[:m], cancel, n, uses)) as batches:
            for which, addresses in batches:
                ready = perf_counter()
                clock.read_wait += ready - start
                self._experts.run(c, h, groups, which, addresses, s.expert_hidden, s.expert_out)
                start = perf_counter()
                clock.experts += start - ready
        combine(c, s.expert_out, s.routes, n, out, onto)


class Foresight:
    """The next MoE layer's router on this layer's state, which tells most of the experts that it will choose."""

    def __init__(self, routed: Routed, norm: npt.NDArray[np.float32], eps: float, s: Scratch) -> None:
        self._routed, self._norm, self._eps, self._s = routed, norm, eps, s
        self._logits = s.ahead_logits(routed.logits.width)

    def guess(self, c: Compute, source: Rows, n: int) -> None:
        """Tell the streamer what n rows of the stream, as the FFN of this layer reads them, say about the next MoE layer."""
        if n > ROWS or not self._routed.streamer.lookahead.active:
            return
        s = self._s
        rms_norm(c, source, n, self._norm, self._eps, s.ahead_in)
        self._routed.router(c, s.ahead_in, n, self._logits, s.ahead_routes)
        # All rows' likeliest experts come before their second likeliest.
        self._routed.streamer.foresee(self._routed.ordinal, dict.fromkeys(s.ahead_routes.ids[:n].T.ravel().tolist()))


class MoeBlock:
    """target (+)= experts(h) + shared(h) with h = rms_norm(source); experts in a latent space, or both between norms of their own."""

    def __init__(
        self,
        spec: Moe,
        layer: LayerSpec,
        i: int,
        w: Weights,
        s: Scratch,
        routed: Routed,
        ports: Ports,
    ) -> None:
        p, eps = f"layers.{i}.", layer.norm_eps
        self._norm, self._eps, self._h = w.vector(p + "ffn_norm"), eps, s.h
        self.routed, self._ports, self._s = routed, ports, s
        self._next: Foresight | None = None
        self._router_in, self._router_scale = s.h, None
        if spec.router.input_scale:
            self._router_in = s.rows("router_in", s.x.width)
            self._router_scale = w.vector(p + "router_input_scale") * np.float32(s.x.width**-0.5)
        self._down = self._up = self._side = None
        if spec.d_latent is not None:
            self._latent, self._sum = s.rows("latent", spec.d_latent), s.rows("latent_sum", spec.d_latent)
            self._down = Linear([w.matrix(p + "latent.down")])
            self._up = Linear([w.matrix(p + "latent.up")], norm=w.vector(p + "latent.norm") if spec.latent_norm else None, eps=eps)
        self._shared = None
        if spec.shared is not None:
            self._shared = gated_ffn(spec.shared, p + "shared.", w, p + "shared.norm" if spec.sandwich else None, eps)
            self._hidden = s.rows("hidden", spec.shared.d_hidden)
        if spec.sandwich:
            self._side = s.rows("side", s.x.width)
            self._side_norm, self._sum_norm = w.vector(p + "shared.post_norm"), w.vector(p + "experts_post_norm")

    def look_ahead_to(self, block: "MoeBlock") -> None:
        """`block` is that of the next MoE layer."""
        norm = block._norm if block._router_scale is None else block._router_scale
        self._next = Foresight(block.routed, norm, block._eps, self._s)

    def forward(self, c: Compute, n: int, cancel: CancelToken) -> None:
        """n rows of the source."""
        source, target, onto = self._ports.source, self._ports.target, self._ports.add
        rms_norm(c, source, n, self._norm, self._eps, self._h)
        if self._router_scale is not None:
            rms_norm(c, source, n, self._router_scale, self._eps, self._router_in)
        self.routed.choose(c, self._router_in, n)
        if self._next is not None:
            self._next.guess(c, source, n)
        if self._down is not None and self._up is not None:
            self._down(c, self._h, n, (self._latent,))
            self.routed.run(c, self._latent, n, self._sum, False, cancel)
            self._up(c, self._sum, n, (target,), onto)
        else:
            self.routed.run(c, self._h, n, target, onto, cancel)
        if self._shared is None:
            return
        if self._side is None:
            self._shared(c, self._h, n, self._hidden, target, True)
            return
        rms_norm(c, target, n, self._sum_norm, self._eps, target)
        self._shared(c, source, n, self._hidden, self._side, False)
        rms_norm(c, self._side, n, self._side_norm, self._eps, self._side)
        add(c, self._side, n, target)


def _experts(r: RecordLayout, act: Activation) -> Experts:
    return Experts(r.d_in, r.d_hidden, r.d_out, r.gate, r.up, r.down, act.kind, act_params=act.params, biases=r.biases)
