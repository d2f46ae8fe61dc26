"""The whole window with the real worker and the real starter model."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QUrl
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QSpinBox,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.bridge import joined
from app.looks.theme import DARK, LIGHT
from app.settings import load
from app.state import Phase
from app.views.tile import Tile
from engine.events import Counters, Finished, Text
from engine.requests import Generate, LoadModel
from engine.stats import AnswerStats, Snapshot
from tests.app.window import opened

CONTROLS = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QAbstractScrollArea, QProgressBar, QTabBar)
PARTS = ("qt_", "ScrollLeftButton", "ScrollRightButton")  # parts of Qt's own controls


def controls(root: QWidget) -> list[QWidget]:
    found = [w for w in root.findChildren(QWidget) if isinstance(w, CONTROLS)]
    return [w for w in found if not w.objectName().startswith(PARTS) and not isinstance(w.parent(), CONTROLS)]


def test_that_every_control_has_an_accessible_name(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        d.main.show_settings()
        assert d.main.dialog is not None
        d.main.desk.show_options()
        assert d.main.desk.dialog is not None
        nameless = [w for root in (d.main, d.main.dialog, d.main.desk.dialog) for w in controls(root) if not w.accessibleName()]
        assert [f"{type(w).__name__} {w.objectName()}" for w in nameless] == []
        assert len(controls(d.main)) > 15 and len(controls(d.main.dialog)) > 12 < len(controls(d.main.desk.dialog))


def test_that_the_keyboard_reaches_every_control(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        wanted = {w for w in controls(d.main) if w.isVisible() and w.isEnabled() and w.focusPolicy() & Qt.FocusPolicy.TabFocus}
        reached: set[QWidget] = set()
        d.main.composer.field.setFocus()
        for _ in range(60):
            focused = d.main.focusWidget()
            assert focused is not None
            reached.add(focused)
            QApplication.sendEvent(focused, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier, "\t"))
        assert {w.accessibleName() for w in wanted - reached} == set()
        assert len(wanted) > 8


@pytest.mark.parametrize("size", [(1000, 700), (760, 560), (700, 520)])
@pytest.mark.parametrize("with_model", [False, True])
def test_that_no_text_is_cut(qtbot: QtBot, starter_home: Path, size: tuple[int, int], with_model: bool) -> None:
    with opened(qtbot, starter_home if with_model else None) as d:
        if with_model:
            d.wait_ready()
        d.main.resize(*size)
        QApplication.processEvents()
        assert (d.main.width(), d.main.height()) == size
        for w in d.main.findChildren(QWidget):
            if isinstance(w, QAbstractButton | QLabel | QAbstractSpinBox | Tile) and w.isVisible() and w is not d.main.composer.button:
                least = w.minimumSizeHint()
                assert w.width() >= least.width() and w.height() >= least.height() - 1, (w.accessibleName(), w.size(), least)
            if isinstance(w, QLabel) and w.isVisible() and w.wordWrap():
                assert w.height() >= w.heightForWidth(w.width()) - 1, w.text()


def test_that_themes_change_everything_at_once_and_are_kept(qtbot: QtBot, ouzel_home: Path) -> None:
    with opened(qtbot) as d:
        for theme in (DARK, LIGHT):
            d.engine.change_settings(replace(d.engine.settings, theme=theme.name))
            QApplication.processEvents()
            image = d.main.grab().toImage()
            assert image.pixelColor(d.main.sidebar.width() // 2, d.main.height() - 30).name() == theme.panel
            assert image.pixelColor(d.main.width() - 30, d.main.model_bar.height() + 12).name() == theme.window
    assert load(ouzel_home / "window.json").theme == "light"


def test_that_a_damaged_settings_file_does_not_stop_the_start(qtbot: QtBot, ouzel_home: Path) -> None:
    (ouzel_home / "window.json").write_text("{broken")
    with opened(qtbot) as d:
        assert d.main.isVisible()


def test_that_the_first_start_offers_the_starter(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        assert d.main.welcome.primary.isVisible() and "starter" in d.main.welcome.primary.text()
        assert not d.main.composer.button.isEnabled() and not d.main.model_bar.button.isEnabled()


def test_that_loading_and_unloading_show_what_is_open(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        assert d.main.model_bar.status.text().startswith("Ready") and d.main.gauges.memory.reading.value
        d.press("Unload", d.main.model_bar)
        d.wait(lambda: d.phase is Phase.IDLE)
        assert d.main.gauges.memory.reading.value is None and d.main.model_bar.button.text() == "Load"
        d.press("Load", d.main.model_bar)
        d.wait_ready()


def test_that_a_folder_without_a_model_is_refused_in_words(qtbot: QtBot, tmp_path: Path) -> None:
    with opened(qtbot) as d:
        d.main.open_folder(tmp_path)
        assert d.main.notice.isVisible() and "holds no model" in d.main.notice.label.text()


def test_that_a_damaged_model_is_an_error_message_and_the_window_goes_on(qtbot: QtBot, tmp_path: Path, starter_home: Path) -> None:
    broken = tmp_path / "broken.ouzel"
    broken.mkdir()
    (broken / "manifest.json").write_text("{}")
    with opened(qtbot, broken) as d:
        d.wait(lambda: d.main.notice.isVisible())
        assert "broken" in d.main.notice.label.text() and d.phase is Phase.IDLE
        d.engine.choose(starter_home)
        d.wait_ready()


def test_that_a_limit_under_the_floor_offers_the_floor(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        floor = d.engine.floor()
        assert floor > 0
        d.engine.floors.clear()
        d.engine.change_settings(replace(d.engine.settings, budget_bytes=50_000_000))
        d.press("Reload", d.main.model_bar)
        d.wait(lambda: d.main.notice.isVisible())
        assert d.phase is Phase.IDLE and d.main.notice.label.text()
        d.click(d.main.notice.action)
        d.wait_ready()
        info = d.engine.state.info
        assert info is not None and floor <= info.budget_bytes <= floor + 10_000_000
        d.main.model_bar.budget.setValue(0.01)
        assert d.engine.settings.budget_bytes is not None and d.engine.settings.budget_bytes >= floor


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("draft", False, "draft"),
        ("context", 1500, "context"),
        ("threads", 1, "threads"),
        ("exact", True, "exact"),
        ("kv", "q8", "kv"),
        ("states_bytes", 0, "states_bytes"),
    ],
)
def test_that_engine_settings_reach_the_open_model(qtbot: QtBot, starter_home: Path, name: str, value: object, field: str) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        d.main.show_settings()
        assert d.main.dialog is not None
        click_box(d.main.dialog.expert)
        set_field(d.main.dialog.fields[name], value)
        d.press("Reload", d.main.model_bar)
        d.wait_ready()
        request, info = d.last(LoadModel), d.engine.state.info
        assert isinstance(request, LoadModel) and info is not None
        expected = "off" if name == "draft" else value
        assert getattr(request.config, field) == expected
        assert {
            "kv": info.kv_dtype,
            "states_bytes": info.config.states_bytes,
            "draft": info.config.draft,
            "context": info.context,
            "threads": info.threads,
            "exact": info.arithmetic == "exact",
        }[name] == expected


def test_that_the_memory_limit_reaches_the_open_model(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        d.main.model_bar.budget.setValue(0.17)
        d.press("Reload", d.main.model_bar)
        d.wait_ready()
        info = d.engine.state.info
        assert info is not None and info.budget_bytes == 170_000_000 and info.memory_bytes <= 170_000_000


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", 0.35), ("top_p", 0.8), ("top_k", 12), ("min_p", 0.1), ("repetition_penalty", 1.25), ("max_tokens", 6), ("seed", 11)],
)
def test_that_answer_settings_reach_the_request_and_the_answer(qtbot: QtBot, starter_home: Path, name: str, value: float) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        d.main.show_settings()
        assert d.main.dialog is not None
        click_box(d.main.dialog.expert)
        set_field(d.main.dialog.fields["max_tokens"], 6)
        set_field(d.main.dialog.fields[name], value)
        d.main.dialog.close()
        d.ask("hi")
        request = d.last(Generate)
        assert isinstance(request, Generate) and getattr(request.sampling, name) == value
        assert d.finished[-1].answer_tokens <= 6
        if name == "seed":
            assert d.finished[-1].seed == 11


def test_that_the_system_prompt_reaches_the_model(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        d.engine.change_settings(replace(d.engine.settings, max_tokens=3))
        d.ask("hi")
        plain = d.finished[-1].prompt_tokens
        d.click(d.main.sidebar.new_button)
        d.main.show_settings()
        assert d.main.dialog is not None
        set_field(d.main.dialog.fields["system_prompt"], "You are a helpful river guide who knows every stone in the water by its name.")
        d.ask("hi")
        request = d.last(Generate)
        assert isinstance(request, Generate) and [m.role for m in request.messages] == ["system", "user"]
        assert d.finished[-1].prompt_tokens != plain


def test_that_the_same_seed_gives_the_same_answer_and_another_one_does_not(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.wait_ready()
        answers = []
        for seed in (5, 5, 6):
            d.engine.change_settings(replace(d.engine.settings, seed=seed, max_tokens=16, temperature=1.0))
            d.click(d.main.sidebar.new_button)
            answers.append(d.ask("Tell me about the sea"))
        assert answers[0] == answers[1] != answers[2]


def test_that_a_prompt_longer_than_the_context_goes_back_to_the_composer(qtbot: QtBot, starter_home: Path) -> None:
    with opened(qtbot) as d:
        d.engine.change_settings(replace(d.engine.settings, context=256))
        d.wait_ready()
        if d.main.model_bar.button.text() == "Reload":
            d.press("Reload", d.main.model_bar)
            d.wait_ready()
        text = "river stone water " * 300
        d.main.composer.field.setPlainText(text)
        QTest.keyClick(d.main.composer.field, Qt.Key.Key_Return)
        d.wait(lambda: d.main.notice.isVisible())
        assert "256" in d.main.notice.label.text()
        assert d.main.composer.field.toPlainText() == text and d.chats.conversations() == [] and d.main.transcript.turns == ()
        d.main.composer.field.clear()
        d.engine.change_settings(replace(d.engine.settings, max_tokens=3))
        assert isinstance(d.ask("hi"), str)


def test_that_links_other_than_web_and_mail_are_never_opened(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        for target in ("file:///etc/passwd", "javascript:alert(1)", "x-custom:run"):
            d.main.notice.hide()
            d.main.transcript.link_asked.emit(QUrl(target))
            assert d.main.notice.isVisible() and "not opened" in d.main.notice.label.text()


def test_that_the_side_list_can_be_hidden_and_stays_so(qtbot: QtBot, ouzel_home: Path) -> None:
    with opened(qtbot) as d:
        d.click(d.main.model_bar.sidebar_button)
        assert not d.main.sidebar.isVisible()
    with opened(qtbot) as d:
        assert not d.main.sidebar.isVisible()


def test_that_text_is_joined_within_its_request_and_order_is_kept() -> None:
    stats = Finished(1, AnswerStats("end", 1, 0, 1, 0.0, 0.0, 1, Snapshot()))
    counters = Counters(Snapshot())
    events = [Text(1, "a"), Text(1, "b"), counters, Text(1, "c"), stats, Text(2, "d"), Text(2, "e")]
    assert joined(events) == [Text(1, "abc"), counters, stats, Text(2, "de")]


def click_box(box: QCheckBox) -> None:
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def set_field(field: QWidget, value: object) -> None:
    """Set a control as a person does, so that its change signals fire."""
    if isinstance(field, QSpinBox | QDoubleSpinBox):
        field.setValue(value)
    elif isinstance(field, QCheckBox):
        if field.isChecked() != value:
            QTest.keyClick(field, Qt.Key.Key_Space)
    elif isinstance(field, QComboBox):
        field.setCurrentIndex(field.findData(value))
        field.activated.emit(field.currentIndex())
    elif isinstance(field, QLineEdit):
        field.setText(str(value))
        QTest.keyClick(field, Qt.Key.Key_Return)
    elif isinstance(field, QPlainTextEdit):
        QTest.keyClicks(field, str(value))
    else:
        raise TypeError(field)
