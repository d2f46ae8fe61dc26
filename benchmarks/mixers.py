"""Layers of released models at their real widths, with random weights, for benchmarks/attention.py. One step is one token."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kernels_pyx.attention import Gqa, KvCache, Rope
from kernels_pyx.compute import Compute, Rows
from kernels_pyx.latent import Latent, LatentCache
from kernels_pyx.linear import Experts, Linear, Matrix, pack, packed_bytes, read_loop
from kernels_pyx.recurrent import Delta, DeltaState
from kernels_pyx.routes import Groups, Routes
from kernels_pyx.rows import Router, combine, rms_norm

Bytes = npt.NDArray[np.uint8]
RNG = np.random.default_rng(7)
HIDDEN, HEADS, KV_HEADS, HEAD, EXPERTS, TOP_K, EXPERT = 2048, 32, 4, 128, 128, 8, 768  # Qwen3-30B-A3B


def normal(*shape: int) -> npt.NDArray[np.float32]:
    return RNG.standard_normal(shape, np.float32)


def rows(n: int, width: int) -> Rows:
    out = Rows(n, width)
    out.array[:] = normal(n, width)
    return out


def frequencies(half: int) -> npt.NDArray[np.float32]:
    return (1e6 ** -(np.arange(half) / half)).astype(np.float32)


def as_bytes(x: npt.NDArray[np.generic]) -> Bytes:
    return x.reshape(-1).view(np.uint8)


def fill_half(*views: npt.NDArray[np.generic]) -> None:
    """Random halves, repeated: what is timed depends on where they lie, not on what they are."""
    some = (0.5 * normal(1 << 16)).astype(np.float16).view(np.uint16)
    for view in views:
        flat = view.reshape(-1).view(np.uint16)
        flat[:] = np.resize(some, flat.size)


def fill_codes(*views: Bytes) -> None:
    """Random codes with scales of a usual size in a q8 cache: tiles of 64 rows whose last 1/17 is scales."""
    some = RNG.integers(-127, 128, 1 << 16).astype(np.int8).view(np.uint8)
    for view in views:
        view[...] = np.resize(some, view.shape)
        view[..., -view.shape[-1] // 17 :].view(np.float16)[...] = 0.01


@dataclass(frozen=True)
class Weights:
    """One block of packed matrices, each 64-byte aligned in it."""

    block: Bytes
    starts: dict[str, int]
    shapes: dict[str, tuple[str, int, int]]

    @staticmethod
    def of(shapes: dict[str, tuple[str, int, int]]) -> "Weights":
        starts, at = {}, 0
        for name, shape in shapes.items():
            starts[name] = at
            at += packed_bytes(*shape)
        raw = np.zeros(at + 64, np.uint8)
        block = raw[-raw.ctypes.data % 64 :][:at]
        for name, (fmt, n, cols) in shapes.items():
            part = pack(fmt, normal(16, cols) * np.float32(cols**-0.5))
            end = starts[name] + packed_bytes(fmt, n, cols)
            block[starts[name] : end] = np.resize(part, end - starts[name])
        return Weights(block, starts, shapes)

    def matrix(self, name: str) -> Matrix:
        fmt, n, cols = self.shapes[name]
        return Matrix(fmt, n, cols, self.block[self.starts[name] :][: packed_bytes(fmt, n, cols)])


class Buffers:
    """Activations that all layers share."""

    def __init__(self, n: int, position: int) -> None:
        self.n, self.position = n, position
        self.x, self.h, self.target = rows(n, HIDDEN), rows(n, HIDDEN), rows(n, HIDDEN)
        self.q, self.k, self.v, self.mixed = (rows(n, w * HEAD) for w in (HEADS, KV_HEADS, KV_HEADS, HEADS))
        self.asked = self.q.array.copy()
        self.logits, self.routes, self.groups = Rows(n, EXPERTS), Routes(n, TOP_K), Groups(n, TOP_K, EXPERTS)
        self.hidden, self.out = Rows(n * TOP_K, EXPERT), Rows(n * TOP_K, HIDDEN)
        self.rope = Rope(n, frequencies(HEAD // 2))
        self.rope.fill(position, n)


class QwenLayer:
    """A layer of Qwen3-30B-A3B: attention with norms and rotation, router, the eight experts of a token, in this order.

    Only the eight experts of one token lie in memory: whichever the router names, these are read. down: their format; kv: that of keys
    and values; weights: another layer's, with the same formats.
    """

    def __init__(self, b: Buffers, down: str, kv: str = "f16", weights: Weights | None = None) -> None:
        shapes = {"q": ("q4", HEADS * HEAD, HIDDEN), "k": ("q4", KV_HEADS * HEAD, HIDDEN), "v": ("q4", KV_HEADS * HEAD, HIDDEN)}
        shapes |= {"o": ("q4", HIDDEN, HEADS * HEAD), "router": ("bf16", EXPERTS, HIDDEN)}
        record = {"gate": ("q4", EXPERT, HIDDEN), "up": ("q4", EXPERT, HIDDEN), "down": (down, HIDDEN, EXPERT)}
        for i in range(TOP_K):
            shapes |= {f"{part}{i}": shape for part, shape in record.items()}
        self.weights = w = weights or Weights.of(shapes)
        self.b, self.cache = b, KvCache(KV_HEADS, HEAD, HEAD, b.position + b.n, kv)
        (fill_codes if kv == "q8" else fill_half)(self.cache.keys, self.cache.values)
        one = np.ones(HIDDEN, np.float32)
        self._one, self._project = one, Linear([w.matrix(p) for p in "qkv"], norm=one, eps=1e-6)
        self.heads = Gqa(HEADS, KV_HEADS, HEAD, rope=b.rope, norm="head", q_norm=one[:HEAD], k_norm=one[:HEAD], norm_eps=1e-6)
        self._o, self._router = Linear([w.matrix("o")]), Router(w.matrix("router"), TOP_K, "softmax", renormalize=True)
        at = {part: w.starts[f"{part}0"] - w.starts["gate0"] for part in record}
        parts = [(fmt, at[part]) for part, (fmt, _, _) in record.items()]
        self._experts = Experts(HIDDEN, EXPERT, HIDDEN, *parts, "silu")  # type: ignore[call-arg]
        self._addresses = np.array([w.block.ctypes.data + w.starts[f"gate{i}"] for i in range(TOP_K)])
        self._which = np.arange(TOP_K, dtype=np.int32)

    def attend(self, c: Compute) -> None:
        np.copyto(self.b.q.array, self.b.asked)  # codes stand there after q8
        self._attend(c)

    def _attend(self, c: Compute) -> None:
        b = self.b
        self.heads(c, b.q, b.k, b.v, b.n, b.position, self.cache, b.mixed)

    def step(self, c: Compute, attention: bool = True) -> None:
        b = self.b
        self._project(c, b.x, b.n, (b.q, b.k, b.v))
        if attention:
            self._attend(c)
        self._o(c, b.mixed, b.n, (b.target,), False)
        rms_norm(c, b.x, b.n, self._one, 1e-6, b.h)
        self._router(c, b.h, b.n, b.logits, b.routes)
        b.groups.fill(b.routes, b.n)
        self._experts.prepare(c, b.h, b.n)
        self._experts.run(c, b.h, b.groups, self._which, self._addresses, b.hidden, b.out)
        combine(c, b.out, b.routes, b.n, b.target, True)

    def read_weights(self, c: Compute) -> None:
        read_loop(c, self.weights.block)

    def read_cache(self, c: Compute) -> None:
        read_loop(c, as_bytes(self.cache.keys))
        read_loop(c, as_bytes(self.cache.values))


def latent_layers(heads: int, n: int, position: int, copies: int) -> tuple[list[Callable[[Compute], None]], list[Bytes]]:
    """Absorbed latent attention of 512 + 64 numbers a token (DeepSeek-V3 and Kimi K2: 128 and 64 heads): a step of each, and the caches."""
    d_latent, d_rope, d_nope = 512, 64, 128
    rope = Rope(n, frequencies(d_rope // 2), interleaved=True)
    rope.fill(position, n)
    q, queries, kv = rows(n, heads * (d_nope + d_rope)), rows(n, heads * d_latent), rows(n, d_latent + d_rope)
    norm = np.ones(d_latent, np.float32)
    kernel = Latent(heads, d_nope, d_rope, d_latent, norm=norm, norm_eps=1e-6, rope=rope, scale=(d_nope + d_rope) ** -0.5)
    caches = [LatentCache(d_latent, d_rope, position + n, "f16") for _ in range(copies)]
    for cache in caches:
        fill_half(cache.array)

    def step(cache: LatentCache) -> Callable[[Compute], None]:
        def run(c: Compute) -> None:
            np.copyto(queries.array, 1.0)  # the result of the last step stands there
            kernel(c, q, queries, kv, n, position, cache)

        return run

    return [step(cache) for cache in caches], [as_bytes(cache.array) for cache in caches]


DELTA = {"Kimi-Linear": (32, 32, True, "sigmoid"), "Qwen3-Next": (16, 32, False, "silu")}  # key heads, value heads, decays a channel, gate


def delta_layers(model: str, copies: int) -> tuple[Callable[[Compute, int], None], list[Bytes]]:
    """Delta rule with heads of 128 x 128 and convolutions of 4 taps: step(c, position) of all layers, and their states."""
    key_heads, value_heads, per_channel, gate = DELTA[model]
    keys, values, decays = key_heads * 128, value_heads * 128, value_heads * (128 if per_channel else 1)
    kernel = Delta(
        key_heads, value_heads, 128, 128, conv_q=normal(4, keys), conv_k=normal(4, keys), conv_v=normal(4, values),
        decay_bias=normal(decays), decay_log=normal(value_heads), per_channel=per_channel, floor=None,
        norm=np.ones(128, np.float32), norm_eps=1e-6, gate=gate,
    )  # fmt: skip
    buffers = [rows(1, width) for width in (keys, keys, values, decays, value_heads, values)]
    out = Rows(1, values)
    states = [DeltaState(key_heads, value_heads, 128, 128, 4, 9, per_channel) for _ in range(copies)]

    def step(c: Compute, position: int) -> None:
        for state in states:
            kernel(c, *buffers, 1, position, state, out)  # type: ignore[call-arg]

    return step, [as_bytes(state.matrices) for state in states]
