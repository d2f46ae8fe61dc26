"""The memory that requests take all together is counted before it is taken, and given back."""

import json
import socket
import time
import tracemalloc
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.events import Drawn, Finished, Likely
from engine.openai.asked import Asked
from engine.openai.chat import chat, completion
from engine.openai.collected import Collected
from engine.openai.reading import read_body
from engine.openai.refusals import Busy, Refused
from engine.openai.results import result
from engine.openai.room import SLOW_S, Lease, Room, size_of
from engine.requests import Options
from engine.server.replies import as_json
from engine.server.settings import ServerConfig
from tests.openai.test_formats import INFO
from tests.server.conftest import running

N = 1 << 18


def _body(content: Any) -> bytes:
    body = {"model": "m", "messages": [{"role": "user", "content": content}]}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


MANY = (b"[]", b'{"":0}', b"1.5", b"30000", b'{"role":"user","content":""}', b'"a"', b'{"a":{"a":{"a":{}}}}')
BODIES = [
    _body("x" * N),
    _body("\N{GRINNING FACE}" + "x" * N),
    _body("\N{DEGREE SIGN}" * (N // 2)),
    _body([{"type": "text", "text": "a"}] * (N // 27)),
    b'{"model":"m","messages":[{"role":"user","content":"' + b"\\ud83d\\ude00" * (N // 12) + b'"}]}',
    b'{"model":"m","messages":[{' + b",".join(b'"%d":0' % i for i in range(N // 10)) + b"}]}",
    b'{"model":"m","prompt":[' + b",".join(b"%d" % (i % 100) for i in range(N // 3)) + b"]}",
    *(b'{"model":"m","messages":[' + b",".join([one] * (N // len(one))) + b"]}" for one in MANY),
]


def _measured(body: bytes) -> tuple[Asked | None, int, int]:
    """What the body asks, the bytes held for it afterwards, and the most held meanwhile."""
    tracemalloc.start()
    asked, value = None, dict[str, Any]()
    try:
        value = read_body(body)
        asked = (completion if "prompt" in value else chat)(value, INFO, 1)
    except Refused:
        pass
    del value
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return asked, held, peak


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_that_no_body_takes_more_than_is_counted_for_it(body: bytes) -> None:
    room = Room(1 << 40)
    lease = Lease(room)
    lease.read(body)
    for _ in range(4):  # Python counts what its other threads take too, so one reading of a few must do.
        asked, held, peak = _measured(body)
        counted = size_of(asked) + 20_000 if asked is not None else held
        if peak <= room.taken and held <= counted:
            break
    assert peak <= room.taken
    assert held <= counted
    if asked is not None:
        lease.set(size_of(asked))
    lease.close()
    assert room.taken == 0


def test_that_a_room_is_shared_and_its_end_told() -> None:
    room = Room(1_000_000)
    first, second = Lease(room), Lease(room)
    first.set(600_000)
    with pytest.raises(Busy, match=r"Memory lacks: this needs 0\.5 MB more, and of the 1\.0 MB .* 0\.4 MB are free"):
        second.set(500_000)
    with pytest.raises(Refused) as large:
        second.set(1_000_001)
    assert large.value.status == 413
    first.set(400_000)
    second.set(600_000)
    first.close()
    second.close()
    assert room.taken == 0


def test_that_what_comes_slowly_gives_way_and_what_comes_promptly_does_not() -> None:
    now = [0.0]
    room = Room(1000, lambda: now[0])
    slow, prompt, other = Lease(room), Lease(room), Lease(room)
    dropped: list[str] = []
    slow.coming(lambda: dropped.append("slow"))
    slow.set(500)
    now[0] = SLOW_S
    prompt.coming(lambda: dropped.append("prompt"))
    prompt.set(400)
    other.set(300)
    assert dropped == ["slow"] and room.taken == 700
    with pytest.raises(Busy):
        other.set(601)
    assert dropped == ["slow"] and room.taken == 700
    prompt.coming(None)  # it is there whole, and gives way to nobody
    now[0] = 100 * SLOW_S
    with pytest.raises(Busy):
        other.set(601)
    for lease in (slow, prompt, other):
        lease.close()
    assert room.taken == 0


def test_that_probabilities_take_what_is_counted_for_them() -> None:
    lease = Lease(room := Room(1 << 40))
    asked = Asked("chat", "m", options=Options(logprobs=20))
    tracemalloc.start()
    answer = Collected()
    for token in range(500):
        likely = [Likely(1000 + n, b" token %d" % (token * n), -1.0 / (1 + n + token)) for n in range(21)]
        event = Drawn(1, likely[0], tuple(likely[1:]))
        answer.take(event)
        lease.hold(event)
    as_json(result(asked, [answer], "id", 0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert room.taken / 3 < peak <= room.taken


def given_back(room: Room, but: int = 0) -> None:
    """A request's memory is given back after its client has the answer's end."""
    end = time.monotonic() + 60
    while room.taken > but:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_that_a_server_s_requests_share_it(starter: Path) -> None:
    with running(starter, ServerConfig(port=0, memory_bytes=60_000)) as made:
        room = made.server._routes._room
        ask = {"model": made.name, "max_tokens": 2, "messages": [{"role": "user", "content": "Hi"}]}
        assert httpx.post(f"{made.url}/v1/chat/completions", json=ask, timeout=60).status_code == 200
        large = httpx.post(f"{made.url}/v1/chat/completions", json={**ask, "messages": [{"role": "user", "content": "Hi " * 9000}]})
        assert large.status_code == 413 and large.json()["error"]["code"] == "body_too_large"
        likely = {**ask, "logprobs": True, "top_logprobs": 20, "max_tokens": 9, "temperature": 0}
        much = httpx.post(f"{made.url}/v1/chat/completions", json=likely, timeout=60)
        assert much.status_code == 400 and much.json()["error"]["code"] == "too_many_logprobs"
        streamed = httpx.post(f"{made.url}/v1/chat/completions", json={**likely, "stream": True}, timeout=60)
        assert streamed.status_code == 200 and "[DONE]" in streamed.text
        given_back(room)
        held = Lease(room)
        held.set(59_000)
        busy = httpx.post(f"{made.url}/v1/chat/completions", json=ask)
        assert busy.status_code == 429 and int(busy.headers["Retry-After"]) > 0
        error = busy.json()["error"]
        assert error["code"] == "memory_full" and "Memory lacks" in error["message"] and "Try again later" in error["message"]
        held.close()
        assert httpx.post(f"{made.url}/v1/chat/completions", json={**ask, "temperature": 9}).status_code == 400
        assert httpx.post(f"{made.url}/v1/chat/completions", json=ask, timeout=60).status_code == 200
        given_back(room)


def test_that_half_sent_bodies_lock_nobody_out(starter: Path) -> None:
    config = ServerConfig(port=0, memory_bytes=60_000, body_seconds=600)
    with running(starter, config) as made, ExitStack() as stack:
        room = made.server._routes._room
        address = ("127.0.0.1", int(made.url.rpartition(":")[2]))
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nContent-Type: application/json\r\n"
        head += "Content-Length: {}\r\n\r\n"
        ask = {"model": made.name, "max_tokens": 2, "messages": [{"role": "user", "content": "Hi"}]}
        promising = [stack.enter_context(socket.create_connection(address)) for _ in range(4)]
        for each in promising:
            each.sendall(head.format(50_000).encode() + b"{")
        assert httpx.post(f"{made.url}/v1/chat/completions", json=ask, timeout=60).status_code == 200  # nothing is kept for a promise
        given_back(room, 8)  # the byte that each has sent, twice
        slow = [stack.enter_context(socket.create_connection(address)) for _ in range(2)]
        for each in slow:
            each.sendall(head.format(50_000).encode() + b" " * 14_700)
        end = time.monotonic() + 60
        while room.taken < 58_800:
            assert time.monotonic() < end
            time.sleep(0.01)
        while (answer := httpx.post(f"{made.url}/v1/chat/completions", json=ask, timeout=60)).status_code != 200:
            assert answer.status_code == 429 and answer.json()["error"]["code"] == "memory_full" and time.monotonic() < end
        told = slow[0].recv(4096)
        assert told.startswith(b"HTTP/1.1 429") and b"came slowly" in told


def test_that_what_a_client_leaves_unread_is_counted(starter: Path) -> None:
    with running(starter, ServerConfig(port=0, memory_bytes=400_000, send_seconds=600)) as made, ExitStack() as stack:
        made.server._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # so that little fills what lies between
        client = stack.enter_context(socket.socket())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        host, port = "127.0.0.1", int(made.url.rpartition(":")[2])
        client.connect((host, port))
        ask = {"model": made.name, "messages": [{"role": "user", "content": "Hi"}], "stream": True, "logprobs": True, "top_logprobs": 20}
        body = json.dumps({**ask, "max_tokens": 600, "logit_bias": {"2": -100}}).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
        client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        end = time.monotonic() + 120
        while not (ended := [e for e in made.seen if isinstance(e, Finished)]):
            assert time.monotonic() < end
            time.sleep(0.05)
        assert ended[0].stats.reason == "cancelled" and ended[0].stats.answer_tokens < 600
        client.close()
        given_back(made.server._routes._room)
