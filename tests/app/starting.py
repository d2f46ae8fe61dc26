"""Runs the real window in a process of its own, as a person's start does, and tells on standard output what happens, a line each.

Started with a name of what to do: "stay" until it is told to end, "open PATH" which hands over, "kill STATE" or "crash STATE" which
end themselves there.
"""

import faulthandler
import os
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QTimer

from app import main as program
from app.state import Phase

what, argument = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
start, come, opened = program.Window.start, program.Window.come, program.Window.open


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def noted_start(window: program.Window, *rest: object) -> None:
    start(window, *rest)  # type: ignore[arg-type]
    window.engine.changed.connect(lambda: reached(window))
    QTimer.singleShot(0, lambda: say("started"))
    reached(window)


def reached(window: program.Window) -> None:
    if what in ("kill", "crash") and window.engine.state.phase is Phase[argument]:
        window.background.close()  # what is noted lies on the disk
        if what == "crash":
            faulthandler._sigsegv()  # type: ignore[attr-defined]
        os.kill(os.getpid(), signal.SIGKILL)


def noted_come(window: program.Window, path: str, token: str) -> None:
    come(window, path, token)
    say(f"came {path}")


def noted_open(window: program.Window, path: Path) -> None:
    opened(window, path)
    say(f"opened {path}")


program.Window.start = noted_start  # type: ignore[method-assign, assignment]
program.Window.come = noted_come  # type: ignore[method-assign, assignment]
program.Window.open = noted_open  # type: ignore[method-assign, assignment]
sys.exit(program.main(["ouzel", argument] if what == "open" and argument else ["ouzel"]))
