"""Icons: small SVG files in resources/icons, drawn in the theme's colour at the screen's resolution."""

from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

SCALES = (1.0, 1.25, 1.5, 2.0, 3.0)
SCALE = "text_scale"  # the property of the application that has its text size, 1 for the usual
FITTED = "icon_side"  # the property of a button that has its icon's side at the usual text size


@lru_cache(maxsize=64)
def svg(name: str) -> str:
    """The text of resources/icons/NAME.svg."""
    return (files("resources") / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def pixmap(name: str, colour: str, size: int, scale: float = 2.0) -> QPixmap:
    """The icon at `size` logical pixels; "currentColor" in the file becomes `colour`."""
    picture = QPixmap(round(size * scale), round(size * scale))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(QByteArray(svg(name).replace("currentColor", colour).encode())).render(painter, QRectF(picture.rect()))
    painter.end()
    picture.setDevicePixelRatio(scale)
    return picture


def icon(name: str, colour: str, disabled: str = "", size: int = 20) -> QIcon:
    """An icon for a button, with its colour while disabled; larger than `size` where the text is larger than usual."""
    return _icon(name, colour, disabled, (QSize(size, size) * text_scale()).width())  # rounded as in `fit`


@lru_cache(maxsize=256)
def _icon(name: str, colour: str, disabled: str, size: int) -> QIcon:
    result = QIcon()
    for scale in SCALES:
        result.addPixmap(pixmap(name, colour, size, scale))
        if disabled:
            result.addPixmap(pixmap(name, disabled, size, scale), QIcon.Mode.Disabled)
    return result


def fit(button: QAbstractButton, side: int) -> None:
    """Give a button's icon `side` logical pixels, more where the text is larger than usual."""
    button.setProperty(FITTED, side)
    button.setIconSize(QSize(side, side) * text_scale())


def fit_all(widgets: list[QWidget]) -> None:
    """Follow another text size."""
    for widget in widgets:
        if isinstance(widget, QAbstractButton) and (side := widget.property(FITTED)):
            fit(widget, side)


def text_scale() -> float:
    """How much larger than usual the text is; 1 where it is smaller."""
    application = QApplication.instance()
    return max(float(application.property(SCALE) or 1.0), 1.0) if application is not None else 1.0


def application_icon() -> QIcon:
    """The program's own icon at the sizes that desktops ask for."""
    result = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        result.addPixmap(pixmap("ouzel", "#000000", size, 1.0))
    return result
