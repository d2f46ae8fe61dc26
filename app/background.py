"""Small pieces of disk work that may wait for a busy drive, off the GUI thread, one after the other."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

END_S = 10.0  # that a busy drive has to take the last notes


def remember(model: Path) -> None:
    """Note a model, so that it stays listed where its drive is missing. Not on the GUI thread."""
    from engine.setup import known  # noqa: PLC0415  it takes long to import

    known.remember(model)


class Background:
    """One thread for work whose result nobody waits for; what fails is logged."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="disk")
        self._last: Future[None] | None = None

    def run(self, work: Callable[[], object]) -> None:
        """Do it soon; returns at once."""
        self._pool.submit(self._guarded, work)

    @staticmethod
    def _guarded(work: Callable[[], object]) -> None:
        try:
            work()
        except Exception:
            logging.getLogger(__name__).exception("Work in the background failed")

    def close(self, seconds: float = END_S) -> bool:
        """Take nothing more; whether what was asked is finished within that time. A drive that never answers may not keep the process."""
        if self._last is None:
            self._last = self._pool.submit(lambda: None)
            self._pool.shutdown(wait=False)
        return not wait([self._last], seconds).not_done
