"""Recording routes and warm starts from the command line."""

from pathlib import Path

import pytest

from engine import paths
from engine.experts import trace
from tests.cli.running import ouzel, refused
from tests.conftest import Tiny

SHORT = ("--temperature", 0, "--max-tokens", 12, "--threads", 2)


@pytest.fixture
def model(tiny: Tiny) -> Path:
    return tiny("qwen2_moe", "q4")


def test_that_routes_of_decoded_tokens_are_recorded_and_appended(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    run = ouzel("run", "hello", "--model", model, *SHORT, "--record-routes", file)
    assert run.returncode == 0
    steps = trace.read(file)
    assert len(steps) == 11  # the last token is not fed again
    assert len({tuple(len(ids) for ids in step) for step in steps}) == 1
    ouzel("chat", "--model", model, *SHORT, "--record-routes", file, stdin="hello\n")
    assert trace.read(file) == steps * 2


def test_that_a_file_that_is_no_trace_is_left_alone(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("my notes\n")
    assert "is no step of a routing trace" in refused("run", "hello", "--model", model, *SHORT, "--record-routes", file)
    assert file.read_text() == "my notes\n"


def test_that_usage_is_kept_unless_it_is_switched_off(model: Path) -> None:
    first = ouzel("run", "hello", "--model", model, *SHORT, "--no-warm-start")
    assert not (paths.cache_dir() / "usage").exists()
    assert ouzel("run", "hello", "--model", model, *SHORT).stdout == first.stdout
    assert (paths.cache_dir() / "usage").exists()
    assert ouzel("run", "hello", "--model", model, *SHORT).stdout == first.stdout
