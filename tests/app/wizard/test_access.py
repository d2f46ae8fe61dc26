"""The wizard for people who use the keyboard, a screen reader, large text or a small screen."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.looks.theme import DARK, LIGHT
from app.views.parts import ElidedLabel
from app.wizard.state import Page
from engine.errors import StorageError
from engine.events import Failed, Pulling, Startable
from engine.requests import PullModel
from engine.setup.hub import NeedsToken
from engine.setup.verdict import size
from engine.words import say
from tests.app.test_window import controls
from tests.app.wizard.driving import WizardDriver, window
from tests.app.wizard.samples import looked, offer, surveyed, verdict

GATED = NeedsToken(
    say(
        "{repo} is only for those who accepted its licence. Accept it on {where}/{repo}, then give an access token of that account.",
        repo="owner/tiny",
        where="https://hub.example",
    )
)
SMALLER = say("A smaller model, or a computer with {floor_bytes} of memory or more.", floor_bytes=size(3e9))
BUSY = say("trying again in {left:.0f} s: {why}", left=12, why=say("the server is busy ({status})", status=503))
FULL = say("No space is left on the drive of {target}. Free some space and start again: the work goes on where it stopped.", target="/m")


def fill(d: WizardDriver, page: Page) -> None:
    """A page with all that it can show."""
    control, pulls = d.control, d.host.pulls
    offers = (offer("Good", "a/good", verdict()), offer("Huge", "a/huge", verdict("impossible", helps=(SMALLER,))))
    control.change(tab="repository" if page is Page.OPTIONS else "catalogue", repository="owner/tiny", picked="a/huge", page=page)
    control._become(replace(control.state, survey=surveyed(*offers), looked=looked(gated=True), problem=GATED))
    if page in (Page.PROGRESS, Page.CHAT) and not pulls.items:
        d.host.fetching.post = lambda request: None
        for name in ("a", "b", "c"):
            pulls.begin(PullModel(0, f"owner/{name}", Path(f"/m/{name}.ouzel")))
        first, second, third = (i.request for i in pulls.items)
        for event in (
            Pulling(first.id, first.target, "downloading", 12_300_000_000, 52_000_000_000, 48e6, 830.0),
            Startable(first.id, first.target),
            Pulling(second.id, second.target, "waiting", 1, 10, 0, None, BUSY),
            Failed(third.id, StorageError(FULL)),
        ):
            d.host.fetching.happened.emit(event)
    control.change(page=page)
    QApplication.processEvents()


@pytest.mark.parametrize("page", list(Page))
def test_that_every_control_is_named_and_reached_by_tab(qtbot: QtBot, page: Page) -> None:
    with window(qtbot) as d:
        d.open_wizard()
        fill(d, page)
        found = [w for w in controls(d.wizard) if w.isVisible()]
        assert [f"{type(w).__name__} {w.objectName()}" for w in found if not w.accessibleName()] == []
        wanted = {w for w in found if w.isEnabled() and w.focusPolicy() & Qt.FocusPolicy.TabFocus}
        assert len(wanted) >= 3
        reached: list[QWidget] = []
        d.wizard.close_button.setFocus()
        for _ in range(60):
            focused = d.wizard.focusWidget()
            assert focused is not None
            reached.append(focused)
            QApplication.sendEvent(focused, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier, "\t"))
        assert {w.accessibleName() for w in wanted - set(reached)} == set()
        assert f"Step {page + 1} of 5" in d.wizard.accessibleDescription()


@pytest.mark.parametrize("text_size", [100, 150])
@pytest.mark.parametrize("size", [(860, 640), (700, 520)])
def test_that_no_text_is_cut(qtbot: QtBot, size: tuple[int, int], text_size: int) -> None:
    with window(qtbot) as d:
        d.engine.change_settings(replace(d.engine.settings, text_size=text_size))
        d.open_wizard()
        for page in Page:
            fill(d, page)
            d.control.forgive()
            d.wizard.resize(*size)
            QApplication.processEvents()
            for w in d.wizard.findChildren(QWidget):
                if isinstance(w, QAbstractButton | QLabel) and w.isVisible() and not isinstance(w, ElidedLabel):
                    least = w.minimumSizeHint()
                    assert w.width() >= least.width() and w.height() >= least.height() - 1, (page, w.accessibleName(), w.size(), least)
                    if isinstance(w, QLabel) and w.wordWrap():
                        assert w.height() >= w.heightForWidth(w.width()) - 1, (page, w.text())
        d.engine.change_settings(replace(d.engine.settings, text_size=100))  # the font is the application's, also in the next test


def test_that_it_follows_the_theme_at_once(qtbot: QtBot) -> None:
    with window(qtbot) as d:
        d.open_wizard()
        for theme in (DARK, LIGHT):
            d.engine.change_settings(replace(d.engine.settings, theme=theme.name))
            QApplication.processEvents()
            image = d.wizard.grab().toImage()
            assert image.pixelColor(d.wizard.width() - 8, d.wizard.height() - 8).name() == theme.panel
            assert image.pixelColor(8, d.wizard.height() // 2).name() == theme.window


def test_that_return_and_escape_do_what_they_say(qtbot: QtBot) -> None:
    with window(qtbot) as d:
        d.open_wizard()
        d.wizard.close_button.setFocus()
        QTest.keyClick(d.wizard.close_button, Qt.Key.Key_Return)  # a button that has the focus takes it
        assert not d.wizard.isVisible()
        d.host.show()
        d.wizard.folder.rows.setFocus()
        QTest.keyClick(d.wizard.folder.rows, Qt.Key.Key_Return)
        assert d.page is Page.MODEL and d.wizard.isVisible()
        QTest.keyClick(d.wizard, Qt.Key.Key_Escape)
        assert not d.wizard.isVisible() and d.main.isVisible()
