"""Text is readable on the ground on which it is really drawn, in every place of the windows and in both themes."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.looks import style
from app.looks.theme import PAIRS, READABLE, Theme, contrast
from app.wizard import looks as wizard_looks
from app.wizard.state import Page
from tests.app.window import opened
from tests.app.wizard.driving import window
from tests.app.wizard.test_access import fill

WORDED = (QLabel, QAbstractButton, QLineEdit, QComboBox, QSpinBox)
TEXTS = ("text", "dim", "accent", "on_accent", "link", "on_alarm", "on_note", "on_highlight")
TRIM = 3  # pixels: frames and corners are no ground of text


def drawn(picture: QImage, theme: Theme) -> tuple[str, str, float] | None:
    """(name of the text's colour, ground, contrast of the two); None where no text is seen. The ground is what most pixels have."""
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)[:, : image.width()] & 0xFFFFFF
    pixels = pixels[TRIM:-TRIM, TRIM:-TRIM]
    if not pixels.size:
        return None
    values, counts = np.unique(pixels, return_counts=True)
    ground = f"#{values[counts.argmax()]:06x}"
    strongest = max((f"#{v:06x}" for v in values), key=lambda c: contrast(c, ground))
    if contrast(strongest, ground) < 1.5:
        return None

    def far(name: str) -> int:
        ours, seen = (np.array([int(c[at : at + 2], 16) for at in (1, 3, 5)]) for c in (getattr(theme, name), strongest))
        return int(((ours - seen) ** 2).sum())

    nearest = min(TEXTS, key=far)
    return nearest, ground, contrast(getattr(theme, nearest), ground)


def seen(root: QWidget, theme: Theme) -> dict[tuple[str, str], float]:
    """The pairs of all texts that are seen in a window."""
    out = {}
    whole = root.grab().toImage()
    for widget in root.findChildren(QWidget):
        worded = isinstance(widget, WORDED) and widget.isVisible() and widget.window() is root and not widget.objectName().startswith("qt_")
        if worded and not isinstance(widget.parent(), WORDED) and (getattr(widget, "text", lambda: "x")() or isinstance(widget, QLineEdit)):
            pair = drawn(whole.copy(QRect(widget.mapTo(root, QPoint()), widget.size()).intersected(whole.rect())), theme)
            if pair is not None:
                out[pair[:2]] = pair[2]
    return out


def test_that_what_the_windows_show_is_readable(qtbot: QtBot, theme: Theme) -> None:
    with opened(qtbot) as d:
        d.engine.change_settings(replace(d.engine.settings, theme=theme.name, expert=True))
        d.main.notice.alarm("Something went wrong.", "Try again", lambda: None)
        pairs: dict[tuple[str, str], float] = {}
        d.main.show_settings()
        dialog = d.main.dialog
        assert dialog is not None
        for page in range(dialog.tabs.count()):
            dialog.tabs.setCurrentIndex(page)
            QApplication.processEvents()
            pairs |= seen(dialog, theme)
        dialog.close()
        d.main.desk.show_options()
        assert d.main.desk.dialog is not None
        QApplication.processEvents()
        pairs |= seen(d.main, theme) | seen(d.main.desk.dialog, theme)
        assert {pair: round(c, 2) for pair, c in pairs.items() if c < READABLE} == {}
        assert len(pairs) >= 8


@pytest.mark.parametrize("page", [Page.MODEL, Page.OPTIONS, Page.PROGRESS])
def test_that_what_the_wizard_shows_is_readable(qtbot: QtBot, theme: Theme, page: Page) -> None:
    with window(qtbot) as d:
        d.engine.change_settings(replace(d.engine.settings, theme=theme.name))
        d.open_wizard()
        fill(d, page)
        pairs = seen(d.wizard, theme)
        assert {pair: round(c, 2) for pair, c in pairs.items() if c < READABLE} == {}
        assert len(pairs) >= 4


@pytest.mark.parametrize("sheet", [style.SHEET, wizard_looks.SHEET], ids=["window", "wizard"])
def test_that_each_pair_of_a_rule_is_tested(sheet: str) -> None:
    rules = re.findall(r"\{\{(.*?)\}\}", sheet, re.DOTALL)
    found = set()
    for rule in rules:
        colour = re.search(r"(?<![\w-])color: \{(\w+)\}", rule)
        ground = re.search(r"(?<![\w-])background: \{(\w+)\}", rule)
        if colour and ground:
            found.add((colour[1], ground[1]))
        for text, on in (("selection-color", "selection-background-color"),):
            if (a := re.search(rf"{text}: \{{(\w+)\}}", rule)) and (b := re.search(rf"{on}: \{{(\w+)\}}", rule)):
                found.add((a[1], b[1]))
    assert found <= set(PAIRS) and len(rules) > 5


def test_that_an_empty_box_is_seen(qtbot: QtBot, theme: Theme, ouzel_home: Path) -> None:
    """What tells a control from its ground has a contrast of 3 at least."""
    for ground in (theme.window, theme.base):
        assert contrast(theme.dim, ground) >= 3
    with opened(qtbot) as d:
        d.engine.change_settings(replace(d.engine.settings, theme=theme.name))
        d.main.show_settings()
        assert d.main.dialog is not None
        box = d.main.dialog.expert
        assert not box.isChecked()
        QApplication.processEvents()
        image = box.grab().toImage()
        middle = image.height() // 2
        frame = [image.pixelColor(x, middle).name() for x in range(20)]
        assert max(contrast(c, theme.window) for c in frame) >= 3
