"""While the engine works: the computer stays awake, and a long answer is told on the desktop of a person who went elsewhere."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from app import attention, desktop
from app.desktop import Desktop, over_dbus
from app.state import Phase
from tests.app.test_end_to_end import LONG, limit
from tests.app.window import Driver, opened


class Keep:
    """What stands for the system: whether it is asked to stay awake now."""

    def __init__(self) -> None:
        self.held, self.asked = 0, 0

    @contextmanager
    def running(self, on_fail: str) -> Iterator[Any]:
        self.held, self.asked = self.held + 1, self.asked + 1
        yield SimpleNamespace(active=True, result=None)
        self.held -= 1


@pytest.fixture
def keep(monkeypatch: pytest.MonkeyPatch) -> Keep:
    made = Keep()
    monkeypatch.setattr("wakepy.keep", made)
    return made


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the desktop is asked to show."""
    texts: list[str] = []
    monkeypatch.setattr(desktop, "over_dbus", lambda program, text: texts.append(text))
    monkeypatch.setattr(attention, "LONG_S", 0.0)
    return texts


def hidden(d: Driver, monkeypatch: pytest.MonkeyPatch, in_front: bool) -> None:
    monkeypatch.setattr(d.window.desktop, "looked_at", lambda: in_front)


def test_that_the_computer_stays_awake_while_an_answer_is_written(
    qtbot: QtBot, starter_home: Path, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "AWAKE_MS", 0)
    with opened(qtbot) as d:
        d.wait_ready()
        assert keep.asked == 0
        limit(d, None)
        d.say(LONG)
        d.wait(lambda: keep.held == 1)
        d.click(d.main.composer.button)
        d.wait(lambda: d.phase is Phase.READY and keep.held == 0)
        d.engine.change_settings(replace(d.engine.settings, keep_awake=False))
        limit(d, 8)
        d.ask("hi")
        assert keep.asked == 1
        d.engine.change_settings(replace(d.engine.settings, keep_awake=True))
        limit(d, None)
        d.say(LONG)
        d.wait(lambda: keep.held == 1)
    assert keep.held == 0, "given back when the window closes"


@pytest.mark.parametrize(
    ("in_front", "notify", "stops", "expected"),
    [(False, True, False, 1), (True, True, False, 0), (False, False, False, 0), (False, True, True, 0)],
)
def test_that_a_long_answer_is_told_to_whoever_went_elsewhere(
    qtbot: QtBot, starter_home: Path, keep: Keep, told: list[str], monkeypatch: pytest.MonkeyPatch,
    in_front: bool, notify: bool, stops: bool, expected: int,
) -> None:  # fmt: skip
    with opened(qtbot) as d:
        d.wait_ready()
        hidden(d, monkeypatch, in_front)
        d.engine.change_settings(replace(d.engine.settings, notify=notify))
        limit(d, None if stops else 6)
        if stops:
            d.say(LONG)
            d.wait(lambda: len(d.main.transcript.answer) > 5)
            d.click(d.main.composer.button)
            d.wait(lambda: d.phase is Phase.READY)
        else:
            d.ask("hi")
        d.wait(lambda: not [t for t in threading.enumerate() if t.name == "desktop"])
    assert told == ["The answer is ready."] * expected


def test_that_a_short_answer_is_not_told(
    qtbot: QtBot, starter_home: Path, keep: Keep, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "LONG_S", 3600.0)
    with opened(qtbot) as d:
        d.wait_ready()
        hidden(d, monkeypatch, False)
        limit(d, 4)
        d.ask("hi")
    assert told == []


def test_that_a_desktop_without_messages_is_no_failure(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window, asked = QWidget(), []
    qtbot.addWidget(window)

    def refuse(program: str, text: str) -> None:
        asked.append(text)
        raise OSError("no bus")

    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: False)
    shown = Desktop(window, refuse)
    with qtbot.waitSignal(shown._failed):
        shown.tell("ready")
    assert asked == ["ready"]


SERVICE = """
import sys
from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
c = open_dbus_connection("SESSION")
c.send_and_get_reply(message_bus.RequestName("org.freedesktop.Notifications"))
print("there", flush=True)
while True:
    m = c.receive()
    if m.header.message_type is MessageType.method_call and m.header.fields.get(HeaderFields.member) == "Notify":
        c.send(new_method_return(m, "u", (7,)))
        print(m.header.fields[HeaderFields.signature], m.body[0], m.body[4], flush=True)
        break
"""


@pytest.mark.skipif(not sys.platform.startswith("linux") or shutil.which("dbus-daemon") is None, reason="needs dbus-daemon")
def test_that_the_desktops_service_gets_the_message(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert bus.stdout is not None
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.stdout.readline().strip())
    service = subprocess.Popen([sys.executable, "-c", SERVICE], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        assert service.stdout is not None and service.stdout.readline() == "there\n"
        over_dbus("ouzel", "The answer is ready.")
        assert service.stdout.readline().endswith("The answer is ready.\n")
    finally:
        for child in (service, bus):
            child.kill()
            child.communicate()
