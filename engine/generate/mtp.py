"""Drafts by a model's own layer for further tokens, which has followed the text beside the model; see engine.model.mtp."""

from collections.abc import Sequence

from engine.cancel import CancelToken
from engine.generate.drafter import F32
from engine.generate.proposal import MTP
from engine.model.model import Model
from engine.model.state import State


class MtpDrafts:
    """A Speculator. The text is one token ahead of `state`, as while decoding; a second token is drafted from the first one's row."""

    name, lag = MTP, 1

    def __init__(self, model: Model, state: State) -> None:
        self._model, self._state = model, state
        self._last, self._depth = 0, 0

    def follow(self, state: State) -> None:
        """The text is that of `state` from now on."""
        self._state = state

    @property
    def room(self) -> int:
        """See Speculator."""
        state = self._state
        return max(state.context - state.length, 0) if state.known[0] < state.length <= state.known[1] else 0

    def begin(self, ids: Sequence[int]) -> None:
        """See Speculator."""
        self.extend(ids)

    def extend(self, ids: Sequence[int]) -> None:
        """See Speculator."""
        self._depth = 0
        if ids:
            self._last = ids[-1]

    def logits(self, cancel: CancelToken) -> F32:
        """See Speculator."""
        out = self._model.further(self._last, self._depth, self._state, cancel)
        if out is None:
            raise RuntimeError("The layer for further tokens was asked for more than it has room for.")
        return out

    def push(self, token: int) -> None:
        """See Speculator."""
        self._last, self._depth = token, self._depth + 1
