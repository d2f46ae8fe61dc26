"""Direct reads in flight: a small pool of C threads that pread into memory; demand reads pass prefetches."""

from typing import Final

import numpy as np
import numpy.typing as npt

DEMAND: Final[int]  # 0
PREFETCH: Final[int]  # 1

class DirectFile:
    """A file opened for unbuffered reads (O_DIRECT, F_NOCACHE, FILE_FLAG_NO_BUFFERING), probed with one read.

    direct: False where the file system refused and plain reads are used; `why` then holds the system's words.
    Raises OSError when the file cannot be opened at all.
    """

    path: Final[str]
    nbytes: Final[int]
    direct: Final[bool]
    why: Final[str]
    def __init__(self, path: str, direct: bool = True) -> None: ...
    def close(self) -> None: ...

class Arena:
    """Page-aligned memory, touched and (where allowed) locked at creation; .array u8 view, .address int, .locked bool.

    close() gives up this view; the pages go back to the system once no other view of them lives. Raises MemoryError.
    """

    array: npt.NDArray[np.uint8]
    address: Final[int]
    nbytes: Final[int]
    locked: Final[bool]
    def __init__(self, nbytes: int, lock: bool = False) -> None: ...
    def close(self) -> None: ...

class Reader:
    """Submit and reap reads. A buffer belongs to the reader from submit until its completion is reaped.

    Prefetches occupy at most half of the threads, so that a demand read finds one free.
    """

    def __init__(self, threads: int = 4, max_pending: int = 4096) -> None: ...
    def submit(
        self, file: DirectFile, offsets: npt.NDArray[np.int64], addresses: npt.NDArray[np.int64], nbytes: int,
        tags: npt.NDArray[np.int64], priority: int = 0,
    ) -> None:
        """One read of nbytes bytes an offset; all or none. Raises ValueError for what is no multiple of 4096 and past max_pending."""

    def reap(self, wait: bool, timeout_ms: int = -1) -> list[tuple[int, int]]:
        """Completions so far as (tag, error): 0, an errno, or -1 for a short read; -2 for a read dropped by drop() or close().

        wait: until there is one, at most timeout_ms (-1: without end); returns at once where nothing is pending."""

    def drop(self, priority: int) -> int: ...  # drops queued, unstarted reads of this priority; they complete with -2
    @property
    def pending(self) -> int: ...
    @property
    def bytes_read(self) -> int: ...
    @property
    def busy_seconds(self) -> float: ...  # time with at least one read in flight
    def close(self) -> None: ...  # drops what waits, waits for reads in flight; completions can still be reaped; idempotent
