"""How the window starts: what is imported before it is shown, and that a first paint comes first."""

import subprocess
import sys
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.late import Late
from tests.app.window import opened

HEAVY = (
    "numpy", "kernels_pyx.compute", "engine.worker.worker", "engine.worker.fetcher", "engine.model", "tokenizers", "tiktoken", "jinja2",
    "safetensors", "huggingface_hub", "gguf", "pypdf", "keyring", "wakepy", "ziamath", "httpx", "httpx2", "requests", "typer", "rich",
    "app.wizard.wizard", "app.help.window", "jeepney", "importlib.metadata",
)  # fmt: skip
SHOW = """
import sys
from PySide6.QtWidgets import QApplication
from app.main import Window, prepare
application = prepare(["ouzel"])
window = Window(application)
window.main.show()
application.processEvents()
assert window.main.isVisible() and not window.main.grab().isNull()
print(*sorted(sys.modules))
window.leaving.close_now()
application.processEvents()
window.end()
"""


def test_that_nothing_heavy_is_imported_before_the_window_is_shown(ouzel_home: Path) -> None:
    done = subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 0, done.stderr
    imported = set(done.stdout.split())
    assert "app.views.main_window" in imported
    assert [name for name in HEAVY if name in imported] == []


def test_that_the_engine_is_read_in_after_the_first_paint(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        d.wait(lambda: d.window.bridge._worker.made is not None and d.window.wizard.fetching._fetcher.made is not None)


def test_that_a_window_closed_before_its_first_paint_ends(qtbot: QtBot) -> None:
    with opened(qtbot) as d:
        d.main.close()
        d.wait(lambda: d.chats.closed)


def test_that_calls_before_the_making_are_done_in_order_and_later_ones_at_once() -> None:
    late, done = Late(lambda: "it"), []
    for n in range(3):
        late.call(lambda it, n=n: done.append((it, n)))
    assert late.made is None and done == [] and late.wait(0) is None
    assert late.make() == "it" and late.wait() == "it"
    late.call(lambda it: done.append((it, 3)))
    assert done == [("it", n) for n in range(4)]
