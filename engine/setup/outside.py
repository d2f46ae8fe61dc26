"""Calls into libraries that cannot be stopped: made on a thread of their own, which is left behind when nobody wants the answer."""

import threading
from collections.abc import Callable
from typing import TypeVar

from engine.cancel import CancelToken

POLL_S = 0.05
T = TypeVar("T")


def outside(work: Callable[[], T], cancel: CancelToken, seconds: float | None = None) -> T:
    """What `work` returns or raises. Raises Cancelled within 100 ms, TimeoutError after `seconds`; the call then ends by itself."""
    done = threading.Event()
    answer: list[T] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            answer.append(work())
        except BaseException as e:
            problem.append(e)
        finally:
            done.set()

    threading.Thread(target=run, name="outside", daemon=True).start()
    waited = 0.0
    while not done.wait(POLL_S):
        cancel.check()
        waited += POLL_S
        if seconds is not None and waited >= seconds:
            raise TimeoutError
    if problem:
        raise problem[0]
    return answer[0]
