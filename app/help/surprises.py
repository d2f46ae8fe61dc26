"""What nobody foresaw: exceptions on any thread are logged and told in the window, once each, and the work goes on."""

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from PySide6.QtCore import QObject, Signal

from app.help.traces import told

MOST = 20  # kinds that are told; a window that fails at each turn says so once


class Surprises(QObject):
    """`happened`: a short name of what it was, and the redacted traceback. Emitted on the thread that failed."""

    happened = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._seen: set[str] = set()

    def take(self, error: BaseException, where: str = "") -> None:
        """Log it, and tell it unless it was told before."""
        report = told(error)
        logging.getLogger("app").critical("Unforeseen%s:\n%s", f" on thread {where}" if where else "", report)
        if report not in self._seen and len(self._seen) < MOST:
            self._seen.add(report)
            self.happened.emit(report.rpartition("\n")[2], report)


@contextmanager
def catching(surprises: Surprises) -> Iterator[None]:
    """Python's hooks lead to `surprises` until the end; tracebacks go to standard error as ever."""

    def main_hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if sys.stderr is not None:
            sys.__excepthook__(kind, error, trace)
        if not isinstance(error, KeyboardInterrupt):
            surprises.take(error)

    def thread_hook(args: threading.ExceptHookArgs) -> None:
        if sys.stderr is not None:
            threading.__excepthook__(args)
        if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
            surprises.take(args.exc_value, args.thread.name if args.thread is not None else "?")

    before = sys.excepthook, threading.excepthook
    sys.excepthook, threading.excepthook = main_hook, thread_hook
    try:
        yield
    finally:
        sys.excepthook, threading.excepthook = before
