"""Activation buffers shared by all layers, allocated once from the plan; their sum is part of the budget."""

from dataclasses import dataclass

from engine.arch.spec import ArchSpec, Dense, Gqa, Moe
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.routes import Groups, Routes


@dataclass(frozen=True, slots=True)
class Widths:
    """The widest activation of each kind over all layers of a model."""

    d_model: int
    q: int
    kv: int
    hidden: int
    top_k: int
    n_experts: int
    d_expert_in: int
    d_expert: int
    d_expert_out: int
    vocab: int

    @staticmethod
    def of(spec: ArchSpec) -> "Widths":
        """The widths of this architecture."""
        mixers = [layer.mixer for layer in spec.layers if isinstance(layer.mixer, Gqa)]
        moes = [layer.ffn for layer in spec.layers if isinstance(layer.ffn, Moe)]
        dense = [layer.ffn for layer in spec.layers if isinstance(layer.ffn, Dense)] + [m.shared for m in moes if m.shared]
        return Widths(
            d_model=spec.d_model,
            q=max(m.n_heads * m.d_head for m in mixers),
            kv=max(m.n_kv_heads * m.d_head for m in mixers),
            hidden=max((d.d_hidden for d in dense), default=0),
            top_k=max((m.top_k for m in moes), default=0),
            n_experts=max((m.n_experts for m in moes), default=0),
            d_expert_in=max((e.d_in for e in spec.experts), default=0),
            d_expert=max((e.d_hidden for e in spec.experts), default=0),
            d_expert_out=max((e.d_out for e in spec.experts), default=0),
            vocab=spec.vocab_size,
        )

    @property
    def widest(self) -> int:
        """The widest input of any product."""
        return max(self.d_model, self.q, self.hidden, self.d_expert_in, self.d_expert)


def scratch_bytes(w: Widths, chunk: int, logit_rows: int, threads: int, exact: bool) -> int:
    """Bytes that Scratch and the kernels' own scratch take for chunks of this many rows."""
    row = 2 * w.d_model + 2 * w.q + 2 * w.kv + w.hidden + w.n_experts + w.top_k * (w.d_expert + w.d_expert_out + 4)
    pairs = max(chunk * max(w.top_k, 1), chunk)
    return 4 * chunk * row + 4 * logit_rows * w.vocab + Compute.scratch_bytes_for(threads, exact, pairs, w.widest)


class Scratch:
    """x is the residual stream; every other buffer holds nothing between two blocks."""

    def __init__(self, w: Widths, chunk: int, logit_rows: int) -> None:
        self.x = Rows(chunk, w.d_model)
        self.h = Rows(chunk, w.d_model)
        self.q = Rows(chunk, w.q)
        self.k = Rows(chunk, w.kv)
        self.v = Rows(chunk, w.kv)
        self.attended = Rows(chunk, w.q)
        self._hidden = Rows(chunk, w.hidden) if w.hidden else None
        self.logits = Rows(logit_rows, w.vocab)
        if w.top_k:
            self.router_logits = Rows(chunk, w.n_experts)
            self.routes = Routes(chunk, w.top_k)
            self.groups = Groups(chunk, w.top_k, w.n_experts)
            self.expert_hidden = Rows(chunk * w.top_k, w.d_expert)
            self.expert_out = Rows(chunk * w.top_k, w.d_expert_out)

    def hidden(self, width: int) -> Rows:
        """The hidden activations of a gated FFN of this width; all of them share one buffer."""
        assert self._hidden is not None
        return Rows(self._hidden.capacity, width, self._hidden)
