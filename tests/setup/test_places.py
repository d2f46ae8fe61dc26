"""Where a model may be put: odd names, long paths, links, places that cannot be written; by conversion and by pull."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.errors import EngineError, StorageError
from engine.setup import ranges
from engine.setup.installed import remove
from engine.setup.pull import pull
from engine.setup.wish import Wish
from tests.hub.server import Hub
from tests.setup.shards import run
from tests.worker.fetching import served

Tiny = Callable[..., Path]
Make = Callable[[Path], Path]


@pytest.fixture(params=["conversion", "pull"])
def make(request: pytest.FixtureRequest, tiny_checkpoint: Tiny, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)
    if request.param == "conversion":
        yield lambda target: run(tiny_checkpoint("olmoe"), target, "q8", "q8")
        return
    with Hub({"owner/tiny": served(tiny_checkpoint("olmoe"))}) as hub:

        def pulled(target: Path) -> Path:
            pull(Wish("owner/tiny", target, "q8", "q8", endpoint=hub.url), None, lambda p: None, CancelToken())
            return target

        yield pulled


@pytest.mark.parametrize("name", ["モデル ü %20 'q' \U0001f426", " leading and trailing ", "a" * 200])
def test_that_names_of_all_kinds_are_good(name: str, make: Make, tmp_path: Path) -> None:
    folder = tmp_path / name
    target = make(folder / f"{name}.ouzel")
    Container.open(target).close()
    assert [p.name for p in folder.iterdir()] == [target.name]


def test_that_a_path_of_240_characters_is_good(make: Make, tmp_path: Path) -> None:
    left = 240 - len(str(tmp_path)) - len("//m.ouzel")
    target = tmp_path / ("d" * (left // 2)) / ("e" * (left - left // 2)) / "m.ouzel"
    assert len(str(target)) == 241 or len(str(target)) == 240
    Container.open(make(target)).close()
    remove(target)
    assert list(target.parent.iterdir()) == []


def test_that_a_name_that_the_drive_cannot_hold_is_told(make: Make, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be"):
        make(tmp_path / ("n" * 300 + ".ouzel"))
    assert list(tmp_path.iterdir()) == []


def test_that_a_folder_behind_a_link_is_good(make: Make, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    make(tmp_path / "link" / "a.ouzel")
    Container.open(tmp_path / "real" / "a.ouzel").close()
    assert [p.name for p in (tmp_path / "real").iterdir()] == ["a.ouzel"] and (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", ["a.ouzel", "a.ouzel.partial"])
def test_that_nothing_is_written_through_a_link(name: str, make: Make, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    for gone in (True, False):
        (tmp_path / name).symlink_to(precious, target_is_directory=True)
        with pytest.raises(EngineError, match=r"is a link|exists already"):
            make(tmp_path / "a.ouzel")
        assert (tmp_path / name).is_symlink() and precious.exists() == (not gone)
        (tmp_path / name).unlink()
        precious.mkdir(exist_ok=True)
    assert list(precious.iterdir()) == []


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_that_a_folder_that_cannot_be_written_is_told(code: int, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked, real = tmp_path / "locked", os.mkdir
    locked.mkdir()

    def refuse(path: str, *more: object, **named: object) -> None:
        if Path(path).is_relative_to(locked):  # root may write where a mode says no
            raise OSError(code, os.strerror(code), path)
        real(path, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(StorageError, match=r"cannot be written.*Choose another folder"):
        make(locked / "a.ouzel")
    assert list(locked.iterdir()) == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write where a mode says no")
def test_that_a_read_only_folder_is_told(make: Make, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    with pytest.raises(StorageError, match="cannot be written"):
        make(locked / "a.ouzel")


def test_that_a_file_in_the_way_is_told(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for target in (tmp_path / "file" / "a.ouzel", tmp_path / "file"):
        with pytest.raises(EngineError, match=r"no folder that exists|exists already"):
            make(target)
    assert (tmp_path / "file").read_text() == "mine"
