"""A growing file after any kill: what is kept is right, and the end is the same."""

from pathlib import Path

import numpy as np
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.container import growing
from engine.container.growing import GrowingFile

SIZES = [4096, 100, 1, 9000, 4096, 33]
CHUNKS = [np.random.default_rng(i).integers(0, 256, n, dtype=np.uint8) for i, n in enumerate(SIZES)]
WHOLE = b"".join(c.tobytes() for c in CHUNKS)
HEAD = 4100  # the digest leaves out the first chunk and a part of the second


def opened(folder: Path) -> GrowingFile:
    return GrowingFile(folder / "f.bin", folder / "journal", SIZES, CancelToken(), HEAD)


def finish(folder: Path) -> int:
    """Bytes that were kept."""
    file = opened(folder)
    kept = len(file.sums)
    for chunk in CHUNKS[kept:]:
        file.append(chunk)
    assert file.complete and file.digest == xxhash.xxh3_128_hexdigest(WHOLE[HEAD:])
    assert file.sums == [xxhash.xxh3_64_intdigest(c.tobytes()) for c in CHUNKS]
    file.close()
    assert (folder / "f.bin").read_bytes() == WHOLE
    return kept


@settings(max_examples=80, deadline=None)
@given(
    written=st.integers(0, 6),
    sync=st.integers(1, 20_000),
    cut=st.integers(0, len(WHOLE)),
    lines=st.integers(0, 120),
    flip=st.integers(-1, 17_000),
)
def test_that_any_interruption_ends_in_the_same_file(
    written: int, sync: int, cut: int, lines: int, flip: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("grow")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing, "SYNC", sync)
        file = opened(folder)
        for chunk in CHUNKS[:written]:
            file.append(chunk)
        file.close()
        data = bytearray((folder / "f.bin").read_bytes()[:cut])
        if 0 <= flip < len(data):
            data[flip] ^= 1
        (folder / "f.bin").write_bytes(data)
        (folder / "journal").write_bytes((folder / "journal").read_bytes()[:lines])
        kept = finish(folder)
    ends = np.cumsum([0, *SIZES])
    right = [n for n in range(kept + 1) if ends[n] <= min(cut, flip if 0 <= flip < len(data) else cut)]
    assert kept in right and kept <= lines // 16


def test_that_durable_chunks_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "SYNC", 1)
    file = opened(tmp_path)
    for chunk in CHUNKS[:4]:
        file.append(chunk)
    file.close()
    assert finish(tmp_path) == 4
    assert finish(tmp_path) == 6


def test_that_a_chunk_of_another_size_is_refused(tmp_path: Path) -> None:
    file = opened(tmp_path)
    with pytest.raises(ValueError, match="chunk 0 has 1 bytes instead of 4096"):
        file.append(np.zeros(1, np.uint8))
    file.close()
