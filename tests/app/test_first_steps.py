"""What a person tries who has never seen the window: Return with nothing that could answer, Escape from anywhere."""

import sqlite3
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.chats.options import ChatOptions
from app.looks.theme import Theme
from app.state import Phase
from app.views.chat_list import ChatView, Row
from engine import paths
from engine.requests import BuildStarter, LoadModel
from tests.app.window import Driver, opened

LONG = "Write a very long story about a river."  # its answers are cut long before they end


def test_that_return_without_a_model_says_what_is_missing_and_offers_it(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(qtbot) as d:
        d.main.model_bar.sidebar_button.setFocus()
        QTest.keyClick(d.main.model_bar.sidebar_button, Qt.Key.Key_H)  # a button takes no letter, so it goes to the message
        d.say("ello there")
        assert d.main.notice.isVisible() and "no model yet" in d.main.notice.label.text()
        assert d.main.composer.field.toPlainText().lower() == "hello there"
        monkeypatch.setattr(d.window.bridge, "post", d.requests.append)  # nothing is fetched here
        d.click(d.main.notice.action)
        assert isinstance(d.requests[-1], BuildStarter)


def test_that_return_leaves_what_helps_with_a_model_that_failed(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        d.press("Unload", d.main.model_bar)
        d.wait(lambda: d.phase is Phase.IDLE)
        d.main.notice.alarm("It is damaged.", "Repair", lambda: None)
        d.say("Hello")
        assert d.main.notice.label.text() == "It is damaged."
        d.main.notice.hide()
        d.say("")
        assert "has to be loaded" in d.main.notice.label.text()


def test_that_return_while_an_answer_comes_keeps_the_text_and_escape_in_the_conversation_stops(driver: Driver) -> None:
    d, view = driver, driver.main.transcript
    d.chats.set_options(ChatOptions(temperature=0, max_tokens=6000))
    d.say(LONG)
    d.wait(lambda: d.phase is Phase.WRITING)
    d.say("And then?")
    assert "still being written" in d.main.notice.label.text() and d.main.composer.field.toPlainText() == "And then?"
    d.wait(lambda: len(view.answer) > 40)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    d.wait(lambda: d.phase is Phase.READY)
    assert d.finished[-1].reason == "cancelled"


def test_that_a_key_that_is_held_down_stops_nothing_and_the_right_alt_key_writes(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(qtbot) as d:
        stops: list[None] = []
        monkeypatch.setattr(d.main.composer, "_stop", lambda: stops.append(None))
        d.main.composer._shows_stop = True
        button, field = d.main.model_bar.sidebar_button, d.main.composer.field
        for at in (button, field):
            at.setFocus()
            for again in (True, False):
                none = Qt.KeyboardModifier.NoModifier
                QApplication.sendEvent(at, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, none, "", autorep=again))
                assert len(stops) == (at is field) + (not again)
        button.setFocus()
        held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        QApplication.sendEvent(button, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_At, held, "@"))
        assert field.toPlainText() == "@"
        d.main.composer._shows_stop = False


def test_that_going_on_with_an_answer_follows_it_and_the_next_message_can_be_typed(driver: Driver) -> None:
    d, view = driver, driver.main.transcript
    d.main.resize(d.main.minimumSize())
    d.chats.set_options(ChatOptions(temperature=0, max_tokens=6))
    d.ask(LONG)
    d.chats.set_options(ChatOptions(temperature=0, max_tokens=300))
    d.wait(lambda: view.settled)
    view._pinned = False  # as after scrolling in a version that was longer
    view.message_actions.hover(view.turns[-1].number)
    before = len(d.finished)
    d.click(view.bar.buttons["continue"])
    assert d.main.composer.field.hasFocus()
    d.wait(lambda: len(d.finished) > before and d.phase is Phase.READY and view.settled)
    QApplication.processEvents()
    assert view.verticalScrollBar().maximum() > 0 and view.at_end


def test_that_the_dots_of_a_chat_open_its_menu_and_leave_the_shown_one(qtbot: QtBot, theme: Theme) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    view = ChatView(theme, owner)
    view.show_rows([Row(1, "One"), Row(2, "Two")], 1)
    view.resize(228, 400)
    asked: list[Row | None] = []
    chosen: list[Row] = []
    view.customContextMenuRequested.connect(lambda at: asked.append(view.row_at(at)))
    view.chosen.connect(chosen.append)
    row = view.visualRect(view.chats.place(2))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(row.right() - 14, row.center().y()))
    assert asked == [Row(2, "Two")] and not chosen and view.currentIndex() == view.chats.place(1)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert chosen == [Row(2, "Two")] and len(asked) == 1


def test_that_chats_that_are_not_kept_stay_told(qtbot: QtBot, ouzel_home: Path) -> None:
    ouzel_home.mkdir(exist_ok=True)
    db = sqlite3.connect(ouzel_home / "chats.db")
    db.execute("PRAGMA user_version = 9999")
    db.close()
    with opened(qtbot) as d:
        notice = d.main.notice
        notice.note("Something else.")
        d.main.desk.send("Hello")
        assert notice.isVisible() and "not kept" in notice.label.text()
        d.click(notice.close_button)
        assert not notice.isVisible()
        d.main.desk.send("Hello")
        assert "not kept" not in notice.label.text() or not notice.isVisible()


def test_that_a_model_that_went_away_is_still_named(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        gone = starter_home.with_name("zz.ouzel")
        d.engine.choose(gone)
        d.wait(lambda: d.phase is not Phase.LOADING and d.main.notice.isVisible())
        choice = d.main.model_bar.choice
        assert choice.currentIndex() == -1 and choice.placeholderText() == "zz"


def test_that_nothing_takes_the_place_of_a_model_that_is_gone(qtbot: QtBot, starter_home: Path) -> None:
    paths.remember_model(starter_home.with_name("away.ouzel"))
    with opened(qtbot) as d:
        d.wait(d.main.notice.isVisible)
        assert d.main.notice.label.text().startswith("away, which was open last, is not there")
        assert d.phase is Phase.IDLE and not any(isinstance(r, LoadModel) for r in d.requests)
