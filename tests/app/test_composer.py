"""Writing messages with real key and input method events."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.looks.theme import LIGHT
from app.presentation import present
from app.settings import Settings
from app.state import Phase
from app.views.composer import MOST_LINES, Composer
from tests.app.test_state import INFO, MODEL, in_phase


@pytest.fixture
def composer(qtbot: QtBot) -> Iterator[Composer]:
    made = Composer(LIGHT)
    qtbot.addWidget(made)
    made.resize(420, 90)
    made.present(present(in_phase(Phase.READY), Settings(), (MODEL,), MODEL))
    made.show()
    qtbot.waitExposed(made)
    made.field.setFocus()
    yield made


def sent_by(composer: Composer) -> list[str]:
    texts: list[str] = []
    composer.sent.connect(lambda text, files, replaces: texts.append(text))
    return texts


def show(composer: Composer, phase: Phase) -> None:
    composer.present(present(in_phase(phase, INFO), Settings(), (MODEL,), MODEL))


def test_that_return_sends_and_shift_return_breaks_the_line(composer: Composer) -> None:
    texts = sent_by(composer)
    QTest.keyClicks(composer.field, "one")
    QTest.keyClick(composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.field, "two")
    assert texts == [] and composer.field.toPlainText() == "one\ntwo"
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert texts == ["one\ntwo"]


def test_that_another_hint_is_drawn_at_once(composer: Composer) -> None:
    class Paints(QObject):
        seen = 0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
            self.seen += event.type() == QEvent.Type.Paint
            return False

    paints, before = Paints(), composer.field.placeholderText()
    composer.field.clearFocus()  # so that no cursor blinks
    QApplication.processEvents()
    composer.field.viewport().installEventFilter(paints)
    show(composer, Phase.IDLE)
    QApplication.processEvents()
    assert composer.field.placeholderText() != before
    assert paints.seen > 0


def test_that_the_keypads_enter_sends_too(composer: Composer) -> None:
    texts = sent_by(composer)
    QTest.keyClicks(composer.field, "hi")
    QTest.keyClick(composer.field, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert texts == ["hi"]


def test_that_return_while_an_input_method_composes_never_sends(composer: Composer) -> None:
    texts = sent_by(composer)
    QApplication.sendEvent(composer.field, QInputMethodEvent("nihao", []))
    assert composer.field.composing()
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert texts == []
    chosen = QInputMethodEvent()
    chosen.setCommitString("你好")
    QApplication.sendEvent(composer.field, chosen)
    assert not composer.field.composing()
    composer.field.setPlainText("你好")
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert texts == ["你好"]


def test_that_escape_while_an_input_method_composes_ends_no_answer(composer: Composer) -> None:
    stops: list[bool] = []
    composer.stopped.connect(lambda: stops.append(True))
    show(composer, Phase.WRITING)
    QApplication.sendEvent(composer.field, QInputMethodEvent("nihao", []))
    QTest.keyClick(composer.field, Qt.Key.Key_Escape)
    QTest.keyClick(composer.field, Qt.Key.Key_Up)
    assert stops == []


def test_that_an_input_method_confirms_inside_of_what_is_written(composer: Composer) -> None:
    texts = sent_by(composer)
    QTest.keyClicks(composer.field, "ab")
    QTest.keyClick(composer.field, Qt.Key.Key_Left)
    for part in ("k", "ka", "か"):
        QApplication.sendEvent(composer.field, QInputMethodEvent(part, []))
        QTest.keyClick(composer.field, Qt.Key.Key_Return)
    chosen = QInputMethodEvent()
    chosen.setCommitString("か")
    QApplication.sendEvent(composer.field, chosen)
    assert texts == [] and composer.field.toPlainText() == "aかb"
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert texts == ["aかb"]


@pytest.mark.parametrize(("text", "right"), [("שלום", True), ("... مرحبا hello", True), ("hello שלום", False), ("12", False), ("", False)])
def test_that_a_message_begins_on_its_languages_side(composer: Composer, text: str, right: bool) -> None:
    field = composer.field
    field.setPlainText("other")
    field.setPlainText(text)
    cursor = field.textCursor()
    cursor.setPosition(0)
    at = field.cursorRect(cursor).x()
    assert at > field.viewport().width() * 0.7 if right else at < field.viewport().width() * 0.3


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_that_nothing_is_not_sent(composer: Composer, text: str) -> None:
    texts = sent_by(composer)
    composer.field.setPlainText(text)
    assert not composer.button.isEnabled()
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    assert texts == []


@pytest.mark.parametrize("phase", [p for p in Phase if p is not Phase.READY])
def test_that_a_message_is_sent_only_when_the_engine_is_ready(composer: Composer, phase: Phase) -> None:
    texts = sent_by(composer)
    composer.field.setPlainText("hello")
    show(composer, phase)
    QTest.keyClick(composer.field, Qt.Key.Key_Return)
    QTest.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    assert texts == [] and composer.field.toPlainText() == "hello"


def test_that_the_button_stops_an_answer_and_so_does_escape(composer: Composer) -> None:
    stops: list[bool] = []
    composer.stopped.connect(lambda: stops.append(True))
    composer.field.setPlainText("the next message")
    show(composer, Phase.WRITING)
    assert composer.button.accessibleName() == "Stop"
    QTest.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    QTest.keyClick(composer.field, Qt.Key.Key_Escape)
    assert len(stops) == 2
    show(composer, Phase.STOPPING)
    QTest.mouseClick(composer.button, Qt.MouseButton.LeftButton)
    QTest.keyClick(composer.field, Qt.Key.Key_Escape)
    assert len(stops) == 2


def test_that_the_field_grows_with_its_text_up_to_a_limit(composer: Composer, qtbot: QtBot) -> None:
    one = composer.field.height()
    composer.field.setPlainText("a\nb\nc")
    three = composer.field.height()
    assert three > one
    composer.field.setPlainText("word " * 40)
    assert composer.field.height() > one
    composer.field.setPlainText("\n" * 200)
    line = composer.field.fontMetrics().lineSpacing()
    assert composer.field.height() <= MOST_LINES * line + 12
    composer.field.clear()
    assert composer.field.height() == one


def test_that_tab_leaves_the_field(composer: Composer) -> None:
    composer.field.setPlainText("x")
    QTest.keyClick(composer.field, Qt.Key.Key_Tab)
    assert composer.field.toPlainText() == "x" and QGuiApplication.focusObject() is not composer.field
