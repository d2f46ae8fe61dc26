"""Two clients at once at a server whose model was opened for two answers: each gets what it gets alone, and a third one waits."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.conftest import Running, running


@pytest.fixture(scope="module")
def two(starter: Path) -> Iterator[Running]:
    with running(starter, parallel=2, context=1024) as made:
        yield made


def body(n: int, tokens: int, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": ("Name three colours.", "Tell a story of a ship.", "Count to ten.")[n]}]
    return {"messages": messages, "temperature": 0.8, "seed": n, "max_tokens": tokens, **more}


def streamed(made: Running, n: int, tokens: int, began: threading.Event, out: dict[int, str]) -> None:
    with (
        httpx.Client(base_url=made.url, timeout=120) as http,
        http.stream("POST", "/v1/chat/completions", json=body(n, tokens, model=made.name, stream=True)) as answer,
    ):
        for line in answer.iter_lines():
            if line.startswith("data: {"):
                for choice in json.loads(line.removeprefix("data: "))["choices"]:
                    if piece := choice["delta"].get("content"):
                        out[n] = out.get(n, "") + piece
                        began.set()


def number(made: Running, name: str) -> float:
    text = httpx.get(f"{made.url}/metrics", timeout=120).text
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith(name + " ")))


def test_that_two_streams_are_those_that_come_alone(two: Running) -> None:
    alone = {}
    for n in range(3):
        answer = httpx.post(f"{two.url}/v1/chat/completions", json=body(n, 40, model=two.name), timeout=120)
        alone[n] = answer.json()["choices"][0]["message"]["content"]
    model = two.worker._opened.model  # type: ignore[union-attr]
    out: dict[int, str] = {}
    threads = [threading.Thread(target=streamed, args=(two, n, 40, threading.Event(), out)) for n in range(3)]
    two.server.hold()  # until all three are there
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 120
    while number(two, "ouzel_waiting_requests") < 3:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    steps = model.clock.steps
    two.server.release()
    for thread in threads:
        thread.join()
    assert out == alone
    assert model.clock.steps - steps < 3 * 40  # some steps were of two answers
    assert number(two, "ouzel_running_requests") == number(two, "ouzel_waiting_requests") == 0


def test_that_one_that_goes_away_leaves_the_other(two: Running) -> None:
    stays = threading.Event()
    out: dict[int, str] = {}
    want = httpx.post(f"{two.url}/v1/chat/completions", json=body(1, 60, model=two.name), timeout=120).json()
    with (
        httpx.Client(base_url=two.url, timeout=120) as http,
        http.stream("POST", "/v1/chat/completions", json=body(0, 900, model=two.name, stream=True)) as answer,
    ):
        lines = answer.iter_lines()
        while '"content"' not in next(lines):
            pass
        thread = threading.Thread(target=streamed, args=(two, 1, 60, stays, out))
        thread.start()
        assert stays.wait(60)
        with suppress(httpx.HTTPError):
            answer.close()
    thread.join()
    assert out[1] == want["choices"][0]["message"]["content"]
    answer = httpx.post(f"{two.url}/v1/chat/completions", json=body(2, 5, model=two.name), timeout=120)
    assert answer.status_code == 200
