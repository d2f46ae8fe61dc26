"""The window's words: all are offered for translation, German has them all, and the setting chooses the language."""

from pathlib import Path

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.app.spoken import Bracketed, forgotten
from tests.app.window import opened


def test_that_the_first_window_says_nothing_untranslated(qtbot: QtBot, brackets: Bracketed) -> None:
    with opened(qtbot) as d:
        d.main.show_settings()
        assert forgotten(["https://huggingface.co", "The language changes when Ouzel starts again."], [d.main]) == []
        assert len(brackets.asked) > 100


def test_that_a_chat_says_nothing_untranslated(qtbot: QtBot, brackets: Bracketed, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        answer = d.ask("Hello 1")
        menus: list[QWidget] = [d.main.sidebar.menu(row) for row in d.main.sidebar.list.chats.rows[:2]]
        assert sum(len(m.actions()) for m in menus) > 3
        d.main.desk.show_options()
        assert d.engine.state.info is not None
        names = ["Hello 1", answer, "starter", d.engine.state.info.name, str(starter_home), str(starter_home.parent)]
        assert forgotten(names, [d.main]) == []


def test_that_a_forgotten_text_is_found(qtbot: QtBot, brackets: Bracketed) -> None:
    with opened(qtbot) as d:
        d.main.composer.attach.setToolTip("Attach files")
        d.main.sidebar.new_button.setText("1⟦New⟧: chat")
        assert sorted(left for _, left in forgotten([], [d.main])) == ["Attach files", "chat"]
