"""Direct reads in flight: C threads of each drive that pread into memory; demand reads pass prefetches."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

DEMAND: Final[int]  # 0
PREFETCH: Final[int]  # 1
LANES: Final[int]  # most lanes of a reader
COPIES: Final[int]  # most copies of a record
SHORT: Final[int]  # -1: the file ended inside the read
DROPPED: Final[int]  # -2

class LaneState(NamedTuple):
    """One drive since creation. reads: parts; busy_seconds: with a part in flight; oldest_seconds: age of the oldest part in flight;
    rate: bytes per second while busy, the last second counting most, 0 where it is not known yet."""

    bytes_read: int
    reads: int
    busy_seconds: float
    oldest_seconds: float
    flight_bytes: int
    rate: float
    enabled: bool

class DirectFile:
    """A file opened for unbuffered reads (O_DIRECT, F_NOCACHE, FILE_FLAG_NO_BUFFERING), probed with one read.

    direct: False where the file system refused and plain reads are used; `why` then holds the system's words. lane: the drive that
    it lies on, as the reader counts them. Raises OSError when the file cannot be opened at all.
    """

    path: Final[str]
    nbytes: Final[int]
    direct: Final[bool]
    why: Final[str]
    lane: Final[int]
    def __init__(self, path: str, direct: bool = True, lane: int = 0) -> None: ...
    def close(self) -> None: ...

class Arena:
    """Page-aligned memory; .array u8 [nbytes], .address int, .nbytes of its whole pages, .taken bytes given out by take().

    touch: have all pages now, else each when it is first used. progress(fraction) is called before each of the pieces in which that
    is done; what it raises ends the making. lock: keep the pages in RAM where the system allows it; .locked tells, .why has its words.
    close() gives up this view; the pages go back to the system once no other view of them lives. Raises MemoryError.
    """

    array: npt.NDArray[np.uint8]
    address: Final[int]
    nbytes: Final[int]
    taken: Final[int]
    locked: Final[bool]
    why: Final[str]
    def __init__(self, nbytes: int, lock: bool = False, progress: Callable[[float], object] | None = None, touch: bool = True) -> None: ...
    def touch(self, progress: Callable[[float], object] | None = None) -> None: ...  # keeps what the pages hold
    def lock(self, progress: Callable[[float], object] | None = None) -> None: ...
    def take(self, nbytes: int) -> npt.NDArray[np.uint8]:
        """The next nbytes as a view at a multiple of 64. Raises MemoryError where less is left."""

    def close(self) -> None: ...

class Reader:
    """Submit and reap reads. A buffer belongs to the reader from submit until its completion is reaped.

    Each lane (drive) has `threads` threads. Reads go in parts of at most part_bytes, so that one read occupies a drive whole.
    Prefetches begin only where no demand read waits or is in flight on the lane, in at most half of its threads.
    """

    lanes: Final[int]
    def __init__(self, threads: int = 4, max_pending: int = 4096, lanes: int = 1, part_bytes: int = 1 << 20) -> None: ...
    def submit(
        self, files: DirectFile | Iterable[DirectFile], offsets: npt.NDArray[np.int64], addresses: npt.NDArray[np.int64], nbytes: int,
        tags: npt.NDArray[np.int64], priority: int = 0,
    ) -> None:
        """One read of nbytes bytes an offset; all or none. Raises ValueError for what is no multiple of 4096 and past max_pending.

        files: one, or several on different lanes that hold the same bytes, of which each part is read where it ends first."""

    def reap(self, wait: bool, timeout_ms: int = -1) -> list[tuple[int, int, int, tuple[int, ...]]]:
        """Completions so far as (tag, error, lane, parts): 0, an errno with its lane, SHORT with its lane, or DROPPED.

        parts: for each copy of the read a bit for each part that it was asked for, () for a read without copies.

        wait: until there is one, at most timeout_ms (-1: without end); returns at once where nothing is pending."""

    def drop(self, priority: int) -> int: ...  # begins no further part of waiting reads of this priority; they complete with DROPPED
    def drop_tags(self, tags: npt.NDArray[np.int64]) -> int: ...  # the same for waiting reads of these tags, whatever their priority
    def promote(self, tags: npt.NDArray[np.int64]) -> int: ...  # waiting prefetches among these tags become demand reads
    @property
    def pending(self) -> int: ...
    @property
    def bytes_read(self) -> int: ...
    @property
    def busy_seconds(self) -> float: ...  # time with at least one read in flight
    def lane(self, lane: int) -> LaneState: ...
    def stuck(self, lane: int, seconds: float) -> list[int]: ...  # tags of reads with a part in flight there for longer
    def enable(self, lane: int, enabled: bool) -> None: ...  # whether it takes reads that another lane can do as well
    def limit(self, lane: int, bytes_per_second: float) -> None: ...  # its threads sleep, for measurements and tests; 0: no limit
    def close(self) -> None: ...  # drops what waits, waits for reads in flight; completions can still be reaped; idempotent
