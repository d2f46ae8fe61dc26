"""What a person tries who has never seen the window: Return with nothing that could answer, Escape from anywhere."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chats.options import ChatOptions
from app.state import Phase
from engine.requests import BuildStarter
from tests.app.window import Driver, opened

LONG = "Write a very long story about a river."  # its answers are cut long before they end


def test_that_return_without_a_model_says_what_is_missing_and_offers_it(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        d.main.model_bar.sidebar_button.setFocus()
        QTest.keyClick(d.main.model_bar.sidebar_button, "H")  # a button takes no letter, so it goes to the message
        d.say("ello there")
        assert d.main.notice.isVisible() and "no model yet" in d.main.notice.label.text()
        assert d.main.composer.field.toPlainText().lower() == "hello there"
        d.window.bridge.post = d.requests.append  # type: ignore[method-assign]  # nothing is fetched here
        d.click(d.main.notice.action)
        assert isinstance(d.requests[-1], BuildStarter)


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
