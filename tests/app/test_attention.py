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

from app import attention
from app.desktop import Desktop
from app.notifications import Messages
from app.single import TOKEN
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
    monkeypatch.setattr(Messages, "tell", lambda _self, _program, _title, text, _label, _clicked: texts.append(text))
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

    def refuse(_program: str, _title: str, text: str, _label: str, _clicked: object) -> None:
        asked.append(text)
        raise OSError("no bus")

    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: False)
    shown = Desktop(window, refuse)
    with qtbot.waitSignal(shown._failed):
        shown.tell("ready")
    assert asked == ["ready"]


SERVICE = """
import sys
from jeepney import DBusAddress, HeaderFields, MessageType, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
able = sys.argv[1:]
c = open_dbus_connection("SESSION")
c.send_and_get_reply(message_bus.RequestName("org.freedesktop.Notifications"))
us = DBusAddress("/org/freedesktop/Notifications", interface="org.freedesktop.Notifications")
print("there", flush=True)
number = 6
while True:
    m = c.receive()
    if m.header.message_type is not MessageType.method_call:
        continue
    match m.header.fields.get(HeaderFields.member):
        case "GetCapabilities":
            c.send(new_method_return(m, "as", (able,)))
        case "Notify":
            number += 1
            c.send(new_method_return(m, "u", (number,)))
            print(m.header.fields[HeaderFields.signature], m.body[0], m.body[4], m.body[5], flush=True)
            if able and m.body[4] != "not clicked" and sys.stdin.readline():
                c.send(new_signal(us, "ActionInvoked", "us", (number + 1, "default")))  # of another program's message
                c.send(new_signal(us, "ActivationToken", "us", (number, "token-1")))
                c.send(new_signal(us, "ActionInvoked", "us", (number, "default")))
"""


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator["subprocess.Popen[str]"]:
    """A notification service that can do what the parameter says, on a bus of its own; it clicks for a line of its standard input."""
    bus = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert bus.stdout is not None
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.stdout.readline().strip())
    command = [sys.executable, "-c", SERVICE, *request.param]
    made = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        assert made.stdout is not None and made.stdout.readline() == "there\n"
        yield made
    finally:
        for child in (made, bus):
            child.kill()
            child.communicate()


needs_bus = pytest.mark.skipif(not sys.platform.startswith("linux") or shutil.which("dbus-daemon") is None, reason="needs dbus-daemon")


@needs_bus
@pytest.mark.parametrize("service", [()], indirect=True)
def test_that_a_service_without_actions_gets_the_message_and_is_not_waited_for(service: "subprocess.Popen[str]") -> None:
    clicks: list[str] = []
    Messages().tell("ouzel", "Ouzel", "The answer is ready.", "Show", clicks.append)
    assert service.stdout is not None and service.stdout.readline().endswith("The answer is ready. []\n")
    assert clicks == []


@needs_bus
@pytest.mark.parametrize("service", [("body", "actions")], indirect=True)
def test_that_a_click_on_a_message_shows_the_chat_of_the_answer(
    qtbot: QtBot, starter_home: Path, keep: Keep, service: "subprocess.Popen[str]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "LONG_S", 0.0)
    monkeypatch.delenv(TOKEN, raising=False)
    with opened(qtbot) as d:
        d.wait_ready()
        limit(d, 4)
        hidden(d, monkeypatch, False)
        d.ask("hi")
        asked = d.chats.current
        assert service.stdout is not None and "['default', 'Show']" in service.stdout.readline()
        d.click(d.main.sidebar.new_button)
        d.main.engine_asked.emit()
        assert d.chats.current is None and d.main.pages.currentWidget() is d.window.engine_view.page
        d.main.showMinimized()
        assert service.stdin is not None
        service.stdin.write("click\n")
        service.stdin.flush()
        d.wait(lambda: d.chats.current == asked)
        assert d.main.pages.currentWidget() is d.main.transcript and not d.main.isMinimized()
        assert os.environ[TOKEN] == "token-1"


@needs_bus
@pytest.mark.parametrize("service", [("actions",)], indirect=True)
def test_that_nothing_waits_for_a_click_after_the_end_or_a_newer_message(service: "subprocess.Popen[str]") -> None:
    messages, clicks = Messages(), list[str]()
    threads = [threading.Thread(target=messages.tell, args=("ouzel", "Ouzel", "not clicked", "Show", clicks.append)) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert service.stdout is not None
    service.stdout.readline(), service.stdout.readline()
    while all(t.is_alive() for t in threads):  # the second ends the first
        threads[0].join(0.05)
    messages.close()
    for thread in threads:
        thread.join(60)
    assert not any(t.is_alive() for t in threads) and clicks == []
