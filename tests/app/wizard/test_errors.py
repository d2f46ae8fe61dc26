"""What goes wrong in the wizard: each error is a sentence with a button that does something about it."""

import errno
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.wizard.pulls import Stage
from app.wizard.remedies import Remedy
from app.wizard.state import Page
from engine.container.pieces import PieceFile
from engine.requests import LookUp, PullModel
from engine.setup import feed, token
from tests.app.wizard.driving import WizardDriver, target, window
from tests.hub.server import Hub

Usage = namedtuple("Usage", "total used free")


def press(d: WizardDriver, remedy: Remedy) -> None:
    """Click a button of the error that the wizard shows."""
    assert d.wizard.trouble.isVisible()
    d.click(d.wizard.trouble.button(remedy))


def card_button(d: WizardDriver, remedy: Remedy) -> Any:
    return next(b for b in d.card.remedies if b.isVisible() and b.property("action") is remedy)


def test_that_a_gated_repository_asks_for_a_token_and_opens_with_it(
    qtbot: QtBot, hub: Hub, ouzel_home: Path, yes: list[str], opened_links: list[QUrl]
) -> None:
    with window(qtbot) as d:
        d.to_options("owner/gated")
        box = d.wizard.options.token
        assert box.isVisible() and box.field.echoMode() is QLineEdit.EchoMode.Password and not d.wizard.next.isEnabled()
        press(d, Remedy.LICENCE)
        assert [u.toString() for u in opened_links] == [f"{hub.url}/owner/gated"]
        press(d, Remedy.TOKEN)
        assert box.field.hasFocus()
        assert box.keep.findData("keyring") < 0  # this machine has none
        QTest.keyClicks(box.field, "hf_wrong")
        d.key(Qt.Key.Key_Return, box.field)
        assert box.field.text() == ""
        d.wait(lambda: len([r for r in d.asked if isinstance(r, LookUp)]) == 2 and not d.control.state.looking)
        assert d.control.state.problem is not None and "hf_wrong" not in str(d.control.state.problem)
        QTest.keyClicks(box.field, "hf_open")
        d.click(box.use)
        d.wait(d.wizard.next.isEnabled)
        assert not d.wizard.trouble.isVisible() and d.control.state.looked.gated
        d.next()
        d.wait_stage(Stage.READY)
    for file in ouzel_home.rglob("*"):
        assert not file.is_file() or b"hf_open" not in file.read_bytes()
    token.forget()


def test_that_a_token_is_kept_in_a_file_only_with_consent(qtbot: QtBot, hub: Hub) -> None:
    with window(qtbot) as d:
        d.to_options("owner/gated")
        box = d.wizard.options.token
        assert box.keep.currentData() == "session"
        box.keep.setFocus()
        d.key(Qt.Key.Key_Down, box.keep)
        assert box.keep.currentData() == "file" and "not encrypted" in box.note.text()
        QTest.keyClicks(box.field, "hf_open")
        d.click(box.use)
        d.wait(d.wizard.next.isEnabled)
    assert token.file_path().stat().st_mode & 0o777 == 0o600
    found = token.load()
    assert found is not None and found.place == "file"
    token.forget()


def test_that_a_repository_that_is_not_there_offers_what_helps(qtbot: QtBot, hub: Hub) -> None:
    with window(qtbot) as d:
        d.to_options("owner/none")
        assert "has no model owner/none" in d.wizard.trouble.label.text()
        d.click(d.wizard.back)
        assert d.page is Page.MODEL and not d.wizard.trouble.isVisible()


def test_that_a_hub_that_cannot_be_reached_is_tried_again(qtbot: QtBot, hub: Hub) -> None:
    hub.faults.statuses["/api/models"] = [(500, {})] * 50
    with window(qtbot) as d:
        d.to_options("owner/tiny")
        assert "cannot be reached" in d.wizard.trouble.label.text()
        hub.faults.statuses.clear()
        press(d, Remedy.RETRY)
        d.wait(d.wizard.next.isEnabled)
        assert not d.wizard.trouble.isVisible()


def test_that_too_small_a_drive_offers_room_and_another_folder(
    qtbot: QtBot, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened_links: list[QUrl]
) -> None:
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getExistingDirectory", lambda *args: str(tmp_path))
    with window(qtbot) as d:
        d.to_options("owner/tiny")
        with monkeypatch.context() as patch:
            patch.setattr("shutil.disk_usage", lambda path: Usage(10, 5, 5))
            d.next()
            d.wait_stage(Stage.FAILED)
        assert "needs" in d.card.state.text() and d.host.bar.property("tone") == "bad"
        d.click(card_button(d, Remedy.SPACE))
        assert len(opened_links) == 1 and opened_links[0].isLocalFile()
        d.click(card_button(d, Remedy.FOLDER))
        assert d.page is Page.FOLDER
        d.click(d.wizard.folder.choose)
        assert d.control.place.folder == tmp_path and d.control.place.repository == "owner/tiny"
        d.next()
        d.next()
        d.next()
        assert d.latest(PullModel).target == tmp_path / "tiny.ouzel"
        d.wait(lambda: d.host.pulls.item(tmp_path / "tiny.ouzel").stage is Stage.READY)


def test_that_a_drive_that_fills_up_is_said_and_goes_on_by_itself(
    qtbot: QtBot, hub: Hub, ouzel_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "SPACE_S", 0.2)
    write, full = PieceFile.write, [True]

    def refusing(self: PieceFile, index: int, data: Any) -> None:
        if full[0] and self.path.name.startswith("L"):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, index, data)

    monkeypatch.setattr(PieceFile, "write", refusing)
    with window(qtbot) as d:
        d.to_progress()
        d.wait(lambda: d.item.progress is not None and d.item.progress.state == "no space")
        assert "The drive is full" in d.card.state.text() and card_button(d, Remedy.SPACE).isVisible()
        full[0] = False
        d.wait_stage(Stage.READY)
        assert (target(ouzel_home)).is_dir()


def test_that_a_name_that_is_taken_can_be_changed(qtbot: QtBot, hub: Hub, ouzel_home: Path) -> None:
    target(ouzel_home).mkdir(parents=True)
    with window(qtbot) as d:
        d.to_progress()
        d.wait_stage(Stage.FAILED)
        assert "exists already" in d.card.state.text()
        d.click(card_button(d, Remedy.NAME))
        assert d.page is Page.OPTIONS and d.wizard.options.name.hasFocus()
        d.wizard.options.name.selectAll()
        QTest.keyClicks(d.wizard.options.name, "other")
        d.next()
        d.wait(lambda: d.host.pulls.item(target(ouzel_home, "other")).stage is Stage.READY)


def test_that_a_folder_that_cannot_be_written_is_refused_at_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with window(qtbot) as d:
        d.open_wizard()
        assert "cannot be written" in d.wizard.folder.free.text() and not d.wizard.next.isEnabled()
