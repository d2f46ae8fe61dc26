"""Starts the window: builds its parts, connects them, and leaves no thread and no process behind."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from app import settings as stored
from app.background import Background
from app.bridge import Bridge
from app.chat_control import ChatControl
from app.chats.store import ChatStore
from app.collector import GuiCollector
from app.engine_control import EngineControl
from app.looks.icons import application_icon
from app.views.main_window import MainWindow
from app.wizard.host import WizardHost
from engine import paths
from engine.machine import memory

SETTINGS = "window.json"
CHATS = "chats.db"
END_S = 2.0  # that a download has to end in


class Window:
    """Everything that one open window consists of."""

    def __init__(self, application: QApplication) -> None:
        home = paths.home()
        self.background = Background()
        self.bridge = Bridge()
        store = ChatStore(home / CHATS)
        settings = stored.load(home / SETTINGS)
        self.engine = EngineControl(self.bridge, settings, home / SETTINGS, self.background)
        self.chats = ChatControl(self.engine, store)
        self.main = MainWindow(self.engine, self.chats, QFont(application.font()), memory().limit_bytes)
        self.wizard = WizardHost(self.engine, self.main, self.background)
        if store.trouble:
            self.main.notice.alarm(store.trouble)
        application.styleHints().colorSchemeChanged.connect(self.main.restyle)

    def start(self, model: Path | None = None) -> None:
        """Show the window and open `model`, or the one that was open last."""
        self.bridge.start()
        self.main.show()
        self.wizard.start()
        if model is not None:
            QTimer.singleShot(0, lambda: self.main.open_folder(model))
        elif self.engine.chosen is not None:
            QTimer.singleShot(0, self.engine.load)

    def end(self) -> bool:
        """Finish the disk work; whether the threads of engine and fetcher are gone."""
        self.background.close()
        return self.wizard.ended(END_S) and not self.bridge.running


def prepare(argv: Sequence[str]) -> QApplication:
    """The application object with names, style and icon."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(list(argv))
    application.setApplicationName("ouzel")
    application.setApplicationDisplayName("Ouzel")
    application.setDesktopFileName("ouzel")
    application.setStyle("Fusion")
    application.setWindowIcon(application_icon())
    application.setQuitOnLastWindowClosed(False)  # hiding the window is the first step of closing it
    return application


def _report_surprises(window: Window) -> None:
    """Say it in the window when something fails that nobody foresaw; the traceback goes to stderr."""

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.__excepthook__(kind, error, trace)
        text = window.main.tr("Something unexpected went wrong ({0}). Your chats are saved; if it happens again, restart Ouzel.")
        window.main.notice.alarm(text.format(f"{kind.__name__}: {error}" if str(error) else kind.__name__))

    sys.excepthook = report


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window and run until it is closed; argv[1], if given, is the model's folder. Returns the exit code."""
    arguments = list(sys.argv if argv is None else argv)
    application = prepare(arguments[:1] or ["ouzel"])
    window = Window(application)
    _report_surprises(window)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: window.main.close())
    collector = GuiCollector()
    window.start(Path(arguments[1]).absolute() if len(arguments) > 1 else None)
    code = application.exec()
    collector.stop()
    sys.excepthook = sys.__excepthook__
    if not window.end():
        # A read that the drive never answers keeps its thread, which must not keep the process: all is saved by now.
        os._exit(code)
    return code
