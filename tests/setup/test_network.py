"""The way to the hub: proxies, certificates and addresses from the environment and from the settings."""

import json
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trustme

from engine import paths
from engine.cancel import CancelToken
from engine.container.reader import Container
from engine.errors import BadRequest
from engine.setup import network, ranges
from engine.setup.hub import HubError, look
from engine.setup.network import ENDPOINT, Network, change, endpoint, from_environment, settings
from engine.setup.pull import pull
from engine.setup.wish import Wish
from tests.hub.proxy import Proxy
from tests.hub.server import Hub
from tests.worker.fetching import served

Tiny = Callable[..., Path]
VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", *network.CERTIFICATES)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No proxy and no certificates of this machine's, and the usual client afterwards."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)
    yield
    monkeypatch.undo()
    network.prepare()


@pytest.fixture
def hub(tiny_checkpoint: Tiny) -> Iterator[Hub]:
    with Hub({"owner/tiny": served(tiny_checkpoint("olmoe"))}) as server:
        yield server


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def tls_hub(tiny_checkpoint: Tiny, authority: trustme.CA) -> Iterator[Hub]:
    with Hub({"owner/tiny": served(tiny_checkpoint("olmoe"))}, authority.issue_cert("127.0.0.1", "localhost", "hub.example")) as server:
        yield server


def fetch(target: Path) -> Path:
    pull(Wish("owner/tiny", target, "q8", "q8"), None, lambda p: None, CancelToken())
    Container.open(target).close()
    return target


def test_that_a_proxy_of_the_settings_is_used_for_everything(hub: Hub, tmp_path: Path) -> None:
    with Proxy(("127.0.0.1", hub.port)) as proxy:
        change(Network("http://hub.example", proxy.url))
        fetch(tmp_path / "a.ouzel")
        assert {p for _, p in proxy.seen if p.startswith("http://hub.example/api/models/owner/tiny")}
        assert any(p.startswith(f"http://localhost:{hub.port}/cdn/") for _, p in proxy.seen)
        assert len(proxy.seen) == len(hub.requests)
        change(Network("http://hub.example"))
        with pytest.raises(HubError):  # there is no such host without the proxy
            look("owner/tiny")


def test_that_a_proxy_of_the_environment_comes_first(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with Proxy(("127.0.0.1", hub.port)) as ours, Proxy(("127.0.0.1", hub.port)) as set_outside:
        change(Network("http://hub.example", ours.url))
        monkeypatch.setenv("HTTP_PROXY", set_outside.url)
        assert from_environment() == ("proxy",)
        look("owner/tiny")
        assert set_outside.seen and not ours.seen
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        set_outside.seen.clear()
        look("owner/tiny", at=hub.url)
        assert not set_outside.seen


def test_that_certificates_of_ones_own_are_trusted_beside_the_systems(
    tls_hub: Hub, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pem = tmp_path / "own ca \u00e9.pem"
    authority.cert_pem.write_to_path(str(pem))
    monkeypatch.setenv("HF_ENDPOINT", tls_hub.url)
    with pytest.raises(HubError, match=r"certificate of .* is not trusted"):
        look("owner/tiny")
    change(Network(ca_file=pem))
    assert settings().ca_file == pem
    fetch(tmp_path / "a.ouzel")
    change(Network())
    with pytest.raises(HubError, match="is not trusted"):
        look("owner/tiny")
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, str(pem))
        assert look("owner/tiny").repo == "owner/tiny"
        monkeypatch.delenv(name)


def test_that_a_proxy_and_own_certificates_go_together(tls_hub: Hub, authority: trustme.CA, tmp_path: Path) -> None:
    pem = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(pem))
    with Proxy(("127.0.0.1", tls_hub.port)) as proxy:
        change(Network("https://hub.example", proxy.url, pem))
        fetch(tmp_path / "a.ouzel")
        assert {p for _, p in proxy.seen} == {"hub.example:443", f"localhost:{tls_hub.port}"}


def test_that_addresses_are_checked_and_passwords_are_not_kept() -> None:
    for bad in (Network("hub.example"), Network("ftp://hub.example"), Network("https://"), Network("https://a b"), Network("https://h:x")):
        with pytest.raises(BadRequest, match="no address of the hub"):
            change(bad)
    for bad in (Network(proxy="socks5://a"), Network(proxy="proxy:3128"), Network(proxy="http://a\nb")):
        with pytest.raises(BadRequest, match="no address of a proxy"):
            change(bad)
    with pytest.raises(BadRequest, match="must not hold a password") as refused:
        change(Network(proxy="http://me:s3cret@proxy.example"))
    assert "s3cret" not in str(refused.value) and list(paths.home().iterdir()) == []


def test_that_damaged_settings_count_as_none_and_the_environment_as_first(monkeypatch: pytest.MonkeyPatch) -> None:
    file = paths.home() / "network.json"
    for text in ("", "{", "[]", '{"endpoint": 3}', '{"endpoint": "ftp://x"}', '{"proxy": "http://me:word@x"}'):
        file.write_text(text)
        assert settings() == Network() and endpoint() == ENDPOINT
    file.write_text(json.dumps({"endpoint": "https://mirror.example/hub/"}))
    assert endpoint() == "https://mirror.example/hub"
    monkeypatch.setenv("HF_ENDPOINT", "https://other.example/")
    assert endpoint() == "https://other.example" and from_environment() == ("endpoint",)


def test_that_an_environment_that_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://me:w0rd@127.0.0.1:1")
    with pytest.raises((BadRequest, HubError)) as refused:
        look("owner/tiny", at="http://127.0.0.1:1")
    assert "w0rd" not in str(refused.value)


def test_that_system_certificates_stay_trusted(tmp_path: Path) -> None:
    from httpx2 import create_ssl_context

    pem = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(str(pem))
    assert len(network.trust(pem).get_ca_certs()) == len(create_ssl_context().get_ca_certs()) + 1
    assert network.trust(pem).verify_mode == ssl.CERT_REQUIRED and network.trust(pem).check_hostname
