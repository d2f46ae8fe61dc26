import json
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
    assert recorder.uses == [(1, ((1, 1), (1,))), (1, ((1,), (1, 1)))]


def test_that_the_recorder_keeps_by_how_many_rows_an_expert_was_chosen() -> None:
    recorder = trace.RouteRecorder(1)
    recorder.note(0, np.array([5, 2], np.int32), 3, np.array([1, 3], np.int32))
    assert (recorder.steps, recorder.uses) == ([((2, 5),)], [(3, ((3, 1),))])


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


def record(path: Path, *steps: tuple[bool, list[list[list[int]]]]) -> None:
    file = trace.RouteFile(path, 2)
    for decoding, layers in steps:
        for ordinal, rows in enumerate(layers):
            file.note(ordinal, np.array(rows, np.int32))
        file.step_done(decoding)
    file.close()


def test_that_a_recording_has_a_line_for_each_decoded_row_at_once(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    file = trace.RouteFile(path, 2)
    for decoding in (False, True):
        file.note(0, np.array([[3, 1], [2, 0]], np.int32))
        file.note(1, np.array([[5, 4], [1, 9]], np.int32))
        file.step_done(decoding)
    assert path.read_text() == '{"tok": 0, "layers": [[1, 3], [4, 5]]}\n{"tok": 1, "layers": [[0, 2], [1, 9]]}\n'
    file.note(0, np.array([[3, 1]], np.int32))  # a step that is given up
    file.note(0, np.array([[7, 6]], np.int32))
    file.note(1, np.array([[8, 9]], np.int32))
    file.step_done(True)
    assert trace.read(path)[2:] == [((6, 7), (8, 9))]
    file.note(0, np.array([[3, 1]], np.int32))
    file.step_done(True)
    assert len(trace.read(path)) == 3
    file.close()


def test_that_a_recording_goes_on_after_a_line_that_a_crash_left_unfinished(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    step = True, [[[1, 2]], [[3, 4]]]
    record(path, step, step)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    assert trace.read(path) == [((1, 2), (3, 4))]
    record(path, step)
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-1])
    record(path, step)
    assert trace.read(path) == [((1, 2), (3, 4))] * 3
    assert [json.loads(line)["tok"] for line in path.read_text().splitlines()] == [0, 1, 2]


def test_that_nothing_is_recorded_onto_what_is_no_trace_of_this_model(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    for text, says in (("my notes\n", "Line 1"), ('{"layers": [[1], [2], [3]]}\n', "3 MoE layers, but this one has 2")):
        path.write_text(text)
        with pytest.raises(BadRequest, match=says):
            trace.RouteFile(path, 2)
        assert path.read_text() == text
    with pytest.raises(StorageError, match=r"cannot be (written|read)"):
        trace.RouteFile(tmp_path, 2)
    with pytest.raises(StorageError, match="cannot be written"):
        trace.RouteFile(tmp_path / "none" / "t.jsonl", 2)
