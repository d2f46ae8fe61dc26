"""The constants of the cache's policy, fitted to the first halves of routing traces together: `python -m benchmarks.cache_fit [TRACE...]`.

For each choice of half-lives and floors a logistic regression, each trace with the same weight: used at the layer's next visit or not,
from max(log2(frequency), floor) at each scale, of all experts of all layers. Prints the weights for engine/experts/policy.py.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.cache import folder, n_experts
from engine.experts import trace
from engine.experts.policy import BIAS, FLOORS, HALF_LIVES, WEIGHTS

F64 = npt.NDArray[np.float64]
FIRST = 16  # fitted from this token on
CHOICES = [(h, f) for h in ((1, 12, 64), (1, 16, 64), (1, 8, 64), (1.5, 16, 64)) for f in ((-6, -9, -10), (-6, -8, -9), (-10, -10, -10))]


def examples(steps: Sequence[trace.Step], half_lives: Sequence[float], floors: Sequence[float]) -> tuple[F64, F64]:
    """Features [n, scales] and uses [n] of every expert at every layer's visit."""
    shape = len(steps[0]), n_experts(steps)
    decay = 0.5 ** (1 / np.array(half_lives))
    counts, x, y = np.zeros((*shape, len(decay))), [], []
    for t, step in enumerate(steps):
        hot = np.zeros(shape)
        for layer, ids in enumerate(step):
            hot[layer, list(ids)] = 1
        if t >= FIRST:
            with np.errstate(divide="ignore"):
                x.append(np.maximum(np.log2(counts * (1 - decay)), floors).reshape(-1, len(decay)))
            y.append(hot.reshape(-1))
        counts = counts * decay + hot[..., None]
    return np.concatenate(x), np.concatenate(y)


def fit(traces: Sequence[Sequence[trace.Step]], half_lives: Sequence[float], floors: Sequence[float]) -> tuple[F64, float]:
    """Weights and, last, the bias, in bits; and the mean loss in bits a use."""
    parts = [examples(steps[: len(steps) // 2], half_lives, floors) for steps in traces]
    x, y = np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])
    share = np.concatenate([np.full(len(b), 1 / b.sum()) for _, b in parts]) / len(parts)
    x = np.c_[x, np.ones(len(x))]
    w = np.zeros(x.shape[1])
    for _ in range(25):
        p = 1 / (1 + np.exp(-x @ w))
        w -= np.linalg.solve((x * (share * p * (1 - p))[:, None]).T @ x + 1e-9 * np.eye(len(w)), x.T @ (share * (p - y)))
    z = x @ w
    return w / np.log(2), float((share * (np.logaddexp(0, z) - y * z)).sum() / np.log(2))


def main() -> None:
    """Print the fit of each choice."""
    traces = [trace.read(path) for path in [Path(a) for a in sys.argv[1:]] or sorted(folder().glob("trace_*.jsonl"))]
    print(f"in use: {HALF_LIVES}, floors {FLOORS}: weights {WEIGHTS}, bias {BIAS}")
    for half_lives, floors in CHOICES:
        w, loss = fit(traces, half_lives, floors)
        print(f"{half_lives}, floors {floors}: weights {w[:-1].round(3).tolist()}, bias {w[-1]:.3f}; {loss:.4f} bits a use")


if __name__ == "__main__":
    main()
