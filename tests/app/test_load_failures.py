"""A model that could not be opened, in the real window: what is said of it, and the button that tries again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from pytestqt.qtbot import QtBot

from app.state import Phase
from app.wizard.pulls import Stage
from engine.apart import Apart
from engine.container.format import MANIFEST
from engine.requests import PullModel
from tests.app.window import opened


def test_that_a_load_whose_tokenizer_process_was_killed_can_be_tried_again(
    qtbot: QtBot, starter_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []

    class Victim(Apart):
        """The real process, which the system ends as soon as it is to read the vocabulary."""

        def make(self, target: str, *arguments: object) -> None:
            killed.append(self.pid)
            psutil.Process(self.pid).kill()
            super().make(target, *arguments)

    with monkeypatch.context() as there, opened(qtbot, starter_home) as d:
        there.setattr("engine.text.asked.Apart", Victim)
        d.wait(lambda: d.main.notice.isVisible() and d.phase is Phase.IDLE)
        assert len(killed) == 1 and d.main.notice.label.text().startswith("A part of Ouzel ended")
        assert d.main.notice.action.text() == "Try again"
        there.undo()
        d.click(d.main.notice.action)
        d.wait_ready()


def test_that_an_import_whose_process_was_killed_can_be_tried_again(
    qtbot: QtBot, ouzel_home: Path, tiny_checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[str] = []

    class Victim(Apart):
        """The real process, which the system ends as soon as it is to convert."""

        def work(self, target: str, *what: Any) -> Any:
            killed.append(target)
            psutil.Process(self.pid).kill()
            return super().work(target, *what)

    target = ouzel_home / "models" / "tiny.ouzel"
    with monkeypatch.context() as there, opened(qtbot) as d:
        there.setattr("engine.apart.Apart", Victim)
        pulls = d.window.wizard.pulls
        pulls.begin(PullModel(0, str(tiny_checkpoint("qwen3_moe")), target, "q8", "q8"))
        d.wait(lambda: pulls.items[0].stage is Stage.FAILED)
        assert killed == ["engine.setup.convert:convert"] and "A part of Ouzel ended" in d.main.notice.label.text()
        there.undo()
        pulls.resume(target)
        d.wait(lambda: pulls.items[0].stage is Stage.READY)
        assert (target / MANIFEST).is_file()


def test_that_a_damaged_file_is_told_with_its_place_in_german(qtbot: QtBot, german: None, tmp_path: Path, starter: Path) -> None:
    broken = tmp_path / "broken.ouzel"
    broken.mkdir()
    (broken / "manifest.json").write_text('{\n "format": "ouzel",\n "version" 1\n}')
    with opened(qtbot, broken) as d:
        d.wait(lambda: d.main.notice.isVisible() and d.phase is Phase.IDLE)
        said = d.main.notice.label.text()
    assert said == (
        f"Das Modell {broken} lässt sich nicht öffnen: manifest.json ist kein gültiges JSON (Zeile 3, Spalte 12). "
        "Bitte das Modell neu holen oder neu umwandeln."
    )
