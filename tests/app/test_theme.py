"""Colours and icons."""

import xml.etree.ElementTree as ET
from importlib.resources import files

import pytest
from pygments.styles import get_style_by_name
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette

from app.looks import icons
from app.looks.style import sheet
from app.looks.theme import DARK, LIGHT, PAIRS, READABLE, Theme, contrast, palette, readable, resolve

NAMES = (
    *("send", "stop", "plus", "sidebar", "settings", "down", "up", "latest", "close", "folder", "pencil", "trash", "copy", "ouzel"),
    *("again", "continue", "attach", "options", "think", "pin", "search", "dots", "file", "back", "download", "engine"),
    *("help", "tasks"),
)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: f"{p[0]} on {p[1]}")
def test_that_text_is_readable_on_its_ground(theme: Theme, pair: tuple[str, str]) -> None:
    assert contrast(getattr(theme, pair[0]), getattr(theme, pair[1])) >= READABLE


def test_that_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#123456", "#123456") == 1


def test_that_code_colours_are_made_readable(theme: Theme) -> None:
    for _, style in get_style_by_name(theme.pygments):
        if style["color"]:
            assert contrast(readable("#" + style["color"], theme.code), theme.code) >= READABLE


def test_that_the_palette_sets_every_role_the_widgets_use(qapp: object, theme: Theme) -> None:
    made = palette(theme)
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
        for text, ground in (
            ("WindowText", "Window"),
            ("Text", "Base"),
            ("ButtonText", "Button"),
            ("ToolTipText", "ToolTipBase"),
            ("HighlightedText", "Highlight"),
            ("PlaceholderText", "Base"),
            ("Link", "Base"),
        ):
            pair = [made.color(group, getattr(QPalette.ColorRole, name)).name() for name in (text, ground)]
            assert contrast(*pair) >= READABLE, (text, ground)


def test_that_the_system_choice_follows_the_system() -> None:
    assert resolve("system", Qt.ColorScheme.Dark) is DARK
    assert resolve("system", Qt.ColorScheme.Light) is LIGHT
    assert resolve("system", Qt.ColorScheme.Unknown) is LIGHT
    assert resolve("dark", Qt.ColorScheme.Light) is DARK
    assert resolve("light", Qt.ColorScheme.Dark) is LIGHT


def test_that_the_style_sheet_has_no_open_places(theme: Theme) -> None:
    made = sheet(theme, 1.0, "a.svg", "b.svg", "c.svg")
    assert "{{" not in made and made.count("{") == made.count("}")


@pytest.mark.parametrize("name", NAMES)
def test_that_each_icon_is_drawn_in_the_colour_asked_for(qapp: object, name: str) -> None:
    ET.fromstring(icons.svg(name))
    image = icons.pixmap(name, "#ff0000", 24).toImage()
    inked = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()) if image.pixelColor(x, y).alpha() > 200]
    assert len(inked) > 30
    if name != "ouzel":
        assert all(c.red() > 200 and c.green() < 60 for c in inked)


def test_that_no_icon_file_goes_unused() -> None:
    on_disk = {p.name.removesuffix(".svg") for p in (files("resources") / "icons").iterdir() if p.name.endswith(".svg")}
    assert on_disk == {*NAMES, "arrow-down", "arrow-up", "tick-light", "tick-dark"}
