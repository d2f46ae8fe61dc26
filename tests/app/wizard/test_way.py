"""From the first page to the first chat with the real fetcher and a hub on this computer, with keys and the mouse."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.state import Phase
from app.wizard.pulls import Stage
from app.wizard.state import Page
from engine.container.format import MANIFEST
from engine.requests import LoadModel, LookUp, PullModel, StopPull, Survey
from tests.app.wizard.driving import OLMOE, SLOW, target, window
from tests.hub.server import Hub


def test_the_whole_way_by_keyboard_to_a_first_answer(qtbot: QtBot, hub: Hub, ouzel_home: Path) -> None:
    with window(qtbot) as d:
        d.open_wizard()
        d.wizard.folder.rows.setFocus()
        d.key(Qt.Key.Key_Return)  # the drive that is chosen
        assert d.page is Page.MODEL
        d.wait(lambda: d.control.state.survey is not None)
        keys = [r.key for r in d.wizard.model.rows.rows]
        assert d.wizard.model.rows.hasFocus() and d.control.place.picked == keys[0]
        d.key(Qt.Key.Key_End)
        assert d.control.place.picked == keys[-1]
        for _ in range(keys.index(OLMOE), len(keys) - 1):
            d.key(Qt.Key.Key_Up)
        assert d.control.place.picked == OLMOE and "OLMoE" in d.wizard.model.details.title.text()
        d.key(Qt.Key.Key_Return)
        assert d.page is Page.OPTIONS
        d.wait(d.wizard.next.isEnabled)
        assert d.latest(LookUp) == LookUp(d.latest(LookUp).id, OLMOE, ouzel_home / "models", None)
        assert d.wizard.options.rows.rows[0].key == "q4+q4"
        d.wizard.options.rows.setFocus()
        d.key(Qt.Key.Key_Down)
        d.wizard.options.name.setFocus()
        d.wizard.options.name.selectAll()
        QTest.keyClicks(d.wizard.options.name, "first try")
        d.wizard.options.start_now.setFocus()
        d.key(Qt.Key.Key_Space)
        d.key(Qt.Key.Key_Return)
        path = target(ouzel_home, "first try")
        pull = d.latest(PullModel)
        assert (pull.source, pull.target, pull.experts, pull.trunk, pull.start_now) == (OLMOE, path, "q8", "q8", False)
        d.wait(lambda: d.page is Page.CHAT)
        assert (path / MANIFEST).is_file() and "first try" in d.wizard.chat.text.text() and d.wizard.next.hasFocus()
        d.key(Qt.Key.Key_Return)
        assert not d.wizard.isVisible() and d.host.pulls.items == ()
        d.wait(d.main.composer.field.hasFocus)
        d.wait_ready()
        load = d.last(LoadModel)
        assert isinstance(load, LoadModel) and load.config.model == path
        d.engine.change_settings(d.engine.settings.__class__(max_tokens=4, temperature=0.0))
        assert isinstance(d.ask("abc"), str) and d.finished[-1].answer_tokens <= 4


def test_that_every_control_of_the_way_reaches_the_request(qtbot: QtBot, hub: Hub, tmp_path: Path) -> None:
    with window(qtbot) as d:
        d.open_wizard()
        field = d.wizard.folder.field
        field.selectAll()
        QApplication.clipboard().setText(str(tmp_path / "モデル dir"))
        field.paste()
        d.key(Qt.Key.Key_Return, field)
        assert d.page is Page.MODEL and d.latest(Survey).folder == tmp_path / "モデル dir"
        tabs = d.wizard.model.tabs
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
        assert not d.wizard.next.isEnabled()
        QTest.keyClicks(d.wizard.model.repository, "owner/tiny")
        QTest.keyClicks(d.wizard.model.revision, hub.repos["owner/tiny"].commit)
        assert not d.wizard.model.endpoint.isEnabled() and d.wizard.model.endpoint.text() == hub.url
        d.next()
        look = d.latest(LookUp)
        assert (look.source, look.revision, look.folder) == ("owner/tiny", hub.repos["owner/tiny"].commit, tmp_path / "モデル dir")
        d.wait(d.wizard.next.isEnabled)
        assert d.wizard.options.start_now.isChecked()
        d.next()
        pull = d.latest(PullModel)
        assert (pull.revision, pull.start_now, pull.target) == (look.revision, True, tmp_path / "モデル dir" / "tiny.ouzel")
        d.wait_stage(Stage.READY)
        assert (pull.target / MANIFEST).is_file()


def test_that_the_drives_test_can_be_started_stopped_and_told(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.setup.speed.SECONDS", 0.1)
    monkeypatch.setattr("engine.setup.speed.WRITE_SECONDS", 0.0)
    with window(qtbot) as d:
        d.open_wizard()
        page = d.wizard.folder
        d.click(page.test)
        assert d.latest(Survey).again and page.test.text() == "Stop the test" and page.progress.isVisible()
        d.click(page.test)
        d.wait(lambda: not d.control.state.surveying)
        assert d.control.state.problem is None
        d.click(page.test)
        d.wait(lambda: d.control.state.survey is not None)
        assert page.speed.text().startswith("It reads ") and page.test.text() == "Test again"


def test_that_pause_resume_and_discard_do_so(qtbot: QtBot, hub: Hub, ouzel_home: Path, yes: list[str]) -> None:
    hub.faults.bytes_per_second = SLOW
    with window(qtbot) as d:
        d.to_progress()
        d.wait_flowing()
        d.click(d.card.pause)
        assert d.latest(StopPull).target == target(ouzel_home) and not d.latest(StopPull).discard
        d.wait_stage(Stage.PAUSED)
        assert "Paused" in d.card.state.text() and d.main.model_bar and d.host.bar.label.text() == "tiny: paused"
        assert target(ouzel_home).with_name("tiny.ouzel.partial").is_dir()
        d.click(d.card.resume)
        d.wait_flowing()
        d.click(d.card.discard)
        assert len(yes) == 1 and d.latest(StopPull).discard
        d.wait(lambda: d.host.pulls.items == ())
        assert not target(ouzel_home).with_name("tiny.ouzel.partial").exists()
        assert d.wizard.progress.empty.isVisible() and not d.host.bar.isVisible()


def test_that_it_goes_on_in_the_background_and_says_when_it_is_done(qtbot: QtBot, hub: Hub, ouzel_home: Path) -> None:
    hub.faults.bytes_per_second = SLOW
    with window(qtbot) as d:
        d.to_progress()
        d.key(Qt.Key.Key_Escape, d.wizard)
        assert not d.wizard.isVisible() and d.host.bar.isVisible() and d.host.bar.label.text().startswith("tiny")
        d.click(d.host.bar.button)
        assert d.wizard.isVisible() and d.page is Page.PROGRESS
        d.click(d.wizard.close_button)
        assert not d.wizard.isVisible()
        hub.faults.bytes_per_second = 0
        d.wait_stage(Stage.READY)
        assert d.main.notice.isVisible() and "tiny is ready" in d.main.notice.label.text()
        d.click(d.main.notice.action)
        d.wait_ready()
        assert d.phase is Phase.READY and not d.host.bar.isVisible()


def test_that_a_licence_is_opened_after_asking(qtbot: QtBot, yes: list[str], opened_links: list[QUrl]) -> None:
    with window(qtbot) as d:
        d.open_wizard()
        d.next()
        d.wait(lambda: d.control.state.survey is not None)
        d.control.change(picked=OLMOE)
        d.click(d.wizard.model.details.licence)
        assert [u.toString() for u in opened_links] == ["https://www.apache.org/licenses/LICENSE-2.0"] and len(yes) == 1


def test_that_a_checkpoint_and_a_finished_container_on_this_computer_are_taken(
    qtbot: QtBot, hub: Hub, tiny_checkpoint: object, tiny: object, monkeypatch: pytest.MonkeyPatch, ouzel_home: Path
) -> None:
    checkpoint, container = tiny_checkpoint("mixtral"), tiny("mixtral", "q8")  # type: ignore[operator]
    chosen = [str(checkpoint)]
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getExistingDirectory", lambda *args: chosen[0])
    with window(qtbot) as d:
        d.open_wizard()
        d.next()
        tabs = d.wizard.model.tabs
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(2).center())
        d.click(d.wizard.model.choose_folder)
        assert d.wizard.model.file.text() == str(checkpoint)
        d.next()
        d.wait(d.wizard.next.isEnabled)
        assert d.wizard.next.text() == "Convert" and not d.wizard.options.start_now.isVisible()
        d.control.change(name="local")
        d.next()
        assert d.latest(PullModel).source == str(checkpoint) and not d.latest(PullModel).start_now
        d.wait_stage(Stage.READY)
        d.wait(lambda: d.page is Page.CHAT)
        chosen[0] = str(container)
        d.click(d.wizard.back)
        d.click(d.wizard.model.choose_folder)
        d.next()
        d.wait(d.wizard.next.isEnabled)
        assert d.wizard.next.text() == "Open it" and not d.wizard.options.rows.isVisible()
        d.next()
        d.wait_ready()
        load = d.last(LoadModel)
        assert isinstance(load, LoadModel) and load.config.model == container
