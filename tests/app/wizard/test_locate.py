"""Models whose drive is missing: greyed in the list, and found again by a person."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.state import Phase
from app.views.model_bar import LostModel
from engine import paths
from engine.setup import known
from tests.app.wizard.driving import WizardDriver, window
from tests.container.damage import copied
from tests.setup.test_moving import move

Tiny = Callable[..., Path]


def entry(d: WizardDriver) -> int:
    """The greyed entry of the list."""
    choice = d.main.model_bar.choice
    d.wait(lambda: any(isinstance(choice.itemData(i), LostModel) for i in range(choice.count())))
    return next(i for i in range(choice.count()) if isinstance(choice.itemData(i), LostModel))


def pick(d: WizardDriver, index: int) -> QMessageBox:
    d.main.model_bar.choice.setFocus()
    d.main.model_bar.choice.activated.emit(index)
    box = d.host.locator.box
    assert box is not None
    return box


def press(box: QMessageBox, label: str) -> None:
    button = next(b for b in box.findChildren(QPushButton) if b.text() == label)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_a_lost_volume_is_located_and_the_model_opens(
    qtbot: QtBot, tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "drive").mkdir()
    path = copied(tiny("mixtral", "q8"), paths.models_dir())
    move(path, [tmp_path / "drive"], [1, 1])
    (tmp_path / "drive").rename(tmp_path / "moved")
    chosen = [tmp_path]
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getExistingDirectory", lambda *args: str(chosen[0]))
    with window(qtbot) as d:
        choice = d.main.model_bar.choice
        at = entry(d)
        assert "drive missing" in choice.itemText(at)
        assert choice.itemData(at, Qt.ItemDataRole.ForegroundRole).name() == d.main.theme.dim
        d.wait(lambda: d.phase is Phase.IDLE and d.main.notice.isVisible())  # it was chosen at the start and could not be opened
        d.main.notice.hide()
        box = pick(d, at)
        assert "drive" in box.text() and choice.currentIndex() != -1
        press(box, "Locate…")
        d.wait(d.main.notice.isVisible)
        assert d.main.notice.action.text() == "Locate…"  # that was the wrong folder
        chosen[0] = tmp_path / "moved"
        d.click(d.main.notice.action)
        assert d.host.locator.box is not None
        press(d.host.locator.box, "Locate…")
        d.wait(lambda: not d.engine.lost)
        d.engine.choose(path)
        d.wait_ready()


def test_that_a_model_on_a_missing_drive_stays_listed_and_can_be_taken_off(qtbot: QtBot, tiny: Tiny, tmp_path: Path) -> None:
    (tmp_path / "drive").mkdir()
    path = copied(tiny("mixtral", "q8"), tmp_path / "drive")
    known.remember(path)
    (tmp_path / "drive").rename(tmp_path / "away")
    with window(qtbot) as d:
        at = entry(d)
        assert d.engine.models == () and list(d.engine.lost) == [path]
        press(pick(d, at), "Look again")
        assert entry(d) == at
        (tmp_path / "away").rename(tmp_path / "drive")
        press(pick(d, at), "Look again")
        d.wait(lambda: d.engine.models == (path,))
        assert not d.engine.lost
        (tmp_path / "drive").rename(tmp_path / "away")
        d.host.locator.look()
        press(pick(d, entry(d)), "Take off the list")
        d.wait(lambda: not d.engine.lost)
        assert known.models() == ()
