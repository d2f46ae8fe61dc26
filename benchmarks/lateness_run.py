"""One open window, watched: what benchmarks/lateness.py runs in a process of its own, `python -m benchmarks.lateness_run KIND FILE`.

KIND: "chat" (FILE: a container), "setup" (FILE: the starter's wheel) or "import" (FILE: a GGUF file). Prints one JSON object: for each
phase the lateness of a 10 ms timer of the GUI thread, and of one in a process beside it that does nothing else. With OUZEL_LATENESS_HELD
it also tells each time that the timer was late by so many milliseconds: what the GUI thread did meanwhile, by the system's account, and
where Python's threads were.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from types import FrameType

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.collector import GuiCollector
from app.main import Window, prepare
from app.state import Phase
from app.wizard.pulls import Stage

INTERVAL_MS, LOOK_MS = 10, 20
PROMPT = "river stone water moss " * 500
LONG = "Write a very long story about a river."
TOKENS, OPENINGS = 200, 3
HELD_MS = float(os.environ.get("OUZEL_LATENESS_HELD", "0"))
SWITCH_S = float(os.environ.get("OUZEL_LATENESS_SWITCH", "0"))  # between threads of Python, where it is to be another
MOST_HELD, FRAMES = 5, 5  # times told of a phase, frames of a thread
WAITS = ("wait", "wait_for", "_worker")  # where threads are that do nothing
Wait = Callable[[], bool]
BESIDE = """
import os, time
last, parent = time.monotonic(), os.getppid()
while os.getppid() == parent:
    time.sleep(0.01)
    now = time.monotonic()
    print(now, (now - last) * 1000 - 10, flush=True)
    last = now
"""


class Stacks(threading.Thread):
    """Where all threads are when the timer has not come for HELD_MS: seen as soon as this thread has the lock that the timer needs too."""

    def __init__(self) -> None:
        super().__init__(name="stacks", daemon=True)
        self.due = monotonic() + 3600.0  # when to look
        self._seen: list[str] = []
        self.start()

    def run(self) -> None:
        """Until the process ends."""
        while True:
            sleep(0.005)
            if monotonic() > self.due:
                names = {t.ident: t.name for t in threading.enumerate()}
                self._seen += [
                    f"{names.get(ident, '?')}: " + " < ".join(_frames(frame))
                    for ident, frame in sys._current_frames().items()
                    if ident != self.ident and frame.f_code.co_name not in WAITS
                ]
                self.due = monotonic() + HELD_MS / 1000

    def arm(self) -> None:
        """From now on."""
        self.due = monotonic() + (INTERVAL_MS + HELD_MS) / 1000

    def taken(self) -> list[str]:
        """What was seen since the last call, a line a thread, the innermost call first."""
        seen, self._seen = self._seen, []
        return seen


def _frames(frame: FrameType | None) -> Iterator[str]:
    for _ in range(FRAMES):
        if frame is not None:
            yield f"{'/'.join(Path(frame.f_code.co_filename).parts[-2:])}:{frame.f_lineno} {frame.f_code.co_name}"
            frame = frame.f_back


class Watchdog(QObject):
    """Lateness of each tick, by the phase that it ended in."""

    def __init__(self) -> None:
        super().__init__()
        self.phase = ""
        self.late: dict[str, list[float]] = {}
        self.held: dict[str, list[dict[str, object]]] = {}
        self.spans: list[tuple[str, float, float]] = []
        self._stacks = Stacks() if HELD_MS else None
        self._account = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._last, self._was = monotonic(), self._scheduled()
        self._timer = QTimer(self, interval=INTERVAL_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def enter(self, phase: str) -> None:
        """What happens from now on is of this phase."""
        now = monotonic()
        if self.spans:
            name, begun, _ = self.spans[-1]
            self.spans[-1] = name, begun, now
        self.spans.append((phase, now, now))
        self.phase = phase

    def _scheduled(self) -> tuple[float, float]:
        """Milliseconds that this thread ran, and that it waited for a processor."""
        with suppress(OSError, ValueError):
            ran, waited, _ = map(int, self._account.read_text().split())
            return ran / 1e6, waited / 1e6
        return 0.0, 0.0

    def _tick(self) -> None:
        now, scheduled = monotonic(), self._scheduled()
        late = max((now - self._last) * 1000 - INTERVAL_MS, 0.0)
        self.late.setdefault(self.phase, []).append(late)
        if self._stacks is not None:
            if late > HELD_MS:
                ran, waited = (a - b for a, b in zip(scheduled, self._was, strict=True))
                self.held.setdefault(self.phase, []).append(
                    {"ms": round(late), "ran_ms": round(ran), "waited_for_processor_ms": round(waited), "threads": self._stacks.taken()}
                )
            self._stacks.taken()
            self._stacks.arm()
        self._last, self._was = now, scheduled

    def stop(self) -> None:
        """No ticks follow."""
        self.enter("")
        self._timer.stop()


class Run(QObject):
    """Drives the window through a script, which yields what it waits for."""

    def __init__(self, window: Window, kind: str, file: Path) -> None:
        super().__init__()
        self.window, self.file = window, file
        self.engine = window.engine
        self.dog = Watchdog()
        self.trouble = ""
        window.engine.trouble.connect(self._on_trouble)
        self._script: Iterator[Wait] = {"chat": self.chat, "setup": self.set_up, "import": self.imported}[kind]()
        self._wait: Wait = lambda: True
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _on_trouble(self, text: str, _label: str, _act: object) -> None:
        self.trouble = text

    def _look(self) -> None:
        if self.trouble:
            self._end()
        elif self._wait():
            try:
                self._wait = next(self._script)
            except StopIteration:
                self._end()

    def _end(self) -> None:
        self._timer.stop()
        self.dog.stop()
        self.window.leaving.close_now()

    def _ready(self) -> bool:
        return self.engine.state.phase is Phase.READY

    def _idle(self) -> bool:
        return self.engine.state.phase is Phase.IDLE

    def _limit(self, tokens: int) -> None:
        self.engine.change_settings(replace(self.engine.settings, max_tokens=tokens, temperature=0))

    def _send(self, text: str) -> None:
        self.window.main.composer.field.setPlainText(text)
        self.window.main.composer.button.click()

    def chat(self) -> Iterator[Wait]:
        """Open a model some times, read a long prompt, write a long answer."""
        self.dog.enter("opening")
        for i in range(OPENINGS):
            if i:
                self.engine.act("unload")
                yield self._idle
                self.engine.load()
            yield self._ready
        self._limit(2)
        self.dog.enter("prompt")
        self._send(PROMPT)
        yield lambda: self.engine.state.phase is Phase.READING
        yield self._ready
        self._limit(TOKENS)
        self.window.main.sidebar.new_button.click()
        self.dog.enter("answer")
        self._send(LONG)
        yield lambda: self.engine.state.phase is Phase.WRITING
        yield self._ready

    def set_up(self) -> Iterator[Wait]:
        """Build the starter and open it."""
        self.dog.enter("start")
        yield lambda: self.window.bridge.running
        self.dog.enter("setup")
        self.engine.set_up_starter()
        yield lambda: self.engine.state.phase is Phase.LOADING
        self.dog.enter("opening after setup")
        yield self._ready

    def imported(self) -> Iterator[Wait]:
        """Look at a GGUF file in the wizard, convert it."""
        control = self.window.wizard.control
        self.dog.enter("start")
        yield lambda: self.window.bridge._worker.made is not None and self.window.wizard.fetching._fetcher.made is not None
        self.dog.enter("opening the wizard")
        self.window.wizard.show()
        yield lambda: bool(control.volumes) and bool(control.hub)
        self.dog.enter("looking at a file")
        self.window.wizard.show_source(self.file)
        yield lambda: control.state.precision is not None
        self.dog.enter("import")
        control.pull()
        yield lambda: any(item.stage is Stage.READY for item in control.pulls.items)


def measured(late: list[float]) -> dict[str, float]:
    """Figures of one phase, milliseconds."""
    return {"worst_ms": max(late), "p99_ms": float(np.percentile(late, 99)), "over_100_ms": sum(v > 100 for v in late), "ticks": len(late)}


def beside(lines: list[str], spans: list[tuple[str, float, float]]) -> dict[str, float]:
    """The worst lateness of the process beside, by phase."""
    out: dict[str, float] = {}
    for line in lines:
        with suppress(ValueError):
            at, late = map(float, line.split())
            for name, begun, ended in spans:
                if begun <= at <= ended:
                    out[name] = max(out.get(name, 0.0), late)
    return out


def main(kind: str, file: Path) -> None:
    """Run one script and print what was measured."""
    if SWITCH_S:
        sys.setswitchinterval(SWITCH_S)
    application: QApplication = prepare(["ouzel"])
    window = Window(application)
    collector = GuiCollector()
    with tempfile.TemporaryFile("w+") as told:
        other = subprocess.Popen([sys.executable, "-c", BESIDE], stdout=told, stderr=subprocess.DEVNULL)
        try:
            window.start(file if kind == "chat" else None)
            run = Run(window, kind, file)
            application.exec()
        finally:
            other.kill()
            other.wait()
        collector.stop()
        window.end()
        told.seek(0)
        alone = beside(told.read().splitlines(), run.dog.spans)
    if run.trouble:
        sys.exit(run.trouble)
    seconds: dict[str, float] = {}
    for name, begun, ended in run.dog.spans:
        seconds[name] = seconds.get(name, 0.0) + ended - begun
    phases = {
        name: {**measured(late), "beside_ms": alone.get(name, 0.0), "seconds": seconds[name]}
        for name, late in run.dog.late.items() if name not in ("", "start")
    }  # fmt: skip
    worst = {name: sorted(held, key=lambda h: -float(str(h["ms"])))[:MOST_HELD] for name, held in run.dog.held.items()}
    print(json.dumps({"phases": phases, **({"held": worst} if HELD_MS else {})}))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
