"""The first page in small windows and large text: words are there whole, and what matters less gives way."""

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app import language
from app.looks.apply import apply
from app.presentation import present
from app.settings import Settings
from app.state import EngineState, Phase
from app.views.welcome import Welcome
from tests.app.window import opened


@pytest.mark.parametrize("spoken", ["en", "de"])
@pytest.mark.parametrize(("percent", "size"), [(100, (830, 500)), (100, (530, 330)), (150, (775, 430)), (150, (530, 380))])
@pytest.mark.parametrize("phase", [Phase.IDLE, Phase.READY])
def test_that_nothing_is_cut(qtbot: QtBot, spoken: str, percent: int, size: tuple[int, int], phase: Phase) -> None:
    base = QApplication.font()
    language.install(spoken)
    try:
        page = Welcome(apply(Settings(theme="light", text_size=percent), base))
        qtbot.addWidget(page)
        page.resize(*size)
        page.show()
        page.present(present(EngineState(phase), Settings(), (), None), "93 MB", "starter")
        QApplication.processEvents()
        assert page.text.isVisible() and page.text.height() >= page.text.heightForWidth(page.text.width())
        if page.title.isVisible():
            assert page.title.height() >= page.title.heightForWidth(page.title.width())
        buttons = [b for b in page.findChildren(QPushButton) if b.isVisible()]
        assert len(buttons) >= 2
        for button in buttons:
            assert button.width() >= button.sizeHint().width(), button.text()
            assert page.rect().contains(button.rect().translated(button.mapTo(page, button.rect().topLeft()))), button.text()
    finally:
        language.install("en")
        apply(Settings(theme="light"), base)


def test_that_the_title_stands_out_in_the_window(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        page = d.main.welcome
        assert page.title.font().pointSizeF() > 1.5 * page.text.font().pointSizeF() and page.title.font().weight() >= 600


def test_that_all_can_be_reached_by_scrolling(qtbot: QtBot) -> None:
    page = Welcome(apply(Settings(theme="light"), QApplication.font()))
    qtbot.addWidget(page)
    page.resize(400, 150)
    page.show()
    page.present(present(EngineState(Phase.IDLE), Settings(), (), None), "93 MB", "starter")
    QApplication.processEvents()
    assert page.verticalScrollBar().maximum() > 0 and page.text.height() >= page.text.heightForWidth(page.text.width())
    page.ensureWidgetVisible(page.folder)
    assert page.viewport().rect().contains(page.folder.geometry().translated(page.widget().pos()))
