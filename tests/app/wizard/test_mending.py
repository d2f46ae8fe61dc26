"""A damaged model in the window: its repair is one press away, and the message that met the damage is still there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.chats.options import ChatOptions
from app.state import Phase
from engine import paths
from engine.errors import Cancelled
from engine.requests import BuildStarter
from tests.app.wizard.driving import WizardDriver, window
from tests.container.damage import copied, flip
from tests.hub.server import Hub
from tests.setup.test_pull import fetch

Tiny = Callable[..., Path]


def spoil(path: Path) -> None:
    """Damage every expert of a model."""
    for file in sorted((path / "experts").glob("L*.bin")):
        for at in range(100, file.stat().st_size, 300):
            flip(file, at)


def meet_the_damage(d: WizardDriver, model: Path) -> None:
    d.engine.refresh_models(model)
    d.engine.choose(model)
    d.wait_ready()
    d.say("Hi")
    d.wait(lambda: d.phase is Phase.READY and d.main.notice.action.isVisible() and d.main.notice.action.text() == "Repair")
    assert "damaged" in d.main.notice.label.text()


def test_that_a_damaged_model_is_repaired_at_the_press_of_a_button(qtbot: QtBot, hub: Hub, ouzel_home: Path) -> None:
    model = fetch(hub, paths.models_dir() / "a.ouzel", experts="q8", trunk="q8")
    spoil(model)
    with window(qtbot) as d:
        meet_the_damage(d, model)
        d.click(d.main.notice.action)
        d.wait(lambda: "whole again" in d.main.notice.label.text())
        d.wait_ready()
        assert d.main.composer.field.toPlainText() == "Hi"
        d.chats.set_options(ChatOptions(max_tokens=4))
        before = len(d.finished)
        QTest.keyClick(d.main.composer.field, Qt.Key.Key_Return)
        d.wait(lambda: len(d.finished) > before and d.phase is Phase.READY)


@pytest.mark.long
def test_that_the_folder_that_was_chosen_serves_again_after_a_stop_and_another_can_be_chosen(
    qtbot: QtBot, tiny: Tiny, tiny_checkpoint: Tiny, ouzel_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = copied(tiny("mixtral", "q8"), paths.models_dir())
    spoil(model)
    folders = [tiny_checkpoint("mixtral", seed=1), tiny_checkpoint("mixtral")]
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folders.pop(0)))
    with window(qtbot) as d:
        notice, mender = d.main.notice, d.host.mender
        d.engine.refresh_models(model)
        d.engine.choose(model)
        d.wait_ready()
        mender.mend(model)
        for left in (1, 0):  # no folder, then one of another model
            d.wait(lambda: notice.action.text() == "Choose the folder…")
            d.click(notice.action)
            assert len(folders) == left
            d.wait(lambda: notice.action.text() != "Choose the folder…")
        d.wait(lambda: mender._mended is None and "whole again" in notice.label.text())
        d.wait_ready()
        spoil(model)
        mender._on_wrong(model, Cancelled("Stopped."))
        d.click(notice.action)
        d.wait(lambda: mender._mended is None and "whole again" in notice.label.text())


@pytest.mark.long
def test_that_a_starter_is_made_again(qtbot: QtBot, tiny: Tiny, ouzel_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = copied(tiny("mixtral", "q8"), paths.models_dir()).rename(paths.starter_path())
    spoil(model)
    with window(qtbot) as d:
        meet_the_damage(d, model)
        d.click(d.main.notice.action)
        d.wait(lambda: d.main.notice.action.text() == "Make it again")
        monkeypatch.setattr(d.window.bridge, "post", d.requests.append)  # nothing is fetched here
        d.click(d.main.notice.action)
        d.wait(lambda: isinstance(d.requests[-1], BuildStarter))
        assert not model.exists()
