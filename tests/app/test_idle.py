"""What the desktop says of how long nobody has used the computer, by real services on a bus and a real X server of the test's own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from app.jobs.idle import MUTTER, SAVER, Away, idle_seconds

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux' services")
SERVICE = """
import sys
from jeepney import HeaderFields, MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
place, name, method, signature, value = sys.argv[1:]
c = open_dbus_connection("SESSION")
c.send_and_get_reply(message_bus.RequestName(name))
print("there", flush=True)
while True:
    m = c.receive()
    if m.header.message_type is MessageType.method_call:
        f = m.header.fields
        asked = (f[HeaderFields.path], f[HeaderFields.interface], f[HeaderFields.member]) == (place, name, method)
        c.send(new_method_return(m, signature, (int(value),)) if asked else new_error(m, "org.freedesktop.DBus.Error.UnknownMethod"))
"""


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if shutil.which("dbus-daemon") is None:
        pytest.skip("needs dbus-daemon")
    daemon = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    with subprocess.Popen(daemon, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as made:
        assert made.stdout is not None
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", made.stdout.readline().strip())
        monkeypatch.delenv("DISPLAY", raising=False)
        try:
            yield
        finally:
            made.kill()


@linux
@pytest.mark.parametrize(("service", "signature"), [(MUTTER, "t"), (SAVER, "u")], ids=["gnome", "kde"])
def test_that_the_desktops_service_is_asked(service: tuple[str, str, str], signature: str, bus: None) -> None:
    assert idle_seconds() is None
    told = [sys.executable, "-c", SERVICE, *service, signature, "754000"]
    with subprocess.Popen(told, stdout=subprocess.PIPE, text=True) as made:
        try:
            assert made.stdout is not None and made.stdout.readline() == "there\n"
            assert idle_seconds() == 754.0
        finally:
            made.kill()


@linux
def test_that_an_x_server_is_asked_where_no_service_is(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("Xvfb") is None:
        pytest.skip("needs Xvfb")
    for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    try:
        os.close(write)
        with os.fdopen(read) as told:
            monkeypatch.setenv("DISPLAY", f":{told.readline().strip()}")
        first = later = idle_seconds()
        assert first is not None
        while later == first:
            later = idle_seconds()
        assert later is not None and later > first
        monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
        assert idle_seconds() is None
    finally:
        server.kill()
        server.communicate()


def test_that_a_silent_desktop_does_not_count() -> None:
    answers: list[float | None] = [0.0, 0.0, 3.0, 0.0, None]

    def ask() -> float | None:
        return answers.pop(0)

    def failing() -> float:
        raise OSError("no service")

    away, seen = Away(ask), []
    while answers:
        away.join(30)
        seen.append(away())
    away.join(30)
    assert seen == [None, None, None, 3.0, 0.0]
    broken = Away(failing)
    assert broken() is None
    broken.join(30)
    assert broken() is None
    broken.join(30)
