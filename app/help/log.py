"""The log: a few files in the home folder that take each other's place. Chats are never written to it.

A full or missing drive costs the log, never the window.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from app.help.redaction import redacted
from app.help.traces import told

FOLDER, NAME = "logs", "ouzel.log"
MOST_BYTES, KEPT = 500_000, 3
NOISE = ("propagateSizeHints", "support raise", "QStandardPaths: XDG_RUNTIME_DIR")  # platforms that lack something tell it each time
LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
OURS = ("app", "engine", "kernels_pyx", "qt")


class Lines(logging.Formatter):
    """Redacted lines; of other libraries' records only where they come from is taken, since their arguments may hold anything."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """One record, with its traceback."""
        changed: dict[str, object] = {"exc_text": None}  # what another handler has kept there is not redacted
        if record.name.split(".")[0] not in OURS:
            changed |= {"msg": record.msg if isinstance(record.msg, str) else "", "args": ()}
        return redacted(super().format(logging.makeLogRecord({**record.__dict__, **changed})))

    def formatException(self, ei: object) -> str:  # noqa: N802
        """The traceback without quoted values."""
        error = ei[1] if isinstance(ei, tuple) else None
        return told(error) if isinstance(error, BaseException) else ""


def log_file(home: Path) -> Path:
    """The file that is written now."""
    return home / FOLDER / NAME


@contextmanager
def logging_to(home: Path) -> Iterator[None]:
    """Write the log, and what Qt has to say, until the end."""
    logging.raiseExceptions = False  # a log that cannot be written is not worth a traceback for each line
    handler: logging.Handler
    try:
        (home / FOLDER).mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(log_file(home), maxBytes=MOST_BYTES, backupCount=KEPT - 1, encoding="utf-8", errors="replace")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(Lines())
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("wakepy").setLevel(logging.WARNING)  # it tells of every way that it tries, each time the engine works
    old = qInstallMessageHandler(_qt_message)
    try:
        yield
    finally:
        qInstallMessageHandler(old)
        root.removeHandler(handler)
        root.setLevel(before)
        handler.close()


def _qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    level = LEVELS.get(kind, logging.WARNING)
    if not any(noise in text for noise in NOISE):
        logging.getLogger("qt").log(level, "%s", text)
        if level >= logging.WARNING and sys.stderr is not None:
            with suppress(OSError, ValueError):
                sys.stderr.write(f"{text}\n")


def tail(home: Path, lines: int = 400) -> str:
    """The newest lines of the log, across files; "" where there is none."""
    found: list[str] = []
    for name in (NAME, f"{NAME}.1"):
        try:
            text = (home / FOLDER / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            break
        found = text.splitlines()[-(lines - len(found)) :] + found
        if len(found) >= lines:
            break
    return "\n".join(found)
