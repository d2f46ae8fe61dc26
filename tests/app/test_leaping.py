"""Going to messages of a long conversation that are not built yet."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.looks.theme import LIGHT
from app.transcript.turn import Turn
from app.transcript.view import TranscriptView
from tests.app.test_long_chat import seen, talk
from tests.app.test_transcript import html, settle


@pytest.fixture
def far(view: TranscriptView, monkeypatch: pytest.MonkeyPatch) -> TranscriptView:
    """A conversation whose end is there and whose beginning is not, and is far."""
    monkeypatch.setattr("app.transcript.leaping.NEAR_BY", 2000)
    view.show_turns(talk())
    view._filler.complete(view._is_full)  # on a busy machine the first moment does not fill the window
    return view


def whole(view: TranscriptView, turns: list[Turn], qtbot: QtBot) -> bool:
    """Whether it is in the end as one that grew."""
    settle(view, qtbot)
    other = TranscriptView(LIGHT)
    qtbot.addWidget(other)
    other.resize(700, 500)
    for turn in turns:
        other._chat.add(turn)
    return html(view) == html(other)


def test_that_a_message_far_up_is_gone_to_without_what_is_between(far: TranscriptView, qtbot: QtBot) -> None:
    far.go_to(20)
    row, bar = far.row_rect(20), far.verticalScrollBar()
    assert row is not None and 0 < row.top() < far.viewport().height()
    text = far.toPlainText()
    assert "answer 20 is" in text and "answer 40 is" not in text and "answer 60 is" not in text
    far.setTextCursor(far.document().find("answer 20"))
    before = seen(far)
    assert far.findChild(QToolButton, "latest").isVisible()
    assert whole(far, talk(), qtbot)
    after = seen(far)
    assert after[0] == before[0] and abs(after[1] - before[1]) <= 1
    assert far.textCursor().selectedText() == "answer 20" and 0 < bar.value() < bar.maximum()


def test_that_the_beginning_far_up_is_there_at_once_and_the_end_again(far: TranscriptView, qtbot: QtBot) -> None:
    far.setFocus()
    QTest.keyClick(far, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert far.verticalScrollBar().value() == 0 and far.toPlainText().startswith("question 1 is") and not far.settled
    QTest.keyClick(far, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert "answer 60 is" in far.toPlainText() and far.at_end
    QTest.keyClick(far, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    QTest.mouseClick(far.findChild(QToolButton, "latest"), Qt.MouseButton.LeftButton)
    assert "answer 60 is" in far.toPlainText() and far.at_end
    QTest.keyClick(far, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert whole(far, talk(), qtbot) and far.verticalScrollBar().value() == 0


def test_that_all_can_be_chosen_and_a_message_sent_while_the_end_is_missing(far: TranscriptView, qtbot: QtBot) -> None:
    far.go_to(20)
    QTest.keyClick(far, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    settle(far, qtbot)
    chosen = far.textCursor().selectedText()
    assert chosen.startswith("question 1 is") and "answer 60 is" in chosen
    far.show_turns(talk()[:-1])
    far.show_turns(talk(), found=4)  # a hit of a search
    assert "answer 4 is" in far.toPlainText()
    far.add_user(last := Turn(101, True, "one more"))
    assert far.at_end and "one more" in far.toPlainText()
    assert whole(far, [*talk(), last], qtbot)


def test_that_a_search_opens_a_conversation_at_what_was_found(view: TranscriptView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.transcript.leaping.NEAR_BY", 2000)
    view.show_turns(talk(), found=20)
    row = view.row_rect(20)
    assert row is not None and 0 < row.top() < view.viewport().height() and "answer 60 is" not in view.toPlainText()
    view.show_turns([*talk()[:-1], changed := Turn(60, False, "another end", "model", "note")])
    row = view.row_rect(20)
    assert row is not None and 0 < row.top() < view.viewport().height()
    assert whole(view, [*talk()[:-1], changed], qtbot)


def test_that_it_goes_far_while_an_answer_is_written_which_is_there_in_the_end(far: TranscriptView, qtbot: QtBot) -> None:
    far.add_user(Turn(101, True, "one more"))
    far.begin_answer(102, "model")
    far.think("hm", 2.0)
    far.append("Some **text**")
    far.go_to(20)
    row, before = far.row_rect(20), far.verticalScrollBar().value()
    assert row is not None and 0 < row.top() < far.viewport().height() and "answer 60 is" not in far.toPlainText()
    far.append(" and more")
    assert far.verticalScrollBar().value() == before and "and more" not in far.toPlainText()
    settle(far, qtbot)
    assert far.toPlainText().rstrip().endswith("Some text and more")
    assert not far.at_end
    far.append(".\n\nThe end")
    far._filler.complete()
    far.setFocus()
    far.show_turns([*talk(), Turn(101, True, "one more")], found=4)  # a hit of a search
    far.begin_answer(102, "model")
    far.think("hm", 2.0)
    far.append("Some **text** and more")
    assert "answer 4 is" in far.toPlainText() and "and more" not in far.toPlainText()
    last = Turn(102, False, "Some **text** and more.", "model", "note", thought="hm", seconds=2.0)
    far.append(".")
    far.finish_answer(last)
    assert "and more" not in far.toPlainText()
    assert whole(far, [*talk(), Turn(101, True, "one more"), last], qtbot)


def test_that_the_way_back_to_an_answer_that_is_written_follows_it(far: TranscriptView) -> None:
    far.begin_answer(102, "model")
    far.append("Some text")
    QTest.keyClick(far, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert far.verticalScrollBar().value() == 0 and far.toPlainText().startswith("question 1 is") and "Some text" not in far.toPlainText()
    far.append(" and more")
    QTest.mouseClick(far.findChild(QToolButton, "latest"), Qt.MouseButton.LeftButton)
    assert far.at_end and far.toPlainText().endswith("Some text and more")
    far.append(", and the end")
    assert far.at_end and far.toPlainText().endswith("and the end")
