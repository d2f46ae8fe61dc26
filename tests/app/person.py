"""A person at the real program, on a real screen: `python person.py first|again`, started by test_whole_way.py under a screen of its own.

main() runs as it always does; a timer does one step after the other with Qt's own key and mouse events, each as soon as what it waits for
has come. What was seen is told on standard output as JSON, a line each; the exit code is the program's.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from time import monotonic

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from app import main as program
from app.state import Phase
from app.wizard.state import Page

LONG = "Write a very long story about a river."
PATIENCE_S = float(os.environ.get("PERSON_PATIENCE", "200"))
Step = Callable[[], bool]
start = program.Window.start


def say(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def click(widget: QWidget) -> None:
    assert widget.isVisible() and widget.isEnabled(), widget.accessibleName()
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def press(label: str, inside: QWidget) -> None:
    click(next(b for b in inside.findChildren(QPushButton) if b.text() == label and b.isVisible()))


def colours() -> int:
    """How many colours the screen shows, as a camera would see it."""
    image = QGuiApplication.primaryScreen().grabWindow(0).toImage()
    return len({image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)})


class Person(QObject):
    """Goes through `steps`: a generator that yields what it waits for."""

    def __init__(self, window: program.Window, steps: Callable[[program.Window], Iterator[Step]]) -> None:
        super().__init__()
        self._steps, self._since = steps(window), monotonic()
        self._waits: Step = lambda: True
        self._timer = QTimer(self, interval=20)
        self._timer.timeout.connect(self._go)
        self._timer.start()

    def _go(self) -> None:
        try:
            if self._waits():
                self._waits, self._since = next(self._steps), monotonic()
            elif monotonic() - self._since > PATIENCE_S:
                raise TimeoutError("what was waited for did not come")
        except StopIteration:
            self._timer.stop()
        except BaseException as e:
            self._timer.stop()
            frame = getattr(self._steps, "gi_frame", None)
            say(failed=repr(e), line=frame.f_lineno if frame else 0)
            os._exit(3)


def write(window: program.Window, text: str) -> None:
    field = window.main.composer.field
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def first(w: program.Window) -> Iterator[Step]:
    """The first start, the wizard, a chat, Stop, an edit, the end."""
    main, engine, host = w.main, w.engine, w.wizard
    yield lambda: main.isVisible() and main.windowHandle().isExposed() and main.welcome.get.isVisible()
    say(screen=QGuiApplication.platformName(), colours=colours(), title=main.welcome.title.text())
    click(main.welcome.get)
    yield lambda: host.wizard is not None and host.wizard.isVisible() and host.control.volume is not None and bool(host.control.hub)
    wizard = host.wizard
    assert wizard is not None
    yield wizard.next.isEnabled
    click(wizard.next)
    tabs = wizard.model.tabs
    QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
    QTest.keyClicks(wizard.model.repository, "owner/tiny")
    yield wizard.next.isEnabled
    click(wizard.next)
    yield lambda: host.control.state.looked is not None and wizard.next.isEnabled()
    if wizard.options.start_now.isChecked():
        QTest.keyClick(wizard.options.start_now, Qt.Key.Key_Space)
    click(wizard.next)
    yield lambda: host.control.place.page is Page.CHAT and wizard.next.isEnabled()
    click(wizard.next)
    yield lambda: engine.state.phase is Phase.READY and not wizard.isVisible()
    say(model=engine.state.info.name if engine.state.info else "")
    write(w, "abc")
    yield lambda: bool(main.transcript.answer) or (engine.state.phase is Phase.READY and len(main.transcript.turns) == 2)
    if engine.state.phase is not Phase.READY:
        QTest.keyClick(main.composer.field, Qt.Key.Key_Escape)
    yield lambda: engine.state.phase is Phase.READY
    say(ready="for another start")
    yield lambda: engine.state.phase is Phase.READY and engine.state.info is not None and engine.state.info.name == "starter"
    click(main.sidebar.new_button)
    write(w, LONG)
    yield lambda: len(main.transcript.answer) > 30
    say(screen_while_writing=colours())
    click(main.composer.button)
    yield lambda: engine.state.phase is Phase.READY
    say(stopped=main.transcript.turns[-1].text, note=main.transcript.turns[-1].note)
    QTest.keyClick(main.composer.field, Qt.Key.Key_Up)
    assert main.composer.field.toPlainText() == LONG and main.composer.replaces is not None
    main.composer.field.selectAll()
    write(w, "Name one river.")
    yield lambda: len(main.transcript.answer) > 3 or engine.state.phase is Phase.READY
    if engine.state.phase is not Phase.READY:
        QTest.keyClick(main.composer.field, Qt.Key.Key_Escape)
    yield lambda: engine.state.phase is Phase.READY
    turns = main.transcript.turns
    say(asked=turns[0].text, answered=turns[1].text)
    main.activateWindow()
    yield main.isActiveWindow
    QTest.keyClick(main.composer.field, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)


def again(w: program.Window) -> Iterator[Step]:
    """The next start: what was said is there, and both versions of it."""
    main, engine = w.main, w.engine
    yield lambda: engine.state.phase is Phase.READY
    side = main.sidebar.list
    say(listed=[row.text for row in side.chats.rows if row.id is not None])
    row = next(row for row in side.chats.rows if row.id is not None)
    QTest.mouseClick(side.viewport(), Qt.MouseButton.LeftButton, pos=side.visualRect(side.chats.place(row.id)).center())
    yield lambda: len(main.transcript.turns) == 2
    now = [t.text for t in main.transcript.turns]
    main.transcript.branch_asked.emit(main.transcript.turns[0].number, -1)
    yield lambda: main.transcript.turns[0].text == LONG
    say(now=now, before=[t.text for t in main.transcript.turns])
    main.close()  # the window's own button


people: list[Person] = []


def noted_start(window: program.Window, *rest: object) -> None:
    start(window, *rest)  # type: ignore[arg-type]
    people.append(Person(window, {"first": first, "again": again}[sys.argv[1]]))


program.Window.start = noted_start  # type: ignore[method-assign, assignment]
code = program.main(["ouzel"])
assert QApplication.instance() is not None
sys.exit(code)
