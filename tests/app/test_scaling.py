"""Screens with more pixels than usual: everything is drawn at their resolution, and nothing is cut."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHOW = """
import sys
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from app.main import Window, prepare
application = prepare(["ouzel"])
window = Window(application)
main, factor = window.main, float(sys.argv[1])
room = main.screen().availableSize()  # of which the usual size is too much here
assert main.height() <= max(room.height(), main.minimumHeight()), (main.size(), room)
assert main.width() <= max(room.width(), main.minimumWidth()), (main.size(), room)
main.resize(760, 560)
main.show()
application.processEvents()
picture = main.grab()
assert picture.devicePixelRatio() == factor and picture.width() == round(760 * factor), (picture.size(), picture.devicePixelRatio())
small = []
for w in main.findChildren(QAbstractButton):
    if w.isVisible() and not w.icon().isNull():
        drawn = w.icon().pixmap(w.iconSize(), factor)
        if drawn.width() < round(w.iconSize().width() * factor):
            small.append((w.accessibleName(), drawn.size(), w.iconSize()))
assert not small, small
cut = [w.text() for w in main.findChildren(QLabel) if w.isVisible() and w.wordWrap() and w.height() < w.heightForWidth(w.width()) - 1]
cut += [w.text() for w in main.findChildren(QAbstractButton) if w.isVisible() and w.text() and w.width() < w.minimumSizeHint().width()]
assert not cut, cut
window.leaving.close_now()
application.processEvents()
window.end()
print("drawn")
"""


@pytest.mark.parametrize("factor", ["1.25", "2"])
def test_that_the_window_is_drawn_sharp_and_whole(ouzel_home: Path, factor: str) -> None:
    env = {**os.environ, "QT_SCALE_FACTOR": factor, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", SHOW, factor]
    done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert (done.returncode, done.stdout) == (0, "drawn\n"), done.stderr


MIRROR = """
application.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
application.processEvents()
print(main.sidebar.x() > main.width() // 2, main.composer.button.x() < main.composer.width() // 2)
window.leaving"""


def test_that_a_language_from_right_to_left_mirrors_the_window(ouzel_home: Path) -> None:
    script = "from PySide6.QtCore import Qt\n" + SHOW.replace("\nwindow.leaving", MIRROR)
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", script, "1"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert (done.returncode, done.stdout) == (0, "True True\ndrawn\n"), done.stderr
