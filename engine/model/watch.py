"""Which token may interrupt the kernels now."""

import threading
import weakref

from engine.cancel import CancelToken
from kernels_pyx.compute import Compute


class Watch:
    """Lets one token at a time interrupt `compute`. `over` is for one thread; tokens are cancelled by any."""

    def __init__(self, compute: Compute) -> None:
        self._compute, self._token = compute, None
        self._heard: weakref.WeakSet[CancelToken] = weakref.WeakSet()
        self._lock = threading.Lock()  # a late listener of an earlier token must not stop the next one's kernels

    _token: CancelToken | None

    def over(self, cancel: CancelToken | None) -> None:
        """Let this token, and no earlier one, interrupt the kernels."""
        if cancel is self._token and cancel is not None:
            return
        with self._lock:
            self._token = cancel
            self._compute.resume()
        if cancel is None:
            return
        if cancel in self._heard:
            if cancel.cancelled:
                self._compute.cancel()
            return
        self._heard.add(cancel)
        # Weak, since the token keeps its listeners: a closed model must not live as long as a request's token.
        watch, token = weakref.ref(self), weakref.ref(cancel)

        def interrupt() -> None:
            if (w := watch()) is not None:
                with w._lock:
                    if w._token is not None and w._token is token():
                        w._compute.cancel()

        cancel.on_cancel(interrupt)

    def end(self) -> None:
        """No token may interrupt any more."""
        self._token = None
