"""Closing while something works: asked first, and then done at once."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.settings import load
from app.state import Phase
from engine.requests import PullModel
from tests.app.test_end_to_end import LONG, limit
from tests.app.window import Driver, opened


def ask(d: Driver) -> QMessageBox:
    d.main.close()
    box = d.window.leaving.box
    assert box is not None and box.isVisible() and d.main.isVisible()
    assert all(b.accessibleName() for b in box.buttons())
    return box


def press(box: QMessageBox, label: str) -> None:
    QTest.mouseClick(next(b for b in box.buttons() if b.text() == label), Qt.MouseButton.LeftButton)


def test_that_closing_over_an_answer_asks_and_staying_lets_it_go_on(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        limit(d, None)
        d.say(LONG)
        d.wait(lambda: len(d.main.transcript.answer) > 10)
        box = ask(d)
        assert box.defaultButton().text() == "Stay", "Return must not end an answer"
        d.main.close()
        assert d.window.leaving.box is box, "asked once"
        press(box, "Stay")
        grown = len(d.main.transcript.answer)
        d.wait(lambda: len(d.main.transcript.answer) > grown or d.phase is Phase.READY)
        assert d.main.isVisible()
        if d.phase is Phase.READY:
            d.say(LONG)
            d.wait(lambda: d.phase is Phase.WRITING)
        box = ask(d)
        box.checkBox().setChecked(True)
        press(box, "Quit")
        d.wait(lambda: d.chats.closed and not d.window.bridge.running)
        assert not d.main.isVisible()
    assert load(ouzel_home / "window.json").ask_quit is False


def test_that_at_rest_and_while_loading_nothing_is_asked(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait(lambda: d.phase in (Phase.LOADING, Phase.READY))
        d.main.close()
        assert d.window.leaving.box is None and d.phase is Phase.CLOSING


def test_that_the_setting_switches_the_question_off(qtbot: QtBot, ouzel_home: Path) -> None:
    (ouzel_home / "window.json").write_text('{"ask_quit": false}')
    with opened(qtbot) as d:
        d.window.wizard.fetching.post = lambda request: None
        d.window.wizard.pulls.begin(PullModel(0, "owner/a", Path("/m/a.ouzel")))
        assert d.window.leaving.may_close()


def test_that_a_model_that_comes_is_asked_about_and_a_paused_one_is_not(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        d.window.wizard.fetching.post = lambda request: None
        d.window.wizard.pulls.begin(PullModel(0, "owner/a", Path("/m/a.ouzel")))
        assert "fetched" in ask(d).informativeText()
        press(d.window.leaving.box, "Stay")
        d.window.wizard.pulls.items = ()
        assert d.window.leaving.may_close()
