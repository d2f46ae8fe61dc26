"""Messages on the desktop, for a person who looks at something else just now.

Linux desktops take them over D-Bus, also those that have no tray; elsewhere, and where that fails, the tray does it. Where neither is
there the task bar's button is marked, and that is all.
"""

import logging
import sys
import threading
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

SHOWN_MS = 8000
ASK_S = 2.0
ADDRESS, PLACE = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


class Desktop(QObject):
    """`tell` may be called at any time on the GUI thread; the desktop is asked on a thread of its own, since it may not answer."""

    _failed = Signal(str)

    def __init__(self, main: QWidget, ask: Callable[[str, str], None] | None = None) -> None:
        super().__init__(main)
        self._main = main
        self._ask = ask or (over_dbus if sys.platform.startswith("linux") else None)
        self._failed.connect(self._by_tray)

    def looked_at(self) -> bool:
        """Whether a window of ours is in front."""
        return QApplication.activeWindow() is not None

    @Slot(str)
    def tell(self, text: str) -> None:
        """Say it, unless a window of ours is in front."""
        if self.looked_at():
            return
        QApplication.alert(self._main)
        if self._ask is None:
            self._by_tray(text)
        else:
            threading.Thread(target=self._try, args=(self._ask, text), name="desktop", daemon=True).start()

    def _try(self, ask: Callable[[str, str], None], text: str) -> None:
        try:
            ask(QCoreApplication.applicationName(), text)
        except Exception as error:  # whatever a desktop lacks or does, the answer is there
            logging.getLogger(__name__).info("The desktop took no message over D-Bus: %s", type(error).__name__)
            try:
                self._failed.emit(text)
            except RuntimeError:  # the window is gone
                return

    @Slot(str)
    def _by_tray(self, text: str) -> None:
        if not QSystemTrayIcon.isSystemTrayAvailable() or not QSystemTrayIcon.supportsMessages():
            return
        tray = QSystemTrayIcon(QApplication.windowIcon(), self)
        tray.messageClicked.connect(self._come)
        tray.show()
        tray.showMessage(QApplication.applicationDisplayName(), text, QApplication.windowIcon(), SHOWN_MS)
        QTimer.singleShot(SHOWN_MS, tray, tray.deleteLater)

    @Slot()
    def _come(self) -> None:
        raise_window(self._main)


def raise_window(window: QWidget) -> None:
    """Bring a window to the front, out of the task bar too."""
    if window.isMinimized():
        window.showNormal()
    window.show()
    window.raise_()
    window.activateWindow()


def over_dbus(program: str, text: str) -> None:
    """Ask the session's notification service; raises whatever goes wrong."""
    # Here, since only where there is something to tell.
    from jeepney import DBusAddress, MessageType, new_method_call  # type: ignore[import-untyped]  # noqa: PLC0415
    from jeepney.io.blocking import open_dbus_connection  # type: ignore[import-untyped]  # noqa: PLC0415

    address = DBusAddress(PLACE, bus_name=ADDRESS, interface=ADDRESS)
    title, hints = QApplication.applicationDisplayName(), {"desktop-entry": ("s", program)}
    body: tuple[object, ...] = (title, 0, program, title, text, [], hints, SHOWN_MS)
    connection = open_dbus_connection("SESSION")
    try:
        reply = connection.send_and_get_reply(new_method_call(address, "Notify", "susssasa{sv}i", body), timeout=ASK_S)
        if reply.header.message_type is MessageType.error:
            raise OSError(f"refused: {reply.body}")
    finally:
        connection.close()
