"""The side list: search, groups, keyboard, pins, trash, files, thousands of conversations."""

import json
import time
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot

from app.chats.groups import grouped, name
from app.chats.records import Conversation
from app.looks.theme import LIGHT
from app.views.chat_list import Row
from app.views.sidebar import Sidebar
from tests.app.window import Driver, opened

CONTROL = Qt.KeyboardModifier.ControlModifier
TODAY = date(2026, 11, 29)


@pytest.fixture
def d(qtbot: QtBot) -> Iterator[Driver]:
    """A window without a model, with three conversations."""
    with opened(qtbot) as driver:
        store = driver.chats.store
        for title, text in (("Rivers", "The ouzel walks under water"), ("Stones", "Granite and slate"), ("Bread", "Yeast makes it rise")):
            store.add(store.create(title), "user", text)
        driver.chats.list_changed.emit()
        yield driver


def titles(d: Driver) -> list[str]:
    return [row.text for row in d.main.sidebar.list.chats.rows if row.id is not None]


def number(d: Driver, title: str) -> int:
    return next(row.id for row in d.main.sidebar.list.chats.rows if row.text == title and row.id is not None)


def go_to(d: Driver, title: str) -> None:
    side = d.main.sidebar.list
    QTest.mouseClick(side.viewport(), Qt.MouseButton.LeftButton, pos=side.visualRect(side.chats.place(number(d, title))).center())


def choose(d: Driver, title: str, label: str) -> None:
    """An entry of a conversation's menu."""
    row = next(r for r in d.main.sidebar.list.chats.rows if r.text == title)
    next(a for a in d.main.sidebar.menu(row).actions() if a.text() == label).trigger()


def search(d: Driver, text: str) -> None:
    QTest.keyClick(d.main, Qt.Key.Key_F, CONTROL)
    assert d.main.focusWidget() is d.main.sidebar.search
    QTest.keyClicks(d.main.sidebar.search, text)
    d.wait(lambda: not d.main.sidebar._searcher.isActive())


@pytest.mark.parametrize(
    ("day", "group"),
    [
        (TODAY, "Today"),
        (TODAY + timedelta(days=2), "Today"),
        (TODAY - timedelta(days=1), "Yesterday"),
        (TODAY - timedelta(days=6), "Last 7 days"),
        (TODAY - timedelta(days=29), "Last 30 days"),
        (date(2026, 8, 3), "August"),
        (date(2025, 8, 3), "August 2025"),
    ],
)
def test_that_each_day_has_its_group(qapp: object, day: date, group: str) -> None:
    assert name(day, TODAY) == group


def test_that_pinned_ones_come_first_and_groups_in_order(qapp: object) -> None:
    noon = datetime(2026, 11, 29, 12).timestamp()
    chats = [Conversation(1, "p", 0, True), Conversation(2, "a", noon), Conversation(3, "b", noon - 86400), Conversation(4, "c", noon)]
    groups = [(group, [c.id for c in found]) for group, found in grouped(chats, TODAY)]
    assert groups == [("Pinned", [1]), ("Today", [2, 4]), ("Yesterday", [3])]


def test_that_search_shows_where_it_found_and_goes_there(d: Driver) -> None:
    search(d, "ouz")
    assert titles(d) == ["Rivers"]
    row = d.main.sidebar.list.chats.rows[0]
    assert "ouzel walks" in row.excerpt and "ouzel walks" in str(d.main.sidebar.list.chats.data(d.main.sidebar.list.chats.index(0), 11))
    QTest.keyClick(d.main.sidebar.search, Qt.Key.Key_Down)
    assert d.chats.current == row.id and d.main.transcript.turns[0].text == "The ouzel walks under water"
    d.main.sidebar.search.setFocus()
    QTest.keyClicks(d.main.sidebar.search, "zzz")
    d.wait(lambda: d.main.sidebar.empty.isVisible())
    QTest.keyClick(d.main.sidebar.search, Qt.Key.Key_Escape)
    d.wait(lambda: len(titles(d)) == 3)
    assert d.main.composer.field.hasFocus()


def test_that_the_keyboard_opens_renames_deletes_and_begins(d: Driver) -> None:
    side = d.main.sidebar.list
    go_to(d, "Bread")
    side.setFocus()
    QTest.keyClick(side, Qt.Key.Key_Down)
    assert d.chats.current == number(d, "Stones")
    QTest.keyClick(side, Qt.Key.Key_F2)
    editor = side.findChild(QLineEdit)
    assert editor is not None and editor.accessibleName()
    editor.selectAll()
    QTest.keyClicks(editor, "Rocks")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    d.wait(lambda: "Rocks" in titles(d))
    side.setFocus()
    for key in (Qt.Key.Key_Backspace, Qt.Key.Key_X):
        QTest.keyClick(side, key)
    assert len(titles(d)) == 3
    QTest.keyClick(side, Qt.Key.Key_Delete)
    assert titles(d) == ["Bread", "Rivers"] and d.chats.current is None and d.main.notice.isVisible()
    d.click(d.main.notice.action)
    assert len(titles(d)) == 3 and d.chats.current == number(d, "Rocks")
    QTest.keyClick(d.main, Qt.Key.Key_N, CONTROL)
    assert d.chats.current is None and d.main.composer.field.hasFocus()


def test_that_an_empty_name_changes_nothing(d: Driver) -> None:
    choose(d, "Stones", "Rename")
    editor = d.main.sidebar.list.findChild(QLineEdit)
    assert editor is not None
    editor.clear()
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert "Stones" in titles(d)


def test_that_pins_keep_a_conversation_at_the_top(d: Driver) -> None:
    choose(d, "Rivers", "Pin")
    assert titles(d)[0] == "Rivers" and d.main.sidebar.list.chats.rows[0] == Row(None, "Pinned")
    choose(d, "Rivers", "No longer pin")
    assert titles(d) == ["Bread", "Stones", "Rivers"]


def test_that_the_trash_gives_back_and_lets_go(d: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    for title in ("Rivers", "Stones"):
        choose(d, title, "Delete")
    next(a for a in d.main.sidebar.more_menu().actions() if a.text() == "Trash").trigger()
    assert titles(d) == ["Stones", "Rivers"]
    go_to(d, "Rivers")
    assert d.chats.current is None, "what is in the trash does not open"
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.No)
    choose(d, "Stones", "Delete for good…")
    assert len(titles(d)) == 2
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Yes)
    choose(d, "Stones", "Delete for good…")
    assert titles(d) == ["Rivers"]
    choose(d, "Rivers", "Restore")
    assert titles(d) == ["Bread", "Rivers"] and d.chats.current == number(d, "Rivers") and not d.main.sidebar.in_trash
    assert d.chats.trash() == []


def test_that_conversations_go_out_to_files_and_come_back(d: Driver, tmp_path: Path) -> None:
    files, all_, one, text = d.main.desk.files, tmp_path / "all.json", tmp_path / "one.json", tmp_path / "one.md"
    told: list[str] = []
    files.noted.connect(told.append)
    files.failed.connect(told.append)
    files.export(all_, None, "json")
    files.export(one, number(d, "Rivers"), "json")
    files.export(text, number(d, "Rivers"), "md")
    d.wait(lambda: len(told) == 3)
    assert len(json.loads(all_.read_text(encoding="utf-8"))["conversations"]) == 3
    assert text.read_text(encoding="utf-8") == "**You**\n\nThe ouzel walks under water\n"
    files.take_in(one)
    d.wait(lambda: len(told) == 4)
    assert titles(d).count("Rivers") == 2 and told[-1] == "One chat was imported."
    files.take_in(text)
    d.wait(lambda: len(told) == 5)
    assert "one.md" in told[-1] and len(titles(d)) == 4 and d.main.notice.isVisible()
    files.export(tmp_path / "missing" / "x.md", number(d, "Bread"), "md")
    d.wait(lambda: len(told) == 6)
    assert "could not be written" in told[-1]


def test_that_thousands_of_conversations_stay_quick(qtbot: QtBot) -> None:
    side = Sidebar(LIGHT)
    qtbot.addWidget(side)
    side.resize(228, 700)
    side.show()
    chats = [Conversation(n, f"Conversation {n} about rivers", 1.7e9 - n * 4000) for n in range(5000)]
    start = time.thread_time()
    side.show_list(chats, 2500)
    QApplication.processEvents()
    QTest.keyClick(side.list, Qt.Key.Key_End)
    QTest.keyClick(side.list, Qt.Key.Key_PageUp)
    QApplication.processEvents()
    assert time.thread_time() - start < 5  # some 0.1 s
    assert len(side.list.findChildren(QLineEdit)) == 0 and side.list.chats.rowCount() > 5000


def test_that_a_damaged_file_of_chats_is_told_and_the_window_opens(qtbot: QtBot, ouzel_home: Path) -> None:
    (ouzel_home / "chats.db").write_bytes(b"no database " * 1000)
    with opened(qtbot) as d:
        assert d.main.notice.isVisible() and "set aside" in d.main.notice.label.text() and titles(d) == []
    assert len(list(ouzel_home.glob("chats.db.damaged-*"))) == 1
