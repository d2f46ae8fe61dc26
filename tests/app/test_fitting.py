"""Windows keep within the screen that they come up on."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.views.fitting import TITLE, resize_within


def test_that_a_dialog_keeps_within_the_screen_of_its_window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window is on a second screen, which is smaller; a dialog that was never shown believes itself on the first."""
    window = QWidget()
    qtbot.addWidget(window)
    dialog = QDialog(window)
    monkeypatch.setattr(window, "screen", lambda: SimpleNamespace(availableSize=lambda: QSize(500, 400)))
    resize_within(dialog, 600, 560)
    assert dialog.size() == QSize(500, 400 - TITLE)
    resize_within(dialog, 300, 200)
    assert dialog.size() == QSize(300, 200)
