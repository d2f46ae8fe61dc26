"""What has time until the window is there begins after its first paint."""

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

UNSEEN_MS = 1000  # a window that starts minimized is not painted


class FirstPaint(QObject):
    """`painted` comes once, when the window was painted and the event loop is free."""

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window, self._done = window, False
        window.installEventFilter(self)
        self._unseen = QTimer(self, singleShot=True, interval=UNSEEN_MS)
        self._unseen.timeout.connect(self._tell)
        self._unseen.start()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Wait for the paint."""
        if event.type() == QEvent.Type.Paint and not self._done:
            self._done = True
            self._window.removeEventFilter(self)
            self._unseen.start(0)
        return False

    @Slot()
    def _tell(self) -> None:
        self._done = True
        self._window.removeEventFilter(self)
        self.painted.emit()
