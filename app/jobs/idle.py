"""How long nobody has used the computer, as far as the desktop tells.

Linux: GNOME's idle monitor, the screen saver's service (KDE), or the X server's extension; under Wayland X sees only its own windows. macOS
and Windows have a call for it. Sources: Mutter's org.gnome.Mutter.IdleMonitor.xml; the X screen saver extension's libXss; Apple's
CGEventSourceSecondsSinceLastEventType; Microsoft's GetLastInputInfo.
"""

import ctypes
import logging
import os
import sys
import threading
from collections.abc import Callable

from app.session_bus import reply

MUTTER = "/org/gnome/Mutter/IdleMonitor/Core", "org.gnome.Mutter.IdleMonitor", "GetIdletime"
SAVER = "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver", "GetSessionIdleTime"


class Away:
    """Call it for the seconds without a key or the mouse, None where they are not known (yet).

    The desktop is asked on a thread of its own, since it may not answer; a call gives what it said last. One that has only ever said 0
    counts as silent: some services answer so where they know nothing.
    """

    def __init__(self, ask: Callable[[], float | None] | None = None) -> None:
        self._ask = ask or idle_seconds
        self._asking: threading.Thread | None = None
        self._told: float | None = None
        self._speaks = False

    def __call__(self) -> float | None:
        """See above."""
        told = self._told if self._speaks else None
        if self._asking is None or not self._asking.is_alive():
            self._asking = threading.Thread(target=self._run, name="idle", daemon=True)
            self._asking.start()
        return told

    def join(self, seconds: float) -> None:
        """Wait for the answer that is due."""
        if self._asking is not None:
            self._asking.join(seconds)

    def _run(self) -> None:
        try:
            told = self._ask()
        except Exception as error:  # whatever a desktop lacks, jobs go by the use of the window
            logging.getLogger(__name__).info("The desktop does not tell when it is idle: %s", type(error).__name__)
            told = None
        self._told, self._speaks = told, told is not None and (self._speaks or told > 0)


def idle_seconds() -> float | None:
    """Seconds without input, None where nobody tells. Raises what the system raises."""
    if sys.platform == "win32":
        return _windows()
    if sys.platform == "darwin":
        return _macos()
    for place, name, method in (MUTTER, SAVER):
        try:
            return over_dbus(place, name, method)
        except Exception as error:  # there is no such service, or no bus
            logging.getLogger(__name__).debug("%s: %s", name, type(error).__name__)
    wayland = bool(os.environ.get("WAYLAND_DISPLAY")) or os.environ.get("XDG_SESSION_TYPE") == "wayland"
    return None if wayland else _x11()


def over_dbus(place: str, name: str, method: str) -> float:
    """Ask a service of the session that answers in milliseconds; raises whatever goes wrong."""
    from jeepney import DBusAddress, new_method_call  # type: ignore[import-untyped]  # noqa: PLC0415
    from jeepney.io.blocking import open_dbus_connection  # type: ignore[import-untyped]  # noqa: PLC0415

    connection = open_dbus_connection("SESSION")
    try:
        return float(reply(connection, new_method_call(DBusAddress(place, name, name), method))[0]) / 1000
    finally:
        connection.close()


class _ScreenSaverInfo(ctypes.Structure):
    _fields_ = (
        ("window", ctypes.c_ulong),
        ("state", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("since", ctypes.c_ulong),
        ("idle", ctypes.c_ulong),  # ms
        ("mask", ctypes.c_ulong),
    )


def _x11() -> float | None:
    if not os.environ.get("DISPLAY"):
        return None
    x, saver = (ctypes.CDLL(name) for name in ("libX11.so.6", "libXss.so.1"))
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XDefaultRootWindow.restype = ctypes.c_ulong
    if not (display := ctypes.c_void_p(x.XOpenDisplay(None))):
        return None
    try:
        found, event, error = _ScreenSaverInfo(), ctypes.c_int(), ctypes.c_int()
        if not saver.XScreenSaverQueryExtension(display, ctypes.byref(event), ctypes.byref(error)):
            return None
        root = ctypes.c_ulong(x.XDefaultRootWindow(display))
        return found.idle / 1000 if saver.XScreenSaverQueryInfo(display, root, ctypes.byref(found)) else None
    finally:
        x.XCloseDisplay(display)


def _macos() -> float:
    services = ctypes.CDLL("/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices")
    ask = services.CGEventSourceSecondsSinceLastEventType
    ask.restype, ask.argtypes = ctypes.c_double, (ctypes.c_int32, ctypes.c_uint32)
    return float(ask(1, 0xFFFFFFFF))  # the state of all devices, any event


class _LastInput(ctypes.Structure):
    _fields_ = (("size", ctypes.c_uint), ("ticks", ctypes.c_uint))


def _windows() -> float | None:
    if sys.platform != "win32":
        return None
    last = _LastInput(ctypes.sizeof(_LastInput), 0)
    if not ctypes.windll.user32.GetLastInputInfo(ctypes.byref(last)):
        return None
    return float((ctypes.windll.kernel32.GetTickCount() - last.ticks) % (1 << 32)) / 1000
