"""Another language counts at once, whatever is going on; what is open, written or at work goes on."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app import language, translations
from app.chats.options import ChatOptions
from app.chats.records import Attached
from app.main import SETTINGS
from app.settings import load
from app.views.settings.dialog import SettingsDialog
from app.wizard.state import Page
from engine.requests import LoadModel, UnloadModel
from tests.app.everywhere import NAMES
from tests.app.spoken import Bracketed, everything_said, forgotten
from tests.app.test_german import GERMAN
from tests.app.window import LONG, Driver, opened
from tests.app.wizard.driving import WizardDriver, window
from tests.app.wizard.samples import offer, surveyed, verdict
from tests.app.wizard.test_every_page import DATA

LONG_QUESTION = "A river runs past here.\n" * 60
ENTRIES = ["system", *language.NAMES]


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    language.install("en")


def settings(d: Driver) -> SettingsDialog:
    assert d.main.dialog is not None
    return d.main.dialog


def choose(d: Driver, spoken: str) -> None:
    """Open the settings with the mouse, and go to the language with the keys; each key goes to what has the focus by then."""
    if d.main.dialog is None:
        d.click(d.main.model_bar.settings_button)
    bar = settings(d).tabs.tabBar()
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(2).center())
    settings(d).fields["language"].setFocus()
    box = settings(d).fields["language"]
    assert isinstance(box, QComboBox)
    steps = ENTRIES.index(spoken) - box.currentIndex()
    for _ in range(abs(steps)):
        QTest.keyClick(settings(d).fields["language"], Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)
    d.wait(lambda: language.spoken() == language.resolve(spoken, language.preferred()))
    QApplication.processEvents()


def english_left(roots: list[QWidget]) -> list[tuple[str, str]]:
    """What is said as the source says it, where German has other words."""
    english = {t.source for t in translations.read(GERMAN) if t.forms != (t.source,) and len(t.source) > 3}
    return [(where, text) for where, text in everything_said(roots) if text in english]


def test_that_the_language_changes_at_once_and_back_and_is_kept(qtbot: QtBot, ouzel_home: Path) -> None:
    with opened(qtbot) as d:
        choose(d, "de")
        dialog = settings(d)
        assert dialog.windowTitle() == "Einstellungen" and dialog.tabs.currentIndex() == 2 and dialog.isVisible()
        assert dialog.fields["language"].hasFocus()
        assert d.main.composer.attach.toolTip() == "Dateien anhängen" and QLocale().decimalPoint() == ","
        assert english_left([d.main]) == []
        QTest.keyClick(dialog.fields["language"], Qt.Key.Key_Up)  # English, in the dialog that is new
        d.wait(lambda: d.main.composer.attach.toolTip() == "Attach files")
        assert settings(d).windowTitle() == "Settings" and QLocale().decimalPoint() == "."
        choose(d, "de")
    assert load(ouzel_home / SETTINGS).language == "de"
    with opened(qtbot) as d:
        assert d.main.composer.attach.toolTip() == "Dateien anhängen"


def test_that_an_answer_goes_on_and_nothing_is_lost(driver: Driver) -> None:
    d, transcript = driver, driver.main.transcript
    d.engine.change_settings(replace(LONG, width=d.main.width(), height=d.main.height()))
    d.main.composer.field.setPlainText(LONG_QUESTION)
    QTest.keyClick(d.main.composer.field, Qt.Key.Key_Return)
    d.wait(lambda: len(d.finished) == 1)
    d.wait_ready()
    d.chats.again(transcript.turns[-1].number)
    d.wait_ready()
    whole = transcript.turns[-1].text
    d.chats.again(transcript.turns[-1].number)
    d.wait(lambda: len(transcript.answer) > 10)
    QTest.keyClicks(d.main.composer.field, "and then")
    d.main.composer.attach_files([Attached("notes.md", "1234\n")])
    bar = transcript.verticalScrollBar()
    QTest.keyClick(transcript, Qt.Key.Key_PageUp)
    assert 0 < bar.value() < bar.maximum() and not transcript._pinned
    seen = transcript.row_rect(transcript.turns[0].number)
    choose(d, "de")
    now = transcript.row_rect(transcript.turns[0].number)
    assert seen is not None and now is not None and abs(now.top() - seen.top()) <= 1
    assert d.main.composer.field.toPlainText() == "and then" and [f.name for f in d.main.composer.files] == ["notes.md"]
    d.wait(lambda: len(d.finished) == 3)
    d.wait_ready()
    assert transcript.turns[0].text == LONG_QUESTION.strip("\n") and transcript.turns[-1].text == whole
    assert "Cache-Treffer" in transcript.turns[-1].note and transcript.turns[-1].branch == (3, 3)
    assert sum(isinstance(r, LoadModel) for r in d.requests) == 1 and not any(isinstance(r, UnloadModel) for r in d.requests)
    assert d.main.model_bar.status.text().startswith("Bereit · ")
    assert english_left([d.main]) == []


def test_that_what_is_half_typed_in_the_settings_stays(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        d.main.show_settings()
        settings(d).tabs.setCurrentIndex(4)
        page = settings(d).network
        d.wait(lambda: page.found is not None)
        QTest.keyClicks(page.token.field, "hf_half")
        QTest.keyClicks(page.proxy, "not an address")
        choose(d, "de")
        new = settings(d).network
        assert new is not page and new.token.field.text() == "hf_half" and new.token.use.isEnabled()
        settings(d).tabs.setCurrentIndex(4)
        d.wait(new._notes["proxy"].isVisible)
        assert new.proxy.text() == "not an address" and "Adresse" in new._notes["proxy"].text()


def everything_open(d: WizardDriver) -> list[QWidget]:
    """All that can be open beside the settings, filled; the windows, asked for anew, since another language makes them anew."""
    main, desk, panel = d.main, d.main.desk, d.main.model_bar.panel
    d.engine.change_settings(replace(d.engine.settings, max_tokens=4))
    d.ask("Hello")
    d.chats.set_options(ChatOptions(temperature=1.0))
    message = d.chats.messages()[-1]
    d.chats.store.update(message.id, "```\n1234\n```", "complete", message.stats, "1234", 12.3)
    d.chats.refresh()
    main.transcript.toggle_thought(message.id)
    main.model_bar.memory.setChecked(True)
    d.wait(lambda: bool(panel.headline.text()))
    main.composer.attach_files([Attached("notes.md", "1234\n")])
    d.wait(lambda: len(main.composer.known_costs) == 1)
    main.context_bar.offer(5000, 1024, True, 8192)
    d.window.engine_view.button.setChecked(True)
    d.wait(d.window.engine_view.page.map.isVisible)
    desk.show_options()
    d.window.help.show(0)
    d.window.help.show_crash("⟦1234⟧", "ValueError")
    d.window.jobs.show()
    d.host.show()
    d.control.change(page=Page.MODEL)
    d.control._become(replace(d.control.state, survey=surveyed(offer("Good", "a/good", verdict()))))
    main.notice.hide()
    return windows(d)


def windows(d: WizardDriver) -> list[QWidget]:
    found = d.main.desk.dialog, d.window.help.window, d.window.help.crash, d.window.jobs.window, d.host.wizard, d.main.dialog
    return [d.main, *(w for w in found if w is not None and w.isVisible())]


def test_that_all_that_is_open_is_said_anew(
    qtbot: QtBot, starter: Path, found_texts: list[translations.Text], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a made-up language that shows each text that stays in the one before."""
    made = Bracketed({(t.context, t.source) for t in found_texts})
    with window(qtbot) as d:
        d.engine.refresh_models(starter)
        d.engine.choose(starter)
        d.wait_ready()
        opened_before = everything_open(d)
        page = d.window.help.window.tabs.currentIndex() if d.window.help.window is not None else -1
        monkeypatch.setattr(language, "words", lambda _language: [made])
        choose(d, "de")
        now = windows(d)
        assert len(now) == len(opened_before) + 1 == 7 and d.main.composer.files[0].name == "notes.md"
        assert d.page is Page.MODEL and d.window.help.window is not None and d.window.help.window.tabs.currentIndex() == page
        folder = d.control.place.folder
        data = [*NAMES, *map(str, (folder, *folder.parents, starter, starter.parent))]
        data += [*DATA, *(t.text for t in d.main.transcript.turns)]
        assert forgotten(data, now) == []
        assert "⟦Copy⟧" in d.main.transcript.toPlainText()
        monkeypatch.undo()
