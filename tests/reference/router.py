"""Choice and weights of experts in float64, from logits."""

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]


def best(scores: F64, k: int) -> list[int]:
    """Indices of the k highest scores, best first; ties go to the lower index."""
    return [int(i) for i in np.argsort(-scores, kind="stable")[:k]]


def choose(
    logits: npt.ArrayLike,
    top_k: int,
    score: str,
    *,
    choice_bias: npt.ArrayLike | None = None,
    groups: int = 1,
    topk_groups: int = 1,
    group_score: str = "max",
    renormalize: bool = False,
    renorm_eps: float = 0.0,
    scale: float = 1.0,
    per_expert_scale: npt.ArrayLike | None = None,
) -> tuple[npt.NDArray[np.int32], F64]:
    """ids and weights [n, top_k] of logits [n, experts]; the options are those of `kernels_pyx.rows.Router`."""
    ids, weights = [], []
    for row in np.asarray(logits, np.float64):
        if score == "topk_softmax":
            scores = choice = row
        else:
            e = np.exp(row - row.max())
            scores = e / e.sum() if score == "softmax" else 1 / (1 + np.exp(-row))
            choice = scores
        if choice_bias is not None:
            choice = choice + np.asarray(choice_bias, np.float64)
        if groups > 1:
            size = len(row) // groups
            ordered = -np.sort(-choice.reshape(groups, size), axis=1)
            kept = best(ordered[:, 0] if group_score == "max" else ordered[:, :2].sum(axis=1), topk_groups)
            choice = np.where(np.isin(np.arange(len(row)) // size, kept), choice, -np.inf)
        chosen = best(choice, top_k)
        w = scores[chosen]
        if score == "topk_softmax":
            w = np.exp(w - w.max())
            w = w / w.sum()
        if renormalize:
            w = w / (w.sum() + renorm_eps)
        w = w * scale
        if per_expert_scale is not None:
            w = w * np.asarray(per_expert_scale, np.float64)[chosen]
        ids.append(chosen)
        weights.append(w)
    return np.array(ids, np.int32).reshape(-1, top_k), np.array(weights).reshape(-1, top_k)
