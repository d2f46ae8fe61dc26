"""What a process of its own is given to do in test_apart_work.py."""

import os
import threading
import time
from collections.abc import Callable

from engine.cancel import CancelToken
from engine.errors import StorageError
from engine.words import say

Progress = Callable[..., None]


def until_stopped(first: int, progress: Progress, cancel: CancelToken, more: int = 0) -> None:
    """Tell its process, and go on until a stop comes."""
    progress("pid", os.getpid(), first + more)
    while True:
        cancel.check()
        time.sleep(0.01)


def deaf(progress: Progress, cancel: CancelToken) -> None:
    """Tell its process, and look at nothing any more."""
    progress("pid", os.getpid(), 0)
    threading.Event().wait()


def counted(n: int, progress: Progress, cancel: CancelToken) -> int:
    """Tell n steps at once."""
    for i in range(n):
        progress("step", i, n)
    return n


def refused(progress: Progress, cancel: CancelToken) -> None:
    """Fail as we do."""
    raise StorageError(say("{path} is full. Free some space.", path="D"), "details")


def refused_by_system(progress: Progress, cancel: CancelToken) -> None:
    """Fail as the system does."""
    raise FileNotFoundError(2, "No such file", "D")
