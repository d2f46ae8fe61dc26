"""After a run that did not end by itself: when a careful start is offered, and what its choices do."""

import json
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app import safe_mode
from app.help.fault import last_fault
from app.safe_mode import MARK, Earlier, RunMark, doubtful
from app.settings import load
from app.state import Phase
from engine.requests import LoadModel
from tests.app.processes import begin
from tests.app.window import Driver, opened


@pytest.mark.parametrize(
    ("earlier", "crashed", "offered"),
    [
        (None, False, False),
        (None, True, True),
        (Earlier("resting"), False, False),  # killed, or the computer lost its power
        (Earlier("resting"), True, True),
        (Earlier("starting"), False, True),
        (Earlier("opening", "a", True), False, True),
        (Earlier("opening", "a", False), False, True),  # the computer may have gone down with it
        (Earlier("working", "a", True), False, True),
        (Earlier("working", "a", False), False, False),  # a computer that ran out of battery asleep
    ],
)
def test_when_a_careful_start_is_offered(earlier: Earlier | None, crashed: bool, offered: bool) -> None:
    assert doubtful(earlier, crashed) is offered


def test_that_the_mark_is_read_back_and_another_boot_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = RunMark(tmp_path)
    assert mark.earlier() is None
    mark.note("working", "a.ouzel")
    assert RunMark(tmp_path).earlier() == Earlier("working", "a.ouzel", True)
    monkeypatch.setattr(safe_mode, "_boot", lambda: "another")
    assert RunMark(tmp_path).earlier() == Earlier("working", "a.ouzel", False)
    monkeypatch.setattr(safe_mode, "_boot", lambda: psutil.boot_time() + 5)  # a clock that was set
    mark.note("resting", "a.ouzel")
    monkeypatch.setattr(safe_mode, "_boot", psutil.boot_time)
    assert RunMark(tmp_path).earlier() == Earlier("resting", "a.ouzel", True)
    mark.clear()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", "{", "[]", '{"doing": 3}', "null", '"x"'])
def test_that_a_mark_that_is_damaged_stops_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / MARK).write_text(text)
    assert RunMark(tmp_path).earlier() == Earlier("resting")


def test_that_a_folder_that_cannot_be_written_has_no_mark(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    mark = RunMark(tmp_path / "file")
    mark.note("opening", "a")
    mark.clear()
    assert mark.earlier() == Earlier("resting")


def choose(d: Driver, label: str) -> None:
    d.wait(lambda: d.window.careful.box is not None)
    box = d.window.careful.box
    assert box is not None and box.isVisible() and d.requests == [] and d.phase is Phase.IDLE
    assert all(b.accessibleName() for b in box.buttons())
    QTest.mouseClick(next(b for b in box.buttons() if b.text() == label), Qt.MouseButton.LeftButton)


def test_that_a_kill_while_a_model_opens_is_followed_by_a_careful_start(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    child = begin(ouzel_home, "kill", "LOADING")
    child.communicate(timeout=100)
    assert child.returncode != 0
    with opened(qtbot) as d:
        d.wait(lambda: d.window.careful.box is not None)
        assert "opening starter" in d.window.careful.box.text()
        choose(d, "Open the model")
        d.wait_ready()
    assert not (ouzel_home / MARK).exists()
    with opened(qtbot) as d:
        d.wait_ready()
        assert d.window.careful.box is None


@pytest.mark.parametrize("label", ["Open no model", "Open no model, usual settings"])
def test_that_the_choices_do_what_they_say(qtbot: QtBot, starter_home: Path, ouzel_home: Path, label: str) -> None:
    (ouzel_home / MARK).write_text(json.dumps({"doing": "opening", "model": "starter.ouzel", "boot": 0}))
    (ouzel_home / "window.json").write_text('{"threads": 1, "context": 512, "theme": "dark", "max_tokens": 5}')
    with opened(qtbot) as d:
        choose(d, label)
        assert d.window.careful.box is None and d.phase is Phase.IDLE and d.requests == []
        kept = d.engine.settings
        assert (kept.theme, kept.max_tokens) == ("dark", 5)
        assert (kept.threads, kept.context) == ((None, None) if "settings" in label else (1, 512))
        d.press("Load", d.main.model_bar)
        d.wait_ready()
        request = d.last(LoadModel)
        assert isinstance(request, LoadModel) and request.config.threads == kept.threads
    assert load(ouzel_home / "window.json").threads == kept.threads


def test_that_a_kill_at_rest_changes_nothing_at_the_next_start(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    child = begin(ouzel_home, "kill", "READY")
    child.communicate(timeout=100)
    assert child.returncode != 0 and json.loads((ouzel_home / MARK).read_text())["doing"] == "resting"
    with opened(qtbot) as d:
        d.wait_ready()
        assert d.window.careful.box is None


def test_that_a_crash_below_python_is_found_and_told_at_the_next_start(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    child = begin(ouzel_home, "crash", "READY")
    child.communicate(timeout=100)
    assert child.returncode != 0
    fault = last_fault(ouzel_home)
    assert "Segmentation fault" in fault and "starting.py" in fault and last_fault(ouzel_home) == ""
    with opened(qtbot, fault=fault) as d:
        choose(d, "Open no model")
        assert "crashed" in d.main.notice.label.text()
        d.click(d.main.notice.action)
        assert d.window.help.crash is not None and "Segmentation fault" in d.window.help.crash.page.text.toPlainText()


def test_that_safe_mode_opens_no_model(qtbot: QtBot, starter_home: Path, ouzel_home: Path) -> None:
    (ouzel_home / "window.json").write_text('{"threads": 1}')
    with opened(qtbot, safe=True) as d:
        d.wait(d.main.notice.isVisible)
        assert "Safe mode" in d.main.notice.label.text() and d.requests == [] and d.engine.settings.threads is None
