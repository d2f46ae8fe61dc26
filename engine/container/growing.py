"""A file that is written chunk by chunk and survives a kill at any moment: what was written and noted is checked and kept."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from engine.cancel import CancelToken
from engine.container.files import forget, pieces

SYNC = 8 * 2**20  # small enough that Stop does not wait for a slow drive
_LINE = re.compile(rb"[0-9a-f]{16}\Z")


class GrowingFile:
    """Chunks of known sizes, in order. A journal beside the file has one xxh3_64 a line for each chunk that is durable.

    Opening keeps the longest run of chunks that the journal vouches for and that the file still holds, and cuts the rest off.
    sums: xxh3_64 of each chunk so far. digest: xxh3_128 of the bytes from digest_from on. Raises OSError, Cancelled.
    """

    def __init__(
        self,
        path: Path,
        journal: Path,
        sizes: Sequence[int],
        cancel: CancelToken,
        digest_from: int = 0,
        on_kept: Callable[[int], None] = lambda n: None,
    ) -> None:
        self.sums: list[int] = []
        self._sizes, self._digest_from = sizes, digest_from
        self._digest, self._nbytes, self._noted, self._unsynced = xxhash.xxh3_128(), 0, 0, 0
        path.parent.mkdir(parents=True, exist_ok=True)
        journal.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and journal.exists():
            self._keep(path, journal, cancel, on_kept)
        self._file = path.open("r+b" if path.exists() else "w+b", buffering=0)
        try:
            self._file.truncate(self._nbytes)
            self._file.seek(self._nbytes)
            fresh = journal.with_name(journal.name + ".new")
            fresh.write_bytes(self._lines())
            fresh.replace(journal)  # a kill before this leaves the old notes, which are still true of what was kept
            self._noted = len(self.sums)
            self._journal = journal.open("ab", buffering=0)
        except BaseException:
            self._file.close()
            raise

    @property
    def complete(self) -> bool:
        """Whether all chunks are written."""
        return len(self.sums) == len(self._sizes)

    @property
    def digest(self) -> str:
        """xxh3_128 (hex) of everything from digest_from on."""
        return self._digest.hexdigest()

    def append(self, chunk: npt.NDArray[np.uint8]) -> None:
        """Write the next chunk, u8 of the size that was announced."""
        if chunk.nbytes != self._sizes[len(self.sums)]:
            raise ValueError(f"chunk {len(self.sums)} has {chunk.nbytes} bytes instead of {self._sizes[len(self.sums)]}")
        view = chunk.data
        done = 0
        while done < len(view):
            done += self._file.write(view[done:])
        self._count(self._digest, view, self._nbytes)
        self.sums.append(xxhash.xxh3_64_intdigest(view))
        self._nbytes += len(view)
        self._unsynced += len(view)
        if self._unsynced >= SYNC or self.complete:
            self._sync()

    def close(self) -> None:
        """End; what is not durable yet is written again by the next run. Idempotent."""
        self._file.close()
        self._journal.close()

    def _count(self, digest: "xxhash.xxh3_128", view: memoryview, at: int) -> None:
        digest.update(view[max(self._digest_from - at, 0) :])

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        forget(self._file, self._nbytes - self._unsynced, self._unsynced)
        self._unsynced = 0
        self._note()

    def _note(self) -> None:
        self._journal.write(self._lines())
        self._noted = len(self.sums)

    def _lines(self) -> bytes:
        """What is not noted yet."""
        return "".join(f"{s:016x}\n" for s in self.sums[self._noted :]).encode()

    def _keep(self, path: Path, journal: Path, cancel: CancelToken, on_kept: Callable[[int], None]) -> None:
        for line, size in zip(journal.read_bytes().split(b"\n"), self._sizes, strict=False):
            if not _LINE.match(line):
                return
            digest, sum_ = self._digest.copy(), xxhash.xxh3_64()
            at = self._nbytes
            for piece in pieces(path, size, cancel, self._nbytes):
                sum_.update(piece)
                self._count(digest, piece, at)
                at += len(piece)
            if at != self._nbytes + size or sum_.intdigest() != int(line, 16):
                return
            self._digest, self._nbytes = digest, at
            self.sums.append(sum_.intdigest())
            on_kept(size)
