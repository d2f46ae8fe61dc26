"""`ouzel login`, `logout` and `network` against a hub on this computer; there is no keyring in tests."""

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.setup.token import file_path
from tests.cli.running import command, environment, here, ouzel, refused
from tests.hub.server import Hub
from tests.worker.fetching import served

Tiny = Callable[..., Path]
SECRET = "hf_0nlyForTheHub"


@pytest.fixture
def hub(tiny_checkpoint: Tiny, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub({"owner/tiny": served(tiny_checkpoint("olmoe"), token=SECRET)}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def test_that_a_token_is_kept_used_and_forgotten(hub: Hub, tmp_path: Path) -> None:
    code, out, err = here("login", "--file", stdin=SECRET + "\n")
    assert (code, out) == (0, "") and "the token of someone" in err and str(file_path()) in err.replace("\n", "")
    done = ouzel("pull", "owner/tiny", tmp_path / "a.ouzel")
    assert done.returncode == 0, done.stderr
    code, out, err_out = here("logout")
    assert code == 0 and "is removed from" in err_out and not file_path().exists()
    assert "No token for" in here("logout")[2]
    assert SECRET not in err + done.stdout + done.stderr + err_out


def test_that_without_a_keyring_nothing_is_kept_without_consent(hub: Hub) -> None:
    said = refused("login", stdin=SECRET)
    assert "has no keyring. Give --file" in said and SECRET not in said and not file_path().exists()


def test_that_a_token_that_the_hub_does_not_know_is_not_kept(hub: Hub) -> None:
    said = refused("login", "--file", stdin="hf_wrong")
    assert "does not know this access token" in said and "hf_wrong" not in said and not file_path().exists()
    assert "no access token" in refused("login", "--file", stdin="two words")


def test_that_a_hub_that_is_away_does_not_stand_in_the_way(hub: Hub) -> None:
    hub.faults.statuses["whoami"] = [(500, {})]
    code, _, err = here("login", "--file", "--endpoint", hub.url + "/", stdin=SECRET)
    assert code == 0 and "kept without asking" in err and file_path().exists()
    assert "is removed" in here("logout", "--endpoint", hub.url)[2]
    assert "no address of the hub" in refused("logout", "--endpoint", "hub.example")


def test_that_the_environment_is_named_where_it_holds_a_token(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", SECRET)
    said = here("logout")[2]
    assert "The variable HF_TOKEN still holds one" in said and SECRET not in said


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
def test_that_a_token_that_is_typed_does_not_show(hub: Hub) -> None:
    import pty
    import subprocess

    parent, child = pty.openpty()
    run = subprocess.Popen(command("login"), stdin=child, stdout=child, stderr=child, env=environment(), start_new_session=True)
    os.close(child)
    shown, answers = b"", [(b"Token:", SECRET.encode() + b"\n"), (b"[y/N]", b"y\n")]
    while True:
        try:
            piece = os.read(parent, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if answers and answers[0][0] in shown:
            os.write(parent, answers.pop(0)[1])
    os.close(parent)
    assert run.wait(60) == 0, shown
    assert SECRET.encode() not in shown and b"the token of someone" in shown
    assert json.loads(file_path().read_text()) == {hub.url: SECRET} and stat.S_IMODE(file_path().stat().st_mode) == 0o600


def test_that_the_way_to_the_hub_is_shown_and_changed(hub: Hub, tmp_path: Path) -> None:
    code, out, _ = here("network", "--proxy", "http://proxy.example:3128/", "--endpoint", "https://mirror.example")
    assert code == 0 and "http://proxy.example:3128\n" in out and "mirror.example  (the environment says otherwise)" in out
    assert json.loads(here("network", "--proxy", "", "--json")[1]) == {
        "endpoint": "https://mirror.example", "proxy": None, "ca_file": None, "from_environment": ["endpoint"],
    }  # fmt: skip
    assert "must not hold a password" in refused("network", "--proxy", "http://me:word@proxy.example")
    assert "no address of a proxy" in refused("network", "--proxy", "proxy.example:3128")
    (tmp_path / "a.pem").write_text("nothing")
    assert "no certificates in PEM form" in refused("network", "--ca-file", tmp_path / "a.pem")
    assert "it is not there" in refused("network", "--ca-file", tmp_path / "b.pem")


def test_that_a_look_says_what_it_would_be_and_fetches_nothing(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.setup.test_verdict import machine

    monkeypatch.setattr("engine.setup.judge.drive_speed", lambda *a: machine().drive)
    monkeypatch.setenv("HF_TOKEN", SECRET)
    code, out, _ = here("pull", "owner/tiny", "--look")
    assert code == 0 and "for accounts that accepted its licence" in out and "experts q4, trunk q4" in out and "licence apache-2.0" in out
    found = json.loads(here("pull", f"{hub.url}/owner/tiny/tree/main", "--look", "--json")[1])
    weights = sum(len(data) for name, data in hub.repos["owner/tiny"].files.items() if name.endswith(".safetensors"))
    assert found["source_bytes"] == weights and found["kind"] == "hub" and found["gated"] and found["family"] == "olmoe"
    assert [(p["experts"], p["as_published"]) for p in found["precisions"]] == [("q4", False), ("q8", False), ("bf16", True)]
    assert not any(name.endswith(".safetensors") for name in hub.sent)
