"""Experts of a container in the making that are asked for and not there yet: fetched on threads of their own, while the store waits."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from engine.cancel import CancelToken
from engine.container.making import Making
from engine.errors import EngineError

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

    def want(self, keys: list[int], addresses: list[int]) -> None:
        """Have the records of one layer fetched."""
        batch = _Batch(dict(zip(keys, addresses, strict=True)))
        self._begin(batch)
        self._batches.append(batch)

    def _begin(self, batch: _Batch) -> None:
        ordinal = next(iter(batch.waiting)) // self._width
        experts = [key % self._width for key in batch.waiting]
        batch.done = self._pool.submit(self.making.bring, ordinal, experts, batch.cancel)
        batch.done.add_done_callback(lambda done: self._changed.set())

    def refuse(self, keys: list[int]) -> None:
        """These are not worth a fetch: they end as dropped."""
        self._dropped += keys

    def drop(self) -> None:
        """Fetch nothing further of all that is waited for."""
        for batch in self._batches:
            batch.cancel.cancel()
            self._dropped += batch.waiting
        self._batches.clear()

    def take(self) -> tuple[list[tuple[int, int]], list[int], list[int]]:
        """((key, address) that can be read now, keys whose fetch failed, dropped keys); see `problems`."""
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

    def wait(self, timeout_ms: int) -> None:
        """Until a fetch ends, or so long."""
        self._changed.wait(timeout_ms / 1000)
        self._changed.clear()

    def close(self) -> None:
        """End all fetches; idempotent."""
        self.drop()
        self._pool.shutdown(cancel_futures=True)
