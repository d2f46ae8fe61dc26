"""Listing a repository and reading ranges of its files, over a hub on this computer and its bad days."""

import hashlib
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from engine.cancel import CancelToken
from engine.errors import BadCheckpoint, BadRequest, Cancelled, EngineError
from engine.setup import ranges
from engine.setup.hub import HubError, NeedsToken, checked, look
from engine.setup.ranges import Ranges, SourceChanged
from tests.hub.server import Hub, Repo

BIG = np.random.default_rng(0).bytes(3_000_001)
FILES = {"config.json": b'{"model_type": "olmoe"}', "model safe-\u30e2.safetensors": BIG}
SHARD = "model safe-\u30e2.safetensors"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub({"owner/name": Repo(FILES), "owner/gated": Repo(FILES, token="hf_secret")}) as server:
        yield server


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)


def reader(hub: Hub, repo: str = "owner/name", token: str | None = None, said: list[str] | None = None) -> Ranges:
    return Ranges(look(repo, token=token, at=hub.url), token, (said if said is not None else []).append, CancelToken())


def test_that_a_listing_has_sizes_hashes_commit_and_licence(hub: Hub) -> None:
    listing = look("owner/name", at=hub.url)
    assert (listing.repo, listing.commit, listing.licence) == ("owner/name", hub.repos["owner/name"].commit, "apache-2.0")
    shard = listing.files[SHARD]
    assert (shard.nbytes, shard.sha256) == (len(BIG), hashlib.sha256(BIG).hexdigest())
    assert listing.files["config.json"].sha256 is None


def test_that_the_endpoint_comes_from_the_environment(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.url + "/")
    assert look("owner/name").endpoint == hub.url


@pytest.mark.parametrize(
    ("repo", "revision", "token", "error", "words"),
    [
        ("owner/none", None, None, NeedsToken, "has no model owner/none, or it is private"),
        ("owner/gated", None, None, NeedsToken, "accepted its licence"),
        ("owner/gated", None, "hf_wrong", NeedsToken, "accepted its licence"),
        ("owner/name", "v9", None, HubError, "no revision v9"),
        ("no name", None, None, BadRequest, "owner/name"),
    ],
)
def test_that_a_refusal_is_a_sentence(hub: Hub, repo: str, revision: str | None, token: str | None, error: type, words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        look(repo, revision, token, hub.url)
    assert isinstance(caught.value, EngineError)
    assert "hf_wrong" not in str(caught.value) + caught.value.details


@pytest.mark.parametrize("name", ["../up", "a/../../b", "/etc/passwd", "a\\b", "C:x", "new\nline", "a//b"])
def test_that_path_tricks_are_refused(name: str) -> None:
    with Hub({"owner/tricks": Repo({name: b"1"})}) as server, pytest.raises(BadCheckpoint, match="no file name"):
        look("owner/tricks", at=server.url)


def test_that_no_network_is_a_sentence() -> None:
    with pytest.raises(HubError, match=r"cannot be reached \(no connection\)"):
        look("owner/name", at="http://127.0.0.1:9")
    with pytest.raises(HubError, match=r"cannot be reached \(its address does not begin with https://\)"):
        look("owner/name", at="nonsense")


def test_that_bytes_come_in_order_and_a_dropped_line_goes_on_where_it_was(hub: Hub) -> None:
    hub.faults.cut_after[SHARD] = [1_000_000, 0, 333_333]
    r, file = reader(hub), look("owner/name", at=hub.url).files[SHARD]
    assert r.read(file, 5, len(BIG)) == BIG[5:]
    assert hub.bytes_sent <= len(BIG) + 3 * ranges.CHUNK


def test_that_a_server_without_ranges_is_read_from_its_start(hub: Hub) -> None:
    hub.faults.ignore_range.add(SHARD)
    r = reader(hub)
    assert r.read(look("owner/name", at=hub.url).files[SHARD], 1_500_000, 1_600_000) == BIG[1_500_000:1_600_000]


def test_that_a_busy_server_is_asked_again_when_it_says(hub: Hub) -> None:
    hub.faults.statuses["/resolve/"] = [(429, {"Retry-After": "1"}), (503, {}), (500, {})]
    said: list[str] = []
    start = time.monotonic()
    assert reader(hub, said=said).read(look("owner/name", at=hub.url).files[SHARD], 0, 10) == BIG[:10]
    assert time.monotonic() - start >= 1
    assert any("trying again in 1 s: the server is busy (429)" in s for s in said) and said[-1] == ""


def test_that_an_expired_link_is_asked_for_anew(hub: Hub) -> None:
    hub.faults.expire_links += [True]
    assert reader(hub).read(look("owner/name", at=hub.url).files[SHARD], 7, 99) == BIG[7:99]


def test_that_a_stall_is_shown_and_given_up(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "STALL_S", 0.1)
    monkeypatch.setattr(ranges, "READ_TIMEOUT_S", 0.4)
    hub.faults.stall_after[SHARD] = [(500_000, 1.5)]
    said: list[str] = []
    assert reader(hub, said=said).read(look("owner/name", at=hub.url).files[SHARD], 0, len(BIG)) == BIG
    assert any(s.startswith("no data for") for s in said) and any(s.startswith("trying again") for s in said)


def test_that_a_changed_file_is_refused(hub: Hub) -> None:
    r, file = reader(hub), look("owner/name", at=hub.url).files[SHARD]
    hub.repos["owner/name"] = Repo({**FILES, SHARD: BIG[:-1] + b"x"})
    hub.repos["owner/name"].commit = look("owner/gated", token="hf_secret", at=hub.url).commit
    with pytest.raises(SourceChanged, match="has changed"):
        r.read(file, 0, 10)


def test_that_the_token_goes_to_the_hub_alone(hub: Hub) -> None:
    r = reader(hub, "owner/gated", "hf_secret")
    assert r.read(look("owner/gated", token="hf_secret", at=hub.url).files[SHARD], 0, 100) == BIG[:100]
    told = {path.split("/")[1]: token for _, path, _, token in hub.requests}
    assert told == {"api": True, "owner": True, "cdn": False}


def test_that_stop_ends_a_silent_download_within_100_ms(hub: Hub) -> None:
    hub.faults.stall_after[SHARD] = [(0, 3.0)]
    cancel = CancelToken()
    r = Ranges(look("owner/name", at=hub.url), None, lambda text: None, cancel)
    threading.Timer(0.3, cancel.cancel).start()
    start = time.monotonic()
    with pytest.raises(Cancelled):
        r.read(look("owner/name", at=hub.url).files[SHARD], 0, 10)
    assert time.monotonic() - start < 1.5  # the bound itself is measured in benchmarks; here a hang would be 3 s


def test_that_small_files_are_checked_by_their_git_hash(hub: Hub) -> None:
    file = look("owner/name", at=hub.url).files["config.json"]
    assert checked(file, FILES["config.json"]) == FILES["config.json"]
    with pytest.raises(Exception, match="differs from what the hub says"):
        checked(file, b'{"model_type": "olmof"}')
