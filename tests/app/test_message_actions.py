"""What can be done with a message in the transcript, by mouse and by keyboard; thoughts; versions; what stays in its place."""


import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.looks import icons
from app.looks.theme import DARK, LIGHT
from app.transcript.document import Turn
from app.transcript.thoughts import label
from app.transcript.view import TranscriptView
from tests.app.samples import SAMPLE
from tests.app.test_transcript import click_on, html, settle

TALK = (
    Turn(1, True, "First question"),
    Turn(2, False, "First answer.", "model", "note"),
    Turn(3, True, "Second question", files=("notes.txt · 5 characters",)),
    Turn(4, False, "Cut answer", "model", "Stopped", cut=True),
)


@pytest.fixture
def talk(view: TranscriptView, qtbot: QtBot) -> TranscriptView:
    view.show_turns(TALK)
    settle(view, qtbot)
    return view


def asked_of(view: TranscriptView) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    view.action_asked.connect(lambda name, number: found.append((name, number)))
    return found


def hover(view: TranscriptView, word: str) -> None:
    at = view.cursorRect(view.document().find(word)).center()
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(at),
        view.viewport().mapToGlobal(QPointF(at)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view.viewport(), event)


def shown(view: TranscriptView) -> list[str]:
    return [name for name, button in view.bar.buttons.items() if button.isVisible()]


def click(view: TranscriptView, name: str) -> None:
    QTest.mouseClick(view.bar.buttons[name], Qt.MouseButton.LeftButton)


def test_that_the_bar_lies_under_the_last_message_until_the_mouse_is_over_another(talk: TranscriptView) -> None:
    assert talk.bar.isVisible() and shown(talk) == ["copy", "again", "continue", "delete"]
    low = talk.bar.y()
    hover(talk, "First question")
    assert talk.bar.y() < low and shown(talk) == ["copy", "edit", "delete"]
    hover(talk, "First answer")
    assert shown(talk) == ["copy", "again", "delete"]
    row = talk.row_rect(2)
    assert row is not None and 0 <= talk.bar.y() - talk.viewport().y() - row.top() <= 6
    QApplication.sendEvent(talk, QEvent(QEvent.Type.Leave))
    assert talk.bar.y() == low


def test_that_the_buttons_grow_with_the_text(talk: TranscriptView, qapp: QApplication) -> None:
    button, before = talk.bar.buttons["copy"], talk.document().size().height()
    side, size = button.iconSize().width(), button.size()
    try:
        qapp.setProperty(icons.SCALE, 1.5)
        talk.set_theme(LIGHT)
        assert button.iconSize().width() >= 1.45 * side and button.width() >= 1.45 * size.width()
        more = talk.document().size().height() - before  # in the lines under the messages, which have room for them
        assert button.height() >= 1.45 * size.height() and more >= len(TALK) * (button.height() - size.height()) - 2
        assert button.icon().availableSizes()[0].width() >= button.iconSize().width()
        assert talk.copy_button.iconSize().width() >= 1.45 * side
    finally:
        qapp.setProperty(icons.SCALE, 1.0)


def test_that_each_button_asks_for_its_action_on_its_message(talk: TranscriptView) -> None:
    asked = asked_of(talk)
    for name in ("again", "continue", "delete"):
        click(talk, name)
    hover(talk, "Second question")
    click(talk, "edit")
    click(talk, "copy")
    assert asked == [("again", 4), ("continue", 4), ("delete", 4), ("edit", 3)]
    assert QGuiApplication.clipboard().text() == "Second question"


def test_that_the_keyboard_reaches_every_action_of_every_message(talk: TranscriptView) -> None:
    asked, alt = asked_of(talk), Qt.KeyboardModifier.AltModifier
    talk.setFocus()
    QTest.keyClick(talk, Qt.Key.Key_Up, alt)
    assert talk.focusWidget() is talk.bar.buttons["copy"] and talk.message_actions.number == 4
    for _ in range(3):
        QTest.keyClick(talk.focusWidget(), Qt.Key.Key_Right)
    QTest.keyClick(talk.focusWidget(), Qt.Key.Key_Space)
    QTest.keyClick(talk.focusWidget(), Qt.Key.Key_Escape)
    assert talk.hasFocus()
    for _ in range(2):
        QTest.keyClick(talk, Qt.Key.Key_Up, alt)
        talk.setFocus()
    QTest.keyClick(talk, Qt.Key.Key_Down, alt)
    assert talk.message_actions.number == 4
    for _ in range(9):
        QTest.keyClick(talk, Qt.Key.Key_Up, alt)
    assert talk.message_actions.number == 1 and shown(talk) == ["copy", "edit", "delete"]
    QTest.keyClick(talk.bar.buttons["copy"], Qt.Key.Key_Right)
    QTest.keyClick(talk.focusWidget(), Qt.Key.Key_Space)
    assert asked == [("delete", 4), ("edit", 1)]
    assert all(b.accessibleName() and b.toolTip() for b in talk.bar.buttons.values())


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # the offscreen platform's noise
def test_that_the_context_menu_has_the_same_actions(talk: TranscriptView) -> None:
    asked = asked_of(talk)
    at = talk.cursorRect(talk.document().find("First answer")).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, talk.viewport().mapToGlobal(at))
    QApplication.sendEvent(talk.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    labels = {a.text(): a for a in menu.actions()}
    labels["Answer again"].trigger()
    labels["Copy message as Markdown"].trigger()
    menu.close()
    assert asked == [("again", 2)] and QGuiApplication.clipboard().text() == "First answer."


def test_that_while_an_answer_is_written_only_copying_is_possible(talk: TranscriptView) -> None:
    talk.begin_answer(5, "model")
    talk.message_actions.set_free(False)
    assert not talk.bar.isVisible()
    hover(talk, "First answer")
    assert talk.bar.isVisible() and [n for n, b in talk.bar.buttons.items() if b.isVisible() and b.isEnabled()] == ["copy"]


@pytest.mark.qt_log_ignore("not accepted by receiving widget", extend=True)  # a click beside a link
def test_that_versions_are_told_and_arrows_ask_for_the_others(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_turns([Turn(1, True, "question", branch=(1, 2)), Turn(7, False, "answer", "model", branch=(2, 3))])
    settle(view, qtbot)
    assert "1 of 2" in view.toPlainText() and "2 of 3" in view.toPlainText()
    asked: list[tuple[int, int]] = []
    view.branch_asked.connect(lambda number, step: asked.append((number, step)))
    rows = [view.document().find("2 of 3"), view.document().find("1 of 2")]
    for found in rows:
        row = found.block()
        for char in "‹›":
            cursor = view.document().find(char, row.position())
            view.setTextCursor(cursor)
            cursor.setPosition(cursor.selectionStart())
            QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cursorRect(cursor).center() + QPoint(2, 0))
    assert asked == [(7, -1), (7, 1), (1, 1)], "there is nothing before the first version"


def test_that_an_answer_cannot_have_the_windows_own_links(view: TranscriptView, qtbot: QtBot) -> None:
    asked: list[object] = []
    view.branch_asked.connect(lambda *a: asked.append(a))
    view.all_asked.connect(lambda: asked.append("all"))
    view.show_turns([Turn(1, False, "[go](branch:1:1) and [all](all:0) and [other](ouzel-0:branch:1:1)", "model")])
    settle(view, qtbot)
    for word in ("go", "all", "other"):
        with qtbot.waitSignal(view.link_asked):
            click_on(view, word)
    assert asked == []


THOUGHT = "First I count.\n\nThen I count **again**.\nDone."


@pytest.mark.parametrize("unfolded", [False, True])
def test_that_a_streamed_thought_ends_up_as_one_shown_at_once(view: TranscriptView, qtbot: QtBot, unfolded: bool) -> None:
    turn = Turn(5, False, SAMPLE, "model", "note", THOUGHT, 12.4)
    if unfolded:
        view._chat.unfolded.add(5)
    view.begin_answer(5, "model")
    for n in range(0, len(THOUGHT), 6):
        view.think(THOUGHT[n : n + 6], n / 5)
    assert "Thinking…" in view.toPlainText() and ("count" in view.toPlainText()) is unfolded
    for n in range(0, len(SAMPLE), 11):
        view.append(SAMPLE[n : n + 11])
    view.finish_answer(turn)
    settle(view, qtbot)
    other = TranscriptView(LIGHT)
    qtbot.addWidget(other)
    if unfolded:
        other._chat.unfolded.add(5)
    other.show_turns([turn])
    settle(other, qtbot)
    assert "Thought for 12 s" in view.toPlainText()
    assert view.toPlainText() == other.toPlainText() and html(view) == html(other)


def test_that_a_thought_unfolds_and_folds_by_its_line(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_turns([Turn(1, True, "q"), Turn(2, False, "The answer.", "model", "note", THOUGHT, 3.0), Turn(3, True, "after")])
    settle(view, qtbot)
    folded = view.toPlainText()
    assert "First I count" not in folded
    click_on(view, "Thought for")
    assert "First I count." in view.toPlainText() and "Then I count **again**." in view.toPlainText()
    assert view.toPlainText().index("Done.") < view.toPlainText().index("The answer.")
    view.set_theme(DARK)
    settle(view, qtbot)
    assert "First I count." in view.toPlainText(), "it stays unfolded"
    click_on(view, "Thought for")
    assert view.toPlainText() == folded


def test_that_a_thought_can_be_unfolded_while_it_is_thought(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_answer(5, "model")
    view.think("One. ", 0.2)
    click_on(view, "Thinking")
    view.think("Two.\n\nThree.", 0.4)
    assert "One. Two." in view.toPlainText() and "Three." in view.toPlainText()
    click_on(view, "Thinking")
    view.think(" Four.", 0.6)
    assert "Three" not in view.toPlainText()
    click_on(view, "Thinking")
    assert "Three. Four." in view.toPlainText()
    view.append("Now the *answer*.")
    view.finish_answer(Turn(5, False, "Now the *answer*.", "model", "", "One. Two.\n\nThree. Four.", 0.6))
    settle(view, qtbot)
    text = view.toPlainText()
    assert text.count("Four.") == 1 and text.index("Four.") < text.index("Now the answer.")


TOLD = [(0.2, True, "Thinking…"), (0, False, "Thought"), (61, False, "Thought for 1 min 1 s")]


@pytest.mark.parametrize(("seconds", "going_on", "told"), TOLD)
def test_that_the_line_tells_the_time(qapp: object, seconds: float, going_on: bool, told: str) -> None:
    assert label(seconds, going_on) == told


def test_that_what_is_the_same_stays_in_its_place(view: TranscriptView, qtbot: QtBot) -> None:
    turns = [Turn(n, n % 2 == 0, f"message {n}\n\n```\ncode {n}\n```" if n % 2 else f"message {n}", "model", "note") for n in range(40)]
    view.show_turns(turns)
    settle(view, qtbot)
    other = TranscriptView(LIGHT)
    qtbot.addWidget(other)
    other.resize(view.size())
    changed = [*turns[:38], Turn(77, True, "edited", branch=(2, 2)), Turn(78, False, "another\n\n> end", "model", "note")]
    other.show_turns(changed)
    settle(other, qtbot)
    view.verticalScrollBar().setValue(300)
    view.show_turns(changed)
    settle(view, qtbot)
    assert view.toPlainText() == other.toPlainText() and html(view) == html(other)
    assert view.verticalScrollBar().value() == 300
    view.show_turns(changed[:3])
    settle(view, qtbot)
    other.show_turns(changed[:3])
    settle(other, qtbot)
    assert html(view) == html(other)


def test_that_a_found_message_is_gone_to(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_turns([Turn(n, n % 2 == 0, f"message {n} " * 30, "model") for n in range(60)], 21)
    settle(view, qtbot)
    row = view.row_rect(21)
    assert row is not None and 0 < row.top() < view.viewport().height()
    assert view.verticalScrollBar().value() < view.verticalScrollBar().maximum()


def test_that_a_line_tells_where_the_model_begins_to_read(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_turns([Turn(1, True, "old"), Turn(2, False, "older", "m"), Turn(3, True, "new", first=True)])
    settle(view, qtbot)
    text = view.toPlainText()
    assert text.index("older") < text.index("no longer given") < text.index("new")
    with qtbot.waitSignal(view.all_asked):
        click_on(view, "Give it all")
