"""Short questions to the system that may wait (drives, the keyring), each on a thread of its own; the answer comes to the GUI thread."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from engine.errors import EngineError
from engine.worker.failures import as_engine_error

Answer = Callable[[Any], None]
Failure = Callable[[EngineError], None]


class Errands(QObject):
    """Threads of errands never keep the process: a keyring may wait for a person who has gone."""

    _done = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._done.connect(self._on_done)
        self.closed = False

    def run(self, work: Callable[[], object], answer: Answer, failure: Failure | None = None) -> None:
        """Do `work` elsewhere, then answer(result) or failure(error) here; neither once `close` was called."""

        def carry_out() -> None:
            try:
                result: object = work()
            except Exception as e:
                self._tell(failure, as_engine_error(e).with_traceback(None))
            else:
                self._tell(answer, result)

        threading.Thread(target=carry_out, name="errand", daemon=True).start()

    def _tell(self, to: Callable[[Any], None] | None, value: object) -> None:
        with suppress(RuntimeError):  # the window is gone
            self._done.emit(to, value)

    def close(self) -> None:
        """Nobody waits for answers any more."""
        self.closed = True

    @Slot(object, object)
    def _on_done(self, to: Callable[[Any], None] | None, value: object) -> None:
        if to is not None and not self.closed:
            to(value)
