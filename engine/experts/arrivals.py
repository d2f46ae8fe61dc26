"""Experts of a container in the making that are asked for and not there yet: fetched on threads of their own, while the store waits."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from engine.cancel import CancelToken
from engine.container.making import Making
from engine.errors import EngineError

FETCH_MS = 5  # a wait for fetches looks this often whether one of several has come
AT_ONCE = 4  # batches that are fetched at a time; a layer asks for one, or for several where slots are few


@dataclass(slots=True)
class _Batch:
    """What one thread brings. waiting: keys of records, and where each will be read to."""

    waiting: dict[int, int]
    cancel: CancelToken = field(default_factory=CancelToken)
    done: Future[None] | None = None


class Arrivals:
    """key = ordinal * width + expert. Used by the store's thread."""

    def __init__(self, making: Making, width: int) -> None:
        self.making, self._width = making, width
        self._pool = ThreadPoolExecutor(AT_ONCE, "fetch")
        self._batches: list[_Batch] = []
        self._dropped: list[int] = []
        self._changed = threading.Event()
        self.problems: dict[int, EngineError] = {}

    def there(self, key: int) -> bool:
        """Whether the record can be read."""
        return self.making.there(*divmod(key, self._width))

    @property
    def pending(self) -> int:
        """Records that are waited for."""
        return sum(len(b.waiting) for b in self._batches) + len(self._dropped)

    def ask(self, keys: list[int], addresses: list[int], demand: bool) -> tuple[list[int], list[int]]:
        """Of records of one layer (those that can be read, where they go); the others are fetched, or end as dropped without demand."""
        there, absent = list[tuple[int, int]](), dict[int, int]()
        for key, address in zip(keys, addresses, strict=True):
            if self.there(key):
                there.append((key, address))
            else:
                absent[key] = address
        if absent and demand:
            self._begin(batch := _Batch(absent))
            self._batches.append(batch)
        elif absent:
            self._dropped += absent
        return [key for key, _ in there], [address for _, address in there]

    def _begin(self, batch: _Batch) -> None:
        ordinal = next(iter(batch.waiting)) // self._width
        experts = [key % self._width for key in batch.waiting]
        batch.done = self._pool.submit(self.making.bring, ordinal, experts, batch.cancel)
        batch.done.add_done_callback(lambda done: self._changed.set())

    def drop(self) -> None:
        """Fetch nothing further of all that is waited for."""
        for batch in self._batches:
            batch.cancel.cancel()
            self._dropped += batch.waiting
        self._batches.clear()

    def take(self, timeout_ms: int) -> tuple[list[tuple[int, int]], list[int], list[int]]:
        """((key, address) that can be read now, keys whose fetch failed, dropped keys), waiting for a first one; see `problems`."""
        came = self._take()
        if timeout_ms and not any(came):
            self._changed.wait(min(timeout_ms, FETCH_MS) / 1000)
            self._changed.clear()
            came = self._take()
        return came

    def _take(self) -> tuple[list[tuple[int, int]], list[int], list[int]]:
        ready, failed = list[tuple[int, int]](), list[int]()
        for batch in self._batches:
            ended = batch.done is not None and batch.done.done()
            for key in [k for k in batch.waiting if self.there(k)]:
                ready.append((key, batch.waiting.pop(key)))
            if not ended or not batch.waiting:
                continue
            error = batch.done.exception() if batch.done is not None else None
            if any(self.there(key) for key in batch.waiting):
                continue  # it came since the first look
            if error is None:
                self._begin(batch)  # what came was taken back at once
            elif isinstance(error, EngineError):
                self.problems |= dict.fromkeys(batch.waiting, error)
                failed += batch.waiting
                batch.waiting.clear()
            else:
                raise error
        self._batches = [b for b in self._batches if b.waiting]
        dropped, self._dropped = self._dropped, []
        return ready, failed, dropped

    def close(self) -> None:
        """End all fetches; idempotent."""
        self.drop()
        self._pool.shutdown(cancel_futures=True)
