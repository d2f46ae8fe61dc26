"""Requests that no good client sends: each gets its status and OpenAI's error, and the engine goes on as if nothing had been."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.events import Finished, Text
from engine.server.settings import ServerConfig
from tests.server.conftest import Running, running

ASK = [{"role": "user", "content": "Tell me a long story about rivers and birds."}]


def refused(answer: httpx.Response, status: int, param: str | None = None, code: str | None = None) -> str:
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["param"] == param and (code is None or error["code"] == code), error
    return str(error["message"])


@pytest.fixture(autouse=True)
def unharmed(served: Running) -> Iterator[None]:
    """After each test the engine answers as before."""
    yield
    body = {"model": served.name, "messages": ASK, "temperature": 0, "max_tokens": 4}
    answer = httpx.post(f"{served.url}/v1/chat/completions", json=body, timeout=120)
    assert answer.status_code == 200 and answer.json()["usage"]["completion_tokens"] == 4


BAD_BODIES: list[tuple[Any, str | None]] = [
    ({"messages": ASK}, "model"),
    ({"messages": []}, "messages"),
    ({"messages": "hi"}, "messages"),
    ({"messages": [{"role": "robot", "content": "x"}]}, "messages[0].role"),
    ({"messages": [{"role": "function", "content": "x", "name": "f"}]}, "messages[0].role"),
    ({"messages": [{"content": "x"}]}, "messages[0].role"),
    ({"messages": [{"role": "user"}]}, "messages[0].content"),
    ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
    ({"messages": ["x"]}, "messages[0]"),
    ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id"),
    ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}, "messages[0].content[0].type"),
    ({"messages": [{"role": "user", "content": "x", "mood": "good"}]}, "messages[0].mood"),
    ({"temperature": 3}, "temperature"),
    ({"temperature": "hot"}, "temperature"),
    ({"temperature": True}, "temperature"),
    ({"top_p": -0.1}, "top_p"),
    ({"n": 0}, "n"),
    ({"n": 1000}, "n"),
    ({"max_tokens": 0}, "max_tokens"),
    ({"max_tokens": 5, "max_completion_tokens": 6}, "max_tokens"),
    ({"max_tokens": 1.5}, "max_tokens"),
    ({"stop": ["a", 5]}, "stop"),
    ({"stop": [""]}, "stop"),
    ({"seed": "x"}, "seed"),
    ({"logit_bias": {"x": 1}}, "logit_bias"),
    ({"logit_bias": {"999999": 1}}, "logit_bias"),
    ({"logit_bias": {"5": 101}}, "logit_bias"),
    ({"top_logprobs": 3}, "top_logprobs"),
    ({"logprobs": True, "top_logprobs": 21}, "top_logprobs"),
    ({"presence_penalty": 3}, "presence_penalty"),
    ({"response_format": {"type": "xml"}}, "response_format.type"),
    ({"response_format": {"type": "json_schema"}}, "response_format.schema"),
    ({"response_format": "json"}, "response_format"),
    ({"stream_options": {"include_usage": True}}, "stream_options"),
    ({"stream": True, "stream_options": {"colour": True}}, "stream_options.colour"),
    ({"stream": "yes"}, "stream"),
    ({"tool_choice": "required"}, "tool_choice"),
    ({"tools": [{"type": "retrieval"}]}, "tools[0].type"),
    ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "tools[0].function.name"),
    ({"reasoning_effort": "high"}, "reasoning_effort"),
    ({"modalities": ["audio"]}, "modalities"),
    ({"verbosity": "low"}, "verbosity"),
    ({"functions": [{"name": "f"}]}, "functions"),
    ({"guided_regex": "a+"}, "guided_regex"),
    ({"options": {"temperature": 1}}, "options"),
    ({"mirostat": 2}, "mirostat"),
]


def test_that_bad_parameters_are_named(served: Running, http: httpx.Client) -> None:
    before = len(served.posted)
    for body, param in BAD_BODIES:
        whole = {"model": served.name, "messages": ASK, **body}
        if param == "model":
            del whole["model"]
        message = refused(http.post("/v1/chat/completions", json=whole), 400, param)
        assert message.endswith("."), message
    assert len(served.posted) == before


def test_that_little_of_a_huge_name_comes_back(served: Running, http: httpx.Client) -> None:
    for body in ({"ü" * 100_000: 1}, {"model": "m" * 100_000}):
        answer = http.post("/v1/chat/completions", json={"model": served.name, "messages": ASK, **body})
        assert answer.status_code in (400, 404) and len(answer.content) < 6000 and "..." in answer.json()["error"]["message"]
    assert len(http.get("/v1/" + "x" * 50_000).content) < 1000


def test_that_what_changes_nothing_is_taken(served: Running, http: httpx.Client) -> None:
    body = {
        "model": served.name, "messages": [{"role": "developer", "content": [{"type": "text", "text": "Hi"}]}, *ASK], "max_tokens": 1,
        "user": "u", "metadata": {"a": "b"}, "store": True, "service_tier": "auto", "prompt_cache_key": "x", "modalities": ["text"],
        "keep_alive": "5m", "options": {}, "mirostat": 0, "typical_p": 1.0, "chat_id": "c", "max_completion_tokens": -1, "stop": [],
        "functions": None, "reasoning_effort": "none", "verbosity": "medium", "n": 1, "tools": [], "response_format": {"type": "text"},
    }  # fmt: skip
    assert http.post("/v1/chat/completions", json=body).status_code == 200
    assert served.posted[-1].messages[0].role == "system"


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions", "/v1/responses"])
def test_that_what_is_no_json_is_refused(path: str, served: Running, http: httpx.Client) -> None:
    deep = b'{"a":' * 5000 + b"1" + b"}" * 5000
    for data in (b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"temperature": NaN}', b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", deep):
        refused(http.post(path, content=data, headers={"Content-Type": "application/json"}), 400, None, "invalid_json")


def test_that_huge_bodies_are_refused_unread(served: Running, http: httpx.Client) -> None:
    most = served.server.config.body_bytes
    with _connected(served) as client:  # declared as huge: refused before a byte of it
        client.sendall(_head(served, most + 1))
        assert b" 413 " in _received(client).splitlines()[0]

    def endless() -> Iterator[bytes]:
        for _ in range((most >> 16) + 2):
            yield b" " * 65536

    try:
        answer = http.post("/v1/chat/completions", content=endless(), headers={"Content-Type": "application/json"})
    except httpx.WriteError:  # it may have been refused while it was still being sent
        return
    refused(answer, 413, None, "body_too_large")


def test_that_huge_heads_are_refused(served: Running) -> None:
    with _connected(served) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"a" * (1 << 18))
        head, _, body = _received(client).partition(b"\r\n\r\n")
        assert b" 400 " in head.splitlines()[0] and b"application/json" in head
        assert "64 kB" in json.loads(body)["error"]["message"]


def test_that_a_prompt_beyond_the_context_is_told(served: Running, http: httpx.Client) -> None:
    assert served.shared.info is not None
    words = "word " * (served.shared.info.context + 10)
    for stream in (False, True):
        body = {"model": served.name, "messages": [{"role": "user", "content": words}], "stream": stream}
        refused(http.post("/v1/chat/completions", json=body), 400, "messages", "context_length_exceeded")
        body = {"model": served.name, "prompt": words, "stream": stream}
        refused(http.post("/v1/completions", json=body), 400, "messages", "context_length_exceeded")


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_that_an_answer_ends_when_its_client_vanishes(stream: bool, served: Running) -> None:
    """The answer would have hundreds of tokens; it ends as cancelled with few."""
    served.seen.clear()
    body = {"model": served.name, "messages": ASK, "stream": stream, "max_tokens": 1500, "temperature": 0, "logit_bias": {"2": -100}}
    with _connected(served) as client:
        data = json.dumps(body).encode()
        client.sendall(_head(served, len(data)) + data)
        _until(lambda: any(isinstance(e, Text) for e in served.seen))
        if stream:
            assert b"200 OK" in client.recv(1000)
        client.shutdown(socket.SHUT_RDWR)
    _until(lambda: any(isinstance(e, Finished) for e in served.seen))
    [ended] = [e for e in served.seen if isinstance(e, Finished)]
    assert ended.stats.reason == "cancelled"


@pytest.mark.alone
def test_that_it_ends_soon(served: Running) -> None:
    """100 ms are meant; the limit leaves room for a machine that does other things."""
    served.seen.clear()
    body = {"model": served.name, "messages": ASK, "stream": True, "max_tokens": 1500, "temperature": 0, "logit_bias": {"2": -100}}
    with _connected(served) as client:
        data = json.dumps(body).encode()
        client.sendall(_head(served, len(data)) + data)
        _until(lambda: any(isinstance(e, Text) for e in served.seen))
        client.shutdown(socket.SHUT_RDWR)
    start = time.monotonic()
    _until(lambda: any(isinstance(e, Finished) for e in served.seen), 0.002)
    assert time.monotonic() - start < 2


def test_that_a_client_that_does_not_read_harms_nobody(starter: Path) -> None:
    with running(starter, ServerConfig(port=0, send_seconds=0.3)) as made:
        made.server._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # so that little fills what lies between
        _left_unread(made)


def _left_unread(made: Running) -> None:
    with _connected(made, buffer=2048) as client:
        body = {"model": made.name, "messages": ASK, "stream": True, "logprobs": True, "top_logprobs": 20, "max_tokens": 1200}
        data = json.dumps({**body, "logit_bias": {"2": -100}}).encode()
        client.sendall(_head(made, len(data)) + data)  # and nothing is read of some megabytes
        answer = httpx.post(
            f"{made.url}/v1/chat/completions", json={"model": made.name, "messages": ASK, "max_tokens": 3}, timeout=240
        )
        assert answer.status_code == 200
        [first, second] = [e for e in made.seen if isinstance(e, Finished)]
        assert first.stats.reason == "cancelled" and second.stats.answer_tokens == 3


def test_that_a_slow_body_and_a_slow_head_end(starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.server.serving.HEAD_S", 2.0)
    with running(starter, ServerConfig(port=0, body_seconds=0.3)) as made, _connected(made) as slow, _connected(made) as silent:
        slow.sendall(_head(made, 100) + b'{"model"')
        silent.sendall(b"GET /health HTTP/1.1\r\nHost:")
        assert b" 408 " in _received(slow).splitlines()[0]
        assert _received(silent) == b""
        assert httpx.get(f"{made.url}/health").status_code == 200


def test_that_the_queue_is_bounded_and_fair(starter: Path) -> None:
    with running(starter, ServerConfig(port=0, waiting=3)) as made, ExitStack() as stack:
        done: list[str] = []

        def ask(asker: str, n: int, tokens: int) -> threading.Thread:
            def run() -> None:
                messages = [{"role": "user", "content": f"{asker}{n}"}]
                body = {"model": made.name, "messages": messages, "max_tokens": tokens, "logit_bias": {"2": -100}}
                answer = httpx.post(f"{made.url}/v1/chat/completions", json=body, headers={"User-Agent": asker}, timeout=240)
                assert answer.status_code == 200
                done.append(f"{asker}{n}")

            thread = threading.Thread(target=run)
            thread.start()
            stack.callback(thread.join)
            return thread

        desk, threads = made.server._routes.desk, []
        made.server.hold()  # so that all are there before the first begins
        for n, asker in enumerate("aab", 1):
            threads.append(ask(asker, n, 2))
            _until(lambda n=n: desk.waiting == n)  # type: ignore[misc]
        full = httpx.post(f"{made.url}/v1/chat/completions", json={"model": made.name, "messages": ASK}, timeout=60)
        refused(full, 429, None, "queue_full")
        assert 5 <= int(full.headers["retry-after"]) <= 600
        made.server.release()
        for thread in threads:
            thread.join()
        assert len(done) == 3
        assert order_of(made) == ["a1", "b3", "a2"]


def order_of(made: Running) -> list[str]:
    """What the engine was asked, in turn."""
    return [r.messages[0].content for r in made.posted]


def test_that_requests_end_with_the_server(starter: Path) -> None:
    with running(starter) as made, _connected(made) as client:
        data = json.dumps({"model": made.name, "messages": ASK, "stream": True, "max_tokens": 1500, "logit_bias": {"2": -100}}).encode()
        client.sendall(_head(made, len(data)) + data)
        _until(lambda: any(isinstance(e, Text) for e in made.seen))
        made.server.stop()
        got = _received(client)
        assert b'"code":"stopped"' in got and b"[DONE]" not in got


@contextmanager
def _connected(made: Running, buffer: int | None = None) -> Iterator[socket.socket]:
    host, port = made.url.removeprefix("http://").split(":")
    with socket.socket() as client:
        if buffer is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        client.settimeout(120)
        client.connect((host, int(port)))
        yield client


def _head(made: Running, length: int) -> bytes:
    lines = ["POST /v1/chat/completions HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"Content-Length: {length}", "", ""]
    return "\r\n".join(lines).encode()


def _received(client: socket.socket) -> bytes:
    """All until the end, or until nothing comes for a while after a whole head."""
    got = b""
    while True:
        try:
            part = client.recv(65536)
        except ConnectionResetError:
            return got
        if not part:
            return got
        got += part
        if b"\r\n\r\n" in got and b"text/event-stream" not in got:
            return got


def _until(condition: Any, every: float = 0.01) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(every)
