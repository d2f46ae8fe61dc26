from pathlib import Path

import numpy as np
import pytest

from engine.errors import BadRequest, StorageError
from engine.experts import trace

STEPS = [((0, 3), (1, 2)), ((3, 7), (0, 1, 2)), ((0,), (5,))]


def note(recorder: trace.RouteRecorder, ordinal: int, *ids: int) -> None:
    recorder.note(ordinal, np.array(ids, np.int32))


def test_that_a_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "a trace.jsonl"
    trace.write(path, STEPS)
    assert trace.read(path) == STEPS
    assert path.read_text().splitlines()[1] == '{"tok": 1, "layers": [[3, 7], [0, 1, 2]]}'
    assert [p.name for p in tmp_path.iterdir()] == ["a trace.jsonl"]


def test_that_the_recorder_keeps_whole_steps_only() -> None:
    recorder = trace.RouteRecorder(2)
    note(recorder, 0, 4, 1)
    note(recorder, 1, 2)
    note(recorder, 0, 9)
    note(recorder, 0, 8)
    note(recorder, 1, 7, 0)
    note(recorder, 1, 7)
    note(recorder, 0, 5)
    assert recorder.steps == [((1, 4), (2,)), ((8,), (0, 7))]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it has no steps"),
        ("hello", "Line 1 of .* is no step"),
        ('{"layers": [[1]]}\n\n{"tok": 1}', "Line 3 of .* is no step"),
        ('{"layers": []}', "Line 1"),
        ('{"layers": 3}', "Line 1"),
        ('{"layers": [3]}', "Line 1"),
        ('{"layers": [[]]}', "Line 1"),
        ('{"layers": [[1, 1]]}', "Line 1"),
        ('{"layers": [[1, -1]]}', "Line 1"),
        ('{"layers": [[1, 2.0]]}', "Line 1"),
        ('{"layers": [[1, true]]}', "Line 1"),
        ('{"layers": [[1, "2"]]}', "Line 1"),
        ('{"layers": [[1, [2]]]}', "Line 1"),
        ('{"layers": [[99999999]]}', "Line 1"),
        ('{"layers": [[1]]}\n{"layers": [[1], [2]]}', "differ in their number of layers"),
    ],
)
def test_that_what_is_no_trace_is_refused_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(BadRequest, match=says):
        trace.read(path)


def test_that_a_binary_file_and_a_missing_one_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with pytest.raises(StorageError, match=r"t\.jsonl cannot be read"):
        trace.read(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadRequest, match="not text"):
        trace.read(path)


def test_that_a_folder_that_is_missing_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be written"):
        trace.write(tmp_path / "none" / "t.jsonl", STEPS)
