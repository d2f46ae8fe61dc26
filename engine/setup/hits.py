"""How often a cached share of the experts is what the next token asks for, from the routing of models that were recorded.

A model of sparsity s = top_k / n_experts with a share c of its experts cached is at depth t = log c / log s: 0 where all is cached, 1 where
one token's experts are. Along t the recorded models resemble each other, and between them the hit rate moves with log s.
"""

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt

DEPTHS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0)
# Hits in percent of the engine's own cache, warm from a trace's first half, on its second half (engine.experts.simulator, the traces of
# benchmarks/cache.py). At depth 0 everything hits.
RECORDED = {
    8 / 256: (100, 97.5, 97.2, 94.3, 90.6, 82.8, 75.0, 67.6, 60.7, 54.1, 47.8, 41.6, 35.9, 30.3, 25.0, 17.9, 12.0, 5.3, 2.8),  # Kimi-Linear
    8 / 64: (100, 99.3, 97.6, 95.5, 92.7, 86.9, 80.7, 74.4, 68.7, 63.4, 57.8, 52.8, 47.7, 42.7, 38.0, 31.6, 25.4, 16.5, 10.0),  # OLMoE
    8 / 32: (100, 99.9, 99.9, 99.6, 99.2, 97.7, 95.0, 90.9, 86.6, 82.0, 77.2, 72.1, 66.4, 61.0, 55.7, 48.0, 40.6, 30.4, 22.0),  # starter
}
# How far one text lies from another: its misses times and over this. The starter's chat and code differ by 1.11; published replays of
# other models with a similar policy (Qwen3-30B at 10% of the experts: 58% of hits, here 54%) lie within it too.
SPREAD = 1.25


def hit_rate(cached: float, sparsity: float) -> float:
    """Share of expert accesses that hit, 0 to 1, where the share `cached` of all experts has slots and a token uses `sparsity` of them."""
    if cached >= 1 or sparsity >= 1:
        return 1.0
    if cached <= 0:
        return 0.0
    depth = math.log(cached) / math.log(sparsity)
    sparsities = sorted(RECORDED)
    rates = [_at(depth, RECORDED[s]) for s in sparsities]
    return _between(math.log(min(max(sparsity, sparsities[0]), sparsities[-1])), [math.log(s) for s in sparsities], rates) / 100


def learned_hits(usage: npt.NDArray[np.float64], n_slots: int) -> float:
    """The hit rate of a cache that always holds the n_slots experts with the most usage, 0 to 1: what a cache that learns reaches at least.

    usage: counts of earlier sessions, see engine.experts.usage. A use finds its expert through the others of the same expert, so each
    expert counts one use less than it has: few counts tell little.
    """
    total = float(usage.sum())
    if total <= 0 or n_slots <= 0:
        return 0.0
    most = np.sort(usage)[::-1][:n_slots]
    return float(np.maximum(most - 1.0, 0.0).sum()) / total


def _at(depth: float, rates: tuple[float, ...]) -> float:
    if depth > DEPTHS[-1]:  # fewer slots than were simulated: hits go with the slots
        return rates[-1] * (DEPTHS[-1] / depth) ** 4
    return _between(depth, DEPTHS, rates)


def _between(x: float, xs: tuple[float, ...] | list[float], ys: tuple[float, ...] | list[float]) -> float:
    """Linear between the points; xs ascend, x lies among them."""
    for (x0, x1), (y0, y1) in zip(pairwise(xs), pairwise(ys), strict=True):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return ys[-1]
