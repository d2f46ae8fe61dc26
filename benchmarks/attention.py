"""Attention and recurrences at long contexts: `python -m benchmarks attention [--json]`.

Decode: one token at 16384 of context through layers shaped as Qwen3-30B-A3B's (32 heads over 4 heads of keys and values, 128 wide,
hidden 2048, f16 cache). Weights that a token reads in a layer: q, k, v, o and the gates, ups and downs of eight experts in q4 (20 bytes
for 32 weights), the router in bf16. `layer_over_weights` is the whole layer's seconds over those of a plain read loop over just these
bytes, `attention_over_weights` attention's share of that, `kv_share` the read loop over keys and values against attention. The same with
keys and values in q8 has `_q8` behind its name, and `q8_over_f16` is its attention's time over that of f16. Sets of layers
pass the last-level cache; loops and steps run in turn, and figures are medians of their ratios.

Latent attention (512 + 64 numbers a token) is bound by arithmetic, as is prefill (512 rows at 8192 of context): GFLOP/s of the products
with keys and values that causality leaves, against a f32 product of 512 rows by NumPy's BLAS with the same threads. Delta rules: the read
loop over the states against a token's steps, which read and write them.
"""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.mixers import DELTA, HEAD, HEADS, Buffers, QwenLayer, delta_layers, latent_layers, normal
from engine.cores import performance_cores
from kernels_pyx.compute import Compute
from kernels_pyx.linear import read_loop

CONTEXT, PREFILL, PREFILL_CONTEXT = 16384, 512, 8192
THREADS = int(os.environ.get("OUZEL_BENCH_THREADS") or performance_cores())
LAYERS, LATENT_LAYERS, STATES, REPEATS = 12, 6, 96, 9


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turn(works: dict[str, Callable[[], object]], repeats: int = REPEATS) -> dict[str, np.ndarray]:
    """Seconds of each work, one after the other in every round; the first round only warms up."""
    rounds = [{name: seconds(work) for name, work in works.items()} for _ in range(repeats + 1)][1:]
    return {name: np.array([r[name] for r in rounds]) for name in works}


def median(x: np.ndarray) -> float:
    return float(np.median(x))


def blas_gflops(repeats: int = 5) -> float:
    """GFLOP/s of NumPy's f32 product of 512 rows with 2048 x 2048."""
    a, b = normal(PREFILL, 2048), normal(2048, 2048)
    a @ b
    return 2 * PREFILL * 2048**2 / min(seconds(lambda: a @ b) for _ in range(repeats)) / 1e9


def decode(c: Compute) -> dict[str, float]:
    b = Buffers(1, CONTEXT - 1)
    layers = [QwenLayer(b, "q4") for _ in range(LAYERS)]
    narrow = [QwenLayer(b, "q4", "q8", layer.weights) for layer in layers]
    # The q8 caches alone would fit a large last-level cache: what is timed over them follows what reads other memory.
    t = in_turn({
        "weights": lambda: [layer.read_weights(c) for layer in layers],
        "attention_q8": lambda: [layer.attend(c) for layer in narrow],
        "rest": lambda: [layer.step(c, False) for layer in layers],
        "cache_q8": lambda: [layer.read_cache(c) for layer in narrow],
        "layer": lambda: [layer.step(c) for layer in layers],
        "attention": lambda: [layer.attend(c) for layer in layers],
        "layer_q8": lambda: [layer.step(c) for layer in narrow],
        "cache": lambda: [layer.read_cache(c) for layer in layers],
    })  # fmt: skip
    found = {
        "rest_over_weights": median(t["rest"] / t["weights"]),
        "weights_megabytes": layers[0].weights.block.size / 1e6,
        "read_gbs": LAYERS * layers[0].weights.block.size / median(t["weights"]) / 1e9,
        "q8_over_f16": median(t["attention_q8"] / t["attention"]),
    }
    for end, those in (("", layers), ("_q8", narrow)):
        found |= {
            f"layer_over_weights{end}": median(t[f"layer{end}"] / t["weights"]),
            f"attention_over_weights{end}": median(t[f"attention{end}"] / t["weights"]),
            f"kv_share{end}": median(t[f"cache{end}"] / t[f"attention{end}"]),
            f"kv_megabytes{end}": those[0].cache.nbytes / 1e6,
        }
    return found


def prefill(c: Compute, limit: float) -> dict[str, float]:
    b = Buffers(PREFILL, PREFILL_CONTEXT - PREFILL)
    wide, narrow = QwenLayer(b, "q4"), QwenLayer(b, "q4", "q8")
    t = in_turn({"f16": lambda: wide.attend(c), "q8": lambda: narrow.attend(c)}, 4)
    done = 4 * HEADS * HEAD * sum(range(PREFILL_CONTEXT - PREFILL + 1, PREFILL_CONTEXT + 1)) / 1e9
    gflops = done / float(t["f16"].min())
    return {"prefill_gflops": gflops, "prefill_share": gflops / limit, "prefill_gflops_q8": done / float(t["q8"].min())}


def latent(c: Compute, limit: float) -> dict[str, float]:
    out = dict[str, Any]()
    for heads in (16, 128):
        steps, caches = latent_layers(heads, 1, CONTEXT - 1, LATENT_LAYERS)
        t = in_turn({"read": lambda caches=caches: [read_loop(c, x) for x in caches], "step": lambda steps=steps: [s(c) for s in steps]}, 5)
        gflops = LATENT_LAYERS * 2 * heads * CONTEXT * (512 + 64 + 512) / t["step"] / 1e9
        out |= {f"latent_{heads}_ms": 1000 * median(t["step"]) / LATENT_LAYERS, f"latent_{heads}_read_share": median(t["read"] / t["step"])}
        out |= {f"latent_{heads}_gflops": median(gflops), f"latent_{heads}_share": median(gflops) / limit}
    steps, _ = latent_layers(16, 64, PREFILL_CONTEXT - 64, 1)
    t_prefill = min(seconds(lambda: steps[0](c)) for _ in range(3))
    gflops = 2 * 16 * (512 + 64 + 512) * sum(range(PREFILL_CONTEXT - 63, PREFILL_CONTEXT + 1)) / t_prefill / 1e9  # type: ignore[assignment]
    return out | {"latent_prefill_gflops": gflops, "latent_prefill_share": gflops / limit}


def delta(c: Compute) -> dict[str, float]:
    out = dict[str, Any]()
    for model in DELTA:
        step, states = delta_layers(model, STATES)
        position = iter(range(1000))
        t = in_turn({"read": lambda states=states: [read_loop(c, s) for s in states],
                     "step": lambda step=step, position=position: step(c, next(position))})  # fmt: skip
        name = model.lower().replace("-", "_")
        out |= {f"{name}_read_share": median(t["read"] / t["step"]), f"{name}_us": 1e6 * median(t["step"]) / STATES}
    return out


def measure() -> dict[str, Any]:
    """All figures; keys as in the module's docstring."""
    c = Compute(THREADS, False, PREFILL, 4096)
    try:
        limit = blas_gflops()
        found = {"threads": THREADS, "blas_gflops": limit, **decode(c), **prefill(c, limit), **latent(c, limit), **delta(c)}
        return {name: round(value, 3) for name, value in found.items()}
    finally:
        c.close()


def told(r: dict[str, Any]) -> str:
    """The figures for people."""
    lines = [
        f"{r['threads']} threads; read loop {r['read_gbs']:.1f} GB/s, f32 product of BLAS {r['blas_gflops']:.0f} GFLOP/s",
        f"Qwen3-30B-A3B's layer, one token at {CONTEXT}: {r['weights_megabytes']:.1f} MB of weights",
    ]
    for end, name in (("", "f16"), ("_q8", "q8")):
        lines.append(
            f"  {r['kv_megabytes' + end]:.1f} MB of keys and values in {name}: whole layer {r['layer_over_weights' + end]:.2f} times "
            f"the read of its weights (limit 2): products {r['rest_over_weights']:.2f}, attention {r['attention_over_weights' + end]:.2f}; "
            f"reading its keys and values takes {r['kv_share' + end]:.0%} of that"
        )
    lines += [
        f"  attention in q8 takes {r['q8_over_f16']:.2f} times that in f16",
        f"  prefill of {PREFILL} rows at {PREFILL_CONTEXT}: {r['prefill_gflops']:.0f} GFLOP/s, {r['prefill_share']:.0%} of BLAS, "
        f"in q8 {r['prefill_gflops_q8']:.0f}",
    ]
    for heads in (16, 128):
        name = f"latent_{heads}_"
        lines.append(
            f"Latent attention, {heads} heads, one token at {CONTEXT}: {r[name + 'ms']:.2f} ms, {r[name + 'read_share']:.0%} "
            f"of the read loop, {r[name + 'gflops']:.0f} GFLOP/s, {r[name + 'share']:.0%} of BLAS"
        )
    share = f"{r['latent_prefill_gflops']:.0f} GFLOP/s, {r['latent_prefill_share']:.0%} of BLAS"
    lines.append(f"  prefill of 64 rows, 16 heads, at {PREFILL_CONTEXT}: {share}")
    for model in DELTA:
        name = model.lower().replace("-", "_")
        share = f"{r[name + '_read_share']:.0%} of the read loop over its state"
        lines.append(f"{model}'s recurrence, one token: {r[name + '_us']:.0f} us, {share}")
    return "\n".join(lines)
