"""Keeps the computer from going to sleep while a download works, where the system lets us; the screen may still turn off.

Asking takes a call to the desktop (D-Bus, IOKit, Win32) that may wait, so it is made on a thread of its own.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from PySide6.QtCore import QObject, Signal, Slot
from wakepy import keep

REASON = "A model is being fetched"


class Awake(QObject):
    """`changed` follows each time the system has answered: whether it refused, and its words."""

    changed = Signal()
    _answered = Signal(bool, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="awake")
        self._held: ExitStack | None = None  # of the pool's thread only
        self.wanted, self.refused, self.why = False, False, ""
        self._answered.connect(self._on_answer)

    def want(self, wanted: bool) -> None:
        """Ask for it, or give it back; returns at once."""
        if wanted != self.wanted:
            self.wanted = wanted
            self._pool.submit(self._hold if wanted else self._release)

    def close(self) -> None:
        """Give it back."""
        self.want(False)
        self._pool.shutdown()

    def _hold(self) -> None:
        held = ExitStack()
        try:
            mode = held.enter_context(keep.running(on_fail="pass"))
            refused, why = not mode.active, "" if mode.active else mode.result.get_failure_text()
        except Exception as error:  # whatever a desktop does, the download goes on
            refused, why = True, str(error)
        self._held = held
        self._answered.emit(refused, why)

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.close()

    @Slot(bool, str)
    def _on_answer(self, refused: bool, why: str) -> None:
        self.refused, self.why = refused and self.wanted, why
        self.changed.emit()
