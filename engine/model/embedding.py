"""The embedding: rows of a matrix that is in memory, or of one on disk that is read a panel at a time."""

from io import FileIO
from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt
import xxhash

from engine.cancel import CancelToken
from engine.container.format import PAGE, PANEL, EmbedEntry, rounded
from engine.errors import BadContainer, StorageError
from engine.words import say
from kernels_pyx.aio import Arena
from kernels_pyx.compute import Rows
from kernels_pyx.linear import Matrix

CHECK_BYTES = 9  # a panel's checksum, and whether it was compared


class EmbedRows:
    """Rows of the embedding in `path`, read through the system's cache into room for one panel; the same bits as in memory.

    checksums u64 [n_panels]: compared when a panel is first read. bytes_read, read_seconds: since opening. Raises StorageError.
    """

    def __init__(self, path: Path, entry: EmbedEntry, checksums: npt.NDArray[np.uint64]) -> None:
        self._path, self._entry, self._checksums = path, entry, checksums
        self._checked = bytearray(entry.n_panels)
        self._held = -1
        self.bytes_read, self.read_seconds = 0, 0.0
        try:
            self._file = FileIO(path)
        except OSError as e:
            raise self._unreadable(e) from e
        self._arena = Arena(rounded(entry.panel_bytes, PAGE))
        self._memory = self._arena.array.data
        self._out = Rows(PANEL, entry.cols)
        sizes = {entry.panel(0), entry.panel(entry.n_panels - 1)}
        self._panels = {rows: Matrix(entry.fmt, rows, entry.cols, self._arena.array[:nbytes]) for rows, nbytes in sizes}

    def renamed(self, path: Path) -> None:
        """The file has another name now."""
        self._path = path

    @staticmethod
    def nbytes_for(entry: EmbedEntry) -> int:
        """Bytes that one allocates."""
        return rounded(entry.panel_bytes, PAGE) + 4 * PANEL * entry.cols + CHECK_BYTES * entry.n_panels

    @property
    def nbytes(self) -> int:
        """Bytes that are allocated."""
        return self._arena.nbytes + self._out.nbytes + self._checksums.nbytes + len(self._checked)

    def lookup(self, ids: npt.NDArray[np.int32], out: Rows, scale: float, cancel: CancelToken) -> None:
        """out[i] = scale * row ids[i], ids in range; each panel is read once. Raises StorageError, BadContainer, Cancelled."""
        panels = ids // PANEL
        for panel in np.unique(panels).tolist():
            cancel.check()
            matrix = self._read(panel)
            where = np.flatnonzero(panels == panel)
            rows, which = np.unique(ids[where] - panel * PANEL, return_inverse=True)
            matrix.lookup(rows.astype(np.int32), self._out, scale)
            out.array[where] = self._out.array[which]

    def _read(self, panel: int) -> Matrix:
        """The panel as a matrix that is valid until the next read."""
        n_rows, nbytes = self._entry.panel(panel)
        if panel == self._held:
            return self._panels[n_rows]
        self._held = -1
        start, done = perf_counter(), 0
        try:
            self._file.seek(panel * self._entry.panel_bytes)
            while done < nbytes:
                if not (n := self._file.readinto(self._memory[done:nbytes])):
                    raise StorageError(
                        say("{path} ends before its last row: it is truncated. Fetch or convert the model again.", path=self._path)
                    )
                done += n
        except OSError as e:
            raise self._unreadable(e) from e
        finally:
            self.bytes_read += done
            self.read_seconds += perf_counter() - start
        if not self._checked[panel]:
            if xxhash.xxh3_64_intdigest(self._memory[:nbytes]) != int(self._checksums[panel]):
                first = panel * PANEL
                raise BadContainer(
                    say(
                        "{path} is damaged: the checksum of rows {first} to {last} differs from the one in the model. Run "
                        "`ouzel verify` on the model to see all damage, and `ouzel repair` to mend it.",
                        path=self._path,
                        first=first,
                        last=first + n_rows - 1,
                    )
                )
            self._checked[panel] = 1
        self._held = panel
        return self._panels[n_rows]

    def _unreadable(self, e: OSError) -> StorageError:
        return StorageError(
            say("{path} cannot be read ({why}). Check that its drive is connected and try again.", path=self._path, why=e.strerror or e),
            repr(e),
        )

    def close(self) -> None:
        """Close the file and give the memory back; idempotent."""
        self._file.close()
        self._panels.clear()
        self._memory.release()
        self._arena.close()
