"""The Engine page with the real engine: maps only while somebody looks, also while an answer is written."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.state import Phase
from engine.requests import MapExperts
from tests.app.window import Driver, opened


def maps(d: Driver) -> int:
    return sum(isinstance(r, MapExperts) for r in d.requests)


def test_that_the_page_shows_the_real_models_experts(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        d.wait_ready()
        view = d.window.engine_view
        assert maps(d) == 0 and not view.page.isVisible()
        QTest.keyClick(d.main, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        d.wait(view.page.map.isVisible)
        assert view.button.isChecked() and d.main.pages.currentWidget() is view.page and d.main.focusWidget() is view.page.map
        assert "of 448 experts are in memory" in view.page.whole.text()
        info = d.engine.state.info
        assert info is not None and view.page.map.layers.rowCount() * info.n_experts == info.n_expert_records
        shown = view.page.map.layers.heat
        assert shown is not None
        first = view.page.layer.text()
        QTest.keyClick(view.page.map, Qt.Key.Key_Down)
        assert first.startswith(f"Layer {shown.layers[0]}:") and view.page.layer.text().startswith(f"Layer {shown.layers[1]}:")
        QTest.keyClick(view.page.map, Qt.Key.Key_Escape)
        assert not view.page.isVisible() and d.main.pages.currentWidget() is d.main.welcome


def test_that_maps_are_asked_for_while_an_answer_is_written_and_never_unseen(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        d.wait_ready()
        view = d.window.engine_view
        d.click(view.button)
        d.wait(view.page.map.isVisible)
        d.engine.change_settings(replace(d.engine.settings, temperature=1.0, seed=5))
        d.say("Write a very long story about the river")
        d.wait(lambda: d.phase is Phase.WRITING)
        assert d.main.pages.currentWidget() is view.page  # it stays, the chat waits behind it
        before = maps(d)
        d.wait(lambda: maps(d) > before + 1 or d.phase is Phase.READY)
        d.wait(lambda: "used for the last" in view.page.whole.text())
        d.engine.stop_answer()
        d.wait_ready()
        assert "written" in view.page.split.title and abs(sum(view.page.split.shares) - 1) < 1e-6
        d.click(view.button)
        assert d.main.pages.currentWidget() is d.main.transcript
        QApplication.processEvents()
        d.engine.change_settings(replace(d.engine.settings, max_tokens=8))
        before = maps(d)
        assert not view._next.isActive() and view._asked is None  # nothing is asked for, and nothing waits to be
        d.ask("hi")
        assert maps(d) == before


def test_that_unloading_empties_the_page_and_a_new_chat_leaves_it(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        d.wait_ready()
        view = d.window.engine_view
        d.click(view.button)
        d.wait(view.page.map.isVisible)
        d.press("Unload", d.main.model_bar)
        d.wait(lambda: not view.page.map.isVisible())
        d.wait(lambda: d.phase is Phase.IDLE)
        assert "while a model is open" in view.page.whole.text()
        d.press("Load", d.main.model_bar)
        d.wait(view.page.map.isVisible)
        d.click(d.main.sidebar.new_button)
        assert not view.button.isChecked() and not view.page.isVisible()


def test_that_numbers_under_an_answer_are_there_after_a_restart(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot, starter_home) as d:
        d.wait_ready()
        d.engine.change_settings(replace(d.engine.settings, max_tokens=24, temperature=0.0))
        d.ask("hi")
        note, stats = d.main.transcript.turns[-1].note, d.finished[-1]
        c = stats.counters
        assert f"{stats.answer_tokens} tokens" in note and f"first after {stats.seconds_to_first_token:.2f} s" in note
        assert f"{stats.tokens_per_second:.1f} tokens/s" in note and "% cache hits" in note and " read" in note
        kept = d.chats.messages()[-1].stats
        assert kept is not None and kept["seconds_experts"] == c.seconds_experts > 0 and kept["bytes_read"] == c.bytes_read
        assert kept["drafts_seconds_saved"] == c.drafts_seconds_saved
        chat = d.chats.current
    with opened(qtbot) as d:
        assert chat is not None
        d.chats.open_chat(chat)
        assert d.main.transcript.turns[-1].note == note
        d.wait_ready()


def test_that_escape_leaves_the_page_of_a_model_without_experts(qtbot: QtBot, tiny: Callable[..., Path]) -> None:
    with opened(qtbot, tiny("qwen3")) as d:
        d.wait_ready()
        view = d.window.engine_view
        QTest.keyClick(d.main, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        d.wait(lambda: "no experts" in view.page.whole.text())
        assert d.main.focusWidget() is view.page and not view.page.map.isVisible()
        assert "read" not in view.page.details.text()  # of a drive
        QTest.keyClick(view.page, Qt.Key.Key_Escape)
        assert not view.page.isVisible()
