"""A person's way through the window, with the real starter model: chat, stop, restart, history; and how it ends."""

import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.chats.store import ChatStore
from app.state import Phase
from tests.app.window import Driver, opened

LONG = "Write a very long story about a river."


def titles(d: Driver) -> list[str]:
    return [row.text for row in d.main.sidebar.list.chats.rows if row.id is not None]


def go_to(d: Driver, at: int) -> None:
    """Click the conversation at a place of the side list."""
    side = d.main.sidebar.list
    id = [row.id for row in side.chats.rows if row.id is not None][at]
    index = side.chats.place(id)
    side.scrollTo(index)
    QTest.mouseClick(side.viewport(), Qt.MouseButton.LeftButton, pos=side.visualRect(index).center())


def limit(d: Driver, tokens: int | None) -> None:
    d.engine.change_settings(replace(d.engine.settings, max_tokens=tokens, seed=3))


def test_that_a_person_can_chat_stop_restart_and_find_the_history(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        limit(d, 24)
        first = d.ask("What is the capital of France?")
        assert first.strip() and first.strip() in d.main.transcript.markdown()
        assert d.main.gauges.speed.reading.value and d.main.gauges.hits.reading.value is not None
        note = d.main.transcript.turns[-1].note
        assert "tokens" in note and "cache hits" in note and note in d.main.transcript.toPlainText()
        assert titles(d) == ["What is the capital of France?"]
        second = d.ask("And of Italy?")
        assert d.finished[-1].reused_tokens > 10
        limit(d, None)
        d.click(d.main.sidebar.new_button)
        d.say(LONG)
        d.wait(lambda: len(d.main.transcript.answer) > 30)
        asked = time.monotonic()
        d.click(d.main.composer.button)
        d.wait(lambda: d.phase is Phase.READY)
        assert time.monotonic() - asked < 5
        assert d.finished[-1].reason == "cancelled"
        stopped = d.main.transcript.turns[-1].text
        assert stopped and "Stopped" in d.main.transcript.turns[-1].note
    with opened(qtbot) as d:
        assert titles(d) == [LONG.rstrip("."), "What is the capital of France?"] or titles(d) == [LONG, "What is the capital of France?"]
        d.wait_ready()
        go_to(d, 1)
        assert [t.text for t in d.main.transcript.turns] == ["What is the capital of France?", first, "And of Italy?", second]
        go_to(d, 0)
        assert [t.text for t in d.main.transcript.turns] == [LONG, stopped]
        limit(d, 8)
        d.ask("Go on.")
        assert d.finished[-1].reused_tokens > 30  # what was computed before the restart
        assert len(d.main.transcript.turns) == 4 and titles(d)[0].startswith("Write a very long story")


def test_that_conversations_are_renamed_deleted_and_brought_back(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        limit(d, 3)
        d.ask("first")
        d.click(d.main.sidebar.new_button)
        d.ask("second")
        side = d.main.sidebar.list
        go_to(d, 1)
        side.setFocus()
        QTest.keyClick(side, Qt.Key.Key_F2)
        editor = side.findChild(QLineEdit)
        editor.selectAll()
        QTest.keyClicks(editor, "renamed")
        QTest.keyClick(editor, Qt.Key.Key_Return)
        d.wait(lambda: "renamed" in titles(d))
        QTest.keyClick(side, Qt.Key.Key_Backspace)
        assert len(titles(d)) == 2, "Backspace deletes nothing"
        row = next(r for r in side.chats.rows if r.text == "renamed")
        actions = {a.text(): a for a in d.main.sidebar.menu(row).actions()}
        actions["Copy as Markdown"].trigger()
        assert QApplication.clipboard().text().startswith("**You**\n\nfirst\n")
        actions["Delete"].trigger()
        assert titles(d) == ["second"]
        d.click(d.main.notice.action)
        assert sorted(titles(d)) == ["renamed", "second"]
        assert d.main.transcript.turns[0].text == "first"


def test_that_a_deleted_conversation_leaves_no_state_on_disk(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    states = ouzel_home / "states"
    with opened(qtbot) as d:
        d.wait_ready()
        limit(d, 8)
        d.ask("What is the capital of France, and of which country is Rome the capital?")
        d.wait(lambda: len(list(states.glob("*.state"))) == 1)
        d.main.chats.delete(d.main.chats.current)
        assert not list(states.glob("*.state"))
    (states / "77.state").write_bytes(b"of a conversation that is gone")
    with opened(qtbot) as d:
        assert not list(states.glob("*.state"))


def test_that_another_conversation_can_be_read_while_an_answer_is_written(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        limit(d, 3)
        d.ask("first")
        limit(d, 60)
        d.click(d.main.sidebar.new_button)
        d.say(LONG)
        d.wait(lambda: len(d.main.transcript.answer) > 10)
        go_to(d, 1)
        assert d.main.transcript.turns[0].text == "first" and d.main.transcript.answer == ""
        go_to(d, 0)
        if d.phase is not Phase.READY:
            assert len(d.main.transcript.answer) > 10
        d.wait(lambda: d.phase is Phase.READY)
        shown = d.main.transcript.turns[-1].text
    with opened(qtbot) as d:
        go_to(d, 0)
        assert d.main.transcript.turns[-1].text == shown


def test_that_the_answer_so_far_is_saved_while_it_is_written(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    def stored() -> tuple[str, str]:
        beside = sqlite3.connect(ouzel_home / "chats.db")
        try:
            found: tuple[str, str] = beside.execute("SELECT content, state FROM messages ORDER BY id DESC LIMIT 1").fetchone()
            return found
        finally:
            beside.close()

    with opened(qtbot) as d:
        d.wait_ready()
        limit(d, None)
        assert d.chats._saver.interval() <= 1000
        d.chats._saver.setInterval(20)
        d.say(LONG)
        d.wait(lambda: len(stored()[0]) > 0)
        assert d.phase is Phase.WRITING and stored()[1] == "writing" and d.main.transcript.answer.startswith(stored()[0])


def test_that_the_first_start_builds_the_starter_and_it_answers(
    qtbot: QtBot, starter_wheel: Path, monkeypatch: pytest.MonkeyPatch, ouzel_home: Path
) -> None:
    monkeypatch.setenv("OUZEL_STARTER_WHEEL", str(starter_wheel))
    with opened(qtbot) as d:
        d.press("Set up the starter model", d.main.welcome)
        d.wait(lambda: d.main.welcome.progress.isVisible() and d.engine.state.done > 0)
        assert "of" in d.main.welcome.text.text()
        d.press("Cancel", d.main.model_bar)
        d.wait(lambda: d.phase is Phase.IDLE)
        assert not d.main.notice.isVisible() and not list((ouzel_home / "models").glob("*.ouzel"))
        d.press("Set up the starter model", d.main.welcome)
        d.wait_ready()
        limit(d, 4)
        assert d.ask("Hello")
        assert d.main.model_bar.choice.currentText() == "starter"


def test_that_a_killed_window_keeps_the_answer_so_far(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    child = run_and_close("killed", ouzel_home)
    child.communicate(timeout=100)
    assert child.returncode != 0
    with opened(qtbot) as d:
        go_to(d, 0)
        kept = d.main.transcript.turns
        assert kept[0].text == LONG and len(kept[1].text) > 10 and "Stopped" in kept[1].note


def run_and_close(when: str, home: Path) -> "subprocess.Popen[str]":
    root = Path(__file__).parents[2]
    env = {**os.environ, "OUZEL_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(root)}
    command = [sys.executable, str(Path(__file__).with_name("closing.py")), when]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("when", ["loading", "reading", "writing"])
def test_that_closing_at_any_moment_ends_everything_within_two_seconds(starter_home: Path, ouzel_home: Path, when: str) -> None:
    child = run_and_close(when, ouzel_home)
    out, err = child.communicate(timeout=100)
    seconds = time.time() - float(out)
    assert child.returncode == 0, err
    assert seconds < 2.5, out
    assert "Traceback" not in err and "QThread" not in err, err
    assert not [p for p in psutil.process_iter(["ppid"]) if p.info["ppid"] == child.pid]
    store = ChatStore(ouzel_home / "chats.db")
    chats = store.conversations()
    if when == "writing":
        messages = store.messages(chats[0].id)
        assert messages[1].state == "stopped" and len(messages[1].content) > 10
    store.close()
