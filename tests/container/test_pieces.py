"""Files filled piece by piece: after any kill, what is kept is right and the end is the same."""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.container import pieces
from engine.container.pieces import PieceFile, PieceStore

SIZES = np.array([4096, 100, 1, 9000, 33], np.int64)
OFFSETS = np.cumsum(SIZES) - SIZES + 7 * np.arange(len(SIZES))  # gaps of 7 bytes
NBYTES = int(OFFSETS[-1] + SIZES[-1]) + 5
DATA = [[np.random.default_rng((f, i)).integers(0, 256, n, dtype=np.uint8) for i, n in enumerate(SIZES)] for f in range(2)]
ALL = [(f, i) for f in range(2) for i in range(len(SIZES))]


def opened(folder: Path) -> PieceStore:
    return PieceStore([PieceFile(folder / name, NBYTES, OFFSETS, SIZES) for name in ("a.bin", "b.bin")], folder / "journal")


def whole(file: int) -> bytes:
    out = bytearray(NBYTES)
    for at, data in zip(OFFSETS, DATA[file], strict=True):
        out[at : at + len(data)] = data.tobytes()
    return bytes(out)


@settings(max_examples=60, deadline=None)
@given(order=st.permutations(ALL), written=st.integers(0, 10), sync=st.integers(1, 20_000), cut=st.integers(0, 500), seconds=st.booleans())
def test_that_any_interruption_ends_in_the_same_files(
    order: list[tuple[int, int]], written: int, sync: int, cut: int, seconds: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("pieces")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "SYNC_BYTES", sync)
        store = opened(folder)
        for file, piece in order[:written]:
            store.write(file, piece, DATA[file][piece])
        if seconds:
            store.note("at", f"{written} of 10")
        store.sync()
        store.close()
        journal = (folder / "journal").read_bytes()
        (folder / "journal").write_bytes(journal[: max(len(journal) - cut, 0)])
        store = opened(folder)
        kept = {(f, i) for f, i in ALL if store.has(f, i)}
        assert kept <= set(order[:written]) and (cut or kept == set(order[:written]))
        assert store.notes == ({"at": f"{written} of 10"} if seconds and not cut else {})
        assert store.bytes_done == sum(int(SIZES[i]) for _, i in kept)
        for file, piece in ALL:
            if not store.has(file, piece):
                store.write(file, piece, DATA[file][piece])
        store.sync()
        assert all(list(store.missing(f)) == [] for f in range(2))
        store.close()
    assert [(folder / n).read_bytes() for n in ("a.bin", "b.bin")] == [whole(0), whole(1)]


def test_that_a_changed_journal_line_ends_what_it_vouches_for(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for piece in range(3):
        store.write(0, piece, DATA[0][piece])
    store.sync()
    store.close()
    lines = (tmp_path / "journal").read_bytes().splitlines(keepends=True)
    (tmp_path / "journal").write_bytes(lines[0] + lines[1].replace(b"piece 0 1", b"piece 0 4") + lines[2])
    store = opened(tmp_path)
    assert [i for i in range(5) if store.has(0, i)] == [0]
    store.close()


def test_that_void_pieces_stay_void(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.write(1, 2, DATA[1][2])
    store.void(1, 2)
    store.sync()
    store.close()
    store = opened(tmp_path)
    assert not store.has(1, 2)
    store.write(1, 2, DATA[1][2])
    assert store.matches(1, 2, DATA[1][2].data) and not store.matches(1, 2, memoryview(b"x"))
    store.close()


def test_that_a_piece_of_another_size_is_refused(tmp_path: Path) -> None:
    store = opened(tmp_path)
    with pytest.raises(ValueError, match="instead of 4096"):
        store.write(0, 0, DATA[0][1])
    store.close()


def refusing(monkeypatch: pytest.MonkeyPatch, store: PieceStore, refused: list[int]) -> None:
    """Flushes of the files in `refused` (2: the journal) fail, once each."""
    real, numbers = os.fsync, {f._file.fileno(): i for i, f in enumerate(store.files)} | {store._journal.fileno(): 2}

    def fsync(fd: int) -> None:
        if numbers.get(fd) in refused:
            refused.remove(numbers[fd])
            raise OSError(errno.EIO, "Input/output error")
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)


def test_that_pieces_which_could_not_be_flushed_are_missing_and_the_others_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, told = opened(tmp_path), list[tuple[int, int]]()
    store.on_void = lambda file, piece: told.append((file, piece))
    store.write(1, 4, DATA[1][4])
    store.sync()
    store.void(1, 4)
    store.write(0, 1, DATA[0][1])
    store.write(1, 2, DATA[1][2])
    refusing(monkeypatch, store, [0])
    with pytest.raises(OSError, match="Input/output"):
        store.sync()
    assert told == [(1, 4), (0, 1)] and not store.has(0, 1) and store.has(1, 2)
    store.write(0, 3, DATA[0][3])
    store.sync()
    store.close()
    store = opened(tmp_path)
    assert {(f, i) for f, i in ALL if store.has(f, i)} == {(1, 2), (0, 3)}
    store.close()


def test_that_a_journal_that_could_not_be_flushed_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = opened(tmp_path)
    store.write(0, 1, DATA[0][1])
    store.sync()
    store.void(0, 1)
    store.note("at", "a place")
    refusing(monkeypatch, store, [2])
    with pytest.raises(OSError, match="Input/output"):
        store.sync()
    store.write(0, 2, DATA[0][2])
    store.sync()
    store.close()
    store = opened(tmp_path)
    assert [i for i in range(5) if store.has(0, i)] == [2] and store.notes == {"at": "a place"}
    store.close()


@pytest.mark.parametrize("taken", [0, 1, 10, 60])
def test_that_lines_behind_a_torn_one_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: int) -> None:
    class Full:
        """A journal on a drive that takes `taken` bytes more, and is then given space."""

        def __init__(self, file: Any) -> None:
            self._file, self._left = file, taken

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

        def write(self, data: memoryview) -> int:
            n = min(self._left, len(data))
            self._left -= n
            if n == 0:
                self._left = 10**6
                raise OSError(errno.ENOSPC, "No space left on device")
            return int(self._file.write(data[:n]))

    store = opened(tmp_path)
    store._journal = Full(store._journal)  # type: ignore[assignment]
    for piece in range(3):
        store.write(0, piece, DATA[0][piece])
    with pytest.raises(OSError, match="No space"):
        store.sync()
    store.write(1, 0, DATA[1][0])
    store.sync()
    store.close()
    store = opened(tmp_path)
    assert {(f, i) for f, i in ALL if store.has(f, i)} == {(0, 0), (0, 1), (0, 2), (1, 0)}
    store.close()


def test_that_a_void_piece_is_durably_void_before_other_bytes_lie_there(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.write(0, 1, DATA[0][1])
    store.sync()
    store.void(0, 1)
    store.write(0, 1, DATA[0][1][::-1].copy())  # killed before the next flush
    journal = (tmp_path / "journal").read_bytes()
    store.close()
    (tmp_path / "journal").write_bytes(journal)
    store = opened(tmp_path)
    assert not store.has(0, 1)
    store.close()


def test_that_what_is_written_during_a_flush_is_flushed_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, flushed, real = opened(tmp_path), list[int](), os.fsync
    first = store.files[0]._file.fileno()

    def fsync(fd: int) -> None:
        real(fd)
        if fd == first:
            flushed.append(fd)
            if len(flushed) == 1:
                store.files[0].write(2, DATA[0][2])  # as another thread does, which waits for the lock then

    monkeypatch.setattr(os, "fsync", fsync)
    store.write(0, 1, DATA[0][1])
    store.sync()
    store.note("a", "b")
    store.sync()
    assert len(flushed) == 2
    store.close()
