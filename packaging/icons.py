"""The application's icon in the forms that systems want, drawn from resources/icons/ouzel.svg at each size."""

import io
import os
import sys
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SVG = Path(__file__).resolve().parents[1] / "resources" / "icons" / "ouzel.svg"
ICO = (16, 20, 24, 32, 40, 48, 64, 128, 256)
ICNS = (16, 32, 64, 128, 256, 512, 1024)


def drawn(renderer: QSvgRenderer, size: int) -> Image.Image:
    """The icon at size x size pixels."""
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return Image.open(io.BytesIO(bytes(data.data()))).convert("RGBA")


def make(folder: Path) -> None:
    """Write ouzel.png (256 pixels), ouzel.ico and ouzel.icns into `folder`."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    renderer = QSvgRenderer(str(SVG))
    images = {size: drawn(renderer, size) for size in {*ICO, *ICNS}}
    folder.mkdir(parents=True, exist_ok=True)
    images[256].save(folder / "ouzel.png")
    images[256].save(folder / "ouzel.ico", sizes=[(s, s) for s in ICO], append_images=[images[s] for s in ICO if s != 256])
    images[1024].save(folder / "ouzel.icns", append_images=[images[s] for s in ICNS if s != 1024])
    del application


if __name__ == "__main__":
    make(Path(sys.argv[1]))
