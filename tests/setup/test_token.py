"""Access tokens: where they are kept, in which order they are looked for, and that nobody else ever sees one."""

import logging
import os
import stat
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from engine import paths
from engine.cancel import CancelToken
from engine.errors import BadRequest, Cancelled, EngineError
from engine.events import Failed, Looked, Pulled
from engine.requests import LookUp
from engine.setup import network, ranges, token
from engine.setup.hub import HubError, Listing, NeedsToken, account, look
from engine.setup.ranges import Ranges
from engine.setup.token import NoKeyring, Token, file_path, forget, load, store
from tests.hub.server import Hub
from tests.setup.test_verdict import machine
from tests.worker.fetching import Driver, served

Tiny = Callable[..., Path]
SECRET = "hf_0nlyForTheHub"


class InMemory(KeyringBackend):
    """A keyring that forgets with the test."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError


@pytest.fixture
def ring() -> Iterator[InMemory]:
    before, now = keyring.get_keyring(), InMemory()
    keyring.set_keyring(now)
    yield now
    keyring.set_keyring(before)


@pytest.fixture(autouse=True)
def fresh_session() -> Iterator[None]:
    token._session.clear()
    yield
    token._session.clear()


def test_that_the_keyring_comes_first_then_the_environment_the_session_and_the_file(
    ring: InMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load() is None
    store("hf_file", "file")
    assert load() == Token("hf_file", "file")
    token._session[network.ENDPOINT] = "hf_session"
    assert load() == Token("hf_session", "session")
    monkeypatch.setenv("HF_TOKEN", " hf_environment\n")
    assert load() == Token("hf_environment", "environment")
    ring.set_password("ouzel", network.ENDPOINT, "hf_ring")
    assert load() == Token("hf_ring", "keyring")
    assert forget() == ("keyring", "session", "file")
    assert load() == Token("hf_environment", "environment") and not file_path().exists() and ring.kept == {}
    assert forget() == ()


def test_that_a_token_is_kept_in_one_place_and_for_one_hub(ring: InMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    store("hf_a", "file")
    store("hf_b", "session")
    assert not file_path().exists() and load() == Token("hf_b", "session")
    store("hf_c", "keyring")
    assert token._session == {} and load("https://huggingface.co/") == Token("hf_c", "keyring")
    for other in ("https://mirror.example", "http://huggingface.co", "https://huggingface.co:8443", "https://huggingface.co.example"):
        assert load(other) is None
    monkeypatch.setenv("HF_TOKEN", "hf_env")
    assert load("https://mirror.example") is None
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example")
    assert load("https://mirror.example") == Token("hf_env", "environment") == load()


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_that_the_file_is_its_owners_alone() -> None:
    before = os.umask(0)
    try:
        store(SECRET, "file")
        store("hf_other", "file", "https://mirror.example")
    finally:
        os.umask(before)
    assert stat.S_IMODE(file_path().stat().st_mode) == 0o600
    assert load() == Token(SECRET, "file") and load("https://mirror.example") == Token("hf_other", "file")
    file_path().chmod(0o644)
    assert load() is None  # others could have read or changed it
    file_path().chmod(0o600)
    file_path().write_text("{")
    assert load() is None


def test_that_no_keyring_is_said_and_nothing_is_kept_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoKeyring, match="no keyring that can be used") as refused:
        store(SECRET, "keyring")
    assert SECRET not in "".join(traceback.format_exception(refused.value))
    assert not token.has_keyring() and load() is None and list(paths.home().iterdir()) == []


def test_that_a_keyring_that_hangs_is_left_alone(ring: InMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    unlocked = threading.Event()
    monkeypatch.setattr(InMemory, "get_password", lambda *a: unlocked.wait(60) and None)
    monkeypatch.setattr(token, "KEYRING_S", 0.2)
    try:
        store("hf_a", "session")
        assert load() == Token("hf_a", "session") and not token.has_keyring()
        monkeypatch.setattr(token, "KEYRING_S", 50.0)
        cancel = CancelToken()
        cancel.cancel()
        with pytest.raises(Cancelled):
            load(cancel=cancel)
    finally:
        unlocked.set()


@pytest.mark.parametrize("value", ["", "  ", "two words", "hf_\u00e9", "hf_\0", "x" * 5000])
def test_that_what_is_no_token_is_refused_without_repeating_it(value: str) -> None:
    with pytest.raises(BadRequest, match="no access token") as refused:
        store(value, "session")
    assert value.strip() == "" or value not in str(refused.value)
    with pytest.raises(BadRequest, match="set outside"):
        store("hf_a", "environment")


@pytest.fixture
def hub(tiny_checkpoint: Tiny, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr("engine.setup.judge.drive_speed", lambda *a: machine().drive)
    with Hub({"owner/tiny": served(tiny_checkpoint("olmoe"), token=SECRET)}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def test_that_a_gated_pull_shows_its_token_to_the_hub_alone(hub: Hub, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    store(SECRET, "session")
    with Driver() as d:
        looked = d.do(LookUp(next(d.ids), "owner/tiny", tmp_path))
        assert isinstance(looked, Looked) and looked.gated
        assert isinstance(d.closed(d.pull(tmp_path / "a.ouzel", experts="q8")), Pulled)
        shown = repr(d.seen) + repr(load()) + repr(d.fetcher.unfinished()) + caplog.text
    assert SECRET not in shown
    files = [f for folder in (tmp_path, paths.home(), paths.cache_dir()) for f in folder.rglob("*") if f.is_file()]
    assert len(files) > 5 and all(SECRET.encode() not in f.read_bytes() for f in files)
    assert hub.authorized and all(host == "127.0.0.1" and SECRET not in path for host, path, _ in hub.authorized)
    assert any(path.startswith("/cdn/") for _, path, _, _ in hub.requests)  # the weights came from the other host


def test_that_errors_do_not_repeat_the_token(hub: Hub, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = "hf_wr0ng"
    store(wrong, "session")
    hub.faults.statuses["/api/models"] = [(500, {})]
    with Driver() as d:
        for _ in range(2):
            failed = d.do(LookUp(next(d.ids), "owner/tiny", tmp_path))
            assert isinstance(failed, Failed) and isinstance(failed.error, HubError)
            assert wrong not in str(failed.error) + failed.error.details + repr(failed)
        assert isinstance(failed.error, NeedsToken)
        refused = d.closed(d.pull(tmp_path / "a.ouzel"))
        assert isinstance(refused, Failed) and isinstance(refused.error, NeedsToken)
    assert wrong not in caplog.text + (paths.home() / "pulls.json").read_text()
    with pytest.raises(NeedsToken) as unknown:
        account(wrong)
    assert wrong not in "".join(traceback.format_exception(unknown.value))
    assert account(SECRET) == "someone"


def test_that_a_redirect_to_another_host_does_not_take_the_token_along(hub: Hub) -> None:
    other = f"http://localhost:{hub.port}"
    hub.faults.statuses["^/api/models/owner/tiny$"] = [(307, {"Location": f"{other}/api/models/owner/tiny?again=1", "Content-Length": "0"})]
    with pytest.raises(EngineError):  # the other host sees no token, and the repository is gated
        look("owner/tiny", token=SECRET)
    listing = look("owner/tiny", token=SECRET)
    name = next(n for n in listing.files if n == "config.json")
    hub.faults.statuses["/resolve/.*/config.json"] = [(302, {"Location": f"{other}/owner/tiny/resolve/{listing.commit}/config.json"})]
    said: list[str] = []
    reader = Ranges(listing, SECRET, said.append, CancelToken())
    assert reader.read(listing.files[name], 0, listing.files[name].nbytes) == hub.repos["owner/tiny"].files[name]
    assert {host for host, _, _ in hub.authorized} == {"127.0.0.1"}
    assert any("again=1" in path or path == "/api/models/owner/tiny" for _, path, _, came in hub.requests if not came)


def test_that_the_same_name_over_plain_http_is_another_host() -> None:
    listing = Listing("https://hub.invalid", "owner/tiny", "0" * 40, None, False, {})
    assert listing.owns("https://hub.invalid/a")
    assert not any(map(listing.owns, ("http://hub.invalid/a", "https://hub.invalid.example/a", "https://hub.invalid:8443/a")))
