"""The wizard closed and opened again, Ouzel ended and started again, in the middle of everything."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.state import Phase
from app.wizard import place as stored
from app.wizard.pulls import Stage
from app.wizard.state import Page, Place
from engine.container.format import MANIFEST
from engine.requests import LoadModel, PullModel
from tests.app.wizard.driving import SLOW, target, window
from tests.hub.server import Hub


def test_that_the_wizard_comes_back_where_it_was(qtbot: QtBot, hub: Hub, ouzel_home: Path) -> None:
    with window(qtbot) as d:
        d.to_options("owner/tiny")
        d.control.change(name="mine")
        d.wizard.options.rows.setFocus()
        d.key(Qt.Key.Key_Down)
        d.key(Qt.Key.Key_Escape)
        assert not d.wizard.isVisible()
        d.click(d.main.welcome.get)
        assert d.wizard.isVisible() and d.page is Page.OPTIONS and d.wizard.options.rows.isVisible()
        d.wizard.close()
        assert not d.wizard.isVisible()
    with window(qtbot) as d:
        d.click(d.main.welcome.get)
        assert d.page is Page.OPTIONS and d.control.place.repository == "owner/tiny"
        d.wait(d.wizard.next.isEnabled)
        assert d.wizard.options.name.text() == "mine" and d.wizard.options.rows.currentRow() == 1
        d.next()
        assert d.latest(PullModel).target == target(ouzel_home, "mine") and d.latest(PullModel).experts == "q8"
        d.wait_stage(Stage.READY)


def test_that_a_download_goes_on_after_a_restart(qtbot: QtBot, hub: Hub, ouzel_home: Path) -> None:
    hub.faults.bytes_per_second = SLOW
    with window(qtbot) as d:
        d.to_progress()
        d.wait_flowing()
    assert not target(ouzel_home).exists()
    hub.faults.bytes_per_second = 0
    with window(qtbot) as d:
        d.wait(lambda: bool(d.host.pulls.items))
        assert d.item.request.source == "owner/tiny"
        d.wait_stage(Stage.READY)
        assert (target(ouzel_home) / MANIFEST).is_file() and target(ouzel_home) in d.engine.models
        d.wait(d.main.notice.isVisible)
        d.host.show()
        assert d.page in (Page.PROGRESS, Page.CHAT)


def test_that_a_paused_download_waits_for_its_person(qtbot: QtBot, hub: Hub, ouzel_home: Path) -> None:
    hub.faults.bytes_per_second = SLOW
    with window(qtbot) as d:
        d.to_progress()
        d.wait_flowing()
        d.click(d.card.pause)
        d.wait_stage(Stage.PAUSED)
    hub.faults.bytes_per_second = 0
    with window(qtbot) as d:
        d.wait(lambda: bool(d.host.pulls.items))
        assert d.item.stage is Stage.PAUSED and d.host.bar.label.text() == "tiny: paused"
        d.click(d.host.bar.button)
        d.click(d.card.resume)
        d.wait_stage(Stage.READY)
        assert (target(ouzel_home) / MANIFEST).is_file()


def test_that_start_now_opens_the_model_before_the_download_has_ended(qtbot: QtBot, hub: Hub, ouzel_home: Path) -> None:
    hub.faults.bytes_per_second = 60_000
    with window(qtbot) as d:
        d.to_progress(start_now=True)
        d.wait(lambda: d.page is Page.CHAT)
        if d.item.stage is Stage.RUNNING:
            assert d.item.startable and "already" in d.wizard.chat.text.text() and target(ouzel_home) in d.engine.models
        d.engine.change_settings(replace(d.engine.settings, max_tokens=2, temperature=0.0))
        d.click(d.wizard.next)
        d.wait_ready()
        load = d.last(LoadModel)
        assert isinstance(load, LoadModel) and load.config.model == target(ouzel_home)
        hub.faults.bytes_per_second = 0
        assert isinstance(d.ask("abc"), str)
        d.wait(lambda: (target(ouzel_home) / MANIFEST).is_file() and d.host.pulls.items == ())
        assert d.phase is Phase.READY and not d.host.bar.isVisible()


@pytest.mark.parametrize(
    ("text", "page", "picked"),
    [("{broken", Page.FOLDER, ""), ("[]", Page.FOLDER, ""), ('{"page": 1, "picked": 5, "folder": "x"}', Page.MODEL, ""),
     ('{"page": 17, "picked": "a/b"}', Page.FOLDER, "a/b"), ('{"page": true, "start_now": 3}', Page.FOLDER, "")],
)  # fmt: skip
def test_that_a_damaged_place_is_the_beginning(tmp_path: Path, text: str, page: Page, picked: str) -> None:
    file = tmp_path / "wizard.json"
    file.write_text(text)
    found = stored.load(file, tmp_path)
    assert (found.page, found.picked, found.folder, found.start_now) == (page, picked, tmp_path, True)


def test_that_a_place_is_kept_whole(tmp_path: Path) -> None:
    place = Place(Page.OPTIONS, tmp_path / "ü", "file", "a/b", "c/d", "v1", "/x/y", "q8", "q4", "name", False)
    stored.save(tmp_path / "new" / "wizard.json", place)
    assert stored.load(tmp_path / "new" / "wizard.json", Path("/other")) == place
    assert json.loads((tmp_path / "new" / "wizard.json").read_text())["page"] == 2
