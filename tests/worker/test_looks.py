"""What the fetcher says about machines and sources is what the command line says."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from engine.cancel import CancelToken
from engine.errors import Cancelled, StorageError
from engine.events import Failed, Looked, Surveyed, Surveying
from engine.requests import LookUp, Survey
from engine.setup.verdict import Machine
from tests.cli.running import here
from tests.hub.server import Hub
from tests.setup.test_verdict import machine
from tests.worker.fetching import Driver, served

Tiny = Callable[..., Path]


@pytest.fixture
def same_machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """One machine for both, since free memory changes between two looks."""
    known = machine(16, free=9)

    def measured(folder: Path, cancel: CancelToken, progress: Callable[[float], None] = lambda f: None, again: bool = False) -> Machine:
        cancel.check()
        progress(1.0)
        return known

    for place in ("engine.setup.lookup", "engine.cli.models"):
        monkeypatch.setattr(f"{place}.this_machine", measured)
    return known


def plain(value: object) -> Any:
    return json.loads(json.dumps(asdict(value), default=str))  # type: ignore[call-overload]


def test_that_a_survey_is_the_command_lines_catalogue(same_machine: Machine, tmp_path: Path) -> None:
    with Driver() as d:
        surveyed = d.do(Survey(next(d.ids), tmp_path))
        assert Surveying(1, 1.0) in d.seen
    assert isinstance(surveyed, Surveyed)
    told = json.loads(here("models", "--catalogue", "--json", "--folder", tmp_path)[1])
    assert [plain(o)["verdict"] for o in surveyed.offers] == [m["verdict"] for m in told["models"]]
    assert [(o.name, o.repo, o.licence) for o in surveyed.offers] == [(m["name"], m["repo"], m["licence"]) for m in told["models"]]
    assert (surveyed.folder, surveyed.free_bytes, surveyed.memory_bytes) == (tmp_path, same_machine.free_bytes, same_machine.memory_bytes)
    assert surveyed.read_rate == same_machine.drive.rate and surveyed.memory_rate == same_machine.memory.read_rate


def test_that_a_look_up_is_the_command_lines_look(
    same_machine: Machine, tiny_checkpoint: Tiny, tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Hub({"owner/tiny": served(tiny_checkpoint("gpt_oss"))}) as hub, Driver() as d:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        for source in ("owner/tiny", str(tiny_checkpoint("gpt_oss")), str(tiny("olmoe", "q4"))):
            looked = d.do(LookUp(next(d.ids), source, tmp_path))
            assert isinstance(looked, Looked), looked
            assert {**plain(looked), "id": 0} == json.loads(here("pull", source, tmp_path / "a.ouzel", "--look", "--json")[1])
        gpt = d.do(LookUp(next(d.ids), "owner/tiny", tmp_path))
        assert isinstance(gpt, Looked) and gpt.commit == hub.repos["owner/tiny"].commit
        assert [(p.experts, p.as_published) for p in gpt.precisions] == [("mxfp4", True)] * 3
        assert not any(name.endswith(".safetensors") for name in hub.sent) and list(tmp_path.iterdir()) == []


def test_that_a_dense_model_has_one_format(same_machine: Machine, tiny_checkpoint: Tiny, tiny: Tiny, tmp_path: Path) -> None:
    out = tmp_path / "a.ouzel"
    for source, formats in ((tiny_checkpoint("qwen3"), ["q4", "q8", "bf16"]), (tiny("qwen3", "q8"), ["q8"])):
        found = json.loads(here("pull", str(source), out, "--look", "--json")[1])
        assert [(p["experts"], p["trunk"], p["dense"]) for p in found["precisions"]] == [(f, f, True) for f in formats]
        assert all(p["verdict"]["hit_rate"] == 1 and not p["verdict"]["drive_bytes"] for p in found["precisions"])
        told = here("pull", str(source), out, "--look")[1]
        assert f"all weights {formats[0]}" in told and "experts" not in told


def test_that_a_look_knows_of_a_dropped_layer(
    same_machine: Machine, tiny_further: Callable[[str], tuple[Path, Path]], tmp_path: Path
) -> None:
    """What it says is what the conversion then is."""
    source, _ = tiny_further("glm4_moe")
    sizes = {}
    for mtp in ("keep", "drop"):
        out = tmp_path / f"{mtp}.ouzel"
        found = json.loads(here("pull", str(source), out, "--mtp", mtp, "--look", "--json")[1])
        (sizes[mtp],) = (p["verdict"]["disk_bytes"] for p in found["precisions"] if p["trunk"] == "bf16")
        assert here("convert", str(source), out, "--experts", "bf16", "--trunk", "bf16", "--mtp", mtp)[0] == 0
        files = [f for f in out.rglob("*") if f.suffix in (".bin", ".safetensors") and f.name != "checksums.bin"]
        assert sum(f.stat().st_size for f in files) == sizes[mtp]
    assert sizes["drop"] < sizes["keep"]


@pytest.mark.parametrize(
    ("source", "words"),
    [("", "No model is named"), ("https://other.example/a/b", "is not the hub"), ("https://huggingface.co/datasets", "names no model"),
     ("/nowhere/at all", "does not exist")],
)  # fmt: skip
def test_that_a_source_that_is_none_is_told(source: str, words: str, same_machine: Machine, tmp_path: Path) -> None:
    with Driver() as d:
        failed = d.do(LookUp(next(d.ids), source, tmp_path))
        assert isinstance(failed, Failed) and words in str(failed.error)


def test_that_a_look_goes_on_beside_a_pull_and_can_be_cancelled(
    same_machine: Machine, tiny_checkpoint: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Hub({"owner/tiny": served(tiny_checkpoint("olmoe"))}) as hub, Driver() as d:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        hub.faults.bytes_per_second = 20_000
        d.pull(tmp_path / "a.ouzel")
        assert isinstance(d.do(Survey(next(d.ids), tmp_path)), Surveyed)
        looking = LookUp(next(d.ids), "owner/tiny", tmp_path)
        d.fetcher.post(looking)
        d.fetcher.cancel(looking.id)
        ended = d.closed(looking.id)
        assert isinstance(ended, Looked) or (isinstance(ended, Failed) and isinstance(ended.error, Cancelled))
        assert not (tmp_path / "a.ouzel").exists()


def test_that_a_survey_of_a_full_drive_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    monkeypatch.setattr("engine.setup.speed.psutil.disk_usage", lambda path: SimpleNamespace(free=1000))
    with Driver() as d:
        failed = d.do(Survey(next(d.ids), tmp_path, again=True))
        assert isinstance(failed, Failed) and isinstance(failed.error, StorageError) and "no room" in str(failed.error)
