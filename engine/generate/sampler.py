"""The next token from a row of logits.

Order of steps: repetition penalty over the ids seen so far, temperature, top-k, top-p, min-p, draw. Temperature 0 is the argmax of the
penalized logits, ties to the lower id. A draw depends on (seed, position) alone, so it is the same with drafts on or off.
Source of the penalty: CTRL (arXiv 1909.05858), section 4.1; top-p: arXiv 1904.09751; min-p: arXiv 2407.01082.
"""

from collections.abc import Iterable
from secrets import randbits

import numpy as np
import numpy.typing as npt

from engine.config import Sampling
from engine.errors import BadRequest, EngineError

_FEW = 2048  # candidates that are sorted first; a whole vocabulary is sorted only where their mass does not reach top-p


def check_sampling(s: Sampling) -> None:
    """Raises BadRequest for a value out of its range."""
    for name, value, least, most in (
        ("temperature", s.temperature, 0.0, 100.0),
        ("top-k", s.top_k, 0, 1 << 31),
        ("top-p", s.top_p, 0.0, 1.0),
        ("min-p", s.min_p, 0.0, 1.0),
        ("repetition penalty", s.repetition_penalty, 0.01, 100.0),
        ("number of tokens", 1 if s.max_tokens is None else s.max_tokens, 1, 1 << 31),
        ("seed", s.seed or 0, 0, (1 << 64) - 1),
    ):
        if not least <= value <= most:
            raise BadRequest(f"A {name} of {value} is not possible; choose {least} to {most}.")


class Sampler:
    """Draws tokens for one answer. `seen` ids are those of the prompt and of what was accepted; `seed` is told in the statistics."""

    def __init__(self, sampling: Sampling, vocab_size: int, seen: Iterable[int]) -> None:
        check_sampling(sampling)
        self._s = sampling
        self.seed = randbits(63) if sampling.seed is None else sampling.seed
        self._seen = np.zeros(vocab_size, bool)
        self._seen[np.fromiter(seen, np.int64)] = True

    def accept(self, token: int) -> None:
        """`token` is part of the text now."""
        self._seen[token] = True

    def pick(self, logits: npt.NDArray[np.float32], position: int) -> int:
        """The token at `position` (0-based, of the whole sequence) given logits [vocab]. Raises EngineError where they are no numbers."""
        s = self._s
        if s.repetition_penalty != 1.0:
            logits = logits.copy()
            some = logits[self._seen]
            logits[self._seen] = np.where(some > 0, some / np.float32(s.repetition_penalty), some * np.float32(s.repetition_penalty))
        best = int(logits.argmax())
        if not np.isfinite(logits[best]):
            raise EngineError("The model produced no usable numbers. Verify the model with `ouzel verify`; it may be damaged.")
        if s.temperature == 0:
            return best
        ids, p = self._candidates(logits, best)
        u = np.random.Generator(np.random.Philox(key=self.seed, counter=position)).random()
        total = np.cumsum(p)
        return int(ids[min(int(np.searchsorted(total, u * total[-1], side="right")), len(ids) - 1)])

    def _candidates(self, logits: npt.NDArray[np.float32], best: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Ids that may be drawn and their weights (not normalized)."""
        s = self._s
        weights = np.exp((logits.astype(np.float64) - float(logits[best])) / s.temperature)
        ids = np.arange(len(logits))
        if s.top_k or s.top_p < 1:
            ids = self._sorted(weights, s.top_k or len(weights))
            if s.top_p < 1:
                p = weights[ids]
                mass = np.cumsum(p)
                goal = s.top_p * (mass[-1] if s.top_k else weights.sum())
                ids = ids[: int(np.searchsorted(mass, goal)) + 1]
        if s.min_p:
            ids = ids[weights[ids] >= s.min_p]  # the best token's weight is 1
        return ids, weights[ids]

    def _sorted(self, weights: npt.NDArray[np.float64], k: int) -> npt.NDArray[np.int64]:
        """The k heaviest ids, heaviest first, ties to the lower id; only as many as top-p can need."""
        n = min(k, len(weights))
        if n > _FEW:
            few = np.argpartition(-weights, _FEW)[:_FEW]
            if weights[few].sum() < self._s.top_p * weights.sum() or self._s.top_k:
                few = np.arange(len(weights))
        else:
            few = np.argpartition(-weights, n - 1)[:n] if n < len(weights) else np.arange(len(weights))
            edge = weights[few].min()
            few = np.flatnonzero(weights >= edge)
        return few[np.lexsort((few, -weights[few]))][:n]
