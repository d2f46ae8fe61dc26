"""Whether this installation works: `ouzel --smoke FILE.png` opens the starter in the real window, compares eight tokens, grabs the window.

Nothing of the user's is read or written: it all happens in a home of its own, which is removed.
"""

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QGuiApplication, QImage

from app import settings as stored
from app.chats.options import ChatOptions
from app.engine_control import is_container
from app.language import words
from app.main import END_S, SETTINGS, Window, prepare
from app.settings import Settings
from app.state import Phase
from app.transcript.code import lexer
from app.transcript.latex import draw
from engine import __version__, paths
from engine.events import Failed, Finished

QUESTION = "What is the capital of France?"
TOKENS = 8
ANSWER = "The capital of France is Paris."  # greedy, on every instruction set; the last token ends the answer
PATIENCE_MS = 300_000  # a slow machine may be slow; one that hangs is told
LATE = ("engine.server.serving", "engine.setup.gguf_base", "huggingface_hub", "keyring", "pypdf", "llguidance", "linkify_it")
FEWEST_COLOURS = 50  # a window in which nothing was drawn has a few


class Wrong(Exception):
    """What does not work, as a sentence."""


def main(picture: Path) -> int:
    """Check everything; the exit code: 0, or 1 where something failed, and standard error says what."""
    picture = picture.expanduser().absolute()
    try:
        with _home() as home:
            sys.stdout.write(f"{_check(picture, home)}\n")
    except Wrong as e:
        sys.stderr.write(f"ouzel: the smoke test failed: {e}\n")
        return 1
    except Exception:
        sys.stderr.write(f"ouzel: the smoke test failed:\n{traceback.format_exc()}")
        return 1
    return 0


@contextmanager
def _home() -> Iterator[Path]:
    before = os.environ.get("OUZEL_HOME")
    with TemporaryDirectory(prefix="ouzel-smoke-", ignore_cleanup_errors=True) as home:
        try:
            yield Path(home)
        finally:
            if before is None:
                os.environ.pop("OUZEL_HOME", None)
            else:
                os.environ["OUZEL_HOME"] = before


def _check(picture: Path, home: Path) -> str:
    model = paths.starter_path()
    if not is_container(model):
        raise Wrong(f"there is no starter model at {model}. In a bundle it comes along; else `ouzel chat` makes it.")
    _parts()
    os.environ["OUZEL_HOME"] = str(home)
    stored.save(home / SETTINGS, Settings(theme="light"))
    window = Window(prepare(["ouzel"]))
    try:
        window.start(model)
        told = _chat(window)
        _draw(window, picture)
    finally:
        window.leaving.close_now()
        ended = until(lambda: window.chats.closed and not window.bridge.running, round(END_S * 5000))
    if not (window.end() and ended):
        raise Wrong("the window did not end its threads.")
    return f"{told}; {QGuiApplication.platformName()} window drawn to {picture}"


def _parts() -> None:
    """What is read in only when it is needed, and what comes as files: a bundle must have it too."""
    for name in LATE:
        importlib.import_module(name)
    if draw(r"\sqrt{\frac{1}{2}}", True) is None:
        raise Wrong("formulas cannot be drawn.")
    if lexer("python") is None:
        raise Wrong("code cannot be coloured.")
    if len(words("de")) != 2:
        raise Wrong("the German words, or those of Qt, are missing.")


def _chat(window: Window) -> str:
    """Open the starter and ask; raises Wrong with what the window would have told."""
    engine, troubles = window.engine, list[str]()
    ended: list[Finished | Failed] = []
    engine.trouble.connect(lambda text, label, act: troubles.append(text))
    engine.damage_found.connect(lambda model, text: troubles.append(text))
    engine.answered.connect(lambda event: ended.append(event) if isinstance(event, Finished | Failed) else None)
    if not until(lambda: bool(troubles) or engine.state.phase is Phase.READY):
        raise Wrong(f"the starter model was not open after {PATIENCE_MS // 1000} seconds.")
    info = engine.state.info
    if troubles or info is None:
        raise Wrong(f"the starter model did not open: {' '.join(troubles)}")
    window.chats.set_options(ChatOptions(temperature=0.0, max_tokens=TOKENS))
    window.main.desk.send(QUESTION)
    if not until(lambda: bool(ended)):
        raise Wrong(f"there was no answer after {PATIENCE_MS // 1000} seconds.")
    end = ended[0]
    if isinstance(end, Failed):
        raise Wrong(f"the answer failed: {end.error}")
    answer = window.chats.messages()[-1].content
    if (answer, end.stats.answer_tokens) != (ANSWER, TOKENS):
        raise Wrong(f"the answer to {QUESTION!r} is {answer!r} in {end.stats.answer_tokens} tokens, and not {ANSWER!r} in {TOKENS}.")
    return f"ouzel {__version__}: kernels for {info.isa}, starter opened from {info.config.model}, {TOKENS} tokens as they must be"


def _draw(window: Window, picture: Path) -> None:
    """Grab the window into a file, and see that there is something on it."""
    until(lambda: False, 500)  # what the answer's end changed is drawn
    grabbed = window.main.grab()
    if not grabbed.save(str(picture), "PNG"):
        raise Wrong(f"the picture {picture} cannot be written.")
    image: QImage = grabbed.toImage()
    seen = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    if len(seen) < FEWEST_COLOURS:
        raise Wrong(f"the window shows almost nothing: {len(seen)} colours; see {picture}.")


def until(condition: Callable[[], bool], longest: int = PATIENCE_MS) -> bool:
    """Run the event loop until the condition holds; whether it did in time."""
    loop, poll, end = QEventLoop(), QTimer(interval=20), QTimer(singleShot=True, interval=longest)
    poll.timeout.connect(lambda: loop.quit() if condition() else None)
    end.timeout.connect(loop.quit)
    poll.start()
    end.start()
    loop.exec()
    return condition()
