"""`ouzel pull` against a hub on this computer."""

import json
from collections.abc import Callable
from pathlib import Path

from engine.cli.pulling import STATES
from engine.container.reader import Container
from tests.cli.running import environment, ouzel
from tests.hub.server import Hub, Repo

Tiny = Callable[..., Path]


def test_that_a_pull_makes_a_container_and_its_token_stays_unsaid(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    files = {f.name: f.read_bytes() for f in tiny_checkpoint("olmoe").iterdir()}
    with Hub({"owner/tiny": Repo(files, token="hf_secret", lfs_from=1000)}) as hub:
        env = environment(HF_ENDPOINT=hub.url, OUZEL_HOME=str(tmp_path))
        refused = ouzel("pull", "owner/tiny", env=env)
        assert refused.returncode == 1 and "accepted its licence" in refused.stderr
        done = ouzel("pull", "owner/tiny", "--json", env=env | {"HF_TOKEN": "hf_secret"})
        assert done.returncode == 0, done.stderr
        assert "hf_secret" not in done.stdout + done.stderr
        path = Path(json.loads(done.stdout)["path"])
        assert path == tmp_path / "models" / "tiny.ouzel" and Container.open(path).name == "tiny"
        again = ouzel("pull", "owner/tiny", env=env | {"HF_TOKEN": "hf_secret"})
        assert again.returncode == 1 and "exists already" in again.stderr


def test_that_an_unfinished_download_can_be_discarded(tmp_path: Path) -> None:
    (tmp_path / "a.ouzel.partial" / "container").mkdir(parents=True)
    env = environment(OUZEL_HOME=str(tmp_path))
    assert ouzel("pull", "owner/tiny", tmp_path / "a.ouzel", "--discard", env=env).returncode == 0
    assert not (tmp_path / "a.ouzel.partial").exists()
    assert "no unfinished" in ouzel("pull", "owner/tiny", tmp_path / "a.ouzel", "--discard", env=env).stderr


def test_that_a_chat_can_begin_before_the_end(tiny_checkpoint: Tiny, tmp_path: Path) -> None:
    files = {f.name: f.read_bytes() for f in tiny_checkpoint("mixtral").iterdir()}
    with Hub({"owner/tiny": Repo(files, lfs_from=1000)}) as hub:
        env = environment(HF_ENDPOINT=hub.url, OUZEL_HOME=str(tmp_path))
        done = ouzel("pull", "owner/tiny", "--experts", "q8", "--trunk", "q8", "--chat", env=env, stdin="/status\n/help\n")
        assert done.returncode == 0, done.stderr
        assert "/reset" in done.stderr and "is ready" in done.stderr
        assert any(f"{state}, " in done.stderr for state in STATES.values())
    assert (tmp_path / "models" / "tiny.ouzel" / "manifest.json").exists()
