"""A model that thinks first, in the real window: its thought is folded, timed, stored, gone on with, and can be switched off."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.chats.options import ChatOptions
from app.state import Phase
from engine.cancel import CancelToken
from engine.requests import Generate
from engine.setup.convert import convert
from tests.app.test_transcript import click_on
from tests.app.window import Driver, opened
from tests.conftest import Tiny
from tests.generate.test_reasoning import TEMPLATE


@pytest.fixture
def d(qtbot: QtBot, tmp_path: Path, tiny_checkpoint: Tiny) -> Iterator[Driver]:
    source = shutil.copytree(tiny_checkpoint("olmoe"), tmp_path / "thinker")
    (source / "chat_template.jinja").write_text(TEMPLATE + "{# </think> #}")
    target = tmp_path / "thinker.ouzel"
    convert(source, target, "f32", "f32", lambda phase, done, total: None, CancelToken())
    with opened(qtbot, target) as driver:
        driver.wait_ready()
        driver.chats.set_options(ChatOptions(max_tokens=24, seed=5, temperature=1.0))
        yield driver


def ask(d: Driver, text: str) -> None:
    before = len(d.finished)
    d.say(text)
    d.wait(lambda: len(d.finished) > before and d.phase is Phase.READY)


def request(d: Driver) -> Generate:
    found = d.last(Generate)
    assert isinstance(found, Generate)
    return found


def test_that_a_thought_is_folded_stored_and_gone_on_with(d: Driver) -> None:
    ask(d, "Why?")
    turn, view = d.main.transcript.turns[-1], d.main.transcript
    assert turn.text == "" and len(turn.thought) > 10 and turn.cut
    stored = d.chats.messages()[-1]
    assert stored.reasoning == turn.thought and stored.seconds == turn.seconds >= 0 and stored.content == ""
    d.wait(lambda: view.settled)
    line = next(row for row in turn.thought.splitlines() if len(row.strip()) > 3).strip()[:12]
    assert "Thought" in view.toPlainText() and line not in view.toPlainText()
    click_on(view, "Thought")
    assert line in view.toPlainText()
    before = len(d.finished)
    d.wait(lambda: view.settled)
    view.message_actions.hover(turn.number)
    QTest.mouseClick(view.bar.buttons["continue"], Qt.MouseButton.LeftButton)
    d.wait(lambda: len(d.finished) > before and d.phase is Phase.READY)
    last = request(d).messages[-1]
    assert request(d).continued and (last.role, last.content, last.reasoning) == ("assistant", "", turn.thought)
    longer = d.chats.messages()[-1]
    assert longer.id == stored.id and longer.reasoning.startswith(turn.thought) and longer.seconds >= stored.seconds


def test_that_the_switch_is_there_and_ends_the_thinking(d: Driver) -> None:
    switch = d.main.composer.thinking
    assert switch.isVisible() and switch.isChecked()
    d.click(switch)
    ask(d, "Why?")
    assert request(d).thinking is False
    assert d.main.transcript.turns[-1].thought == "" and d.main.transcript.turns[-1].text != ""
    d.click(switch)
    ask(d, "And?")
    assert request(d).thinking is True and len(d.main.transcript.turns[-1].thought) > 10
