"""The wizard in a real window with the real fetcher, driven by keys and the mouse."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.wizard.card import Card
from app.wizard.control import WizardControl
from app.wizard.pulls import Item, Stage
from app.wizard.state import Page
from app.wizard.wizard import Wizard
from engine.requests import FetchRequest
from tests.app.window import Driver

OLMOE = "allenai/OLMoE-1B-7B-0924-Instruct"
SLOW = 20_000  # bytes a second: more than a minute for the tiny model, so that no test meets its end by chance
R = TypeVar("R", bound=FetchRequest)


class WizardDriver(Driver):
    """asked: everything that was posted to the fetcher."""

    def __init__(self, qtbot: QtBot) -> None:
        super().__init__(qtbot, None)
        self.host = self.window.wizard
        self.asked: list[FetchRequest] = []
        post = self.host.fetching.post

        def noted(request: FetchRequest) -> None:
            self.asked.append(request)
            post(request)

        self.host.fetching.post = noted  # type: ignore[method-assign]

    @property
    def wizard(self) -> Wizard:
        assert self.host.wizard is not None
        return self.host.wizard

    @property
    def control(self) -> WizardControl:
        return self.host.control

    @property
    def page(self) -> Page:
        return self.control.place.page

    @property
    def item(self) -> Item:
        return self.host.pulls.items[0]

    @property
    def card(self) -> Card:
        return next(iter(self.wizard.progress.cards.values()))

    def latest(self, kind: type[R]) -> R:
        return next(r for r in reversed(self.asked) if isinstance(r, kind))

    def open_wizard(self) -> None:
        """Press the button of the first start."""
        self.click(self.main.welcome.get)
        self.qtbot.waitExposed(self.wizard)
        self.wait(lambda: bool(self.control.volumes) and self.control.volume is not None and bool(self.control.hub))

    def next(self) -> None:
        self.wait(self.wizard.next.isEnabled)
        self.click(self.wizard.next)

    def to_options(self, repository: str) -> None:
        """From the start to the options of a repository."""
        self.open_wizard()
        self.next()
        tabs = self.wizard.model.tabs
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
        self.wait(self.wizard.model.repository.hasFocus)
        QTest.keyClicks(self.wizard.model.repository, repository)
        self.next()
        assert self.page is Page.OPTIONS
        self.wait(lambda: not self.control.state.looking and (self.control.state.looked or self.control.state.problem) is not None)

    def to_progress(self, repository: str = "owner/tiny", start_now: bool = False) -> None:
        """To a download that has begun."""
        self.to_options(repository)
        if start_now != self.wizard.options.start_now.isChecked():
            self.key(Qt.Key.Key_Space, self.wizard.options.start_now)
        self.next()
        assert self.page is Page.PROGRESS and self.item.stage is Stage.RUNNING

    def key(self, key: Qt.Key, widget: QWidget | None = None) -> None:
        QTest.keyClick(widget or QApplication.focusWidget() or self.wizard, key)

    def wait_stage(self, stage: Stage) -> None:
        self.wait(lambda: self.item.stage is stage)

    def wait_flowing(self) -> None:
        """Until bytes have come, and not all of them."""
        self.wait(lambda: self.item.progress is not None and self.item.progress.state == "downloading" and self.item.progress.done > 0)


@contextmanager
def window(qtbot: QtBot) -> Iterator[WizardDriver]:
    driver = WizardDriver(qtbot)
    try:
        yield driver
    finally:
        driver.close()


def target(home: Path, name: str = "tiny") -> Path:
    return home / "models" / f"{name}.ouzel"
