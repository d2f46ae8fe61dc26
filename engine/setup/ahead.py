"""Jobs on a few threads, their results in the jobs' order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from engine.cancel import CancelToken

T = TypeVar("T")


def in_order(pool: ThreadPoolExecutor, jobs: Iterable[Callable[[], T]], ahead: int, cancel: CancelToken) -> Iterator[T]:
    """Results of jobs in their order, `ahead` of them computed before they are asked for. Raises Cancelled, what a job raises."""
    waiting: deque[Future[T]] = deque()
    try:
        for job in jobs:
            cancel.check()
            waiting.append(pool.submit(job))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            cancel.check()
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
