"""Which tokens may come next, so that an answer has a shape."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.errors import BadRequest, EngineError
from engine.words import say


class Following(Protocol):
    """An answer's way through a grammar, here or in another process. `error`: what is wrong with the grammar, or ""."""

    @property
    def error(self) -> str:
        """As said."""

    def mask(self) -> tuple[bytes, str]:
        """(a bit for each token, lowest bit first, whether it may come next; what went wrong, or "")."""

    def take(self, token: int) -> tuple[bool, str]:
        """`token` has come: (whether the answer is whole; why the token may not come, or "")."""


class Limits:
    """One answer of a model of n tokens. Raises BadRequest where the grammar cannot be followed, with the library's words."""

    def __init__(self, following: Following, n: int) -> None:
        self._following, self._n = following, n
        self.done = False  # whether the answer is whole, so that nothing may follow
        if following.error:
            raise BadRequest(say("The answer cannot be held to this shape: {why}.", why=following.error))
        try:
            self.allowed()
        except EngineError:  # as of a schema that is made of itself alone
            raise BadRequest(say("The answer cannot be held to this shape: nothing fits it.")) from None

    def allowed(self) -> npt.NDArray[np.bool_]:
        """[vocab]: whether each token may come next. Raises EngineError where none may."""
        bits, error = self._following.mask()
        mask = np.unpackbits(np.frombuffer(bits, np.uint8), count=self._n, bitorder="little").astype(bool)
        if error or not mask.any():
            raise EngineError(say("The answer could not be held to its shape: {why}.", why=error or say("no token is possible")))
        return mask

    def accept(self, token: int) -> None:
        """`token` has come. Raises EngineError where it may not."""
        self.done, error = self._following.take(token)
        if error:
            raise EngineError(say("The answer could not be held to its shape: {why}.", why=error))
