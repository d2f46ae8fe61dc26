"""The next token from a row of logits.

Order of steps: repetition penalty over the ids seen so far, presence and frequency penalty over the answer's, logit bias, the tokens that
a grammar allows, temperature, top-k, top-p, min-p, draw. Temperature 0 is the argmax of the changed logits, ties to the lower id. A draw
depends on (seed, position) alone, so it is the same with drafts on or off.
Sources: repetition penalty: CTRL (arXiv 1909.05858), section 4.1; presence and frequency: OpenAI's API reference; top-p: arXiv 1904.09751;
min-p: arXiv 2407.01082.
"""

from collections.abc import Iterable, Sequence
from math import ceil
from secrets import randbits
from typing import Protocol

import numpy as np
import numpy.typing as npt
from numpy.random import Generator, Philox  # by name: as an attribute it would be imported with the first answer, 4 MB

from engine.config import Sampling
from engine.errors import BadRequest, EngineError
from engine.words import say

F32 = npt.NDArray[np.float32]
I64 = npt.NDArray[np.int64]
_FEW = 2.0**-10  # weights above this are mostly few and mostly enough
_BLOCK = 512
_COLDEST = 1e-6  # temperatures below are the argmax in float32


def check_sampling(s: Sampling) -> None:
    """Raises BadRequest for a value out of its range."""
    for name, value, least, most in (
        (say("temperature"), s.temperature, 0.0, 100.0),
        ("top-k", s.top_k, 0, (1 << 31) - 1),
        ("top-p", s.top_p, 0.0, 1.0),
        ("min-p", s.min_p, 0.0, 1.0),
        (say("repetition penalty"), s.repetition_penalty, 0.01, 100.0),
        (say("number of tokens"), 1 if s.max_tokens is None else s.max_tokens, 1, (1 << 31) - 1),
        (say("seed"), 0 if s.seed is None else s.seed, 0, (1 << 64) - 1),
        (say("presence penalty"), s.presence_penalty, -100.0, 100.0),
        (say("frequency penalty"), s.frequency_penalty, -100.0, 100.0),
        *((say("logit bias"), bias, -1000.0, 1000.0) for _, bias in s.logit_bias),
    ):
        if not least <= value <= most:  # also false for a NaN
            raise BadRequest(
                say("A {name} of {value} is not possible; choose {least} to {most}.", name=name, value=value, least=least, most=most)
            )


class Allowing(Protocol):
    """Tells which tokens may come next."""

    def allowed(self) -> npt.NDArray[np.bool_]:
        """[vocab]: whether each token may; at least one may."""

    def accept(self, token: int) -> None:
        """`token` has come."""


class Sampler:
    """Draws the tokens of one answer. `seen`: the prompt's ids. Raises BadRequest for impossible settings.

    ends: tokens that are never penalized. Templates put them into every prompt, and an answer must be able to end.
    grammar: what limits the answer's tokens.
    """

    def __init__(
        self, sampling: Sampling, vocab_size: int, seen: Iterable[int], ends: Iterable[int] = (), grammar: Allowing | None = None
    ) -> None:
        check_sampling(sampling)
        self._s, self._grammar = sampling, grammar
        self.seed = randbits(63) if sampling.seed is None else sampling.seed
        ids = np.fromiter(seen, np.int64)
        if len(ids) and not 0 <= ids.min() <= ids.max() < vocab_size:
            raise BadRequest(
                say("Token ids must lie between 0 and {last}; the tokenizer belongs to another model.", last=vocab_size - 1)
            )
        self._seen = np.zeros(vocab_size, bool)
        self._seen[ids] = True
        self._never = frozenset(ends)
        self._seen[[e for e in ends if e < vocab_size]] = False
        self._counts = np.zeros(vocab_size, np.float32) if sampling.presence_penalty or sampling.frequency_penalty else None
        bias = dict(sampling.logit_bias)
        if wrong := [token for token in bias if not 0 <= token < vocab_size]:
            raise BadRequest(
                say(
                    "logit_bias names the token {token}, but the model's tokens go from 0 to {last}.",
                    token=wrong[0],
                    last=vocab_size - 1,
                )
            )
        self._biased, self._bias = np.fromiter(bias.keys(), np.int64), np.fromiter(bias.values(), np.float32)

    def accept(self, token: int) -> None:
        """`token` is part of the text now."""
        self._seen[token] = True
        if self._counts is not None:
            self._counts[token] += 1
        if self._grammar is not None:
            self._grammar.accept(token)

    def pick(self, logits: F32, position: int) -> int:
        """The token at `position` (from 0, of the whole sequence) given logits [vocab]. Raises EngineError where they are no numbers."""
        return self.guess(logits, position, ())[0]

    def guess(self, logits: F32, position: int, drafted: Sequence[int]) -> tuple[int, int]:
        """The token that is drawn at `position`, and the likeliest one; drafted: ids before it that are not accepted yet."""
        s = self._s
        logits = self._changed(logits, drafted)
        best = int(logits.argmax())  # the first NaN, where there is one
        top = float(logits[best])
        if not np.isfinite(top):
            raise EngineError(say("The model produced no usable numbers, so it may be damaged. Check it with `ouzel verify`."))
        if s.temperature == 0:
            return best, best
        ids, weights = self._candidates(logits, top)
        # One block of the generator a position: its counter is the position.
        at = _draw(weights, Generator(Philox(key=self.seed, counter=position)).random())
        return at if ids is None else int(ids[at]), best

    def _changed(self, logits: F32, drafted: Sequence[int]) -> F32:
        """Logits after penalties, bias and grammar; those given stay as they are. A grammar stands where the text does, so it says
        nothing of what comes after tokens that are only drafted.
        """
        s = self._s
        if s.repetition_penalty != 1.0:
            r = np.float32(s.repetition_penalty)
            seen = np.flatnonzero(self._seen)
            if drafted:
                seen = np.union1d(seen, np.array([d for d in drafted if d not in self._never], np.int64))
            logits = logits.copy()
            logits[seen] = np.where(logits[seen] > 0, logits[seen] / r, logits[seen] * r)
        if self._counts is not None:
            taken = self._counts * np.float32(s.frequency_penalty)
            taken[self._counts > 0] += np.float32(s.presence_penalty)
            logits = logits - taken
        if len(self._biased):
            logits = logits.copy()
            logits[self._biased] += self._bias
        if self._grammar is not None and not drafted:
            logits = np.where(self._grammar.allowed(), logits, np.float32(-np.inf)).astype(np.float32)
        return logits

    def _candidates(self, logits: F32, top: float) -> tuple[I64 | None, F32]:
        """Ids that may be drawn (None: all) and their weights, relative to the likeliest token's 1."""
        s = self._s
        with np.errstate(over="ignore", under="ignore"):  # far below the top is 0, as it should be
            weights = np.exp((logits - np.float32(top)) * np.float32(1 / max(s.temperature, _COLDEST)))
        ids: I64 | None = None
        if 0 < s.top_k < len(weights):
            ids = _heaviest(weights, s.top_k, by_mass=False)
            weights = weights[ids]
        if s.top_p < 1:
            kept = _heaviest(weights, s.top_p * float(weights.sum(dtype=np.float64)), by_mass=True)
            ids, weights = kept if ids is None else ids[kept], weights[kept]
        if s.min_p:
            kept = np.flatnonzero(weights >= s.min_p)
            ids, weights = kept if ids is None else ids[kept], weights[kept]
        return ids, weights


def _heaviest(weights: F32, goal: float, by_mass: bool) -> I64:
    """Places of the fewest heaviest weights, ties to the first, whose mass, or else number, reaches `goal`; at least one.

    Weights are not negative, so their bits are in their order: their upper half, then their lower half, are counted into bins. That
    sorts nothing, so even a flat distribution costs little.
    """
    few: I64 = np.flatnonzero(weights >= _FEW)
    enough = weights[few].sum(dtype=np.float64) > goal if by_mass else len(few) >= goal
    places: I64 = few if enough else np.arange(len(weights))
    kept = []
    for shift in (16, 0):
        inside = weights[places]
        digits = (inside.view(np.uint32) >> np.uint32(shift)) & np.uint32(0xFFFF)
        reached = np.cumsum(np.bincount(digits, inside if by_mass else None)[::-1])  # from the heaviest bin down
        goal = min(goal, float(reached[-1]))  # rounding may put it beyond all
        at = int(np.searchsorted(reached, goal))
        goal -= float(reached[at - 1]) if at else 0.0
        last = len(reached) - 1 - at  # the bin in which the goal is reached
        kept.append(places[digits > last])
        places = places[digits == last]
    each = float(weights[places[0]]) if by_mass else 1.0  # all that are left weigh the same
    kept.append(places[: max(1, ceil(goal / each))])
    return np.concatenate(kept)


def _draw(weights: F32, u: float) -> int:
    """The index at share u of the weights' sum, 0 <= u < 1. Sums of blocks first: a running sum over a vocabulary costs more."""
    blocks = np.cumsum(np.add.reduceat(weights, np.arange(0, len(weights), _BLOCK), dtype=np.float64))
    goal = u * blocks[-1]
    block = min(int(np.searchsorted(blocks, goal, side="right")), len(blocks) - 1)
    inside = weights[block * _BLOCK : (block + 1) * _BLOCK]
    mass = np.cumsum(inside, dtype=np.float64) + (blocks[block - 1] if block else 0.0)
    at = min(int(np.searchsorted(mass, goal, side="right")), len(inside) - 1)
    while at and not inside[at]:  # rounding may end on a token that cannot be drawn
        at -= 1
    return block * _BLOCK + at
