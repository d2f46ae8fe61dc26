"""The settings' pages, used with keys and the mouse, and what each setting does."""

from pathlib import Path

import keyring
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QFileDialog, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app import language
from app.chats.options import ChatOptions
from app.looks.theme import DARK
from app.settings import Settings, load
from app.views.chat_options import ChatOptionsDialog
from app.views.settings.dialog import SettingsDialog
from engine import paths
from engine.config import Sampling
from engine.requests import Generate
from engine.setup import known, network, token
from engine.setup.network import Network
from tests.app.window import Driver, opened
from tests.setup.test_token import InMemory


def shown(d: Driver, page: int) -> SettingsDialog:
    """The settings at a page, opened with the mouse."""
    if d.main.dialog is None:
        d.click(d.main.model_bar.settings_button)
    dialog = d.main.dialog
    assert dialog is not None
    bar = dialog.tabs.tabBar()
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(page).center())
    assert dialog.tabs.currentIndex() == page
    return dialog


def tick(box: QWidget) -> None:
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def choose(box: QWidget, value: object) -> None:
    """Pick an entry with the keys."""
    assert isinstance(box, QComboBox)
    at = box.findData(value)
    assert at >= 0
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Home)
    for _ in range(at):
        QTest.keyClick(box, Qt.Key.Key_Down)


def write(field: QWidget, text: str) -> None:
    """Replace what a line holds, and press Return."""
    assert isinstance(field, QLineEdit)
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


@pytest.fixture
def folders_shown(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What the desktop is asked to open."""
    found: list[Path] = []

    def open_url(url: QUrl) -> bool:
        found.append(Path(url.toLocalFile()))
        return True

    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", open_url)
    return found


# Simple and expert


def test_that_simple_settings_hide_what_only_some_need_and_say_what_differs(qtbot: QtBot, ouzel_home: Path) -> None:
    with opened(qtbot) as d:
        dialog = shown(d, 0)
        assert dialog.fields["temperature"].isVisible() and not dialog.fields["top_k"].isVisible() and not dialog.hidden.isVisible()
        tick(dialog.expert)
        assert d.engine.settings.expert and dialog.fields["top_k"].isVisible()
        field = dialog.fields["top_k"]
        assert isinstance(field, QSpinBox)
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, "12")
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert d.engine.settings.top_k == 12 and dialog.isVisible()
        tick(dialog.expert)
        assert not field.isVisible() and dialog.hidden.isVisible()
        assert dialog.hidden.text() == "1 setting that is not shown differs from the usual."
        d.engine.change_settings(d.engine.settings)
        dialog.close()
        assert not shown(d, 0).fields["seed"].isVisible()
    assert load(ouzel_home / "window.json").top_k == 12


def test_that_the_dialog_says_what_the_penalty_is_at_temperature_0(qtbot: QtBot) -> None:
    dialog = SettingsDialog(Settings(expert=True), Sampling(temperature=0.7, repetition_penalty=1.1))
    qtbot.addWidget(dialog)
    dialog.show()
    penalty, temperature = dialog.fields["repetition_penalty"], dialog.fields["temperature"]
    assert isinstance(penalty, QDoubleSpinBox) and isinstance(temperature, QDoubleSpinBox)
    assert penalty.text() == "The model's own (1.1)"
    temperature.setFocus()
    temperature.selectAll()
    QTest.keyClicks(temperature, "0")
    QTest.keyClick(temperature, Qt.Key.Key_Return)
    assert dialog.settings.temperature == 0 and penalty.text() == "1, since the temperature is 0"
    QTest.keyClick(temperature, Qt.Key.Key_Down)
    assert dialog.settings.temperature is None and penalty.text() == "The model's own (1.1)"


def test_that_the_wheel_over_a_field_changes_nothing(qtbot: QtBot) -> None:
    dialog = SettingsDialog(Settings(), Sampling())
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.tabs.setCurrentIndex(2)
    box = dialog.fields["text_size"]
    dialog.fields["theme"].setFocus()
    qtbot.waitUntil(box.isVisible)
    at = QPointF(box.rect().center())
    event = QWheelEvent(
        *(at, box.mapToGlobal(at), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier),
        *(Qt.ScrollPhase.NoScrollPhase, False),
    )
    QApplication.sendEvent(box, event)
    assert dialog.settings == Settings()


# Window


def test_that_theme_and_text_size_change_the_window_at_once(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        dialog = shown(d, 2)
        before = d.main.model_bar.font().pointSizeF()
        choose(dialog.fields["theme"], "dark")
        choose(dialog.fields["text_size"], 150)
        assert (d.engine.settings.theme, d.engine.settings.text_size) == ("dark", 150)
        assert d.main.theme is DARK and QApplication.font().pointSizeF() == pytest.approx(before * 1.5)
        choose(dialog.fields["text_size"], 100)
        assert QApplication.font().pointSizeF() == pytest.approx(before)


def test_that_the_chosen_key_sends_and_the_other_breaks_the_line(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        d.chats.set_options(ChatOptions(max_tokens=8))  # with a seed of its own an answer may go on for minutes
        dialog = shown(d, 0)
        QTest.keyClick(dialog.fields["temperature"], Qt.Key.Key_Tab)
        dialog = shown(d, 2)
        choose(dialog.fields["send_key"], "ctrl")
        dialog.close()
        field, sent = d.main.composer.field, d.chats.conversations
        assert d.main.composer.button.toolTip() == "Send (Ctrl+Return)"
        field.setFocus()
        QTest.keyClicks(field, "one")
        QTest.keyClick(field, Qt.Key.Key_Return)
        QTest.keyClicks(field, "two")
        assert field.toPlainText() == "one\ntwo" and sent() == []
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        request = d.last(Generate)
        assert isinstance(request, Generate) and request.messages[-1].content == "one\ntwo"
        d.wait_ready()
        choose(shown(d, 2).fields["send_key"], "return")
        assert d.main.composer.button.toolTip() == "Send (Return)"
        QTest.keyClicks(field, "three")
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert field.toPlainText() == "three\n"
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert field.toPlainText() == ""
        d.wait_ready()


# Language


@pytest.mark.parametrize(
    ("choice", "system", "meant"),
    [
        ("system", ["de-AT", "en-US"], "de"),
        ("system", ["fr-FR", "de_DE"], "de"),
        ("system", ["en-GB", "de-DE"], "en"),
        ("system", ["C"], "en"),
        ("system", [], "en"),
        ("de", ["en-US"], "de"),
        ("en", ["de-DE"], "en"),
        ("xx", ["de-DE"], "de"),
    ],
)
def test_that_the_system_language_is_taken_where_it_is_spoken(choice: str, system: list[str], meant: str) -> None:
    assert language.resolve(choice, system) == meant


# Folders


def test_that_another_models_folder_counts_for_the_window_the_wizard_and_the_command_line(
    qtbot: QtBot, tmp_path: Path, starter_home: Path
) -> None:
    new = tmp_path / "models on a drive"
    new.mkdir()
    with opened(qtbot) as d:
        d.wait_ready()
        dialog = shown(d, 3)
        assert dialog.folders.models.text() == str(starter_home.parent)
        write(dialog.folders.models, str(new))
        assert paths.models_dir() == new and dialog.folders.models.text() == str(new) and dialog.isVisible()
        assert d.window.wizard.control.place.folder == new
        assert starter_home in d.engine.models  # it stays listed
        assert paths.find_model("other") == new / "other.ouzel" and paths.starter_path() == starter_home
    assert starter_home in [k.path for k in known.models()]
    with opened(qtbot) as d:
        d.wait(lambda: starter_home in d.engine.models)
        d.click(shown(d, 3).folders.usual)
        assert paths.models_dir() == starter_home.parent and not shown(d, 3).folders.usual.isEnabled()


def test_that_a_folder_that_cannot_be_used_is_refused_in_words(qtbot: QtBot, tmp_path: Path, ouzel_home: Path) -> None:
    with opened(qtbot) as d:
        dialog = shown(d, 3)
        for wrong in (str(tmp_path / "not there"), "relative", str(Path(__file__))):
            write(dialog.folders.models, wrong)
            assert dialog.folders.trouble.isVisible() and wrong in dialog.folders.trouble.text()
            assert paths.models_dir() == ouzel_home / "models"


def test_that_folders_are_opened_and_chosen_with_the_system_dialogs(
    qtbot: QtBot, ouzel_home: Path, tmp_path: Path, folders_shown: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    with opened(qtbot) as d:
        folders = shown(d, 3).folders
        d.click(folders.open_data)
        d.click(folders.open_models)
        assert folders_shown == [ouzel_home, ouzel_home]  # the models folder is not there yet
        d.click(folders.change)
        assert paths.models_dir() == tmp_path
        d.click(folders.open_models)
        assert folders_shown[-1] == tmp_path


# Network


def test_that_what_is_typed_is_checked_and_kept(qtbot: QtBot, tmp_path: Path, ca_file: Path) -> None:
    with opened(qtbot) as d:
        dialog = shown(d, 4)
        page = dialog.network
        d.wait(lambda: page.found is not None)
        tick(dialog.expert)
        write(page.proxy, "not an address")
        note = page._notes["proxy"]
        d.wait(note.isVisible)
        assert "no address of a proxy" in note.text() and network.settings() == Network()
        write(page.proxy, "http://proxy.example:3128/")
        d.wait(lambda: network.settings().proxy == "http://proxy.example:3128" and page.proxy.text() == "http://proxy.example:3128")
        assert not note.isVisible()
        write(page.ca_file, str(Path(__file__)))
        d.wait(page._notes["ca_file"].isVisible)
        write(page.ca_file, str(ca_file))
        d.wait(lambda: network.settings().ca_file == ca_file)
        write(page.endpoint, "https://hub.example")
        d.wait(lambda: network.endpoint() == "https://hub.example")
        d.wait(lambda: "https://hub.example" in page.token.text.text())
        write(page.endpoint, "")
        d.wait(lambda: network.settings() == Network(None, "http://proxy.example:3128", ca_file))


@pytest.fixture
def ca_file(tmp_path: Path) -> Path:
    import trustme

    path = tmp_path / "own ca.pem"
    trustme.CA().cert_pem.write_to_path(str(path))
    return path


def test_that_what_the_environment_decides_is_said(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example")
    monkeypatch.setenv("HTTPS_PROXY", "http://other.example:1")
    with opened(qtbot) as d:
        dialog = shown(d, 4)
        page = dialog.network
        d.wait(lambda: page._notes["proxy"].isVisible())
        assert "HTTPS_PROXY" in page._notes["proxy"].text() and not page._notes["endpoint"].isVisible()
        tick(dialog.expert)
        assert "https://mirror.example" in page._notes["endpoint"].text() and page._notes["endpoint"].isVisible()


def test_that_a_token_is_kept_shown_to_be_there_and_forgotten(qtbot: QtBot, ouzel_home: Path) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(InMemory())
    try:
        with opened(qtbot) as d:
            page = shown(d, 4).network
            d.wait(lambda: page.found is not None)
            assert not page.forget.isVisible() and page.token.keep.currentData() == "keyring"
            write(page.token.field, "hf_secret")
            d.wait(page.forget.isVisible)
            assert "keyring" in page.token.text.text() and token.load() == token.Token("hf_secret", "keyring")
            assert page.token.field.text() == "" and "hf_secret" not in page.token.text.text()
            d.click(page.forget)
            d.wait(lambda: not page.forget.isVisible())
            assert token.load() is None
            write(page.token.field, "not a token")
            d.wait(page.token_problem.isVisible)
            assert "no access token" in page.token_problem.text()
    finally:
        keyring.set_keyring(before)


# Reset


def test_that_the_reset_asks_and_leaves_what_is_set_elsewhere(qtbot: QtBot, ouzel_home: Path, yes: list[str]) -> None:
    network.change(Network(proxy="http://proxy.example:1"))
    with opened(qtbot) as d:
        dialog = shown(d, 2)
        choose(dialog.fields["theme"], "dark")
        tick(dialog.expert)
        shown(d, 1)
        choose(dialog.fields["kv"], "q8")
        d.click(d.main.model_bar.sidebar_button)
        size = d.engine.settings.width
        d.click(dialog.restore)
        assert len(yes) == 1 and "access tokens stay" in yes[0]
        s = d.engine.settings
        assert (s.theme, s.kv, s.sidebar, s.width, s.expert) == ("system", "auto", False, size, True)
        box = dialog.fields["kv"]
        assert isinstance(box, QComboBox) and box.currentData() == "auto"
        d.wait(lambda: network.settings() == Network())




def test_that_a_chats_options_say_what_the_penalty_is_at_temperature_0(qtbot: QtBot) -> None:
    dialog = ChatOptionsDialog(ChatOptions(), Settings(), Sampling(temperature=0.7, repetition_penalty=1.1), False, {})
    qtbot.addWidget(dialog)
    dialog.show()
    penalty = dialog.fields["repetition_penalty"]
    assert isinstance(penalty, QLineEdit) and penalty.placeholderText() == "1.1"
    write(dialog.fields["temperature"], "0")
    assert penalty.placeholderText() == "1"
