"""The flag that stops work: set by any thread, tested between kernels, reads and ranges."""

from collections.abc import Callable

from engine.errors import Cancelled
from engine.words import say


class CancelToken:
    """One piece of work's stop flag. Listeners (a kernel's own flag, a socket) are told by the thread that cancels,
    perhaps more than once.
    """

    def __init__(self) -> None:
        self._set = False
        self._listeners: list[Callable[[], None]] = []

    def cancel(self) -> None:
        """Ask the work to stop; idempotent, returns at once."""
        self._set = True
        for listener in self._listeners:
            listener()

    def on_cancel(self, listener: Callable[[], None]) -> None:
        """Call `listener` when cancelled, at once if that has happened."""
        self._listeners.append(listener)
        if self._set:
            listener()

    @property
    def cancelled(self) -> bool:
        """Whether cancel was called."""
        return self._set

    def check(self) -> None:
        """Raise Cancelled once cancel was called."""
        if self._set:
            raise Cancelled(say("Stopped."))


class Either(CancelToken):
    """Cancelled when one of two is; it has no listeners, since it is made for each of very many requests."""

    def __init__(self, *tokens: CancelToken) -> None:
        super().__init__()
        self._tokens = tokens

    @property
    def cancelled(self) -> bool:
        """Whether one of them is cancelled."""
        return any(t.cancelled for t in self._tokens)

    def check(self) -> None:
        """As CancelToken.check."""
        for token in self._tokens:
            token.check()
