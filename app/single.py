"""One window for each home folder: a later start hands over what it was to open, and the first one comes to the front.

The lock is the operating system's and ends with the process, however that ends, so a kill leaves nothing behind that is stale.
Each home folder has a lock and a socket of its own, so another OUZEL_HOME is another Ouzel.
"""

import getpass
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from engine.container.storage import FolderLock, InUse

LOCK = "window.lock"
PATIENCE_S = 10.0  # an Ouzel that is just closing, or just starting, needs a moment
TRY_MS = 500
LONGEST = 1 << 16  # bytes of what a later start may send
THANKS = b"raised\n"
TOKEN = "XDG_ACTIVATION_TOKEN"  # Wayland: who was started by the person may raise a window


class Single(QObject):
    """`asked` carries the absolute path that a later start was to open, "" for none, and the desktop's token to come to the front with."""

    asked = Signal(str, str)

    def __init__(self, home: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home, self.name = home, socket_name(home)
        self._lock: FolderLock | None = None
        self._server: QLocalServer | None = None

    def take(self) -> bool:
        """Become the one window of this home folder; whether no other one is."""
        try:
            self._home.mkdir(parents=True, exist_ok=True)
            self._lock = FolderLock(self._home / LOCK, self._home)
        except InUse:
            return False
        except OSError:
            return True  # a folder that cannot be written has no lock: the window opens all the same
        return True

    def listen(self) -> None:
        """Hear later starts from now on."""
        if self._lock is None:
            return
        self._server = server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        QLocalServer.removeServer(self.name)  # what a kill has left: nobody listens there, since the lock is ours
        server.newConnection.connect(self._on_connection)
        server.listen(self.name)

    def close(self) -> None:
        """Hear nothing more, and let another start be the first; idempotent."""
        self.deafen()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def deafen(self) -> None:
        """Hear nothing more; the lock stays until `close`."""
        if self._server is not None:
            self._server.close()
            self._server.deleteLater()
            self._server = None

    @Slot()
    def _on_connection(self) -> None:
        while self._server is not None and (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(self._reader(socket))

    def _reader(self, socket: QLocalSocket) -> Callable[[], None]:
        came = bytearray()

        def read() -> None:
            came.extend(bytes(socket.readAll().data()))
            if len(came) > LONGEST:
                socket.abort()
            elif came.endswith(b"\n"):
                socket.write(THANKS)
                socket.flush()
                socket.disconnectFromServer()
                self._take_message(bytes(came))

        return read

    def _take_message(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return
        path, token = (message.get("open"), message.get("token")) if isinstance(message, dict) else (None, None)
        if isinstance(path, str) and isinstance(token, str):
            self.asked.emit(path, token)


def take_or_hand_over(single: Single, path: str, patience: float = PATIENCE_S) -> bool | None:
    """Become the first, or raise the first one's window and have it open `path`.

    Returns True for the first, False where another one has taken it, None where another one holds the lock and does not answer.
    """
    end = monotonic() + patience
    while True:
        if single.take():
            return True
        if _hand_over(single.name, path):
            return False
        if monotonic() > end:
            return None
        sleep(0.05)


def _hand_over(name: str, path: str) -> bool:
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(TRY_MS):
        return False
    _let_raise()
    token = os.environ.get(TOKEN, "")
    socket.write(json.dumps({"open": path, "token": token}).encode() + b"\n")
    answered = socket.waitForBytesWritten(TRY_MS) and socket.waitForReadyRead(10 * TRY_MS)
    thanks = bytes(socket.readAll().data())
    socket.abort()
    return answered and thanks == THANKS


def _let_raise() -> None:
    """Windows raises a window only for a process that may: whoever was started by the person passes that on."""
    if os.name == "nt":
        import ctypes  # noqa: PLC0415

        ctypes.windll.user32.AllowSetForegroundWindow(-1)  # type: ignore[attr-defined, unused-ignore]


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name
        return str(os.getuid()) if hasattr(os, "getuid") else ""


def socket_name(home: Path) -> str:
    """The socket of a home folder: in the user's own runtime folder where the system has one."""
    digest = hashlib.sha256(f"{_user()}\0{home.resolve()}".encode()).hexdigest()[:20]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return str(Path(runtime) / f"ouzel-{digest}") if runtime and Path(runtime).is_dir() else f"ouzel-{digest}"
