"""Where data lies."""

import sys
from pathlib import Path

import pytest

from engine import paths


def test_that_ouzel_home_moves_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUZEL_HOME", str(tmp_path / "neue Heimat"))
    for place in (paths.home(), paths.cache_dir(), paths.models_dir(), paths.starter_path()):
        assert place.is_relative_to(tmp_path / "neue Heimat")


def test_that_the_last_model_is_remembered() -> None:
    assert paths.last_model() is None
    paths.remember_model(Path("/models/Ünïcode model.ouzel"))
    assert paths.last_model() == Path("/models/Ünïcode model.ouzel").absolute()
    assert [p.name for p in paths.home().iterdir()] == ["last_model"]


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe", b"relative/path", b"/nul\0byte"])
def test_that_a_damaged_note_of_the_last_model_counts_as_none(content: bytes) -> None:
    paths.home().mkdir(exist_ok=True)
    (paths.home() / "last_model").write_bytes(content)
    assert paths.last_model() is None


def test_that_a_home_that_cannot_be_written_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OUZEL_HOME", str(tmp_path / "file" / "below"))
    paths.remember_model(tmp_path / "a.ouzel")
    assert paths.last_model() is None
    assert paths.installed_models() == []


def test_that_a_model_is_found_by_name_or_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert paths.find_model("starter") == paths.find_model("starter.ouzel") == paths.starter_path()
    assert paths.find_model("sub/a.ouzel") == tmp_path / "sub" / "a.ouzel"
    (tmp_path / "here.ouzel").mkdir()
    assert paths.find_model("here.ouzel") == tmp_path / "here.ouzel"


def test_that_unfinished_conversions_are_no_models() -> None:
    for name in ("b.ouzel", "a.ouzel", "c.ouzel.partial"):
        (paths.models_dir() / name).mkdir(parents=True)
    assert [p.name for p in paths.installed_models()] == ["a.ouzel", "b.ouzel"]


def test_that_a_bundle_has_its_own_starter_until_there_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = paths.starter_path()
    assert paths.bundled_starter() is None
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path / "old"), raising=False)
    assert paths.starter_path() == made and paths.installed_models() == []
    brought = tmp_path / "old" / "starter.ouzel"
    brought.mkdir(parents=True)
    assert paths.starter_path() == paths.find_model("starter") == brought and paths.is_bundled(brought)
    assert paths.installed_models() == [brought]
    paths.remember_model(brought)
    newer = brought.parent.rename(tmp_path / "new") / "starter.ouzel"
    monkeypatch.setattr(sys, "_MEIPASS", str(newer.parent), raising=False)
    assert paths.last_model() == newer  # a newer bundle took the old one's place
    paths.forget_model(newer)
    assert paths.last_model() is None
    made.mkdir(parents=True)
    assert paths.starter_path() == paths.find_model("starter") == made and not paths.is_bundled(made)
    assert paths.installed_models() == [made]
