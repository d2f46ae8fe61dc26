"""The whole window with the real worker, for tests: opened on a home folder, driven by input events, closed as a person closes it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.main import Window, prepare
from app.settings import Settings
from app.state import Phase
from engine.requests import Generate, LoadModel, Request
from engine.stats import AnswerStats

LONG = Settings(temperature=0, max_tokens=300)
SHORT = Settings(temperature=0, max_tokens=8)
PATIENCE = 180_000  # ms, for a machine that has other things to do


class Driver:
    """One open window and what a person does with it. requests: everything that was posted to the worker."""

    def __init__(self, qtbot: QtBot, model: Path | None, safe: bool = False, fault: str = "") -> None:
        self.qtbot = qtbot
        self.window = Window(prepare(["ouzel"]))
        self.main, self.engine, self.chats = self.window.main, self.window.engine, self.window.chats
        self.requests: list[Request] = []
        post = self.window.bridge.post

        def noted(request: Request) -> None:
            self.requests.append(request)
            post(request)

        self.window.bridge.post = noted  # type: ignore[method-assign]
        self.finished: list[AnswerStats] = []
        self.engine.answered.connect(lambda event: self.finished.append(event.stats) if hasattr(event, "stats") else None)
        self.window.start(model, safe, fault)
        qtbot.waitExposed(self.main)

    @property
    def phase(self) -> Phase:
        return self.engine.state.phase

    def wait(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=PATIENCE)

    def wait_ready(self) -> None:
        self.wait(lambda: self.phase is Phase.READY)

    def say(self, text: str) -> None:
        """Type a message and send it."""
        field = self.main.composer.field
        field.setFocus()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def ask(self, text: str) -> str:
        """Type a message, send it, wait for the answer's end; the answer."""
        before = len(self.finished)
        self.say(text)
        self.wait(lambda: len(self.finished) > before and self.phase is Phase.READY)
        return self.main.transcript.turns[-1].text

    def click(self, button: QWidget) -> None:
        assert button.isVisible() and button.isEnabled()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def press(self, label: str, inside: QWidget) -> None:
        """Click the visible button of that label."""
        self.click(next(b for b in inside.findChildren(QPushButton) if b.text() == label and b.isVisible()))

    def last(self, kind: type[Generate] | type[LoadModel]) -> Request:
        """The latest request of that kind."""
        return next(r for r in reversed(self.requests) if isinstance(r, kind))

    def close(self) -> None:
        """Close the window and wait until nothing of it is left."""
        self.window.leaving.close_now()
        self.wait(lambda: self.chats.closed and not self.window.bridge.running)
        QApplication.processEvents()
        assert self.window.end()
        self.main.deleteLater()
        QApplication.sendPostedEvents(None, 0)
        QApplication.processEvents()


@contextmanager
def opened(qtbot: QtBot, model: Path | None = None, safe: bool = False, fault: str = "") -> Iterator[Driver]:
    driver = Driver(qtbot, model, safe, fault)
    try:
        yield driver
    finally:
        driver.close()


class Watchdog(QObject):
    """Measures how late a 10 ms timer of the GUI thread comes at most, in milliseconds."""

    def __init__(self) -> None:
        super().__init__()
        self.latest = 0.0
        self._last = monotonic()
        self._timer = QTimer(self, interval=10, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now = monotonic()
        self.latest = max(self.latest, (now - self._last) * 1000 - 10)
        self._last = now

    def stop(self) -> None:
        self._timer.stop()
