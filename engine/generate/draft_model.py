"""A small model of the same tokenizer that follows a conversation and goes ahead of it; what it drafts, the large one verifies.

Its own state follows the text: what the text and the state have in common stays, the rest is taken back, also rejected drafts.
"""

from collections.abc import Sequence

import numpy as np

from engine.cancel import CancelToken
from engine.generate.drafter import F32
from engine.generate.proposal import MODEL
from engine.model.model import Model

CHECKPOINT = 512  # tokens between two places to which a recurrent layer can go back


class DraftModel:
    """A Speculator over an open model. vocab_size: of the model that it drafts for, whose padding may be another."""

    name = MODEL

    def __init__(self, model: Model, vocab_size: int) -> None:
        self.model, self._vocab = model, vocab_size
        self._state = model.new_state()
        self._text: list[int] = []
        self._drafted: list[int] = []
        self._held: list[int] = []  # tokens whose state is held
        self._same = 0  # of them, those with which the text and its draft begin
        self._unknown = 0  # tokens of the text that this model's vocabulary lacks
        own = model.spec.vocab_size
        self._padded = np.full(vocab_size, -np.inf, np.float32) if own < vocab_size else None

    @property
    def lag(self) -> int:
        """See Speculator."""
        return max(len(self._text) + len(self._drafted) - self._same, 1)

    @property
    def room(self) -> int:
        """See Speculator; the last token that is drafted is not read."""
        return 0 if self._unknown or not self._text else max(self._state.context - len(self._text) + 1, 0)

    def begin(self, ids: Sequence[int]) -> None:
        """See Speculator."""
        self._text, self._drafted, self._same = [], [], 0
        self._unknown = 0
        self.extend(ids)

    def extend(self, ids: Sequence[int]) -> None:
        """See Speculator."""
        self._same = min(self._same, len(self._text))
        self._drafted = []
        self._text.extend(ids)
        if self._padded is not None:
            self._unknown += sum(i >= self.model.spec.vocab_size for i in ids)
        self._compare()

    def _compare(self) -> None:
        """Find how far state and text are the same, from where they are known to be."""
        text, held, n = self._text, self._held, self._same
        most = min(len(text), len(held))
        while n < most and text[n] == held[n]:
            n += 1
        self._same = n

    def logits(self, cancel: CancelToken) -> F32:
        """See Speculator."""
        text, state, model, chunk = self._text, self._state, self.model, self.model.plan.chunk
        end = len(text) + len(self._drafted)
        state.truncate(min(self._same, end - 1))  # the last token's logits are needed
        del self._held[state.length :]
        self._same = state.length
        out = np.empty((0, 0), np.float32)
        try:
            for at in range(state.length, end, chunk):
                part = text[at : at + chunk]
                part += self._drafted[max(at - len(text), 0) : at + chunk - len(text)] if at + chunk > len(text) else []
                out = model.forward(np.asarray(part, np.int32), state, "last" if at + chunk >= end else "none", cancel)
                self._held += part
                if state.length - state.checkpoints.newest >= CHECKPOINT:
                    state.keep()
        finally:  # where it was stopped, a recurrent layer may stand at an earlier place
            del self._held[state.length :]
            self._same = len(self._held)
        if not self._drafted:
            state.keep()  # what is drafted now may be taken back as a whole
        return self._wide(out[-1])

    def _wide(self, logits: F32) -> F32:
        if self._padded is None:
            return logits[: self._vocab]
        self._padded[: len(logits)] = logits
        return self._padded

    def push(self, token: int) -> None:
        """See Speculator."""
        self._drafted.append(token)
