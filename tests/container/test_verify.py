"""Damage on the drive: found by opening where that is cheap, and by verify always."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.container.verify import Problem, verify
from engine.errors import BadContainer, Cancelled
from kernels_pyx.aio import Arena
from tests.container.damage import copied, flip

Tiny = Callable[..., Path]


@pytest.fixture
def container(tiny: Tiny, tmp_path: Path) -> Path:
    return copied(tiny("qwen2_moe", "q4"), tmp_path)


def problems(container: Path) -> list[Problem]:
    return verify(container, lambda phase, done, total: None, CancelToken())


def test_that_a_whole_container_has_no_problems_and_progress_ends_at_the_total(container: Path) -> None:
    seen: list[tuple[int, int]] = []
    assert verify(container, lambda phase, done, total: seen.append((done, total)), CancelToken()) == []
    assert [d for d, _ in seen] == sorted(d for d, _ in seen) and seen[-1][0] == seen[-1][1]
    on_drive = sum(f.stat().st_size for f in container.rglob("*") if f.is_file() and f.name != "manifest.json")
    assert seen[-1][1] == on_drive


def test_that_a_flipped_byte_in_a_record_is_found_with_its_expert(container: Path) -> None:
    file = container / "experts" / "L02.bin"
    stride = Container.open(container).experts[2].layout.stride
    flip(file, 5 * stride + 77)
    assert problems(container) == [Problem("experts/L02.bin", "expert 5 is damaged")]


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_that_a_flipped_byte_anywhere_is_found(data: st.DataObject, tiny: Tiny) -> None:
    path = tiny("qwen2_moe", "q4")
    file = data.draw(st.sampled_from(sorted(f for f in path.rglob("*") if f.is_file())))
    at = data.draw(st.integers(0, file.stat().st_size - 1))
    whole = file.read_bytes()
    try:
        flip(file, at)
        found = problems(path)
    finally:
        file.write_bytes(whole)
    assert len(found) == 1 and found[0].file == file.relative_to(path).as_posix()


def test_that_a_flipped_byte_in_the_trunk_stops_the_load(container: Path) -> None:
    opened = Container.open(container)
    flip(container / "trunk.safetensors", opened.manifest.trunk.data_start + 999)
    arena = Arena(opened.trunk_bytes)
    with pytest.raises(BadContainer, match=r"trunk\.safetensors is damaged.*ouzel verify"):
        opened.load_trunk(memoryview(arena.array), lambda fraction: None, CancelToken())
    assert problems(container) == [Problem("trunk.safetensors", "its tensors are damaged")]


def test_that_a_flipped_byte_in_the_trunk_s_header_stops_the_opening(container: Path) -> None:
    flip(container / "trunk.safetensors", 100)
    with pytest.raises(BadContainer, match="header"):
        Container.open(container)
    assert problems(container) == [Problem("trunk.safetensors", "its header is damaged")]


@pytest.mark.parametrize("name", ["trunk.safetensors", "experts/L01.bin", "experts/checksums.bin", "tokenizer.json"])
def test_that_a_missing_truncated_or_longer_file_is_told(name: str, container: Path) -> None:
    file = container / name
    whole = file.read_bytes()
    for data, words in [(whole[:-1], "truncated"), (whole + b"x", "longer"), (b"", "truncated"), (None, "missing")]:
        file.unlink()
        if data is not None:
            file.write_bytes(data)
        with pytest.raises(BadContainer, match=words):
            Container.open(container)
        found = problems(container)
        assert len(found) == 1 and found[0].file == name and (words in found[0].what or name == "experts/checksums.bin")


def test_that_all_damage_is_listed_at_once(container: Path) -> None:
    flip(container / "experts" / "L00.bin", 0)
    flip(container / "experts" / "L03.bin", 0)
    (container / "tokenizer.json").unlink()
    assert [p.file for p in problems(container)] == ["tokenizer.json", "experts/L00.bin", "experts/L03.bin"]


def test_that_a_folder_without_a_manifest_is_a_problem(tmp_path: Path) -> None:
    assert [p.file for p in problems(tmp_path)] == ["manifest.json"]


def test_that_verify_stops_when_cancelled(container: Path) -> None:
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        verify(container, lambda phase, done, total: cancel.cancel(), cancel)


def test_that_a_container_in_an_odd_folder_opens(tiny: Tiny, tmp_path: Path) -> None:
    path = copied(tiny("qwen2_moe", "q4"), tmp_path / "Модели и ünïcode ü 模型 %20 'q'")
    assert Container.open(path).experts[0].path.is_file() and problems(path) == []
