"""Garbage collection on the GUI thread only.

Python collects cycles on whatever thread allocates, and a Qt object that dies on the engine thread brings the process down.
So the automatic collector is off while the window is open, and a timer does its work here.
"""

import gc

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 2000
OLD_EVERY = 30  # young generations between two full collections
MANY = 25_000  # new objects, as when the engine reads a GGUF file: looking through them would hold the window up


class GuiCollector(QObject):
    """Collects from a timer until `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rounds = 0
        gc.collect()
        gc.freeze()  # what lives since the start is not looked through again, which keeps a collection short
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    @Slot()
    def collect(self) -> None:
        """Collect young objects, now and then all; so many that they came from a burst of work are set aside, which costs nothing.

        What is set aside goes with its last reference as ever; only cycles among it stay.
        """
        self._rounds += 1
        if gc.get_count()[0] > MANY:
            gc.freeze()
            return
        gc.collect(2 if self._rounds % OLD_EVERY == 0 else 1)

    def stop(self) -> None:
        """Give collection back to Python."""
        self._timer.stop()
        gc.enable()
