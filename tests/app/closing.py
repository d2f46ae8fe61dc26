"""Runs the real window in a process of its own and closes it at a given moment; prints the time of closing.

Started by the end-to-end tests with "loading", "reading", "writing", or "killed", which ends the process without closing anything.
"""

import os
import signal
import sys
import time

from PySide6.QtCore import QTimer

from app import main as program
from app.state import Phase

when = sys.argv[1]
windows: list[program.Window] = []
start = program.Window.start


def noted_start(window: program.Window, *_: object) -> None:
    """Keep hold of the window that main() opens."""
    windows.append(window)
    start(window)
    watcher.start()


def watch() -> None:
    """Close the window once the moment has come."""
    window = windows[0]
    engine, view = window.engine, window.main.transcript
    if engine.state.phase is Phase.READY and when != "loading" and not view.turns:
        text = "river stone water moss " * 400 if when == "reading" else "Write a very long story about a river."
        window.main.composer.field.setPlainText(text)
        window.main.composer.button.click()
    come = {
        "loading": engine.state.phase is Phase.LOADING,
        "reading": engine.state.phase is Phase.READING,
        "writing": engine.state.phase is Phase.WRITING and len(view.answer) > 20,
        "killed": False,
    }
    if when == "killed":
        if window.chats._saver.interval() != 20:
            window.chats._saver.setInterval(20)
        if len(view.answer) > 200:
            os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    if come[when]:
        watcher.stop()
        sys.stdout.write(f"{time.time()}\n")
        sys.stdout.flush()
        window.main.close()
        if (box := window.leaving.box) is not None:
            next(b for b in box.buttons() if b.text() == "Quit").click()


program.Window.start = noted_start  # type: ignore[method-assign, assignment]
watcher = QTimer(interval=5)
watcher.timeout.connect(watch)
sys.exit(program.main(["ouzel"]))
