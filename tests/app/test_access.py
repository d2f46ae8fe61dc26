"""The pages beside the main window for people who use the keyboard or a screen reader: all named, all reached by Tab."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from app.safe_mode import Earlier
from tests.app.test_window import controls
from tests.app.window import Driver, opened


def settings(d: Driver) -> QWidget:
    d.main.show_settings()
    assert d.main.dialog is not None
    return d.main.dialog


def options(d: Driver) -> QWidget:
    d.main.desk.show_options()
    assert d.main.desk.dialog is not None
    return d.main.desk.dialog


def help_window(d: Driver) -> QWidget:
    d.window.help.show(0)
    assert d.window.help.window is not None
    return d.window.help.window


def crash(d: Driver) -> QWidget:
    d.window.help.show_crash("Something went wrong.", "ValueError")
    assert d.window.help.crash is not None
    return d.window.help.crash


def careful(d: Driver) -> QWidget:
    d.window.careful.ask(Earlier("opening", "a.ouzel"))
    assert d.window.careful.box is not None
    return d.window.careful.box


def leaving(d: Driver) -> QWidget:
    d.window.leaving._ask("An answer is being written.")
    assert d.window.leaving.box is not None
    return d.window.leaving.box


def engine_page(d: Driver) -> QWidget:
    d.main.engine_asked.emit()
    return d.main


@pytest.mark.parametrize("make", [settings, options, help_window, crash, careful, leaving, engine_page])
def test_that_every_control_is_named_and_reached_by_tab(qtbot: QtBot, make: Callable[[Driver], QWidget], ouzel_home: Path) -> None:
    with opened(qtbot) as d:
        page = make(d)
        qtbot.waitExposed(page)
        tabs = page.findChild(QTabWidget)
        count = tabs.count() if tabs is not None else 1
        for at in range(count):
            if tabs is not None:
                tabs.setCurrentIndex(at)
                QApplication.processEvents()
            walk(page)
        page.close()


def walk(page: QWidget) -> None:
    found = [w for w in controls(page) if w.isVisible()]
    assert [f"{type(w).__name__} {w.objectName()}" for w in found if not w.accessibleName()] == []
    wanted = {w for w in found if w.isEnabled() and w.focusPolicy() & Qt.FocusPolicy.TabFocus}
    assert wanted
    next(iter(wanted)).setFocus()
    reached: set[QWidget] = set()
    for _ in range(80):
        focused = page.focusWidget()
        assert focused is not None
        reached.add(focused)
        QApplication.sendEvent(focused, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier, "\t"))
    assert {f"{type(w).__name__} {w.accessibleName()}" for w in wanted - reached} == set()
