"""`ouzel import` as a person runs it."""

import json
import shutil
from pathlib import Path

from gguf import GGMLQuantizationType

from engine import paths
from engine.container.reader import Container
from tests.cli.running import here, refused
from tests.conftest import Tiny
from tests.setup.gguf_written import write


def test_that_a_gguf_file_becomes_a_model_that_answers(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    kind = lambda name, a: GGMLQuantizationType.Q8_0 if "exps" in name else GGMLQuantizationType.F32  # noqa: E731
    file = write(tiny_checkpoint("qwen3_moe"), tmp_path / "Ein Modell ü.gguf", kind)
    code, out, err = here("import", file)
    made = paths.models_dir() / "Ein Modell ü.ouzel"
    assert (code, out) == (0, "") and f"{made} is ready" in err
    container = Container.open(made)
    assert {fmt for role, fmt in container.manifest.formats.items() if role.startswith("experts")} == {"q8"}
    container.close()
    code, out, err = here("run", "--model", "Ein Modell ü", "--json", "--max-tokens", "3", "--temperature", "0", "hello")
    assert code == 0 and json.loads(out)["answer_tokens"] == 3, err
    assert "exists already" in refused("import", file)


def test_that_convert_takes_gguf_files_as_well(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    file = write(tiny_checkpoint("olmoe"), tmp_path / "m.gguf")
    assert here("convert", file, tmp_path / "m.ouzel", "--experts", "q8")[0] == 0
    assert here("verify", tmp_path / "m.ouzel")[0] == 0


def test_that_containers_are_copied_or_linked(tiny: Tiny, tmp_path: Path) -> None:
    source = Path(shutil.copytree(tiny("olmoe", "q4"), tmp_path / "made.ouzel"))
    assert here("import", source)[0] == 0 and (paths.models_dir() / "made.ouzel" / "manifest.json").is_file()
    other = tmp_path / "other.ouzel"
    code, out, _ = here("import", source, other, "--link", "--json")
    assert code == 0 and json.loads(out) == {"path": str(other)} and other.is_symlink()
    assert here("verify", other)[0] == 0


def test_that_what_cannot_be_taken_in_is_told(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    assert "is no GGUF file" in refused("import", tmp_path / "x.gguf")
    assert "does not exist" in refused("import", tmp_path / "none.gguf")
    assert "There is no model" in refused("import", tmp_path / "none.ouzel")
    assert "no container" in refused("import", tiny_checkpoint("olmoe"), "--link")
    assert here("import", tmp_path / "x.gguf", "--experts", "q3")[0] == 2
