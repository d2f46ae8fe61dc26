"""The part of a checkpoint that is in memory: ranges of its tensors that came and are still needed."""

import threading
from bisect import bisect_right, insort

import numpy as np
import numpy.typing as npt

from engine.words import say

U8 = npt.NDArray[np.uint8]


class Window:
    """Ranges by tensor and first byte. Threads may call at once."""

    def __init__(self) -> None:
        self._data: dict[tuple[str, int], U8] = {}
        self._starts: dict[str, list[int]] = {}
        self._lock = threading.Lock()
        self.nbytes = 0

    def put(self, name: str, start: int, data: U8) -> None:
        """Hold bytes of `name` from its byte `start`; ranges of a tensor do not overlap."""
        with self._lock:
            if (name, start) not in self._data:
                insort(self._starts.setdefault(name, []), start)
                self._data[name, start] = data
                self.nbytes += data.nbytes

    def drop(self, name: str, start: int) -> None:
        """Forget a range, where it is there."""
        with self._lock:
            if (data := self._data.pop((name, start), None)) is not None:
                self.nbytes -= data.nbytes
                starts = self._starts[name]
                starts.remove(start)
                if not starts:
                    del self._starts[name]

    def read(self, name: str, start: int, nbytes: int) -> U8:
        """Bytes start..start+nbytes of `name`. Raises LookupError where they are not all here."""
        with self._lock:
            starts = self._starts.get(name, [])
            i, end, found, at = bisect_right(starts, start) - 1, start + nbytes, list[U8](), start
            while at < end:
                data = self._data.get((name, starts[i])) if 0 <= i < len(starts) else None
                if data is None or not starts[i] <= at < starts[i] + data.nbytes:
                    raise LookupError(say("bytes {at} to {end} of {name} are not in memory", at=at, end=end, name=name))
                found.append(data[at - starts[i] : end - starts[i]])
                at = starts[i] + data.nbytes
                i += 1
        return found[0] if len(found) == 1 else np.concatenate(found) if found else np.empty(0, np.uint8)
