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


def test_that_a_chosen_models_folder_counts_and_can_be_taken_back(ouzel_home: Path, tmp_path: Path) -> None:
    assert paths.models_dir() == ouzel_home / "models"
    paths.choose_models_dir(tmp_path / "elsewhere")
    assert paths.models_dir() == tmp_path / "elsewhere" and paths.find_model("a") == tmp_path / "elsewhere" / "a.ouzel"
    assert paths.starter_path() == tmp_path / "elsewhere" / "starter.ouzel" and paths.installed_models() == []
    (ouzel_home / "models" / "starter.ouzel").mkdir(parents=True)
    assert paths.starter_path() == ouzel_home / "models" / "starter.ouzel"
    (tmp_path / "elsewhere" / "starter.ouzel").mkdir(parents=True)
    assert paths.starter_path() == tmp_path / "elsewhere" / "starter.ouzel"
    paths.choose_models_dir(None)
    assert paths.models_dir() == ouzel_home / "models" and not (ouzel_home / "models_folder").exists()


@pytest.mark.parametrize("content", [b"", b"relative", b"\xff", b"/a\0b"])
def test_that_a_damaged_note_of_the_models_folder_counts_as_none(ouzel_home: Path, content: bytes) -> None:
    (ouzel_home / "models_folder").write_bytes(content)
    assert paths.models_dir() == ouzel_home / "models"


def test_that_the_command_line_lists_the_chosen_folder(ouzel_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from engine.cli.models import models

    paths.choose_models_dir(tmp_path)
    models(as_object=True)
    assert f'"folder": "{tmp_path}"' in capsys.readouterr().out


def test_that_a_folder_here_does_not_hide_a_model_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUZEL_HOME", str(tmp_path / "home"))
    here = tmp_path / "here"
    (here / "qwen3").mkdir(parents=True)
    monkeypatch.chdir(here)
    assert paths.find_model("qwen3") == here / "qwen3"  # there is no other
    model = paths.models_dir() / "qwen3.ouzel"
    model.mkdir(parents=True)
    assert paths.find_model("qwen3") == paths.find_model("qwen3.ouzel") == model
    assert paths.find_model("./qwen3/x") == here / "qwen3" / "x" and paths.find_model("qwen3/") == here / "qwen3"
    assert paths.find_model(".") == here and paths.find_model("/") == Path("/")
    (here / "qwen3.ouzel").mkdir()
    assert paths.find_model("qwen3.ouzel") == here / "qwen3.ouzel"
    assert paths.find_model("~nobodys-name").name == "~nobodys-name.ouzel"
