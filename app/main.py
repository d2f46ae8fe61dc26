"""Starts the window: builds its parts, connects them, and leaves no thread and no process behind."""

import logging
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QMessageBox

from app import language
from app import settings as stored
from app.attention import Attention
from app.background import Background
from app.bridge import Bridge
from app.chat_control import ChatControl
from app.chats.store import ChatStore
from app.collector import GuiCollector
from app.desktop import Desktop, raise_window
from app.dropping import Dropping
from app.engine_control import EngineControl
from app.engine_view import EngineView
from app.first_paint import FirstPaint
from app.help.fault import last_fault, watching_faults
from app.help.host import HelpHost
from app.help.log import logging_to
from app.help.surprises import Surprises, catching
from app.jobs.host import JobsHost
from app.leaving import Leaving
from app.looks.icons import application_icon
from app.memory_control import MemoryControl
from app.other_work import OtherWorkLine
from app.safe_mode import CarefulStart, RunMark, Watch, doubtful, usual_engine
from app.serving import Serving
from app.signals import heard
from app.single import TOKEN, Single, take_or_hand_over
from app.speaking import Speaking
from app.state import Phase
from app.views.main_window import MainWindow
from app.wizard.host import WizardHost
from engine import __version__, paths
from engine.machine import memory

SETTINGS = "window.json"
CHATS = "chats.db"
END_S = 2.0  # that a download has to end in
# That another thread of Python's goes on while the window's waits for its turn, which it does at every call of Qt: with Python's own 5 ms
# a second of reading a file's header held one tick up for 0.7 s.
TURN_S = 0.001
SAFE = "--safe-mode"


class Window:
    """Everything that one open window consists of."""

    def __init__(self, application: QApplication) -> None:
        home = paths.home()
        self.background = Background()
        self.bridge = Bridge()
        store = ChatStore(home / CHATS)
        settings = stored.load(home / SETTINGS)
        language.install(settings.language)
        self.engine = EngineControl(self.bridge, settings, home / SETTINGS, self.background)
        self.chats = ChatControl(self.engine, store)
        self.main = MainWindow(self.engine, self.chats, QFont(application.font()), memory().limit_bytes)
        self.desktop = Desktop(self.main)
        self.engine_view = EngineView(self.engine, self.main)
        self.wizard = WizardHost(self.engine, self.main, self.background, self.desktop)
        self.memory = MemoryControl(self.engine, self.main, self.wizard.fetching)
        self.leaving = Leaving(self.main, self.engine, self.wizard.pulls)
        self.main.may_close = self.leaving.may_close
        self.dropping = Dropping(self.main, self.main.desk)
        self.dropping.source_dropped.connect(self.wizard.show_source)
        self.attention = Attention(self.engine, self.desktop, self.chat_of_answer, self.main)
        self.main.closing.connect(self.attention.close)
        self.main.closing.connect(self.desktop.close)
        self.help = HelpHost(self.main, home)
        self.jobs = JobsHost(self.main, self.desktop)
        self.serving = Serving(self.engine)
        self.other_work = OtherWorkLine(self.main, self.jobs.control)
        self.main.settings_shown.connect(lambda dialog: dialog.programs.follow(self.serving))
        self.main.closing.connect(self.serving.close)
        self.mark = RunMark(home)
        self._earlier = self.mark.earlier()  # before anything of this run is noted
        self.speaking = Speaking(self.main)
        self.watch = Watch(self.engine, self.mark, self.main, lambda: self.jobs.control.engaged)
        self.jobs.control.changed.connect(self.watch.look)
        self.leaving.job_runs = lambda: self.jobs.control.busy
        self.careful = CarefulStart(self.main, self.engine)
        if store.trouble:
            self.main.notice.last(language.told(store.trouble))
        application.styleHints().colorSchemeChanged.connect(self.main.restyle)

    def start(self, model: Path | None = None, safe: bool = False, fault: str = "") -> None:
        """Show the window and open `model`, or the one that was open last.

        safe: open none, and models with the usual settings of the engine; fault: what a crash of the run before has left.
        """
        if self.engine.settings.maximized:
            self.main.showMaximized()
        else:
            self.main.show()
        self._first = FirstPaint(self.main)  # reading in the engine would hold the first paint up
        self._first.painted.connect(lambda: self._begin(model, safe, fault))

    def _begin(self, model: Path | None, safe: bool, fault: str) -> None:
        if self.engine.state.phase is Phase.CLOSING:
            return
        earlier = self._earlier
        self.background.run(lambda: self.mark.note("starting"))
        self.bridge.start()
        self.wizard.start()
        if fault:
            self.help.tell_fault(fault)
        if safe or doubtful(earlier, bool(fault)):
            self.jobs.control.hold()
        if safe:
            usual_engine(self.engine)
            text = QCoreApplication.translate("Main", "Safe mode: no model was opened, and the engine's settings are the usual ones.")
            self.main.notice.note(text)
        elif model is not None:
            self.open(model)
        elif self.engine.chosen is not None and doubtful(earlier, bool(fault)):
            self.careful.ask(earlier)
        elif (gone := self.engine.gone) is not None:
            text = QCoreApplication.translate("Main", "{0}, which was open last, is not there. Connect its drive, or choose another model.")
            self.main.notice.alarm(text.format(gone.name.removesuffix(paths.SUFFIX)))
        elif self.engine.chosen is not None:
            self.engine.load()
        self.engine.changed.emit()

    def open(self, path: Path) -> None:
        """Open a model, convert what it can be made of, or attach a file."""
        self.dropping.take([path])

    def come(self, path: str, token: str) -> None:
        """Another start hands over: come to the front and open what it was to open."""
        if token:
            os.environ[TOKEN] = token  # Qt takes it from there
        raise_window(self.main)
        if path:
            self.open(Path(path))

    def chat_of_answer(self) -> Callable[[], None]:
        """What shows the chat of the newest answer, whatever is shown by then."""
        conversation = self.chats.answered

        def show() -> None:
            self.engine_view.leave()
            if conversation is not None and any(c.id == conversation for c in self.chats.store.conversations()):
                self.main.sidebar.chosen.emit(conversation, None)

        return show

    def end(self) -> bool:
        """Finish the disk work; whether the threads of engine and fetcher are gone."""
        self.serving.join()
        written = self.jobs.control.join(END_S)
        self.background.run(self.mark.clear)
        noted = self.background.close()
        return self.wizard.ended(END_S) and written and noted and not self.bridge.running


def prepare(argv: Sequence[str]) -> QApplication:
    """The application object with names, style and icon."""
    sys.setswitchinterval(TURN_S)
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(list(argv))
    application.setApplicationName("ouzel")
    application.setApplicationDisplayName("Ouzel")
    application.setDesktopFileName("ouzel")
    application.setStyle("Fusion")
    application.setWindowIcon(application_icon())
    application.setQuitOnLastWindowClosed(False)  # hiding the window is the first step of closing it
    return application


def _path_of(argument: str) -> Path:
    """A path, or a file's address as desktops pass it."""
    url = QUrl(argument)
    return Path(url.toLocalFile() if url.isLocalFile() else argument).absolute()


def _silent() -> int:
    text = QCoreApplication.translate("Main", "Another Ouzel is open on the same data, and it does not answer. End it, then start again.")
    logging.getLogger("app").error(text)
    sys.stderr.write(f"{text}\n")
    QMessageBox.warning(None, "Ouzel", text)
    return 1


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window and run until it is closed; returns the exit code.

    argv: the program, --safe-mode where it is meant, and what is to be opened: a model's folder, a GGUF file or a text file. Where a window
    of the same home folder is open already, that one opens it.
    """
    arguments = list(sys.argv if argv is None else argv)
    application = prepare(arguments[:1] or ["ouzel"])
    named = [a for a in arguments[1:] if not a.startswith("--")]
    wanted = _path_of(named[0]) if named else None
    home = paths.home()
    damaged: list[Path] = []
    language.install(stored.load(home / SETTINGS, damaged.append).language)  # what is said before the window is there
    single = Single(home)
    first = take_or_hand_over(single, str(wanted or ""))
    if not first:
        return _silent() if first is None else 0
    with ExitStack() as until_end:
        until_end.enter_context(logging_to(home))
        fault = last_fault(home)
        until_end.enter_context(watching_faults(home))
        surprises = Surprises()
        until_end.enter_context(catching(surprises))
        logging.getLogger("app").info("Ouzel %s starts", __version__)
        window = Window(application)
        if damaged:
            text = QCoreApplication.translate("Main", "The settings could not be read and are the usual ones again. The old file is {0}.")
            window.main.notice.alarm(text.format(damaged[0]))
        surprises.happened.connect(window.help.on_surprise)
        single.asked.connect(window.come)
        single.listen()
        window.main.closing.connect(single.deafen)
        until_end.enter_context(heard(window.leaving.close_now))
        application.commitDataRequest.connect(lambda _manager: window.leaving.close_now())
        collector = GuiCollector()
        window.start(wanted, SAFE in arguments, fault)
        code = application.exec()
        collector.stop()
        ended = window.end()
        logging.getLogger("app").info("Ouzel ends")
    single.close()
    if not ended:
        # A read that the drive never answers keeps its thread, which must not keep the process: all is saved by now.
        os._exit(code)
    return code
