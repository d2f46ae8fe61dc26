"""One answer in the making: its ids, its text, and why it ends."""

from collections.abc import Callable, Iterable
from time import perf_counter

from engine.generate.memory import tokens_of
from engine.generate.sampler import Sampler
from engine.generate.stop import StopFilter
from engine.text.stream import StreamDecoder


class Answer:
    """Takes tokens as they are drawn and shows their text. `reason` is "" while it goes on, then one of AnswerStats.reason."""

    def __init__(
        self,
        sampler: Sampler,
        stops: Iterable[str],
        ends: frozenset[int],
        decoder: StreamDecoder,
        most: int | None,
        room: int,
        on_text: Callable[[str], None],
    ) -> None:
        """most: max_tokens of the request; room: tokens that the context still holds, at least 1."""
        self._sampler, self._ends, self._decoder, self._on_text = sampler, ends, decoder, on_text
        self._stop = StopFilter(stops)
        self._most, self._room = most, room
        self.count = 0  # tokens drawn, an end token included
        self.text = ""  # what was shown
        self.reason = ""
        self.first = self.last = 0.0  # perf_counter of the first and the last token
        self._lengths: list[int] = []  # characters of the whole text after each token
        self._length = 0

    @property
    def left(self) -> int:
        """Tokens that may still be drawn."""
        return min(self._room, self._most if self._most is not None else self._room) - self.count

    def take(self, token: int) -> None:
        """The next token of the answer."""
        self.last = perf_counter()
        self.first = self.first or self.last
        self.count += 1
        if token in self._ends:
            self.reason = "end"
            return
        self._sampler.accept(token)
        self._show(self._decoder.push(token))
        self._lengths.append(self._length)
        if self._stop.stopped:
            self.reason = "stop"
        elif self.left <= 0:
            self.reason = "length" if self._most is not None and self.count >= self._most else "context"

    def finish(self) -> None:
        """Show what is still held back; `reason` is set."""
        if self.reason == "stop":
            return
        self._show(self._decoder.finish())
        if self._lengths:
            self._lengths[-1] = self._length
        if self._stop.stopped:  # by a character that was never finished
            self.reason = "stop"
        else:
            self._out(self._stop.flush())

    def texts(self) -> list[tuple[str, int]]:
        """What the next prompt may hold of this answer, as shown and without its last spaces, with the number of tokens that it is."""
        found = {t: tokens_of(len(t), self._lengths) for t in (self.text, self.text.rstrip()) if t}
        return [(t, n) for t, n in found.items() if n is not None]

    def _show(self, piece: str) -> None:
        self._length += len(piece)
        self._out(self._stop.push(piece))

    def _out(self, piece: str) -> None:
        if piece:
            self.text += piece
            self._on_text(piece)
