"""A Vocabulary that lives in a process of its own.

The libraries hold Python's lock while they read a vocabulary, seconds for one of 262,144 tokens, and a window in this process would wait
for it. All that is kept here are the bytes of the tokens that were met, block by block.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from engine.apart import Apart, ending
from engine.cancel import CancelToken
from engine.errors import Ended
from engine.text.served import BLOCK

SERVED = "engine.text.served:Served"
T = TypeVar("T")


class AskedVocabulary:
    """A Vocabulary. Calls may come from several threads. A process that ends is started anew by the next call that finds it gone.

    Raises what opening a tokenizer raises, Cancelled within 100 ms, and Ended where a new process ends as well.
    """

    def __init__(self, folder: Callable[[], Path], config: Mapping[str, Any], naming: str, cancel: CancelToken) -> None:
        """folder: where its files are now; a model that is opened while it comes gets its name later."""
        self._folder, self._settings = folder, (dict(config), naming)
        self._starting = threading.Lock()
        self._closed = False
        self._blocks: dict[int, tuple[bytes, Sequence[int]]] = {}
        self._names: dict[int, list[bytes | None]] = {}
        self._over: list[tuple[Apart, int]] = []  # answers in a grammar that are no longer needed, by process
        self._process = Apart()
        try:
            ending(self._process, lambda: self._make(self._process), cancel)
            controls, self.drops_first_space, self._starts = self._process.call("facts")
        except BaseException:
            self.close()
            raise
        self.controls: Mapping[str, int] = controls

    def encode(self, text: str, mark: str, continued: bool) -> list[int]:
        """See Vocabulary."""
        return list(self._asked(lambda process: process.call("encode", text, mark, continued)))

    def piece(self, token: int) -> bytes:
        """See Vocabulary."""
        n, at = divmod(token, BLOCK)
        if (block := self._blocks.get(n)) is None:
            block = self._blocks[n] = self._asked(lambda process: process.call("block", n))
        data, ends = block
        return data[ends[at - 1] if at else 0 : ends[at]]

    def all_pieces(self, n: int, first: int = 0) -> list[bytes]:
        """See Vocabulary; here they are kept."""
        return [self.piece(token) for token in range(first, n)]

    def pieces(self, tokens: Sequence[int]) -> bytes:
        """See Vocabulary."""
        return b"".join(map(self.piece, tokens))

    def starts_with(self) -> list[int]:
        """See Vocabulary."""
        return list(self._starts)

    def spelled(self, token: int) -> bytes | None:
        """See Vocabulary."""
        n, at = divmod(token, BLOCK)
        if n not in self._names:
            self._names = {n: self._asked(lambda process: process.call("names", n))}
        return self._names[n][at]

    def follow(self, grammar: str, n: int, ends: frozenset[int]) -> "Remote":
        """The way of one answer through a grammar. Raises EngineError, see TokenTree."""

        def begin(process: Apart) -> "Remote":
            over = list(self._over)
            number, error = process.call("follow", grammar, n, ends, [number for owner, number in over if owner is process])
            del self._over[: len(over)]  # others may have come behind them meanwhile
            return Remote(process, number, error, self._over)

        return self._asked(begin)

    def close(self) -> None:
        """End the process. Idempotent, from any thread."""
        self._closed = True
        self._process.close()

    def _make(self, process: Apart) -> None:
        process.make(SERVED, self._folder(), *self._settings)

    def _asked(self, work: Callable[[Apart], T]) -> T:
        process = self._process
        try:
            return work(process)
        except Ended:
            if self._closed:
                raise
        return work(self._renewed(process))

    def _renewed(self, ended: Apart) -> Apart:
        with self._starting:
            if self._process is ended:
                ended.close()
                self._process = Apart()
                try:
                    self._make(self._process)
                except BaseException:
                    self._process.close()  # so that the next call starts another one
                    raise
            if self._closed:  # meanwhile
                self._process.close()
            return self._process

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()


class Remote:
    """See limits.Following. What the process has begun goes with it: then calls raise Ended."""

    def __init__(self, process: Apart, number: int, error: str, over: list[tuple[Apart, int]]) -> None:
        self._process, self._number, self.error, self._over = process, number, error, over

    def __del__(self) -> None:
        self._over.append((self._process, self._number))

    def mask(self) -> tuple[bytes, str]:
        """See Following."""
        bits, error = self._process.call("mask", self._number)
        return bits, error

    def take(self, token: int) -> tuple[bool, str]:
        """See Following."""
        done, error = self._process.call("take", self._number, token)
        return done, error
