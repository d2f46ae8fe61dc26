"""Damaged and malicious GGUF files: a sentence, never a crash, and never memory for what a number in them claims."""

import struct
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.container.strict import Malformed
from engine.errors import EngineError
from engine.setup.check import Check
from engine.setup.gguf_file import GgufFile
from engine.setup.opening import open_checkpoint
from tests.conftest import Tiny
from tests.setup.gguf_written import write

MOST = 48 * 2**20  # bytes that a refusal may take


def look(path: Path) -> str:
    """What is said about a file; empty where it is sound."""
    try:
        with closing(open_checkpoint(path)) as opened:
            check = Check(opened, False, CancelToken())
            check.values(lambda phase, done, total: None)
            check.judge()
    except EngineError as e:
        return str(e)
    return ""


@pytest.fixture(scope="module")
def sound(tiny_checkpoint: Tiny, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = write(tiny_checkpoint("olmoe", 0, "f32"), tmp_path_factory.mktemp("sound") / "m.gguf")
    assert look(path) == ""
    return path.read_bytes()


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST


def text(s: bytes) -> bytes:
    return struct.pack("<Q", len(s)) + s


def header(tensors: int = 0, keys: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys)


def tensor(name: bytes, dims: tuple[int, ...], kind: int, offset: int) -> bytes:
    return text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, offset)


HUGE = 2**62
BAD: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "no GGUF file"),
    "another file": (b"PK\x03\x04" + bytes(100), "no GGUF file"),
    "version 1": (header(version=1), "version 1"),
    "big-endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
    "countless tensors": (header(tensors=HUGE), "tensors"),
    "countless keys": (header(keys=HUGE), "keys"),
    "keys that are not there": (header(keys=60000), "truncated"),
    "a name of exabytes": (header(keys=1) + struct.pack("<Q", HUGE), "bytes in one name"),
    "a text of exabytes": (header(keys=1) + text(b"k") + struct.pack("<IQ", 8, HUGE), "bytes in one text"),
    "a text past the end": (header(keys=1) + text(b"k") + struct.pack("<IQ", 8, 2**20), "truncated"),
    "a list of exabytes": (header(keys=1) + text(b"k") + struct.pack("<IIQ", 9, 4, HUGE), "entries in 'k'"),
    "a list past the end": (header(keys=1) + text(b"k") + struct.pack("<IIQ", 9, 10, 2**21), "truncated"),
    "lists in lists": (header(keys=1) + text(b"k") + struct.pack("<IIQ", 9, 9, 2), "lists within a list"),
    "a type that is none": (header(keys=1) + text(b"k") + struct.pack("<I", 77), "type 77"),
    "a key twice": (header(keys=2) + 2 * (text(b"k") + struct.pack("<IB", 0, 1)), "'k' twice"),
    "a name that is no text": (header(keys=1) + text(b"\xff\xfe"), "no text"),
    "an alignment of 3": (header(keys=1) + text(b"general.alignment") + struct.pack("<II", 4, 3), "power of two"),
    "no architecture": (header(), "which architecture"),
    "axes without end": (header(tensors=1) + text(b"t") + struct.pack("<I", 2**31), "axes"),
    "an axis of exabytes": (header(tensors=1) + tensor(b"t", (HUGE,), 0, 0), "along an axis"),
}


@pytest.mark.parametrize("case", BAD)
def test_that_a_bad_file_is_refused_with_a_sentence(case: str, tmp_path: Path) -> None:
    data, words = BAD[case]
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    assert words in look(path)


TENSORS: dict[str, tuple[bytes, str]] = {
    "sizes whose product is beyond all": (tensor(b"t", (2**40, 2**40), 0, 0), "bad sizes"),
    "an empty axis": (tensor(b"t", (32, 0), 0, 0), "bad sizes"),
    "a type of tomorrow": (tensor(b"t", (32,), 999, 0), "type 999, which is not known"),
    "rows of broken blocks": (tensor(b"t", (33,), 8, 0), "needs multiples of 32"),
    "an odd place": (tensor(b"t", (32,), 0, 7), "odd place 7"),
    "a place past the end": (tensor(b"t", (32,), 0, 2**40), "is truncated"),
    "two of a name": (tensor(b"t", (32,), 0, 0) + tensor(b"t", (32,), 0, 128), "'t' twice"),
    "two in one place": (tensor(b"t", (32,), 0, 0) + tensor(b"u", (32,), 0, 64), "overlapping tensors: t and u"),
}


@pytest.mark.parametrize("case", TENSORS)
def test_that_bad_tensors_are_named_and_others_are_read(case: str, tmp_path: Path) -> None:
    entries, words = TENSORS[case]
    good = tensor(b"good", (32,), 0, 4096)
    n = 1 + (2 if case.startswith("two") else 1)
    head = header(tensors=n) + entries + good
    path = tmp_path / "bad.gguf"
    path.write_bytes(head + bytes(-len(head) % 32) + bytes(4096) + np.arange(32, dtype="<f4").tobytes())
    with closing(GgufFile(path)) as file:
        assert any(words in p for p in file.problems), file.problems
        assert file.read("good", 4, 4).view("<f4")[0] == 1.0


def test_that_no_truncation_is_taken_for_a_model(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    for n in [*range(0, 200, 17), *np.linspace(200, len(sound) - 1, 12).astype(int).tolist()]:
        path.write_bytes(sound[:n])
        assert look(path), n


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4))
def test_that_spoiled_bytes_of_the_header_never_crash_it(sound: bytes, tmp_path: Path, spoiled: list[tuple[float, int]]) -> None:
    data, end = bytearray(sound), sound.index(b"output_norm.weight") + 2000
    for where, value in spoiled:
        data[int(where * end)] = value
    path = tmp_path / "spoiled.gguf"
    path.write_bytes(data)
    look(path)  # a sentence, or a model that reads as one; anything else is raised here


def test_that_a_pipe_or_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder.gguf").mkdir()
    assert look(tmp_path / "folder.gguf")
    with pytest.raises(Malformed, match="is missing"):
        GgufFile(tmp_path / "none.gguf")
