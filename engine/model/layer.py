"""One layer: its mixer and its FFN, each with its way to the residual stream."""

from collections.abc import Mapping, Sequence
from time import perf_counter

from engine.arch.spec import Delta, Gqa, LayerSpec, Mixer, Mla, Moe
from engine.arch.spec import Rope as RopeSpec
from engine.cancel import CancelToken
from engine.container.format import RecordLayout
from engine.experts.streamer import ExpertStreamer
from engine.model.clock import Clock
from engine.model.delta import DeltaBlock
from engine.model.ffn import DenseBlock, MoeBlock, Routed
from engine.model.gqa import GqaBlock
from engine.model.mla import MlaBlock
from engine.model.residual import Ports, residuals
from engine.model.scratch import Scratch
from engine.model.state import Kept
from engine.model.step import Span
from engine.model.weights import Weights
from kernels_pyx.attention import Rope
from kernels_pyx.compute import Compute
from kernels_pyx.rows import scale


def rope_of(m: Mixer) -> RopeSpec | None:
    """The rotation of a mixer that has one."""
    return None if isinstance(m, Delta) else m.rope


class Layer:
    """Layer i of a model, bound to its weights and buffers. n_kept: streams that earlier layers keep."""

    def __init__(
        self, spec: LayerSpec, i: int, w: Weights, ropes: Mapping[RopeSpec, Rope], s: Scratch, n_kept: int, clock: Clock,
        experts: tuple[int, RecordLayout, ExpertStreamer] | None,
    ) -> None:
        self._around_mixer, self._around_ffn = residuals(spec, i, n_kept, w, s)
        self._mixer = self._bind_mixer(spec, i, w, ropes, s, self._around_mixer.ports)
        ports = self._around_ffn.ports
        self.routed: Routed | None = None
        self.moe: MoeBlock | None = None
        if isinstance(spec.ffn, Moe):
            assert experts is not None
            ordinal, record, streamer = experts
            self.routed = Routed(spec.ffn, i, ordinal, w, s, record, streamer, clock)
            self.moe = MoeBlock(spec.ffn, spec, i, w, s, self.routed, ports)
            self._ffn: DenseBlock | MoeBlock = self.moe
        else:
            self._ffn = DenseBlock(spec.ffn, spec, i, w, s, ports)
        self._scalar = float(w.vector(f"layers.{i}.scalar")[0]) if spec.scalar else None
        self._x, self._clock = s.x, clock

    @staticmethod
    def _bind_mixer(
        spec: LayerSpec, i: int, w: Weights, ropes: Mapping[RopeSpec, Rope], s: Scratch, ports: Ports
    ) -> GqaBlock | MlaBlock | DeltaBlock:
        m, r = spec.mixer, rope_of(spec.mixer)
        rope = None if r is None else ropes[r]
        if isinstance(m, Gqa):
            return GqaBlock(m, spec, i, w, rope, s, ports)
        if isinstance(m, Mla):
            return MlaBlock(m, spec, i, w, rope, s, ports)
        return DeltaBlock(m, spec, i, w, s, ports)

    def forward(self, c: Compute, n: int, spans: Sequence[Span], kept: Sequence[Kept], cancel: CancelToken) -> None:
        """n rows of the stream, which are `spans`; kept: what this layer remembers of each one's sequence."""
        self.attend(c, n, spans, kept)
        self._around_ffn.before(c, n)
        self._ffn.forward(c, n, cancel)
        self._around_ffn.after(c, n)
        if self._scalar is not None:
            scale(c, self._x, n, self._scalar)

    def attend(self, c: Compute, n: int, spans: Sequence[Span], kept: Sequence[Kept]) -> None:
        """The first half of it, after which `kept` holds the rows."""
        start = perf_counter()
        self._around_mixer.before(c, n)
        self._mixer.forward(c, n, spans, kept)  # type: ignore[arg-type]  # the state was made for this mixer
        self._around_mixer.after(c, n)
        self._clock.attention += perf_counter() - start
