"""How a block meets the residual stream: plain, between two norms, scaled, or as a mixture of streams kept before."""

from dataclasses import dataclass

import numpy as np

from engine.arch.spec import LayerSpec
from engine.model.scratch import Scratch
from engine.model.weights import Weights
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.mix import Mix
from kernels_pyx.rows import add, rms_norm, scale


@dataclass(frozen=True, slots=True)
class Ports:
    """Where a block reads and where its result goes; add: onto what is there."""

    source: Rows
    target: Rows
    add: bool


class Plain:
    """x += block(x)."""

    def __init__(self, s: Scratch) -> None:
        self.ports = Ports(s.x, s.x, True)

    def before(self, c: Compute, n: int) -> None:
        """Nothing is to be done."""

    def after(self, c: Compute, n: int) -> None:
        """Nothing is to be done."""


class Sandwich(Plain):
    """x += rms_norm(block(x)) (Gemma, OLMo 2)."""

    def __init__(self, s: Scratch, w: Weights, name: str, eps: float) -> None:
        self._x, self._block = s.x, s.rows("block", s.x.width)
        self.ports = Ports(s.x, self._block, False)
        self._norm, self._eps = w.vector(name), eps

    def after(self, c: Compute, n: int) -> None:
        """Norm the block's result and add it."""
        rms_norm(c, self._block, n, self._norm, self._eps, self._block)
        add(c, self._block, n, self._x)


class Scaled(Plain):
    """x += multiplier * block(x) (Granite)."""

    def __init__(self, s: Scratch, multiplier: float) -> None:
        self._x, self._block, self._multiplier = s.x, s.rows("block", s.x.width), multiplier
        self.ports = Ports(s.x, self._block, False)

    def after(self, c: Compute, n: int) -> None:
        """Scale the block's result and add it."""
        scale(c, self._block, n, self._multiplier)
        add(c, self._block, n, self._x)


class Mixed(Plain):
    """x += block(mixture of the kept streams and x) (Kimi K3's attention residuals).

    n_kept: streams kept so far; keep: x joins them, and the block's result starts a new x.
    """

    def __init__(self, s: Scratch, w: Weights, name: str, eps: float, n_kept: int, keep: bool) -> None:
        self._x, self._block = s.x, s.rows("block", s.x.width)
        self._streams = (*s.kept[:n_kept], s.x)
        self._keep = s.kept[n_kept] if keep else None
        self._mix = Mix(w.vector(name + "_norm"), w.vector(name), eps)
        self.ports = Ports(self._block, s.x, not keep)

    def before(self, c: Compute, n: int) -> None:
        """Mix the block's input; keep the stream where it ends here."""
        self._mix(c, self._streams, n, self._block)
        if self._keep is not None:
            np.copyto(self._keep.array[:n], self._x.array[:n])


def residuals(layer: LayerSpec, i: int, n_kept: int, w: Weights, s: Scratch) -> tuple[Plain, Plain]:
    """How the mixer and the FFN of layer i meet the stream; n_kept: streams kept by earlier layers."""
    p, eps = f"layers.{i}.", layer.norm_eps
    if layer.residual in ("sandwich", "after"):
        return Sandwich(s, w, p + "attn_post_norm", eps), Sandwich(s, w, p + "ffn_post_norm", eps)
    if layer.residual == "scaled":
        return Scaled(s, layer.multiplier), Scaled(s, layer.multiplier)
    if layer.residual == "attention":
        mixer = Mixed(s, w, p + "attn_mix", eps, n_kept, layer.keep)
        return mixer, Mixed(s, w, p + "ffn_mix", eps, n_kept + layer.keep, False)
    return Plain(s), Plain(s)
