"""Checkpoint folders that are incomplete, damaged or made by an enemy: a sentence each, and no byte outside the folder is read."""

import json
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.container.strict import Malformed
from engine.errors import BadCheckpoint, UnsupportedModel
from engine.setup.checkpoint import CheckpointFolder
from engine.setup.safetensors_file import SafetensorsFile
from tests.setup.shards import run

Tiny = Callable[..., Path]


@pytest.fixture
def checkpoint(tiny_checkpoint: Tiny, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_checkpoint("qwen2_moe"), tmp_path / "model"))


def shard(folder: Path, header: object, data: bytes = b"", length: int | None = None) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = folder / "x.safetensors"
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + data)
    return path


def tensor(a: int, b: int, shape: list[object] | None = None, dtype: object = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": [(b - a) // 4] if shape is None else shape, "data_offsets": [a, b]}


HOSTILE = [
    (b"", b"", None),
    ({}, b"", 2**63),
    ({}, b"", 99),
    ({}, b"xxxx", None),
    (b"[]", b"", None),
    (b"{", b"", None),
    (b"\xff\xff", b"", None),
    (b'{"a": {}, "a": {}}', b"", None),
    ({"a": tensor(0, 8)}, b"x" * 4, None),
    ({"a": tensor(0, 8)}, b"x" * 9, None),
    ({"a": tensor(4, 8)}, b"x" * 8, None),
    ({"a": tensor(0, 8), "b": tensor(4, 12)}, b"x" * 12, None),
    ({"a": tensor(0, 8), "b": tensor(0, 8)}, b"x" * 8, None),
    ({"a": tensor(0, 4), "b": tensor(8, 12)}, b"x" * 12, None),
    ({"a": tensor(8, 0)}, b"x" * 8, None),
    ({"a": tensor(-8, 0)}, b"x" * 8, None),
    ({"a": tensor(0, 8, [3])}, b"x" * 8, None),
    ({"a": tensor(0, 8, [-2])}, b"x" * 8, None),
    ({"a": tensor(0, 8, [2.0])}, b"x" * 8, None),
    ({"a": tensor(0, 8, [True, 2])}, b"x" * 8, None),
    ({"a": tensor(0, 8, [2**62, 2**62])}, b"x" * 8, None),
    ({"a": tensor(0, 8, [1] * 9)}, b"x" * 8, None),
    ({"a": tensor(0, 8, dtype=7)}, b"x" * 8, None),
    ({"a": {**tensor(0, 8), "file": "/etc/passwd"}}, b"x" * 8, None),
    ({"a": {"dtype": "F32", "shape": [2]}}, b"x" * 8, None),
    ({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8, 16]}}, b"x" * 8, None),
    ({"a": []}, b"", None),
]


@pytest.mark.parametrize(("header", "data", "length"), HOSTILE, ids=range(len(HOSTILE)))
def test_that_a_hostile_header_is_refused(header: object, data: bytes, length: int | None, tmp_path: Path) -> None:
    path = shard(tmp_path, header, data, length)
    try:
        file = SafetensorsFile(path)
    except Malformed as e:
        assert str(e)
        return
    with closing(file):
        assert file.problems
        assert all(t.offset + t.nbytes <= path.stat().st_size for t in file.tensors.values())


def test_that_a_sound_file_is_read(tmp_path: Path) -> None:
    header = {"__metadata__": {"a": "b"}, "b": tensor(4, 8), "a": tensor(0, 4), "z": tensor(8, 8)}
    file = SafetensorsFile(shard(tmp_path, header, b"abcdefgh"))
    with closing(file):
        assert file.read("b", 1, 2).tobytes() == b"fg"
        with pytest.raises(ValueError, match="are not in b"):
            file.read("b", 2, 3)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_that_a_damaged_header_never_reads_outside_its_file(
    data: st.DataObject, tiny_checkpoint: Tiny, tmp_path_factory: pytest.TempPathFactory
) -> None:
    whole = (tiny_checkpoint("qwen2_moe") / "model.safetensors").read_bytes()
    end = int.from_bytes(whole[:8], "little") + 8
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, end - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / "x.safetensors"
    path.write_bytes(damaged)
    try:
        file = SafetensorsFile(path)
    except Malformed as e:
        assert str(e)
        return
    with closing(file):
        assert all(end <= t.offset and t.offset + t.nbytes <= len(whole) for t in file.tensors.values())


def test_that_a_truncated_shard_is_told_before_anything_is_written(checkpoint: Path, tmp_path: Path) -> None:
    with (checkpoint / "model.safetensors").open("r+b") as file:
        file.truncate(100_000)
    with pytest.raises(BadCheckpoint, match=r"model cannot be converted: model\.safetensors is truncated"):
        run(checkpoint, tmp_path / "a.ouzel")
    assert not list(tmp_path.glob("a.ouzel*"))


def told(checkpoint: Path) -> list[str]:
    """What is wrong with the folder's config and files."""
    with closing(CheckpointFolder(checkpoint)) as folder:
        return folder.problems.lines()


def test_that_a_truncated_file_still_lists_all_its_tensors(tmp_path: Path) -> None:
    header = {"a": tensor(0, 8), "b": tensor(8, 16), "c": {"dtype": "F32", "shape": [9], "data_offsets": [16, 24]}}
    with closing(SafetensorsFile(shard(tmp_path, header, b"x" * 12))) as file:
        assert (set(file.listed), set(file.tensors)) == ({"a", "b"}, {"a"})
        size = file.path.stat().st_size
        truncated = f"is truncated: it has {size} bytes instead of {size + 4}"
        assert file.problems == ["has 8 bytes for c, which do not fit its shape [9]", truncated]


def index(checkpoint: Path, weight_map: object) -> None:
    (checkpoint / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))


@pytest.mark.parametrize("name", ["../model.safetensors", "/etc/passwd.safetensors", "a/b.safetensors", "x.bin", "..\\x.safetensors", ""])
def test_that_an_index_cannot_name_files_elsewhere(name: str, checkpoint: Path) -> None:
    index(checkpoint, {"model.norm.weight": name, "lm_head.weight": "model.safetensors"})
    assert told(checkpoint) == [f"model.safetensors.index.json names {name!r}, which is no safetensors file in this folder"]
    with pytest.raises(BadCheckpoint, match="which is no safetensors file in this folder"):
        run(checkpoint, checkpoint.parent / "a.ouzel")


def test_that_shards_that_the_index_wants_are_told_together(checkpoint: Path) -> None:
    index(checkpoint, {"model.norm.weight": "model-1.safetensors", "lm_head.weight": "model-2.safetensors", "nothing": "model.safetensors"})
    with pytest.raises(BadCheckpoint) as e:
        run(checkpoint, checkpoint.parent / "a.ouzel")
    lines = e.value.details.splitlines()
    assert lines == ["model-1.safetensors is missing", "model-2.safetensors is missing", "model.safetensors lacks nothing"]


def test_that_a_tensor_in_two_shards_is_told(checkpoint: Path) -> None:
    shutil.copy(checkpoint / "model.safetensors", checkpoint / "model-2.safetensors")
    index(checkpoint, {"lm_head.weight": "model.safetensors", "model.norm.weight": "model-2.safetensors"})
    (line,) = told(checkpoint)
    assert line.startswith("model.safetensors and model-2.safetensors both hold lm_head.weight and ")


@pytest.mark.parametrize("weight_map", [None, [], {}, 7])
def test_that_an_index_without_a_map_is_told(weight_map: object, checkpoint: Path) -> None:
    index(checkpoint, weight_map)
    assert told(checkpoint) == ["model.safetensors.index.json has no weight_map"]


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
def test_that_links_of_a_hub_cache_are_followed_and_pipes_are_not_opened(checkpoint: Path, tmp_path: Path) -> None:
    cache = tmp_path / "models--owner--the-name" / "snapshots" / "0123abc"
    cache.parent.mkdir(parents=True)
    checkpoint.rename(cache)
    blob = tmp_path / "blob"
    (cache / "model.safetensors").rename(blob)
    (cache / "model.safetensors").symlink_to(blob)
    with closing(CheckpointFolder(cache)) as opened:
        assert (opened.repo, opened.commit) == ("owner/the-name", "0123abc")
    (cache / "model.safetensors").unlink()
    (cache / "model.safetensors").symlink_to(tmp_path / "gone")
    assert told(cache) == ["model.safetensors is missing"]
    (cache / "model.safetensors").unlink()
    os.mkfifo(cache / "model.safetensors")
    assert told(cache) == ["model.safetensors is no ordinary file"]


def remove(*names: str) -> Callable[[Path], object]:
    return lambda folder: [(folder / n).unlink() for n in names]


def rename(old: str, new: str) -> Callable[[Path], object]:
    return lambda folder: (folder / old).rename(folder / new)


def split(folder: Path) -> None:
    shutil.copy(folder / "model.safetensors", folder / "b.safetensors")
    (folder / "model.safetensors").rename(folder / "a.safetensors")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (remove("config.json"), "it has no config.json. Choose the folder of a model"),
        (remove("model.safetensors"), "holds no weights"),
        (rename("model.safetensors", "pytorch_model.bin"), "holds its weights in another form"),
        (remove("tokenizer.json"), "has no tokenizer.json, nor another"),
        (split, "has 2 safetensors files but no model.safetensors.index.json"),
        (lambda f: (f / "config.json").write_text("{"), "is no valid JSON"),
        (lambda f: (f / "config.json").write_text("[1]"), "is no JSON object"),
    ],
)  # fmt: skip
def test_that_an_incomplete_folder_is_explained(spoil: Callable[[Path], object], words: str, checkpoint: Path, tmp_path: Path) -> None:
    spoil(checkpoint)
    with pytest.raises(BadCheckpoint, match=words):
        run(checkpoint, tmp_path / "a.ouzel")
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_that_a_folder_that_is_gone_or_a_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for name, words in (("gone", "does not exist"), ("file", "is not a folder")):
        with pytest.raises(BadCheckpoint, match=words):
            CheckpointFolder(tmp_path / name)


def test_that_an_unsupported_family_is_told_before_anything_is_written(checkpoint: Path, tmp_path: Path) -> None:
    config = json.loads((checkpoint / "config.json").read_text())
    (checkpoint / "config.json").write_text(json.dumps({**config, "model_type": "phi3"}))
    with pytest.raises(UnsupportedModel, match="'phi3', which is not supported"):
        run(checkpoint, tmp_path / "a.ouzel")
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_that_licences_come_along_and_other_files_do_not(checkpoint: Path, tmp_path: Path) -> None:
    for name in ("LICENSE.txt", "NOTICE", "modeling_custom.py", "README.md"):
        (checkpoint / name).write_text(name)
    run(checkpoint, tmp_path / "a.ouzel")
    names = {p.name for p in (tmp_path / "a.ouzel").iterdir()}
    assert {"LICENSE.txt", "NOTICE"} <= names and not {"modeling_custom.py", "README.md", "config.json"} & names
