"""A dense model from the hub: everything that can be done with a model that was pulled, where all of it is trunk."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.running import here
from tests.hub.server import Hub, Repo
from tests.setup.shards import run, tree

Tiny = Callable[..., Path]
ASKED = ("--max-tokens", "8", "--seed", "7", "--ctx", "128")


@pytest.fixture
def hub(tiny_checkpoint: Tiny, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    repos = {f"owner/{family}": tiny_checkpoint(family) for family in ("qwen3", "qwen3_moe")}
    with Hub({k: Repo({f.name: f.read_bytes() for f in p.iterdir()}, lfs_from=1000) for k, p in repos.items()}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def told(*arguments: object, stdin: str = "", code: int = 0) -> str:
    """Both outputs of `ouzel ARGUMENTS`."""
    got, out, err = here(*arguments, stdin=stdin)
    assert got == code and "unexpected" not in err, (out, err)
    return out + err


def answer(*arguments: object) -> str:
    """What `ouzel run` answers."""
    code, out, err = here("run", *ASKED, *arguments, stdin="hello hello hello")
    assert code == 0, err
    return out


def test_that_what_came_is_listed_answers_and_is_mended(hub: Hub, tiny_checkpoint: Tiny, tmp_path: Path, ouzel_home: Path) -> None:
    told("pull", "owner/qwen3", "--trunk", "q8")
    model = ouzel_home / "models" / "qwen3.ouzel"
    local = run(tiny_checkpoint("qwen3"), tmp_path / "local.ouzel", "q4", "q8")
    assert tree(model)["trunk.safetensors"] == tree(local)["trunk.safetensors"]
    assert answer("--model", model) == answer("--model", local)
    assert "qwen3, dense, q8" in told("models") and "no experts" in told("plan", model)
    assert "no experts: all of it is in memory" in told("volumes", model)
    measured = json.loads(here("measure", model, "--against", tiny_checkpoint("qwen3"), "--windows", "1", "--json")[1])
    assert 0 < measured["kl"] < 0.1
    trunk = model / "trunk.safetensors"
    data = bytearray(trunk.read_bytes())
    data[-100] ^= 1
    trunk.write_bytes(data)
    assert "damaged" in told("verify", model, code=1)
    assert "is whole again" in told("repair", model)
    assert "is whole" in told("verify", model) and tree(model)["trunk.safetensors"] == tree(local)["trunk.safetensors"]


def test_that_it_drafts_for_its_larger_kin(hub: Hub, ouzel_home: Path) -> None:
    for family in ("qwen3", "qwen3_moe"):
        told("pull", f"owner/{family}")
    small, large = (ouzel_home / "models" / f"{family}.ouzel" for family in ("qwen3", "qwen3_moe"))
    assert answer("--model", large, "--draft", small) == answer("--model", large, "--draft", "off")


def test_that_a_chat_before_the_end_begins_when_all_is_there_and_fetches_nothing_twice(hub: Hub, ouzel_home: Path) -> None:
    told("pull", "owner/qwen3", "--chat", stdin="/help\n")
    assert (ouzel_home / "models" / "qwen3.ouzel" / "manifest.json").exists()
    weights = {n: len(b) for n, b in hub.repos["owner/qwen3"].files.items() if n.endswith(".safetensors")}
    for name, nbytes in weights.items():
        assert nbytes <= hub.sent[name] < 2 * nbytes  # its header is read before
