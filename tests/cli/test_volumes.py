"""`ouzel volumes` as a person uses it."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.container.reader import Container
from tests.cli.running import here, ouzel, refused
from tests.conftest import Tiny
from tests.container.damage import copied
from tests.oracle.checkpoint import DATA
from tests.setup.shards import tree


@pytest.fixture
def model(tiny: Tiny, tmp_path: Path) -> Path:
    return copied(tiny("mixtral", "q4"), tmp_path)


def told(model: Path) -> dict[str, Any]:
    code, out, err = here("volumes", model, "--json")
    assert code == 0, err
    return json.loads(out)


def test_that_a_dense_model_is_said_to_have_none(tiny: Tiny, tmp_path: Path) -> None:
    path = tiny("qwen3", "q4")
    code, out, _ = here("volumes", path)
    assert code == 0 and "no experts: all of it is in memory" in out
    code, out, err = here("volumes", path, "--mirror", tmp_path)
    assert code and "has no experts" in err and not out and not list(tmp_path.iterdir())
    assert "qwen3, dense, q4+q8, from" in here("models", "--folder", path.parent)[1]
    told = here("plan", "--config", DATA / "qwen3" / "config.json")[1]
    assert "all of it is in memory" in told and ": no experts; context" in told


def test_that_experts_are_spread_mirrored_located_and_gathered(model: Path, tmp_path: Path) -> None:
    before, drive, other = tree(model), tmp_path / "B", tmp_path / "C"
    drive.mkdir()
    other.mkdir()
    answer = ouzel("run", "hello", "--model", model, "--max-tokens", 5, "--temperature", 0).stdout
    run = ouzel("volumes", model, "--spread", drive)
    assert run.returncode == 0 and f"{drive}/mixtral-q4.volume" in run.stderr
    seen = told(model)
    assert seen["layers"][0]["mode"] == "spread" and all(v["bytes"] > 0 for v in seen["volumes"])
    assert here("volumes", model, "--spread", drive, other, "--weights", "1,2,1")[0] == 0
    assert told(model)["layers"][0]["weights"] == [1, 2, 1]
    assert ouzel("run", "hello", "--model", model, "--max-tokens", 5, "--temperature", 0).stdout == answer
    now = drive.rename(tmp_path / "D")
    assert "--locate" in refused("run", "hello", "--model", model)
    assert here("volumes", model, "--locate", drive, now)[0] == 0
    assert "is whole" in here("verify", model)[1]
    assert here("volumes", model, "--mirror", now)[0] == 0
    assert "layers mirrored on 0, 1" in here("volumes", model)[1]
    (now / "mixtral-q4.volume").rename(now / "away")
    assert "is missing" in here("volumes", model)[1]
    assert here("volumes", model, "--gather")[0] == 0
    assert tree(model) == before


def test_that_wrong_usage_and_models_in_use_are_told(model: Path, tmp_path: Path) -> None:
    here_is = str(tmp_path)
    for line in (
        "--spread", "--mirror --spread HERE", "--gather HERE", "--locate HERE", "HERE", "--mirror x x", "--mirror HERE --weights 1,1",
        "--spread HERE --weights 1", "--spread HERE --weights 0,0", "--spread HERE --weights 1,-1", "--spread HERE --weights 1,1001",
    ):  # fmt: skip
        arguments = [here_is if word == "HERE" else word for word in line.split()]
        assert here("volumes", model, *arguments)[0] == 2, arguments
    assert "no folder" in refused("volumes", model, "--mirror", tmp_path / "none")
    opened = Container.open(model)
    assert "is open in an Ouzel right now" in refused("volumes", model, "--gather")
    opened.close()
