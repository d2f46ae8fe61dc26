"""Imports from and to odd places: long and spaced names, links, folders that cannot be written, sizes at the edge."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.container.reader import Container
from engine.errors import EngineError, StorageError
from engine.setup.gguf_parts import PART, plain_name
from engine.setup.opening import gguf_in, open_checkpoint
from tests.conftest import Tiny
from tests.setup.gguf_written import write
from tests.setup.shards import run


@pytest.fixture(scope="module")
def file(tiny_checkpoint: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tiny_checkpoint("olmoe", 0, "f32"), tmp_path_factory.mktemp("file") / "m.gguf")


def test_that_a_path_of_240_characters_is_no_matter(file: Path, tmp_path: Path) -> None:
    folder = tmp_path
    while len(str(folder)) < 200:
        folder = folder / "ein langer Ordner ü"[: 239 - len(str(folder))]
    folder.mkdir(parents=True)
    source = folder / ("n" * (240 - len(str(folder)) - 6) + ".gguf")
    assert len(str(source)) == 240
    os.link(file, source)
    target = tmp_path / "Zwei Wörter und 漢字.ouzel"
    Container.open(run(source, target)).close()


def test_that_links_are_followed(file: Path, tmp_path: Path) -> None:
    (tmp_path / "link.gguf").symlink_to(file)
    made = Container.open(run(tmp_path / "link.gguf", tmp_path / "x.ouzel"))
    assert made.manifest.source["name"] == "link"
    made.close()
    (tmp_path / "dead.gguf").symlink_to(tmp_path / "gone.gguf")
    with pytest.raises(EngineError, match="dead"):
        run(tmp_path / "dead.gguf", tmp_path / "y.ouzel")


def test_that_a_place_that_is_no_folder_is_told(file: Path, tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("x")
    with pytest.raises(StorageError):
        run(file, tmp_path / "a file" / "x.ouzel")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_that_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    with pytest.raises(EngineError):
        open_checkpoint(tmp_path / "pipe.gguf")


def test_that_two_models_in_one_folder_are_not_guessed_between(file: Path, tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        os.link(file, tmp_path / name)
    assert gguf_in(tmp_path) is None
    (tmp_path / "b.gguf").rename(tmp_path / "mmproj-b.gguf")  # a vision part beside it
    assert gguf_in(tmp_path) == tmp_path / "a.gguf"


@pytest.mark.parametrize("name", ["m-00000-of-00002.gguf", "m-00003-of-00002.gguf", "m-00001-of-99999.gguf"])
def test_that_impossible_parts_are_told(name: str, file: Path, tmp_path: Path) -> None:
    os.link(file, tmp_path / name)
    with pytest.raises(EngineError, match=r"says that it is part"):
        open_checkpoint(tmp_path / name)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(st.text(st.characters(blacklist_characters="/\0", blacklist_categories=("Cs",)), min_size=1, max_size=60))
def test_that_any_name_of_a_file_gives_a_name_of_a_model(stem: str) -> None:
    name = plain_name(Path("/folder") / f"{stem}.gguf")
    assert (name and "/" not in name and not PART.match(f"{name}.gguf")) or PART.match(f"{stem}.gguf")
