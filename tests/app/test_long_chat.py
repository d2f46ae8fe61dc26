"""Long conversations: built from their end, filled in without moving what is seen, and usable meanwhile."""

import random

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from app.looks.theme import LIGHT
from app.transcript.turn import Turn
from app.transcript.view import TranscriptView
from tests.app.samples import SAMPLE
from tests.app.test_message_actions import asked_of, click, hover, shown
from tests.app.test_transcript import click_on, html, settle, stream

MANY = 60
ARABIC = "مرحبا بالعالم"


def talk(count: int = MANY) -> list[Turn]:
    turns = []
    for n in range(0, count, 2):
        turns.append(Turn(n + 1, True, f"question {n + 1} is this"))
        turns.append(Turn(n + 2, False, f"answer {n + 2} is that\n\n{SAMPLE}", "model", f"note {n + 2}"))
    return turns


@pytest.fixture
def begun(view: TranscriptView) -> TranscriptView:
    """A conversation whose end is there and whose beginning is not."""
    view.show_turns(talk())
    view._filler.complete(view._is_full)  # on a busy machine the first moment does not fill the window
    assert not view.settled and "question 1 is" not in view.toPlainText()
    return view


def seen(view: TranscriptView) -> tuple[str, int]:
    """The text in the middle of the window and its height there; of the gap between two paragraphs, the upper one's."""
    block = view.cursorForPosition(QPoint(100, view.viewport().height() // 2)).block()
    while not block.text().strip("\u200b"):
        block = block.previous()
    return block.text(), view.cursorRect(QTextCursor(block)).top()


def wheel(view: TranscriptView, by: int) -> None:
    at = QPointF(view.viewport().rect().center())
    event = QWheelEvent(
        at,
        view.viewport().mapToGlobal(at),
        QPoint(),
        QPoint(0, by),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_that_the_end_is_there_at_once(begun: TranscriptView) -> None:
    assert f"note {MANY}" in begun.toPlainText() and begun.verticalScrollBar().value() == begun.verticalScrollBar().maximum() > 0
    assert begun.message_actions.number == MANY and begun.bar.isVisible()


def test_that_it_ends_up_as_one_that_grew(begun: TranscriptView, qtbot: QtBot) -> None:
    settle(begun, qtbot)
    other = TranscriptView(LIGHT)
    qtbot.addWidget(other)
    other.resize(700, 500)
    for turn in talk():
        other._chat.add(turn)
    assert html(begun) == html(other)


PIECES: tuple[str, ...] = (
    "# H\n", "text **b** `c`\n", "\n", "- a\n", "  - b\n", "1. x\n", "2. y\n", "> q\n", "---\n", "$5, $10\n", "<b>h</b>\n", "y\r\n")
PIECES += ("```py\nx=1\n\ny\n```\n", "```\nopen\n", "| a |\n|---|\n| $z$ |\n", "$$\nx\n$$\n", "\\[ y \\]\n", "    indented\n")
PIECES += ("   $$\n   k\n   $$\n", f"{ARABIC}\n")


@pytest.mark.parametrize("seed", range(25))
def test_that_any_text_comes_out_the_same_streamed_at_once_and_backwards(view: TranscriptView, qtbot: QtBot, seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 14)))
    question, turn = Turn(1, True, "q"), Turn(2, False, text, "model", "note")
    view.show_turns([question])
    view.begin_answer(2, "model")
    stream(view, text, seed)
    view.finish_answer(turn)
    backwards, forwards = TranscriptView(LIGHT), TranscriptView(LIGHT)
    for other in (backwards, forwards):
        qtbot.addWidget(other)
    backwards.show_turns([question, turn])
    for one in (question, turn):
        forwards._chat.add(one)
    settle(view, qtbot)
    settle(backwards, qtbot)
    assert html(backwards) == html(forwards)
    assert html(view) == html(forwards)


@pytest.mark.parametrize("by", ["wheel", "key", "bar"])
def test_that_what_is_seen_stays_while_the_rest_is_filled_in(begun: TranscriptView, qtbot: QtBot, by: str) -> None:
    bar = begun.verticalScrollBar()
    match by:
        case "wheel":
            wheel(begun, 240)
        case "key":
            begun.setFocus()
            QTest.keyClick(begun, Qt.Key.Key_PageUp)
        case "bar":
            bar.setValue(bar.value() // 2)
    before, end = seen(begun), bar.maximum() - bar.value()
    assert end > 0
    settle(begun, qtbot)
    text, height = seen(begun)
    assert text == before[0] and abs(height - before[1]) <= 1 and "question 1 is" in begun.toPlainText()
    assert abs(bar.maximum() - bar.value() - end) <= 1


def test_that_filling_waits_while_the_scroll_bar_is_held(begun: TranscriptView, qtbot: QtBot) -> None:
    bar = begun.verticalScrollBar()
    bar.setSliderDown(True)
    range_, ticks = bar.maximum(), 0

    def tick() -> bool:
        nonlocal ticks
        ticks += 1
        return ticks > 20

    qtbot.waitUntil(tick)
    assert bar.maximum() == range_ and not begun.settled
    bar.setSliderDown(False)
    settle(begun, qtbot)


def test_that_an_answer_is_written_and_followed_while_the_rest_is_filled_in(begun: TranscriptView, qtbot: QtBot) -> None:
    begun.add_user(Turn(101, True, "one more"))
    begun.begin_answer(102, "model")
    stream(begun, SAMPLE, longest=300)
    assert "question 1 is" not in begun.toPlainText()
    settle(begun, qtbot)
    begun.finish_answer(Turn(102, False, begun.answer, "model", "last note"))
    text, bar = begun.toPlainText(), begun.verticalScrollBar()
    assert text.index("question 1 is") < text.index("one more") < text.index("last note")
    assert bar.value() == bar.maximum()


def test_that_a_selection_stays_while_the_rest_is_filled_in(begun: TranscriptView, qtbot: QtBot) -> None:
    found = begun.document().find(f"answer {MANY}")
    begun.setTextCursor(found)
    settle(begun, qtbot)
    assert begun.textCursor().selectedText() == f"answer {MANY}"


def test_that_all_is_chosen_and_copied_though_not_all_was_there(begun: TranscriptView, qtbot: QtBot) -> None:
    begun.setFocus()
    QTest.keyClick(begun, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    settle(begun, qtbot)
    QTest.keyClick(begun, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("question 1 is") and copied.rstrip().endswith(f"note {MANY}") and copied.count("question ") == MANY // 2


def test_that_the_way_to_the_beginning_leads_there(begun: TranscriptView, qtbot: QtBot) -> None:
    begun.setFocus()
    QTest.keyClick(begun, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    settle(begun, qtbot)
    assert begun.verticalScrollBar().value() == 0
    assert begun.cursorForPosition(QPoint(600, 28)).block().text() == "question 1 is this"
    button = begun.findChild(QToolButton, "latest")
    assert button.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert begun.verticalScrollBar().value() == begun.verticalScrollBar().maximum()


def test_that_a_message_that_is_not_there_yet_is_gone_to(begun: TranscriptView) -> None:
    begun.go_to(8)
    row = begun.row_rect(8)
    assert row is not None and 0 < row.top() < begun.viewport().height()


def test_that_actions_reach_the_first_message_by_mouse_and_key(begun: TranscriptView, qtbot: QtBot) -> None:
    asked = asked_of(begun)
    begun.setFocus()
    for _ in range(MANY):
        QTest.keyClick(begun, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert begun.message_actions.number == 1 and shown(begun) == ["copy", "edit", "delete"]
    settle(begun, qtbot)
    begun.verticalScrollBar().setValue(0)
    hover(begun, "answer 2 is")
    click(begun, "copy")
    assert QGuiApplication.clipboard().text() == talk()[1].text
    begun.verticalScrollBar().setValue(0)
    hover(begun, "question 1 is")
    click(begun, "edit")
    assert asked == [("edit", 1)]


def test_that_code_of_every_message_has_its_own_copy_button(view: TranscriptView, qtbot: QtBot) -> None:
    turns = [Turn(n, False, f"```\nfirst {n}\n```\n\nand\n\n```\nsecond {n}\n```", "model") for n in range(1, 30)]
    view.show_turns(turns)
    settle(view, qtbot)
    for n, which in ((1, "first"), (15, "second"), (29, "first")):
        code = view.document().find(f"{which} {n}")
        head = code.block().previous()
        cursor = view.document().find("Copy", head.position())
        assert cursor.block() == head
        view.setTextCursor(cursor)
        view.ensureCursorVisible()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cursorRect(cursor).center() - QPoint(4, 0))
        assert QGuiApplication.clipboard().text() == f"{which} {n}"


def test_that_code_under_the_mouse_has_a_button_that_stays_in_sight(view: TranscriptView, qtbot: QtBot) -> None:
    code = "\n".join(f"line {n}" for n in range(200))
    view.show_turns([Turn(1, True, "q"), Turn(2, False, f"Before\n\n```\n{code}\n```\n\nafter", "model")])
    settle(view, qtbot)
    button = view.copy_button
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    assert not button.isVisible()
    hover(view, "line 100")
    assert button.isVisible() and view.viewport().geometry().contains(button.geometry())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == code
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    hover(view, "after")
    assert not button.isVisible()
    view.begin_answer(3, "model")
    view.append("```\nopen code")
    settle(view, qtbot)
    hover(view, "open code")
    assert not button.isVisible(), "there is nothing complete to copy"


@pytest.mark.qt_log_ignore("not accepted by receiving widget", extend=True)  # a click beside a link
def test_that_a_selection_by_mouse_over_messages_holds_still_while_text_streams(view: TranscriptView, qtbot: QtBot) -> None:
    view.show_turns([*talk(6), Turn(11, True, "the last question")])
    settle(view, qtbot)
    view.begin_answer(12, "model")
    stream(view, "The first paragraph is here.\n\nAnd the second", longest=100)
    settle(view, qtbot)
    bar, left = view.verticalScrollBar(), Qt.MouseButton.LeftButton
    start = view.document().find("the last")
    start.setPosition(start.selectionStart())
    begin, end = view.cursorRect(start).center(), view.cursorRect(view.document().find("paragraph is")).center()
    QTest.mousePress(view.viewport(), left, pos=begin)
    QTest.mouseMove(view.viewport(), (begin + end) / 2)
    value = bar.value()
    stream(view, " one grows.\n\n" + SAMPLE, longest=300)
    settle(view, qtbot)
    assert bar.value() == value < bar.maximum()
    QTest.mouseMove(view.viewport(), end)
    QTest.mouseRelease(view.viewport(), left, pos=end)
    chosen = view.textCursor().selectedText()
    assert chosen.startswith("the last question") and chosen.endswith("paragraph is")
    stream(view, "\n\nMore.\n\n" + SAMPLE, longest=300)
    settle(view, qtbot)
    assert bar.value() == value and view.textCursor().selectedText() == chosen
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("the last question\n") and copied.endswith("The first paragraph is")


@pytest.mark.qt_log_ignore("not accepted by receiving widget", extend=True)  # a click beside a link
def test_that_a_click_does_not_end_the_following(view: TranscriptView, qtbot: QtBot) -> None:
    view.begin_answer(1, "model")
    stream(view, SAMPLE * 2, longest=300)
    settle(view, qtbot)
    bar = view.verticalScrollBar()
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(400, 200))
    stream(view, "\n\n" + SAMPLE, longest=300)
    settle(view, qtbot)
    assert bar.value() < bar.maximum()
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(400, 200))
    assert bar.value() == bar.maximum()


def test_that_tab_goes_through_the_links_in_sight_and_then_on(view: TranscriptView, qtbot: QtBot) -> None:
    turns = [Turn(n, False, f"[one {n}](https://a.example/{n})\n\n" + "words " * 300, "model") for n in range(1, 30)]
    view.show_turns(turns)
    settle(view, qtbot)
    view.go_to(15)
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() + 60)
    value = view.verticalScrollBar().value()
    view.setFocus()
    met = []
    for _ in range(6):
        QTest.keyClick(view, Qt.Key.Key_Tab)
        if not view.hasFocus():
            break
        met.append(view.textCursor().selectedText())
    assert not view.hasFocus() and len(met) <= 2 and view.verticalScrollBar().value() == value


def test_that_a_new_width_waits_for_the_edge_to_rest_and_keeps_the_place(begun: TranscriptView, qtbot: QtBot) -> None:
    settle(begun, qtbot)
    bar = begun.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    text = begun.cursorForPosition(QPoint(0, 0)).block().text()
    begun.resize(480, 500)
    width = begun.viewport().width()
    qtbot.waitUntil(lambda: begun.document().textWidth() == width)
    assert begun.cursorForPosition(QPoint(0, 0)).block().text() == text


def test_that_another_version_of_an_answer_is_shown_where_the_first_one_was(view: TranscriptView, qtbot: QtBot) -> None:
    turns = talk(6)
    view.show_turns(turns)
    settle(view, qtbot)
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() - 60)
    value = bar.value()
    view.show_turns([*turns[:-1], Turn(99, False, f"another\n\n{SAMPLE}\n\n{SAMPLE}", "model", "note", branch=(2, 2))])
    settle(view, qtbot)
    assert bar.value() == value < bar.maximum()


def test_that_a_thought_far_up_unfolds(view: TranscriptView, qtbot: QtBot) -> None:
    turns = talk()
    turns[1] = Turn(2, False, "short", "model", "note", "I think of bread.", 3.0)
    view.show_turns(turns)
    settle(view, qtbot)
    click_on(view, "Thought for")
    assert "I think of bread." in view.toPlainText()
    click_on(view, "Thought for")
    assert "I think of bread." not in view.toPlainText()


def test_that_right_to_left_text_runs_so(view: TranscriptView) -> None:
    text = f"{ARABIC} one\n\n- {ARABIC}\n\n> {ARABIC}\n\nEnglish {ARABIC}\n\n```\n{ARABIC}\n```"
    view.show_turns([Turn(1, True, ARABIC), Turn(2, False, text, "model")])
    for _ in range(3):  # in what order they were written
        found, directions = view.document().begin(), []
        while found.isValid():
            if ARABIC in found.text():
                line = found.layout().lineAt(0)
                directions.append((found.textDirection(), line.naturalTextRect().left() > 200))
            found = found.next()
    right, left = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight
    assert [d for d, _ in directions] == [right, right, right, right, left, left]
    assert [at for _, at in directions] == [True, True, True, True, False, False]
