"""A container from elsewhere becomes one here, whole or not at all."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.container.volumes import Placement
from engine.errors import BadContainer, BadRequest, Cancelled, StorageError
from engine.setup import adopt as module
from engine.setup.adopt import adopt
from engine.setup.moving import Mover
from tests.conftest import Tiny
from tests.setup.shards import tree


def silent(phase: str, done: int, total: int) -> None:
    pass


@pytest.fixture
def source(tiny: Tiny, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny("olmoe", "q4"), tmp_path / "elsewhere" / "Ein Modell.ouzel"))


def test_that_a_copy_is_the_container(source: Path, tmp_path: Path) -> None:
    target, seen = tmp_path / "models" / "x.ouzel", []
    adopt(source, target, lambda phase, done, total: seen.append((phase, done, total)), CancelToken())
    assert tree(target) == tree(source)
    Container.open(target).close()
    assert [p.name for p in target.parent.iterdir()] == ["x.ouzel"]
    phases = list(dict.fromkeys(phase for phase, _, _ in seen))
    assert phases == ["verify", "copy"] and seen[-1][1] == seen[-1][2]


def test_that_a_link_leaves_it_where_it_is(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "models" / "x.ouzel"
    adopt(source, target, silent, CancelToken(), link=True)
    assert target.is_symlink() and target.resolve() == source
    Container.open(target).close()
    with pytest.raises(BadRequest, match="is there already"):
        adopt(source, target, silent, CancelToken(), link=True)


def test_that_what_an_interrupted_copy_left_is_used(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, cancel = tmp_path / "x.ouzel", CancelToken()

    def stop(phase: str, done: int, total: int) -> None:
        if phase == "copy" and done > total // 2:
            cancel.cancel()

    with pytest.raises(Cancelled):
        adopt(source, target, stop, cancel)
    draft = tmp_path / "x.ouzel.partial" / "container"
    left = {f.relative_to(draft): f.stat().st_ino for f in draft.rglob("*") if f.is_file() and f.suffix != ".new"}
    assert left and not target.exists()
    copied: list[Path] = []
    whole = module.pieces  # type: ignore[attr-defined]
    monkeypatch.setattr(module, "pieces", lambda path, *rest: copied.append(path) or whole(path, *rest))
    adopt(source, target, silent, CancelToken())
    assert not {source / name for name in left} & set(copied)
    assert tree(target) == tree(source)


def test_that_damage_is_told_and_nothing_is_made(source: Path, tmp_path: Path) -> None:
    file = next(source.glob("experts/L00.bin"))
    data = bytearray(file.read_bytes())
    data[5000] ^= 1
    file.write_bytes(data)
    with pytest.raises(BadContainer, match=r"experts/L00.bin: expert \d+ is damaged"):
        adopt(source, tmp_path / "x.ouzel", silent, CancelToken())
    assert [p.name for p in tmp_path.iterdir()] == ["elsewhere"]


def test_that_a_copy_that_the_drive_spoils_is_not_kept(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.ouzel"
    spoiled = list[Any]()

    def spoil(phase: str, done: int, total: int) -> None:
        draft = tmp_path / "x.ouzel.partial" / "container"
        if phase == "copy" and done == total and not spoiled:
            spoiled.append(True)
            (draft / "experts" / "L01.bin").write_bytes(bytes((draft / "experts" / "L01.bin").stat().st_size))

    with pytest.raises(BadContainer, match="Start again"):
        adopt(source, target, spoil, CancelToken())
    assert not target.exists()
    adopt(source, target, silent, CancelToken())
    assert tree(target) == tree(source)


def test_that_what_is_no_container_or_is_there_already_is_refused(source: Path, tmp_path: Path) -> None:
    with pytest.raises(BadContainer, match="no model"):
        adopt(tmp_path, tmp_path / "x.ouzel", silent, CancelToken())
    with pytest.raises(BadContainer, match="There is no model"):
        adopt(tmp_path / "none.ouzel", tmp_path / "x.ouzel", silent, CancelToken())
    (tmp_path / "x.ouzel").mkdir()
    with pytest.raises(BadRequest, match="exists already"):
        adopt(source, tmp_path / "x.ouzel", silent, CancelToken())


def test_that_a_full_drive_is_told_before_anything_is_written(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0))  # type: ignore[attr-defined]
    with pytest.raises(StorageError, match="has 0 MB left"):
        adopt(source, tmp_path / "x.ouzel", silent, CancelToken())
    assert not (tmp_path / "x.ouzel.partial").exists()


def test_that_experts_of_another_drive_come_along_where_they_are_whole(source: Path, tmp_path: Path) -> None:
    drives = [tmp_path / name for name in ("a", "b")]
    for drive in drives:
        drive.mkdir()
    before = tree(source)
    with Mover(source) as mover:
        mover.move(Placement("mirror", (mover.volume(drives[0]),)), silent, CancelToken())
    adopt(source, tmp_path / "x.ouzel", silent, CancelToken())
    assert tree(tmp_path / "x.ouzel") == before
    with Mover(source) as mover:
        volumes = (mover.volume(drives[0]), mover.volume(drives[1]))
        mover.move(Placement("spread", volumes, (1, 2)), silent, CancelToken())
    with pytest.raises(BadRequest, match="--gather"):
        adopt(source, tmp_path / "y.ouzel", silent, CancelToken())
