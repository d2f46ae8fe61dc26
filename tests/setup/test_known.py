"""Models elsewhere and models whose drive is missing: listed, never lost, found again."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import paths
from engine.container.reader import Container
from engine.errors import BadRequest, StorageError
from engine.setup import known
from engine.setup.installed import remove
from engine.setup.known import Known
from tests.container.damage import copied
from tests.setup.test_moving import move

Tiny = Callable[..., Path]


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    folder = tmp_path / "drive ü"
    folder.mkdir()
    return folder


@pytest.fixture
def elsewhere(tiny: Tiny, drive: Path) -> Path:
    """A model outside the models folder that was opened once."""
    path = copied(tiny("qwen2_moe", "q4"), drive)
    known.remember(path)
    return path


def test_that_a_model_elsewhere_is_listed_also_while_its_drive_is_missing(elsewhere: Path, drive: Path, tmp_path: Path) -> None:
    assert known.models() == (Known(elsewhere),)
    drive.rename(tmp_path / "away")
    assert known.models() == (Known(elsewhere, (elsewhere,)),) == known.models()
    (tmp_path / "away").rename(drive)
    assert known.models() == (Known(elsewhere),)


def test_that_it_is_found_again_where_it_is_now(elsewhere: Path, drive: Path, tmp_path: Path) -> None:
    drive.rename(tmp_path / "other")
    now = tmp_path / "other" / elsewhere.name
    assert known.locate(elsewhere, elsewhere, tmp_path / "other") == now
    assert known.models() == (Known(now),)


def test_that_another_model_is_not_taken_for_it(elsewhere: Path, drive: Path, tmp_path: Path, tiny: Tiny) -> None:
    drive.rename(tmp_path / "away")
    with pytest.raises(BadRequest, match="is another model"):
        known.locate(elsewhere, elsewhere, tiny("mixtral", "q4"))
    with pytest.raises(BadRequest, match="holds no model"):
        known.locate(elsewhere, elsewhere, tmp_path)
    assert known.models() == (Known(elsewhere, (elsewhere,)),)


def test_that_a_link_to_a_drive_is_kept_and_set_anew(tiny: Tiny, drive: Path, tmp_path: Path) -> None:
    real = copied(tiny("qwen2_moe", "q4"), drive)
    link = paths.models_dir() / "mine.ouzel"
    link.parent.mkdir(parents=True)
    link.symlink_to(real, target_is_directory=True)
    assert known.models() == (Known(link),)
    drive.rename(tmp_path / "other")
    assert known.models() == (Known(link, (link,)),)
    assert known.locate(link, link, tmp_path / "other" / real.name) == link
    assert known.models() == (Known(link),) and link.is_symlink()


def test_that_a_lost_volume_is_named_and_located(tiny: Tiny, drive: Path, tmp_path: Path) -> None:
    path = copied(tiny("qwen2_moe", "q4"), tmp_path)
    known.remember(path)
    move(path, [drive], [1, 1])
    volume = next(drive.iterdir())
    assert known.models() == (Known(path),)
    drive.rename(tmp_path / "other")
    assert known.models() == (Known(path, (volume,)),)
    with pytest.raises(StorageError):
        known.locate(path, volume, tmp_path)
    assert known.locate(path, volume, tmp_path / "other") == path
    assert known.models() == (Known(path),)
    Container.open(path).close()


def test_that_a_mirror_that_is_missing_loses_nothing(tiny: Tiny, drive: Path, tmp_path: Path) -> None:
    path = copied(tiny("qwen2_moe", "q4"), tmp_path)
    known.remember(path)
    move(path, [drive])
    shutil.rmtree(drive)
    assert known.models() == (Known(path),)


def test_that_the_list_is_not_for_the_models_folder_and_survives_damage(elsewhere: Path, tiny: Tiny) -> None:
    here = copied(tiny("qwen2_moe", "q4"), paths.models_dir())
    known.remember(here)
    assert known.models() == (Known(here), Known(elsewhere))
    (paths.home() / "known.json").write_text('{"x": 5, "relative": "a"}')
    assert known.models() == (Known(here),)
    (paths.home() / "known.json").write_text("{broken")
    assert known.models() == (Known(here),)
    known.remember(elsewhere)
    assert known.models() == (Known(here), Known(elsewhere))


def test_that_what_is_removed_or_taken_off_is_not_listed(elsewhere: Path, tmp_path: Path) -> None:
    remove(elsewhere)
    assert known.models() == ()
    known.forget(elsewhere)
    known.remember(tmp_path / "nothing.ouzel")
    assert known.models() == ()
