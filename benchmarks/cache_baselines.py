"""Published cache policies that ours is held against, as their authors' simulator defines them: decisions by layer and token.

At each token and layer the top-k experts are known at once. Hits are counted, then the missing ones and the cached ones of lowest value
that are not among the top-k compete for the slots: `bypass`, an expert of too little value is used and not kept; without it all
missing ones are kept. Slots hold what is kept, nothing else: what passes through needs memory that these policies do not count.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]

SCALES = (2.0, 8.0, 32.0, 128.0)  # half-lives of LOGIT's frequencies in tokens
AGES = ((1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 64))  # tokens since the last use, from..to
FIRST = 16  # LOGIT is fitted from this token on


class Value(Protocol):
    """What each expert of a layer is worth until the layer's next token."""

    def after(self, layer: int, ids: I64) -> F64:
        """Values [n_experts] of the layer's experts, now that a token used `ids`."""


class DecayedCounts:
    """LFUd-h: uses, decayed with a half-life of h tokens; those of experts that left included."""

    def __init__(self, n_layers: int, n_experts: int, half_life: float) -> None:
        self._counts, self._decay = np.zeros((n_layers, n_experts)), 0.5 ** (1 / half_life)

    def after(self, layer: int, ids: I64) -> F64:
        counts = self._counts[layer]
        counts *= self._decay
        counts[ids] += 1
        return counts


class History:
    """LOGIT's ten features of each expert of a layer: the bucket of its last use's age, and four decayed frequencies."""

    def __init__(self, n_layers: int, n_experts: int) -> None:
        self._decay = 0.5 ** (1 / np.array(SCALES))
        self._counts = np.zeros((n_layers, n_experts, len(SCALES)))
        self._age = np.full((n_layers, n_experts), 1 << 30)

    def after(self, layer: int, ids: I64) -> F64:
        """[n_experts, 10] as the layer's next token finds them, after one that used `ids`."""
        counts, age = self._counts[layer], self._age[layer]
        counts *= self._decay
        counts[ids] += 1
        age += 1
        age[ids] = 1
        return np.hstack(
            [np.stack([(age >= a) & (age <= b) for a, b in AGES], 1).astype(np.float64), np.log(counts * (1 - self._decay) + 1e-3)]
        )


@dataclass(frozen=True)
class Fit:
    """A logistic regression over standardized features."""

    mean: F64
    deviation: F64
    weights: F64  # [11], the last one is the bias

    def chance(self, x: F64) -> F64:
        """Of a use, for features x [n, 10]."""
        return np.asarray(1 / (1 + np.exp(-((x - self.mean) / self.deviation @ self.weights[:-1] + self.weights[-1]))))


def fit_logit(routes: I64, n_experts: int) -> Fit:
    """LOGIT's predictor from routes [tokens, layers, top_k]: Newton's method on all experts of all layers."""
    n_tokens, n_layers, _ = routes.shape
    history, inputs, outputs = History(n_layers, n_experts), [], []
    for t in range(n_tokens - 1):
        for layer in range(n_layers):
            x = history.after(layer, routes[t, layer])
            if t + 1 >= FIRST:
                inputs.append(x)
                outputs.append(np.bincount(routes[t + 1, layer], minlength=n_experts).astype(np.float64))
    x, y = np.concatenate(inputs), np.concatenate(outputs)
    mean, deviation = x.mean(0), x.std(0) + 1e-6
    x = np.c_[(x - mean) / deviation, np.ones(len(x))]
    w = np.zeros(x.shape[1])
    for _ in range(20):
        p = 1 / (1 + np.exp(-x @ w))
        curvature = (x * (p * (1 - p))[:, None]).T @ x / len(y) + 1e-6 * np.eye(len(w))
        w -= np.linalg.solve(curvature, x.T @ (p - y) / len(y) + 1e-6 * w)
    return Fit(mean, deviation, w)


class Logit:
    """LOGIT: the predicted chance of a use at the layer's next token."""

    def __init__(self, n_layers: int, n_experts: int, fit: Fit) -> None:
        self._history, self._fit = History(n_layers, n_experts), fit

    def after(self, layer: int, ids: I64) -> F64:
        return self._fit.chance(self._history.after(layer, ids))


def values_of(routes: I64, n_experts: int, value: Value) -> F64:
    """[tokens, layers, n_experts]: what each expert is worth after each layer of each token."""
    n_tokens, n_layers, _ = routes.shape
    out = np.empty((n_tokens, n_layers, n_experts))
    for t in range(n_tokens):
        for layer in range(n_layers):
            out[t, layer] = value.after(layer, routes[t, layer])
    return out


def hit_rate(routes: I64, after: F64, n_slots: int, warm_up: int, bypass: bool, cyclic: bool = False) -> float:
    """Share of hits among the accesses from token warm_up on, by what `values_of` says. cyclic: values are chances, and what counts is
    the expected time of the next use, which is a whole token away for the layer just passed."""
    (n_tokens, n_layers, top_k), n_experts = routes.shape, after.shape[2]
    values = np.zeros((n_layers, n_experts))
    cached = np.zeros((n_layers, n_experts), bool)
    size = hits = 0
    layers = np.arange(n_layers)
    for t in range(n_tokens):
        for layer in range(n_layers):
            ids = routes[t, layer]
            there = cached[layer, ids]
            if t >= warm_up:
                hits += int(there.sum())
            values[layer] = after[t, layer]
            missing = ids[~there]
            over = size + len(missing) - n_slots
            if over > 0:
                worth = values
                if cyclic:
                    worth = -(((layers - layer - 1) % n_layers)[:, None] + n_layers * (1 / np.clip(values, 1e-4, 1) - 1))
                cached[layer, ids] = False  # what the token uses is no victim
                resident = np.flatnonzero(cached)
                cached[layer, ids] = there
                mine = layer * n_experts + missing
                rivals = np.concatenate([resident, mine]) if bypass else resident
                out = rivals[np.argsort(-worth.reshape(-1)[rivals], kind="stable")[max(len(rivals) - over, 0) :]]
                cached.reshape(-1)[out] = False
                missing = missing[~np.isin(mine, out)]
                if not bypass:
                    missing = missing[: n_slots - int(cached.sum())]
            cached[layer, missing] = True
            size = int(cached.sum())
    return hits / ((n_tokens - warm_up) * n_layers * top_k)
