"""The starter model and another hub, chosen in the wizard."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.wizard.pulls import Stage
from app.wizard.remedies import Remedy
from app.wizard.state import STARTER, Page
from engine import paths
from engine.cancel import CancelToken
from engine.errors import EngineError
from engine.requests import BuildStarter, LoadModel, LookUp
from engine.setup import network
from tests.app.wizard.driving import WizardDriver, window
from tests.hub.server import Hub

Progress = Callable[[str, int, int], None]


def choose_starter(d: WizardDriver) -> None:
    d.open_wizard()
    d.next()
    d.wait(lambda: d.control.state.survey is not None)
    keys = [r.key for r in d.wizard.model.rows.rows]
    d.key(Qt.Key.Key_Home, d.wizard.model.rows)
    for _ in range(keys.index(STARTER)):
        d.key(Qt.Key.Key_Down, d.wizard.model.rows)
    assert d.wizard.next.text() == "Set it up"
    d.next()


def test_that_the_starter_is_built_shown_and_opened(qtbot: QtBot, starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = [False]

    def build(target: Path, progress: Progress, cancel: CancelToken, apart: bool) -> None:
        progress("download", 46_000_000, 93_000_000)
        while not go_on[0]:
            cancel.check()
            time.sleep(0.01)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(starter, target)

    monkeypatch.setattr("engine.worker.worker.build_starter", build)
    with window(qtbot) as d:
        choose_starter(d)
        assert any(isinstance(r, BuildStarter) and r.target == paths.starter_path() for r in d.requests)
        d.wait(lambda: d.page is Page.PROGRESS and "46 MB of 93 MB" in d.card.state.text())
        assert d.card.title.text() == "Starter model" and not d.card.pause.isVisible()
        d.click(d.card.discard)
        d.wait(lambda: d.page is Page.MODEL)
        assert not paths.starter_path().exists() and d.wizard.progress.cards == {}
        go_on[0] = True
        d.next()
        d.wait_ready()
        assert not d.wizard.isVisible()
        load = d.last(LoadModel)
        assert isinstance(load, LoadModel) and load.config.model == paths.starter_path()


def test_that_a_starter_that_fails_can_be_tried_again(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Path] = []

    def build(target: Path, progress: Progress, cancel: CancelToken, apart: bool) -> None:
        tries.append(target)
        raise EngineError("The network cannot be reached. Connect and try again.")

    monkeypatch.setattr("engine.worker.worker.build_starter", build)
    with window(qtbot) as d:
        choose_starter(d)
        d.wait(d.wizard.trouble.isVisible)
        assert "cannot be reached" in d.wizard.trouble.label.text() and d.page is Page.MODEL
        d.click(d.wizard.trouble.button(Remedy.RETRY))
        d.wait(lambda: len(tries) == 2)
        d.wait(d.wizard.trouble.isVisible)


def test_that_another_hub_is_asked_from_then_on(qtbot: QtBot, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_ENDPOINT")
    with window(qtbot) as d:
        d.open_wizard()
        d.next()
        tabs = d.wizard.model.tabs
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
        field = d.wizard.model.endpoint
        assert field.isEnabled() and field.text() == network.ENDPOINT
        QTest.keyClicks(d.wizard.model.repository, "owner/tiny")
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, "nonsense")
        d.key(Qt.Key.Key_Return, field)
        d.wait(d.wizard.trouble.isVisible)
        assert "address of the hub" in d.wizard.trouble.label.text() and d.page is Page.MODEL
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, hub.url)
        d.key(Qt.Key.Key_Return, field)
        d.wait(lambda: d.control.state.looked is not None)
        assert network.settings().endpoint == hub.url and d.latest(LookUp).source == "owner/tiny"
        d.next()
        d.wait_stage(Stage.READY)
