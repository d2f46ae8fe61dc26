"""The keys: one table makes the shortcuts, the page and the README's list."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.help.keys import TABLE, attach, does, shown, table
from app.state import Phase
from tests.app.window import Driver, opened


def press(d: Driver, keys: str) -> None:
    """Press a combination as a person does: it goes to whatever has the focus."""
    QTest.keySequence(QApplication.focusWidget() or d.main, QKeySequence.fromString(keys))


def readme_rows() -> list[str]:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    table = text.split("| Keys | |\n|---|---|\n")[1].split("\n\n")[0]
    return [line.strip() for line in table.strip().splitlines()]


def test_that_the_readme_lists_the_same_keys() -> None:
    assert readme_rows() == [f"| {', '.join(k.keys)} | {does(k)} |" for k in TABLE]


def test_that_no_key_means_two_things_and_every_key_is_one() -> None:
    everywhere = [keys for k in TABLE if not k.where for keys in k.keys]
    assert len(everywhere) == len(set(everywhere))
    for k in TABLE:
        for keys in k.keys:
            assert QKeySequence.fromString(keys).toString() == keys, keys
        assert shown(k) and re.match(r"[a-z]", does(k))


def test_that_the_page_follows_the_key_that_sends() -> None:
    send, line = table("ctrl")[:2]
    assert (send.keys, does(send)) == (("Ctrl+Return",), does(TABLE[0])) and (line.keys, does(line)) == (("Return",), does(TABLE[1]))
    assert table("ctrl")[2:] == TABLE[2:] and table("return") == TABLE


def test_that_an_act_without_keys_or_keys_without_an_act_are_refused(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    with pytest.raises(ValueError, match="nothing"):
        attach(window, {**{k.name: print for k in TABLE if k.name}, "nothing": print})


def test_that_every_shortcut_does_what_the_page_says(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (asked.append("files"), ([], ""))[1])
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: (asked.append("folder"), "")[1])
    with opened(qtbot) as d:
        main = d.main
        main.activateWindow()
        d.wait(main.isActiveWindow)
        main.sidebar.search.setFocus()
        press(d, "Ctrl+L")
        assert main.composer.field.hasFocus()
        press(d, "Ctrl+F")
        assert main.sidebar.search.hasFocus()
        press(d, "Ctrl+B")
        assert not main.sidebar.isVisible()
        press(d, "Ctrl+B")
        assert main.sidebar.isVisible()
        main.composer.field.setPlainText("kept as a draft")
        press(d, "Ctrl+N")
        assert main.composer.field.hasFocus()
        press(d, "Ctrl+E")
        assert d.window.engine_view.page.isVisible()
        press(d, "Ctrl+E")
        assert not d.window.engine_view.page.isVisible()
        press(d, "Ctrl+M")
        assert main.model_bar.panel.isVisible()
        press(d, "Ctrl+M")
        assert not main.model_bar.panel.isVisible()
        press(d, "Ctrl+Shift+A")
        press(d, "Ctrl+O")
        assert asked == ["files", "folder"]
        for keys, dialog in (("Ctrl+,", lambda: main.dialog), ("Ctrl+Shift+O", lambda: main.desk.dialog)):
            press(d, keys)
            shown_dialog = dialog()
            assert shown_dialog is not None and shown_dialog.isVisible(), keys
            shown_dialog.close()
            main.activateWindow()
            d.wait(main.isActiveWindow)
        for keys in ("F1", "Ctrl+/"):
            press(d, keys)
            help_window = d.window.help.window
            assert help_window is not None and help_window.isVisible() and help_window.tabs.currentIndex() == 0, keys
            help_window.close()
        press(d, "Ctrl+Shift+G")
        assert d.window.wizard.wizard is not None and d.window.wizard.wizard.isVisible()
        d.window.wizard.wizard.close()
        press(d, "Ctrl+Q")
        d.wait(lambda: d.phase is Phase.CLOSING)


def test_that_a_shortcut_of_the_window_is_in_the_table(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        made = {s.key().toString() for s in d.main.findChildren(QShortcut) if s.context() is not Qt.ShortcutContext.WidgetShortcut}
        assert made == {keys for k in TABLE if k.name for keys in k.keys}
        buttons = {b.shortcut().toString() for b in d.main.findChildren(QWidget) if hasattr(b, "shortcut") and callable(b.shortcut)}
        assert buttons <= {""}, "a button's own shortcut would be in no table"
