"""Who may ask: keys, names of hosts, origins of pages, and where a server may listen."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from engine.errors import BadRequest, EngineError
from engine.server.keys import KeyCheck, find_key
from engine.server.serving import Server, Shared
from engine.server.settings import ServerConfig, is_loopback

KEY = "a-key-of-many-letters"
PAGE = "https://notes.example"


@pytest.fixture(scope="module")
def locked() -> Iterator[Server]:
    """A server with a key, and no model behind it: what is tested here comes before that."""
    server = Server(Shared(lambda request: None, lambda id: None), ServerConfig(port=0, key=KEY, origins=(PAGE,), hosts=("box.lan",)))
    server.start()
    yield server
    server.stop()
    assert server.join(30)


@pytest.fixture
def http(locked: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=locked.address, headers={"Authorization": f"Bearer {KEY}"}) as made:
        yield made


def error(answer: httpx.Response, status: int) -> str:
    """The code in OpenAI's error object."""
    assert answer.status_code == status, answer.text
    body = answer.json()["error"]
    assert set(body) == {"message", "type", "param", "code"}
    assert KEY not in answer.text
    return str(body["code"])


def test_that_a_key_is_needed(http: httpx.Client) -> None:
    assert http.get("/v1/models").status_code == 200
    for given in ("", "Bearer", "Bearer x", f"Basic {KEY}", f"Bearer {KEY}x", f"Bearer {KEY[:-1]}", "Bearer \xff".encode("latin-1")):
        for path in ("/v1/models", "/metrics", "/nothing"):
            answer = http.get(path, headers={"Authorization": given})
            assert error(answer, 401) == "invalid_api_key" and answer.headers["www-authenticate"] == "Bearer"
    assert http.get("/health", headers={"Authorization": ""}).status_code == 503  # up, without a model
    assert http.get("/v1/models", headers={"Authorization": f"bearer {KEY}"}).status_code == 200


def test_that_keys_are_compared() -> None:
    assert KeyCheck(KEY)(KEY) and not KeyCheck(KEY)("") and not KeyCheck(KEY)(KEY + "\udcff")
    assert not KeyCheck("").needed


STRANGE = ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::1", "10.0.0.1", "evil.example:80")


@pytest.mark.parametrize("host", STRANGE)
def test_that_a_name_that_is_not_ours_is_refused(host: str, http: httpx.Client) -> None:
    assert error(http.get("/v1/models", headers={"Host": host}), 403) == "host"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:80", "box.lan:99"])
def test_that_our_names_are_known(host: str, http: httpx.Client) -> None:
    assert http.get("/v1/models", headers={"Host": host}).status_code == 200


def test_that_only_named_pages_may_ask(http: httpx.Client) -> None:
    for origin in ("https://evil.example", "null", "http://notes.example", f"{PAGE}.evil.example", ""):
        answer = http.get("/v1/models", headers={"Origin": origin})
        assert error(answer, 403) == "origin" and "access-control-allow-origin" not in answer.headers
        asked = http.options("/v1/models", headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
        assert error(asked, 403) == "origin"
    assert error(http.get("/v1/models", headers={"Sec-Fetch-Site": "cross-site"}), 403) == "origin"
    allowed = http.get("/v1/models", headers={"Origin": PAGE})
    assert allowed.status_code == 200 and allowed.headers["access-control-allow-origin"] == PAGE and "Origin" in allowed.headers["vary"]
    asked = http.options("/v1/chat/completions", headers={"Origin": PAGE, "Access-Control-Request-Method": "POST", "Authorization": ""})
    assert asked.status_code == 204 and asked.headers["access-control-allow-origin"] == PAGE
    assert "authorization" in asked.headers["access-control-allow-headers"]
    sent = {"Access-Control-Request-Headers": "authorization,content-type,x-stainless-os,X-Stainless-Retry-Count,x-evil"}
    asked = http.options("/v1/chat/completions", headers={"Origin": PAGE, "Access-Control-Request-Method": "POST", **sent})
    told = asked.headers["access-control-allow-headers"]
    assert told == "authorization, content-type, x-stainless-os, x-stainless-retry-count"  # as OpenAI's client for pages sends them
    wrong = http.get("/v1/models", headers={"Origin": PAGE, "Authorization": ""})  # the page may read why it was refused
    assert wrong.status_code == 401 and wrong.headers["access-control-allow-origin"] == PAGE


def test_that_an_address_cannot_write_to_the_terminal() -> None:
    seen: list[str] = []
    engine = Shared(lambda request: None, lambda id: None)
    server = Server(engine, ServerConfig(port=0), lambda path, asker, status, seconds: seen.append(path))
    server.start()
    try:
        for path in ("/v1/models", "/%1b]0;owned%07%0a127.0.0.1 /v1/models 200", "/" + "a" * 5000):
            httpx.get(server.address + path)
    finally:
        server.stop()
        assert server.join(30)
    assert seen[0] == "/v1/models" and "%1B" in seen[1] and all(p.isprintable() and len(p) < 1000 for p in seen)


def test_that_a_form_cannot_be_sent_here(http: httpx.Client) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = http.post("/v1/chat/completions", content=b"{}", headers={"Content-Type": kind})
        assert error(answer, 415) == "unsupported_media_type"


def test_that_without_a_model_there_is_none(http: httpx.Client) -> None:
    assert http.get("/v1/models").json() == {"object": "list", "data": []}
    assert error(http.post("/v1/chat/completions", json={"model": "x", "messages": []}), 503) == "no_model"
    assert error(http.get("/v1/nothing"), 404) == "not_found"
    assert error(http.put("/v1/models", json={}), 405) == "method_not_allowed"


def test_that_other_computers_need_a_key() -> None:
    for host in ("0.0.0.0", "::", "192.168.1.5", "box.lan", ""):
        with pytest.raises(BadRequest, match="needs a key"):
            ServerConfig(host).checked()
        ServerConfig(host, key=KEY).checked()
    for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost"):
        assert is_loopback(host)
        ServerConfig(host).checked()
    for origin in ("*", "null", "example.org", "https://example.org/", "https://"):
        with pytest.raises(BadRequest, match="no origin"):
            ServerConfig(origins=(origin,)).checked()
    assert KEY not in repr(ServerConfig(key=KEY))


def test_where_keys_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n", encoding="utf-8")
    file.chmod(0o600)
    assert find_key(file, False) == KEY
    monkeypatch.setenv("OUZEL_API_KEY", KEY + "2")
    assert find_key(file, False) == KEY
    assert find_key(None, False) == KEY + "2"
    monkeypatch.setenv("OUZEL_API_KEY", "short")
    with pytest.raises(BadRequest) as refused:
        find_key(None, False)
    assert "short" not in str(refused.value)
    monkeypatch.delenv("OUZEL_API_KEY")
    assert find_key(None, False) == ""
    with pytest.raises(EngineError):  # the tests' keyring fails
        find_key(None, True)
    with pytest.raises(BadRequest, match="cannot be read"):
        find_key(tmp_path / "none", False)
    if os.name == "posix":
        file.chmod(0o644)
        with pytest.raises(BadRequest, match="chmod 600"):
            find_key(file, False)


def test_that_a_taken_address_is_told(locked: Server) -> None:
    port = int(locked.address.rpartition(":")[2])
    with pytest.raises(EngineError, match="Choose another port"):
        Server(Shared(lambda request: None, lambda id: None), ServerConfig(port=port))
