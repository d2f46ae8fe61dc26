"""What is told of an answer's tokens beside its text: how likely the model found each, and what it found likeliest there."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from engine.events import Likely
from engine.text.channels import Kind

F32 = npt.NDArray[np.float32]


class DrawnTokens:
    """Holds tokens until their text is shown, since a stop string may cut them off; those of the reasoning are not told."""

    def __init__(self, top: int, piece: Callable[[int], bytes], tell: Callable[[Likely, tuple[Likely, ...]], None]) -> None:
        """top: how many of the likeliest tokens are told; piece(token): its bytes."""
        self._top, self._piece, self._tell = top, piece, tell
        self._open: list[tuple[Likely, tuple[Likely, ...]]] = []  # of which it is not known yet what they belong to
        self._held: list[tuple[int, Likely, tuple[Likely, ...]]] = []  # (characters of the answer before it, ...)

    def note(self, token: int, logits: F32, at: int, kinds: Sequence[Kind]) -> None:
        """`token` was drawn from `logits` [vocab]; at: characters of the answer before it; kinds: of the pieces that it completed."""
        self._open.append((self._likely(token, logp := log_probabilities(logits)), self._likeliest(logp)))
        if kinds:
            if kinds[-1] == "answer":
                self._held += [(at, *one) for one in self._open]
            self._open = []

    def flush(self, shown: int) -> None:
        """Tell of the tokens that begin before `shown` characters of the answer."""
        while self._held and self._held[0][0] < shown:
            _, token, top = self._held.pop(0)
            self._tell(token, top)

    def _likely(self, token: int, logp: npt.NDArray[np.float64]) -> Likely:
        return Likely(token, self._piece(token), float(logp[token]))

    def _likeliest(self, logp: npt.NDArray[np.float64]) -> tuple[Likely, ...]:
        if not self._top:
            return ()
        n = min(self._top, len(logp))
        some = np.argpartition(-logp, n - 1)[:n]
        bound = logp[some].min()
        places = np.flatnonzero(logp >= bound)  # with ties, of which the lower ids are told
        best = places[np.lexsort((places, -logp[places]))][:n]
        return tuple(self._likely(int(token), logp) for token in best)


def log_probabilities(logits: F32) -> npt.NDArray[np.float64]:
    """The logarithm of the softmax of `logits`, in float64."""
    x = logits.astype(np.float64)
    x -= x.max()
    result: npt.NDArray[np.float64] = x - np.log(np.exp(x).sum())
    return result
