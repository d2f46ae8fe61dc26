"""The files of one layer's experts, opened: which record of which file is an expert's."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from engine.container.placed import Copy
from engine.container.reader import ExpertFile
from engine.errors import StorageError
from engine.words import say
from kernels_pyx.aio import DirectFile


class Source:
    """An open file on one volume: bytes start..start+nbytes of each record, all of it where it is `whole`.

    Raises StorageError where it cannot be opened or is shorter than its records.
    """

    def __init__(self, file: ExpertFile, copy: Copy, direct: bool) -> None:
        self.lane, self.path, self.start, self.nbytes = copy.volume, copy.path, copy.start, copy.nbytes
        self.whole = copy.nbytes == file.layout.stride
        try:
            self.file = DirectFile(str(copy.path), direct, copy.volume)
        except OSError as e:
            raise StorageError(
                say(
                    "The expert file {path} cannot be opened ({why}). If it lies on a drive of its own, connect the "
                    "drive; else fetch or convert the model again.",
                    path=copy.path,
                    why=e.strerror,
                ),
                details=repr(e),
            ) from e
        if self.file.nbytes < file.n_experts * copy.nbytes:
            self.file.close()
            raise StorageError(too_short(copy.path))


def open_sources(files: Sequence[ExpertFile], direct: bool, undo: ExitStack) -> list[list[Source]]:
    """The files of each layer; closing them is put on `undo`."""
    out: list[list[Source]] = []
    for file in files:
        out.append([])
        for copy in file.copies or (Copy(0, file.path, 0, file.layout.stride),):
            out[-1].append(Source(file, copy, direct))
            undo.callback(out[-1][-1].file.close)
    return out


def too_short(path: Path) -> str:
    """A sentence about a file that ends before its last record."""
    return say(
        "The expert file {path} ends before its last expert: it is truncated. Run `ouzel verify` on the "
        "model to see all damage, and `ouzel repair` to mend it.",
        path=path,
    )
