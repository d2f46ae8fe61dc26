"""`ouzel models` and `remove`: what is listed, and that only a model that nobody uses is removed."""

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from engine import paths
from engine.cancel import CancelToken
from engine.config import EngineConfig
from engine.container.reader import Container
from engine.container.storage import FolderLock, Hold
from engine.model.model import Model
from engine.model.plan import plan
from engine.setup import known
from engine.setup.catalogue import catalogue
from engine.setup.installed import look_at, unfinished
from tests.cli.running import here, refused
from tests.conftest import Tiny


@pytest.fixture
def model(tiny: Tiny, ouzel_home: Path) -> Path:
    """A model of its own in the models folder."""
    target = ouzel_home / "models" / "kleine Möwe.ouzel"
    shutil.copytree(tiny("mixtral", "q4"), target)
    return target


def draft_of(model: Path) -> Path:
    folder = model.with_name(model.name + ".partial")
    (folder / "container").mkdir(parents=True)
    (folder / "container" / "trunk.safetensors").write_bytes(bytes(5000))
    (folder / "lock").touch()
    return folder


def test_that_models_and_drafts_are_listed(model: Path) -> None:
    draft = draft_of(model.with_name("zweites.ouzel"))
    listed = json.loads(here("models", "--json")[1])
    (m,), (d,) = listed["models"], listed["unfinished"]
    assert (m["name"], m["path"], m["family"], m["problem"], m["link"]) == ("kleine Möwe", str(model), "mixtral", "", None)
    assert m["nbytes"] == sum(f.stat().st_size for f in model.rglob("*") if f.is_file())
    assert m["floor_bytes"] == json.loads(here("plan", "kleine Möwe", "--json")[1])["floor_bytes"]
    assert (d["name"], d["nbytes"], d["busy"]) == ("zweites", 5000, False)
    text = here("models")[1]
    assert all(word in text for word in ("kleine Möwe", "mixtral", "q4", str(model), "zweites", "half made"))
    held = FolderLock(draft / "lock", draft)
    assert "being made now" in here("models")[1]
    held.close()


def test_that_a_draft_outside_the_models_folder_is_discarded_as_the_list_says(model: Path, tmp_path: Path) -> None:
    draft = draft_of(tmp_path / "other drive" / "drittes.ouzel")
    (line,) = [line for line in here("models", "--folder", draft.parent)[1].splitlines() if "half made" in line]
    words = shlex.split(line.split("`")[1])
    assert words[0] == "ouzel" and here(*words[1:], "--yes")[0] == 0
    assert not draft.exists() and model.exists()


def test_that_the_root_of_a_drive_is_no_model(tmp_path: Path, tiny_checkpoint: Tiny) -> None:
    root = Path(tmp_path.anchor)
    assert "is no model" in refused("remove", root, "--yes")
    assert "exists already" in here("convert", tiny_checkpoint("mixtral"), root)[2]


def test_that_no_models_are_no_error(tmp_path: Path) -> None:
    assert "no models" in here("models")[1]
    assert json.loads(here("models", "--folder", tmp_path / "none", "--json")[1])["models"] == []


def test_that_a_damaged_model_is_listed_with_its_sentence(model: Path) -> None:
    (model / "trunk.safetensors").write_bytes(b"")
    assert "truncated" in here("models")[1]
    seen = look_at(model)
    assert "truncated" in seen.problem and seen.floor_bytes == 0


def test_that_the_catalogue_tells_how_each_model_would_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("speed.SECONDS", 0.1), ("speed.WRITE_SECONDS", 0.0), ("memory_speed.MEMORY", 16 << 20)):
        monkeypatch.setattr(f"engine.setup.{name}", value)
    listed = json.loads(here("models", "--catalogue", "--json")[1])
    assert {m["repo"] for m in listed["models"]} == {e.repo for e in catalogue()}
    levels = [("good", "slow", "impossible").index(m["verdict"]["level"]) for m in listed["models"]]
    assert levels == sorted(levels)
    assert listed["machine"]["memory"]["read_rate"] > 0
    text = here("models", "--catalogue")[1]
    for e in catalogue():
        assert e.repo in text and e.licence_link in text
    assert all(r in text for m in listed["models"] for r in m["verdict"]["reasons"] if "needs at least" in r)


def test_that_a_model_is_removed_with_its_draft_and_its_note(model: Path) -> None:
    paths.remember_model(model)
    draft_of(model)
    assert "--yes" in refused("remove", "kleine Möwe")
    assert model.exists()
    code, out, err = here("remove", "kleine Möwe", "--yes")
    assert (code, out) == (0, "") and "Removed the model and its unfinished draft" in err
    assert list(model.parent.iterdir()) == [] and paths.last_model() is None


def test_that_a_draft_alone_is_removed(model: Path) -> None:
    draft = draft_of(model.with_name("zweites.ouzel"))
    removed = json.loads(here("remove", "zweites", "--yes", "--json")[1])
    assert removed["draft"] and not removed["whole"] and removed["nbytes"] == 5000
    assert not draft.exists() and model.exists()


def test_that_what_is_in_use_stays(model: Path) -> None:
    container = Container.open(model)
    config = EngineConfig(model, context=32, threads=1)
    opened = Model(container, config, plan(container, config), lambda f: None, CancelToken())
    assert "is open in another Ouzel" in refused("remove", model, "--yes")
    assert look_at(model).problem == ""
    opened.close()
    container.close()
    draft = draft_of(model)
    held = FolderLock(draft / "lock", model)
    assert "being written" in refused("remove", model, "--yes")
    held.close()
    assert here("remove", model, "--yes")[0] == 0
    assert not model.exists() and not draft.exists()


def test_that_a_model_can_be_used_twice_and_not_while_it_goes(model: Path) -> None:
    manifest = model / "manifest.json"
    first, second = Container.open(model), Container.open(model)
    first.close()
    second.close()
    alone = Hold(manifest, True, "")
    assert "or removed, by another Ouzel" in refused("run", "hi", "--model", model, "--max-tokens", 1)
    alone.close()


@pytest.mark.parametrize("what", ["folder", "file", "missing", "suffix"])
def test_that_only_models_are_removed(what: str, tmp_path: Path) -> None:
    path = tmp_path / ("photos.ouzel" if what != "suffix" else "photos")
    if what in ("folder", "suffix"):
        path.mkdir()
        (path / "a.jpg").write_bytes(b"x")
        if what == "suffix":
            (path / "manifest.json").write_text("{}")
    elif what == "file":
        path.write_bytes(b"x")
    before = sorted(tmp_path.rglob("*"))
    assert "is no model" in refused("remove", path, "--yes")
    assert sorted(tmp_path.rglob("*")) == before


def test_that_links_are_not_followed(model: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    model.rename(away)
    model.symlink_to(away, target_is_directory=True)
    assert f"-> {away}" in here("models")[1]
    assert "stays" in here("remove", "kleine Möwe", "--yes")[2]
    assert not model.is_symlink() and look_at(away).problem == ""

    inside, precious = Path(shutil.copytree(away, tmp_path / "b.ouzel")), tmp_path / "precious"
    precious.mkdir()
    (precious / "letter").write_text("x")
    (inside / "more").symlink_to(precious, target_is_directory=True)
    draft_of(inside.with_name("c.ouzel"))
    (tmp_path / "c.ouzel.removing").symlink_to(precious, target_is_directory=True)
    for name in ("b.ouzel", "c.ouzel"):
        assert here("remove", tmp_path / name, "--yes")[0] == 0
    assert (precious / "letter").read_text() == "x" and not inside.exists()


def test_that_a_removal_that_was_killed_is_ended_by_the_next(model: Path) -> None:
    model.rename(model.with_name(model.name + ".removing"))
    (left,) = unfinished()
    assert left.removed and "half removed" in here("models")[1]
    assert here("remove", "kleine Möwe", "--yes")[0] == 0
    assert unfinished() == []


def test_that_a_model_on_a_missing_drive_is_listed_until_it_is_taken_off(tiny: Tiny, model: Path, tmp_path: Path) -> None:
    drive = tmp_path / "drive ü"
    path = drive / "anderswo.ouzel"
    shutil.copytree(tiny("qwen2_moe", "q4"), path)
    known.remember(path)
    link = model.with_name("verlinkt.ouzel")
    link.symlink_to(path, target_is_directory=True)
    there = json.loads(here("models", "--json")[1])["models"]
    assert [(m["path"], m["problem"], m["lost"]) for m in there] == [(str(p), "", []) for p in (model, link, path)]
    away = drive.rename(tmp_path / "away")
    now = {m["path"]: m for m in json.loads(here("models", "--json")[1])["models"]}
    assert {p: m["lost"] for p, m in now.items()} == {str(model): [], str(link): [str(link)], str(path): [str(path)]}
    assert "Connect its drive" in now[str(path)]["problem"] and shlex.quote(str(path)) in now[str(path)]["problem"]
    assert str(path) in here("models")[1]
    assert "--yes" in refused("remove", path)
    assert here("remove", path, "--yes")[0] == 0 and (away / path.name / "manifest.json").is_file()
    assert here("remove", link, "--yes")[0] == 0
    assert [m["path"] for m in json.loads(here("models", "--json")[1])["models"]] == [str(model)]


def test_that_a_starter_that_came_with_a_bundle_is_listed_and_not_removed(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought = tmp_path / "bundle" / "starter.ouzel"
    shutil.copytree(tiny("qwen2_moe", "q4"), brought)
    monkeypatch.setattr(sys, "_MEIPASS", str(brought.parent), raising=False)
    assert [m["path"] for m in json.loads(here("models", "--json")[1])["models"]] == [str(brought)]
    assert "came with Ouzel" in refused("remove", "starter", "--yes")
    known.remember(brought)
    assert not (paths.home() / "known.json").exists()
    before = sorted(brought.parent.rglob("*"))
    assert here("run", "a", "--model", "starter", "--max-tokens", "2", "--budget", "1G")[0] == 0
    assert sorted(brought.parent.rglob("*")) == before
    assert paths.last_model() == brought and (paths.home() / "last_model").read_text().strip() == "starter"


def test_that_a_container_is_not_converted_again(model: Path, tmp_path: Path) -> None:
    assert "converted already" in refused("convert", model, tmp_path / "b.ouzel") and not (tmp_path / "b.ouzel").exists()
