"""Messages over the desktop's D-Bus service, after the Desktop Notifications Specification 1.2, and what a person does with them.

A click on a message invokes its action "default". Where the service knows how, it sends an activation token before (signal
ActivationToken), by which a window may come to the front under Wayland.
"""

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Any

from app.session_bus import reply

SHOWN_MS = 8000
HEARD_S = 3600.0  # that a message is listened for: services keep what nobody looked at
NAME, PLACE, DEFAULT = "org.freedesktop.Notifications", "/org/freedesktop/Notifications", "default"


class Messages:
    """`tell` is called on a thread of its own, which waits there for a click; a later message ends the wait for an earlier one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._heard: Any = None  # the connection that is listened to
        self._closed = False

    def close(self) -> None:
        """Listen no longer."""
        self._closed = True
        self._listen_to(None)

    def tell(self, program: str, title: str, text: str, label: str, clicked: Callable[[str], None]) -> None:
        """Show a message; `clicked` is called with an activation token, or "", when it is clicked. label: of what a click does.

        Raises whatever goes wrong before the message is shown.
        """
        # Here, since only where there is something to tell.
        from jeepney import DBusAddress, MatchRule, new_method_call  # type: ignore[import-untyped]  # noqa: PLC0415
        from jeepney.bus_messages import message_bus  # type: ignore[import-untyped]  # noqa: PLC0415
        from jeepney.io.blocking import open_dbus_connection  # type: ignore[import-untyped]  # noqa: PLC0415

        address = DBusAddress(PLACE, bus_name=NAME, interface=NAME)
        connection = open_dbus_connection("SESSION")
        try:
            abilities = reply(connection, new_method_call(address, "GetCapabilities"))[0]
            actions = [DEFAULT, label] if "actions" in abilities else []
            rule = MatchRule(type="signal", interface=NAME, path=PLACE)
            with connection.filter(rule, bufsize=64) as signals:
                if actions:
                    reply(connection, message_bus.AddMatch(rule))
                body = (title, 0, program, title, text, actions, {"desktop-entry": ("s", program)}, SHOWN_MS)
                (number,) = reply(connection, new_method_call(address, "Notify", "susssasa{sv}i", body))
                if actions and not self._closed:
                    self._listen_to(connection)
                    with suppress(OSError):  # which is also how the wait is ended
                        _wait(connection, signals, number, clicked)
        finally:
            with self._lock:
                if self._heard is connection:
                    self._heard = None
                connection.close()

    def _listen_to(self, connection: Any) -> None:
        with self._lock:
            before, self._heard = self._heard, connection
            if before is not None:
                with suppress(OSError):
                    before.sock.shutdown(socket.SHUT_RDWR)  # wakes its thread, which closes it


def _wait(connection: Any, signals: Any, number: int, clicked: Callable[[str], None]) -> None:
    """Until the message is clicked or gone."""
    from jeepney import HeaderFields  # noqa: PLC0415  as above

    token, until = "", time.monotonic() + HEARD_S
    while (left := until - time.monotonic()) > 0:
        signal = connection.recv_until_filtered(signals, timeout=left)
        if not signal.body or signal.body[0] != number:
            continue
        match signal.header.fields.get(HeaderFields.member), *signal.body[1:]:
            case "ActivationToken", str(token):
                pass
            case "ActionInvoked", "default":
                clicked(token)
                return
            case "NotificationClosed", *_:
                return
