"""Models that cannot run here are asked about before anything is fetched; GGUF files lead to the conversion."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.wizard.state import Page
from engine.errors import BadCheckpoint
from engine.offers import Precision
from engine.requests import LookUp, PullModel
from engine.setup.checkpoint import must_be_checkpoint
from engine.setup.naming import no_config
from tests.app.wizard.driving import WizardDriver, window
from tests.app.wizard.samples import GB, looked, offer, surveyed, verdict


def at_model(d: WizardDriver, picked: str) -> None:
    """The catalogue with one model that runs and one that cannot."""
    d.open_wizard()
    huge = offer("Huge", "a/huge", verdict("impossible", floor_bytes=36 * GB))
    d.control._become(replace(d.control.state, survey=surveyed(offer("Good", "a/good", verdict()), huge)))
    d.control.change(page=Page.MODEL, picked=picked)
    d.wait(d.wizard.next.isEnabled)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[QMessageBox.StandardButton]]:
    """The questions that are asked, and what is answered to each."""
    asked: list[str] = []
    said: list[QMessageBox.StandardButton] = []

    def answer(_parent: object, _title: str, text: str) -> QMessageBox.StandardButton:
        asked.append(text)
        return said.pop(0)

    monkeypatch.setattr(QMessageBox, "question", answer)
    return asked, said


def test_that_a_model_that_cannot_run_is_asked_about_with_the_reason(
    qtbot: QtBot, answers: tuple[list[str], list[QMessageBox.StandardButton]]
) -> None:
    asked, said = answers
    with window(qtbot) as d:
        at_model(d, "a/huge")
        d.host.fetching.post = d.asked.append  # type: ignore[assignment]  # nothing is looked up
        said.append(QMessageBox.StandardButton.No)
        d.click(d.wizard.next)
        assert d.page is Page.MODEL and d.asked == []
        assert asked == ["Huge does not run on this computer: needs 12.0 GB more memory.\n\nGo on all the same?"]
        said.append(QMessageBox.StandardButton.Yes)
        d.click(d.wizard.next)
        assert d.page is Page.OPTIONS and isinstance(d.asked[-1], LookUp) and len(asked) == 2


def test_that_a_model_that_runs_is_not_asked_about(qtbot: QtBot, answers: tuple[list[str], list[QMessageBox.StandardButton]]) -> None:
    with window(qtbot) as d:
        at_model(d, "a/good")
        d.host.fetching.post = d.asked.append  # type: ignore[assignment]
        QTest.keyClick(d.wizard.model.rows, Qt.Key.Key_Return)
        assert d.page is Page.OPTIONS and answers[0] == []


def test_that_a_precision_that_cannot_run_is_asked_about(qtbot: QtBot, answers: tuple[list[str], list[QMessageBox.StandardButton]]) -> None:
    asked, said = answers
    with window(qtbot) as d:
        at_model(d, "a/good")
        d.host.fetching.post = d.asked.append  # type: ignore[assignment]
        d.click(d.wizard.next)
        choices = (Precision("q4", "q4", False, verdict()), Precision("bf16", "bf16", True, verdict("impossible", disk_peak_bytes=95 * GB)))
        d.host.fetching.happened.emit(looked(id=d.control.state.looking, precisions=choices))
        d.control.change(experts="bf16", trunk="bf16")
        said.append(QMessageBox.StandardButton.No)
        d.click(d.wizard.next)
        assert d.page is Page.OPTIONS and "needs 30.0 GB more disk" in asked[0]
        d.control.change(experts="q4", trunk="q4")
        d.click(d.wizard.next)
        assert len(asked) == 1 and d.page is Page.PROGRESS and isinstance(d.asked[-1], PullModel)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("README.md",), "has no config.json. Choose another repository."),
        (("m-Q4.gguf", "README.md"), "a GGUF file, which Ouzel does not fetch. Download m-Q4.gguf from its page, then: ouzel import"),
        (("m-Q8.gguf", "m-Q4.GGUF"), "GGUF files, each with a model of its own"),
        (("m-00002-of-00002.gguf", "m-00001-of-00002.gguf"), "Download m-00001-of-00002.gguf"),
    ],
)
def test_that_a_repository_without_a_config_names_its_gguf_file(names: tuple[str, ...], told: str) -> None:
    assert told in no_config("a/m", names)


def test_that_a_folder_of_gguf_files_names_the_command(tmp_path: Path) -> None:
    for name in ("b.gguf", "a.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    with pytest.raises(BadCheckpoint, match="import") as told:
        must_be_checkpoint(tmp_path)
    assert str(tmp_path / "a.gguf") in str(told.value)


@pytest.mark.parametrize("files", [("a.gguf",), ("a.gguf", "b.gguf")])
def test_that_a_folder_of_gguf_files_leads_to_the_conversion(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: tuple[str, ...]
) -> None:
    for name in files:
        (tmp_path / name).write_bytes(b"GGUF")
    chosen = tmp_path / files[-1]
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(chosen), ""))
    with window(qtbot) as d:
        d.main.ask_folder()
        assert "GGUF" in d.main.notice.label.text()
        d.click(d.main.notice.action)
        assert d.control.place.file == str(chosen) and d.page is Page.OPTIONS and d.wizard.isVisible()
        d.wait(lambda: d.control.state.problem is not None)  # these files hold nothing
