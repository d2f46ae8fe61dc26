"""One answer in the making: its ids, its text, and why it ends."""

from collections.abc import Callable, Iterable
from time import perf_counter

import numpy as np
import numpy.typing as npt

from engine.generate.drawn import DrawnTokens
from engine.generate.memory import tokens_of
from engine.generate.sampler import Sampler
from engine.generate.stop import StopFilter
from engine.text.channels import Kind, Piece
from engine.text.splitter import StreamSplitter
from engine.text.tool_calls import CallParser, CallPart


class Answer:
    """Takes tokens as they are drawn and shows their text. `reason` is "" while it goes on, then one of AnswerStats.reason.

    Stop strings end the answer, never the reasoning before it.
    """

    def __init__(
        self,
        sampler: Sampler,
        stops: Iterable[str],
        ends: frozenset[int],
        splitter: StreamSplitter,
        most: int | None,
        room: int,
        on_text: Callable[[str, Kind], None],
        calls: CallParser | None = None,
        on_call: Callable[[CallPart], None] = lambda part: None,
        done: Callable[[], bool] = lambda: False,
        drawn: DrawnTokens | None = None,
    ) -> None:
        """most: max_tokens of the request; room: tokens that the context still holds, at least 1.

        calls: reads calls of tools in the answer, for on_call. done(): the answer has its shape, and nothing may follow. drawn: keeps
        what is told of the answer's tokens.
        """
        self._sampler, self._ends, self._splitter, self._on_text = sampler, ends, splitter, on_text
        self._stop = StopFilter(stops)
        self._most, self._room = most, room
        self._calls, self._on_call, self._done, self._drawn = calls, on_call, done, drawn
        self.count = 0  # tokens drawn, an end token included
        self.reasoning = 0  # of them, those whose text is reasoning
        self.text = ""  # what was shown of the answer
        self.reason = ""
        self.first = self.last = 0.0  # perf_counter of the first and the last token
        self._lengths: list[int] = []  # characters of all that was written after each token
        self._answered = 0  # characters of the answer, those that are held back or cut off included

    @property
    def left(self) -> int:
        """Tokens that may still be drawn."""
        return min(self._room, self._most if self._most is not None else self._room) - self.count

    def take(self, token: int, logits: npt.NDArray[np.float32] | None = None) -> None:
        """The next token of the answer; logits: the row [vocab] from which it was drawn, for `drawn`."""
        self.last = perf_counter()
        self.first = self.first or self.last
        self.count += 1
        if token in self._ends:
            self.reason = "end"
            return
        self._sampler.accept(token)
        before, pieces = self._answered, self._splitter.push(token)
        self._show(pieces)
        self._lengths.append(self._splitter.length)
        self.reasoning += bool(pieces) and pieces[-1][0] == "reasoning"
        if self._drawn is not None and logits is not None and not self._splitter.marks(token):
            self._drawn.note(token, logits, before, [kind for kind, _ in pieces])
            self._drawn.flush(len(self.text))
        if self._stop.stopped:
            self.reason = "stop"
        elif self._done():
            self.reason = "end"
        elif self.left <= 0:
            self.reason = "length" if self._most is not None and self.count >= self._most else "context"

    def finish(self) -> None:
        """Show what is still held back; `reason` is set."""
        if self.reason == "stop":
            return
        self._show(self._splitter.finish())
        if self._calls is not None:
            self._give(self._calls.finish())
        if self._lengths:
            self._lengths[-1] = self._splitter.length
        if self._stop.stopped:  # by a character that was never finished
            self.reason = "stop"
        else:
            self._out(self._stop.flush())
        if self._drawn is not None:
            self._drawn.flush(len(self.text))

    @property
    def written(self) -> list[str]:
        """See StreamSplitter."""
        return self._splitter.written

    def lengths(self) -> list[tuple[int, int]]:
        """How much of `written` the next prompt may hold, to the end and without its last spaces: (characters, tokens that they are)."""
        whole = self._splitter.length - (self._answered - len(self.text))
        text = "".join(self.written)[:whole]
        found = {n: tokens_of(n, self._lengths) for n in (whole, len(text.rstrip())) if n}
        return [(n, tokens) for n, tokens in found.items() if tokens is not None]

    def _show(self, pieces: Iterable[Piece]) -> None:
        for kind, text in pieces:
            if kind == "answer":
                self._give([text] if self._calls is None else self._calls.push(text))
            else:
                self._on_text(text, kind)

    def _give(self, parts: Iterable[str | CallPart]) -> None:
        for part in parts:
            if isinstance(part, CallPart):
                self._on_call(part)
            else:
                self._answered += len(part)
                self._out(self._stop.push(part))

    def _out(self, text: str) -> None:
        if text:
            self.text += text
            self._on_text(text, "answer")
