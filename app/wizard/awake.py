"""Keeps the computer from going to sleep while a download works, where the system lets us; the screen may still turn off.

Asking takes a call to the desktop (D-Bus, IOKit, Win32) that may wait, so it is made on a thread of its own, which never keeps the process:
what the system holds for us ends with it.
"""

import threading
from contextlib import ExitStack, suppress
from queue import SimpleQueue

from PySide6.QtCore import QObject, Signal, Slot

END_S = 1.0


class Awake(QObject):
    """`changed` follows each time the system has answered; refused, why: whether it refused, and its words."""

    changed = Signal()
    _answered = Signal(bool, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked: SimpleQueue[bool | None] = SimpleQueue()  # None: the end
        self._thread: threading.Thread | None = None
        self._closed = False
        self.wanted, self.refused, self.why = False, False, ""
        self._answered.connect(self._on_answer)

    def want(self, wanted: bool) -> None:
        """Ask for it, or give it back; returns at once."""
        if wanted == self.wanted or self._closed:
            return
        self.wanted = wanted
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="awake", daemon=True)
            self._thread.start()
        self._asked.put(wanted)

    def close(self) -> None:
        """Give it back; waits END_S at most."""
        self.want(False)
        self._closed = True
        if self._thread is not None:
            self._asked.put(None)
            self._thread.join(END_S)

    def _run(self) -> None:
        from wakepy import keep  # noqa: PLC0415  only where something works

        held = ExitStack()
        while (wanted := self._asked.get()) is not None:
            refused, why = False, ""
            try:
                held.close()
                if wanted:
                    mode = held.enter_context(keep.running(on_fail="pass"))
                    refused, why = not mode.active, "" if mode.active else mode.result.get_failure_text()
            except Exception as error:  # whatever a desktop does, the download goes on
                refused, why = wanted, str(error)
            with suppress(RuntimeError):  # the window is gone
                self._answered.emit(refused, why)
        with suppress(Exception):
            held.close()

    @Slot(bool, str)
    def _on_answer(self, refused: bool, why: str) -> None:
        self.refused, self.why = refused and self.wanted, why
        self.changed.emit()
