"""The window's switch for other programs, with the real engine: on, asked, the chat first, off."""

import threading
import time
from typing import Any

import httpx
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.views.settings.dialog import SettingsDialog
from engine.config import Sampling
from engine.requests import Generate, LoadModel
from engine.server import FIRST_ID
from tests.app.window import Driver


def page(driver: Driver) -> Any:
    """The settings' page about programs, shown."""
    driver.main.show_settings()
    dialog = driver.main.dialog
    assert dialog is not None
    dialog.tabs.setCurrentWidget(dialog.programs)
    return dialog.programs


def tick(driver: Driver, box: QWidget) -> None:
    assert isinstance(box, QCheckBox)
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Space)


class Asking(threading.Thread):
    """A program that asks once, on a thread, while the window goes on."""

    def __init__(self, address: str, key: str = "", **body: Any) -> None:
        super().__init__()
        self._address, self._key = address, key
        self._body = {"temperature": 0, "messages": [{"role": "user", "content": "Tell me of rivers."}], **body}
        self.answer: httpx.Response | None = None
        self.start()

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        model = httpx.get(f"{self._address}/models", headers=headers, timeout=120).json().get("data", [{}])[0].get("id", "none")
        self.answer = httpx.post(f"{self._address}/chat/completions", json={"model": model, **self._body}, headers=headers, timeout=120)

    def ended(self) -> bool:
        return not self.is_alive()


def test_the_switch(driver: Driver) -> None:
    shown, serving = page(driver), driver.window.serving
    assert not serving.address and shown.address.text() == ""
    driver.engine.change_settings(Settings(serve_port=None))
    port = free_port()
    driver.engine.change_settings(Settings(serve_port=port))
    tick(driver, shown.fields["serve"])
    driver.wait(lambda: bool(serving.address))
    assert shown.address.text() == f"http://127.0.0.1:{port}/v1"
    driver.click(shown.copy_address)
    assert QGuiApplication.clipboard().text() == serving.address
    asking = Asking(serving.address, max_tokens=5)
    driver.wait(asking.ended)
    assert asking.answer is not None and asking.answer.status_code == 200, asking.answer
    assert asking.answer.json()["choices"][0]["message"]["content"]
    driver.wait(lambda: "/v1/chat/completions  200" in shown.log.toPlainText())
    assert any(isinstance(r, Generate) and r.id >= FIRST_ID for r in driver.requests)
    assert not driver.main.transcript.turns  # a program's answer is not the chat's
    at = shown.log.toPlainText()
    assert at.splitlines()[-1].startswith(f"{serving.requests[-1][0]:%H:%M:%S}")
    driver.main.show_settings()
    assert driver.main.dialog is shown.window()  # one dialog, however often it is asked for
    # A key: without it nothing is answered.
    tick(driver, shown.fields["serve_key"])
    driver.wait(lambda: bool(serving.address and serving.key))
    without, with_key = Asking(serving.address, max_tokens=3), Asking(serving.address, serving.key, max_tokens=3)
    driver.wait(lambda: without.ended() and with_key.ended())
    assert without.answer is not None and without.answer.status_code == 401
    assert with_key.answer is not None and with_key.answer.status_code == 200
    driver.click(shown.copy_key)
    assert QGuiApplication.clipboard().text() == serving.key
    before = serving.key
    driver.click(shown.new_key)
    driver.wait(lambda: bool(serving.key) and serving.key != before)
    # Off: nothing listens there.
    tick(driver, shown.fields["serve"])
    driver.wait(lambda: not serving.address)
    driver.wait(lambda: refused(port))


def test_that_the_chat_goes_first_and_the_program_gets_the_same_answer(driver: Driver) -> None:
    serving = driver.window.serving
    driver.engine.change_settings(Settings(serve=True, serve_port=free_port(), max_tokens=20))
    driver.wait(lambda: bool(serving.address))
    long = {"max_tokens": 300, "logit_bias": {"2": -100}}  # without its end token
    alone = Asking(serving.address, **long)
    driver.wait(alone.ended)
    interrupted = Asking(serving.address, **long)
    driver.wait(lambda: under_way(driver) > 3)
    assert driver.ask("Name a bird.")
    driver.wait(interrupted.ended)
    assert any(isinstance(r, Generate) and r.id >= FIRST_ID and r.options.resumed for r in driver.requests)  # it did not begin again
    assert alone.answer is not None and interrupted.answer is not None
    assert interrupted.answer.json()["choices"] == alone.answer.json()["choices"]


def test_that_several_programs_are_answered_at_once_and_go_on_after_the_chat(driver: Driver) -> None:
    shown, serving = page(driver), driver.window.serving
    assert "takes" in shown.cost.text() and "MB" in shown.cost.text()
    driver.engine.change_settings(Settings(expert=True, serve=True, serve_port=free_port(), max_tokens=20, context=1024))
    box = shown.fields["parallel"]
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.findData(2))
    box.activated.emit(box.currentIndex())
    assert driver.engine.settings.parallel == 2
    driver.press("Reload", driver.main.model_bar)
    driver.wait_ready()
    info = driver.engine.state.info
    assert info is not None and info.config.parallel == 2
    driver.wait(lambda: bool(serving.address))
    bodies = [{"max_tokens": 200, "logit_bias": {"2": -100}, "temperature": 0.8, "seed": n} for n in range(2)]  # without its end token
    alone = []
    for body in bodies:
        alone.append(Asking(serving.address, **body))
        driver.wait(alone[-1].ended)
    several = [Asking(serving.address, **body) for body in bodies]
    driver.wait(lambda: [n > 3 for n in drawn(driver)] == [True, True])
    assert driver.ask("Name a bird.")
    driver.wait(lambda: all(one.ended() for one in several))
    resumed = {len(r.options.resumed) > 2 for r in driver.requests[-3:] if isinstance(r, Generate) and r.id >= FIRST_ID}
    assert resumed == {True}
    for one, other in zip(alone, several, strict=True):
        assert one.answer is not None and other.answer is not None
        assert one.answer.json()["choices"] == other.answer.json()["choices"]


def test_that_a_port_that_is_taken_is_told(driver: Driver) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        shown = page(driver)
        driver.engine.change_settings(Settings(serve=True, serve_port=taken.getsockname()[1]))
        driver.wait(lambda: bool(driver.window.serving.problem))
        assert "Choose another port" in shown.state.text() and not shown.copy_address.isEnabled()


def test_that_serving_keeps_room_for_grammars(driver: Driver) -> None:
    shown = page(driver)
    driver.engine.change_settings(Settings(serve=True, serve_port=free_port()))
    driver.wait(lambda: bool(driver.window.serving.address))
    assert "Open the model again" in shown.state.text()
    driver.engine.load()
    driver.wait_ready()
    load = driver.last(LoadModel)
    assert isinstance(load, LoadModel) and load.config.programs
    driver.wait(lambda: shown.state.text() == "Programs can ask now.")
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"enum": ["a", "b"]}}}
    asking = Asking(driver.window.serving.address, response_format=form)
    driver.wait(asking.ended)
    assert asking.answer is not None
    assert asking.answer.json()["choices"][0]["message"]["content"] in ('"a"', '"b"')


def test_that_the_page_can_be_used_without_a_mouse(qtbot: QtBot) -> None:
    dialog = SettingsDialog(Settings(expert=True), Sampling())
    qtbot.addWidget(dialog)
    names = [w.accessibleName() for w in dialog.programs.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
    wanted = {"Serve the open model to other programs", "Address for programs", "Port", "Programs need a key", "What programs have asked"}
    assert wanted <= set(names)


def under_way(driver: Driver) -> int:
    """Tokens of the program's answer so far."""
    return sum(drawn(driver))


def drawn(driver: Driver) -> list[int]:
    """Tokens of each program's answer so far."""
    server = driver.window.serving._server
    return [len(ticket.ids) for ticket in server._routes.desk._current] if server is not None else []


def free_port() -> int:
    import socket

    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])


def refused(port: int) -> bool:
    try:
        httpx.get(f"http://127.0.0.1:{port}/health", timeout=5)
    except httpx.ConnectError:
        return True
    return False


def test_that_clicks_in_haste_leave_one_server(driver: Driver) -> None:
    serving, on = driver.window.serving, Settings(serve=True, serve_port=free_port())
    driver.engine.change_settings(on)
    while serving._newest is None:  # made, and not taken up, since the window does nothing meanwhile
        time.sleep(0.01)
    driver.engine.change_settings(Settings())
    driver.engine.change_settings(on)
    driver.wait(lambda: bool(serving.address or serving.problem))
    assert serving.address and not serving.problem
    asking = Asking(serving.address, max_tokens=3)
    driver.wait(asking.ended)
    assert asking.answer is not None and asking.answer.status_code == 200 and not serving.problem
