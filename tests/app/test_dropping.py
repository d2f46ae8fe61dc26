"""Files and models that are dropped on the window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.dropping import kind_of
from app.wizard.state import Page
from engine.requests import LoadModel, LookUp
from tests.app.window import Driver, opened
from tests.app.wizard.driving import window as wizard_window

LEFT, NONE, COPY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction


def drop(d: Driver, target: QWidget, *paths: Path) -> bool:
    """Drag over a widget and let go, as the window system tells it; whether it was taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(p)) for p in paths])
    enter = QDragEnterEvent(QPoint(5, 5), COPY, data, LEFT, NONE)
    enter.ignore()
    QApplication.sendEvent(target, enter)
    if not enter.isAccepted():
        return False
    QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), COPY, data, LEFT, NONE))
    return True


def test_that_kinds_are_told_apart(tmp_path: Path, starter: Path) -> None:
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint" / "config.json").write_text("{}")
    (tmp_path / "empty.ouzel").mkdir()
    kinds = {
        starter: "container",
        starter / "manifest.json": "container",
        tmp_path / "checkpoint": "source",
        tmp_path / "a.GGUF": "source",
        tmp_path / "empty.ouzel": "folder",
        tmp_path / "notes.txt": "file",
        tmp_path / ("long" * 100): "file",  # which no system has
    }
    assert {path: kind_of(path) for path in kinds} == kinds


@pytest.mark.parametrize("where", ["main", "transcript", "composer"])
def test_that_files_are_attached_wherever_they_are_dropped(qtbot: QtBot, tmp_path: Path, where: str) -> None:
    (tmp_path / "notes.txt").write_text("three stones")
    with opened(qtbot) as d:
        target = {"main": d.main, "transcript": d.main, "composer": d.main.composer}[where]
        assert drop(d, target, tmp_path / "notes.txt")
        d.wait(lambda: [f.name for f in d.main.composer.files] == ["notes.txt"])


def test_that_the_field_shows_that_files_can_be_let_go(qtbot: QtBot, tmp_path: Path) -> None:
    with opened(qtbot) as d:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
        for target in (d.main, d.main.composer, d.main.composer.field.viewport()):
            QApplication.sendEvent(target, QDragEnterEvent(QPoint(5, 5), COPY, data, LEFT, NONE))
            assert d.main.composer.property("dragged") is True
            QApplication.sendEvent(target, QDragLeaveEvent())
            assert d.main.composer.property("dragged") is False


def test_that_text_that_is_dragged_over_the_window_is_not_taken(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        data = QMimeData()
        data.setText("words")
        enter = QDragEnterEvent(QPoint(5, 5), COPY, data, LEFT, NONE)
        enter.ignore()
        QApplication.sendEvent(d.main, enter)
        assert not enter.isAccepted()


def test_that_a_model_is_opened_and_a_folder_of_nothing_is_told(qtbot: QtBot, tmp_path: Path, starter: Path) -> None:
    with opened(qtbot) as d:
        (tmp_path / "nothing").mkdir()
        assert drop(d, d.main, tmp_path / "nothing")
        assert "holds no model" in d.main.notice.label.text() and "drop the files themselves" in d.main.notice.label.text()
        assert drop(d, d.main, starter)
        d.wait_ready()
        request = d.last(LoadModel)
        assert isinstance(request, LoadModel) and request.config.model == starter and not d.main.notice.isVisible()


@pytest.mark.long
@pytest.mark.parametrize("how", ["dropped", "opened"])
def test_that_what_can_be_converted_goes_to_the_wizard(
    qtbot: QtBot, tiny_checkpoint: Callable[..., Path], how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tiny_checkpoint("mixtral")
    with wizard_window(qtbot) as d:
        if how == "dropped":
            assert drop(d, d.main, source)
        else:
            monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(source))
            d.main.ask_folder()
        d.wait(lambda: d.wizard.isVisible() and d.page is Page.OPTIONS and d.control.state.looked is not None)
        assert d.latest(LookUp).source == str(source) and d.control.place.tab == "file"
        d.wizard.close()
