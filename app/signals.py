"""The system's signals to end, heard at once: Python alone would hear them when it next runs, and Qt waits outside of it."""

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSocketNotifier

ENDINGS = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))


@contextmanager
def heard(end: Callable[[], object]) -> Iterator[None]:
    """Call `end` on the main thread for each signal to end, until the body is left."""
    ours, systems = socket.socketpair()
    ours.setblocking(False)
    systems.setblocking(False)
    notifier = QSocketNotifier(ours.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda *_: ours.recv(64))  # the handlers run as soon as Python does
    before_fd = signal.set_wakeup_fd(systems.fileno(), warn_on_full_buffer=False)
    before = {number: signal.signal(number, lambda *_: end()) for number in ENDINGS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(before_fd)
        notifier.setEnabled(False)
        ours.close()
        systems.close()
