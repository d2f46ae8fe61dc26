"""Messages on the desktop, for a person who looks at something else just now.

Linux desktops take them over D-Bus, also those that have no tray; elsewhere, and where that fails, the tray does it. Where neither is
there the task bar's button is marked, and that is all. A click on a message brings the window to the front, with what it is about.
"""

import logging
import os
import sys
import threading
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

from app.notifications import SHOWN_MS, Messages
from app.single import TOKEN

Ask = Callable[[str, str, str, str, Callable[[str], None]], None]  # as Messages.tell


class Desktop(QObject):
    """`tell` may be called at any time on the GUI thread; the desktop is asked on a thread of its own, since it may not answer."""

    _failed = Signal(int, str)  # which message, its text
    _clicked = Signal(int, str)  # which message, activation token

    def __init__(self, main: QWidget, ask: Ask | None = None) -> None:
        super().__init__(main)
        self._main = main
        self._messages = Messages()
        self._ask: Ask | None = ask or (self._messages.tell if sys.platform.startswith("linux") else None)
        self._number = 0
        self._show: Callable[[], None] | None = None  # what the newest message is about
        self._failed.connect(self._by_tray)
        self._clicked.connect(self._come)

    def close(self) -> None:
        """Wait for no clicks any more."""
        self._messages.close()

    def looked_at(self) -> bool:
        """Whether a window of ours is in front."""
        return QApplication.activeWindow() is not None

    def tell(self, text: str, show: Callable[[], None] | None = None) -> None:
        """Say it, unless a window of ours is in front. show: brings up what it is about, when the message is clicked."""
        if self.looked_at():
            return
        self._number, self._show = self._number + 1, show
        QApplication.alert(self._main)
        if self._ask is None:
            self._by_tray(self._number, text)
        else:
            threading.Thread(target=self._try, args=(self._ask, self._number, text), name="desktop", daemon=True).start()

    def _try(self, ask: Ask, number: int, text: str) -> None:
        program, title, label = QCoreApplication.applicationName(), QApplication.applicationDisplayName(), self.tr("Show")
        try:
            ask(program, title, text, label, lambda token: self._clicked.emit(number, token))
        except Exception as error:  # whatever a desktop lacks or does, the answer is there
            logging.getLogger(__name__).info("The desktop took no message over D-Bus: %s", type(error).__name__)
            try:
                self._failed.emit(number, text)
            except RuntimeError:  # the window is gone
                return

    @Slot(int, str)
    def _by_tray(self, number: int, text: str) -> None:
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return
        tray = QSystemTrayIcon(QApplication.windowIcon(), self)
        tray.messageClicked.connect(lambda: self._come(number, ""))
        tray.show()
        tray.showMessage(QApplication.applicationDisplayName(), text, QApplication.windowIcon(), SHOWN_MS)
        QTimer.singleShot(SHOWN_MS, tray, tray.deleteLater)

    @Slot(int, str)
    def _come(self, number: int, token: str) -> None:
        if token:
            os.environ[TOKEN] = token  # Qt takes it from there
        raise_window(self._main)
        if number == self._number and self._show is not None:
            self._show()


def raise_window(window: QWidget) -> None:
    """Bring a window to the front, out of the task bar too."""
    if window.isMinimized():
        window.showNormal()
    window.show()
    window.raise_()
    window.activateWindow()
