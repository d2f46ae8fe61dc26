"""Puts a theme and a text size on the application."""

from importlib.resources import as_file, files
from typing import cast

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from app.looks import icons
from app.looks.style import sheet
from app.looks.theme import Choice, Theme, palette, resolve
from app.settings import Settings


def apply(settings: Settings, base_font: QFont) -> Theme:
    """Set palette, font and style sheet; the theme that resulted."""
    application = cast(QApplication, QApplication.instance())
    theme = resolve(cast(Choice, settings.theme), application.styleHints().colorScheme())
    application.setPalette(palette(theme))
    font = QFont(base_font)
    font.setPointSizeF(base_font.pointSizeF() * settings.text_size / 100)
    application.setFont(font)
    scale = settings.text_size / 100
    application.setProperty(icons.SCALE, scale)
    icons.fit_all(application.allWidgets())
    application.setStyleSheet(sheet(theme, scale, _path("arrow-down"), _path("arrow-up"), _path(f"tick-{theme.name}")))
    return theme


def _path(name: str) -> str:
    """A picture's path: style sheets take pictures from files only."""
    with as_file(files("resources") / "icons" / f"{name}.svg") as path:
        return path.as_posix()
