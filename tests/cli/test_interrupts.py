"""Ctrl-C at moments at which nothing is there to be stopped: it is not lost."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.cli.client import Client
from engine.config import EngineConfig
from engine.errors import Cancelled
from engine.events import Event, Finished, Loaded
from engine.requests import Generate, LoadModel, Message
from engine.worker.worker import Worker
from tests.cli.running import environment, here
from tests.conftest import Tiny


@pytest.fixture
def model(tiny: Tiny) -> Path:
    return tiny("qwen2_moe", "q4")


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as made:
        yield made


def open_it(client: Client, model: Path) -> Event:
    return client.do(LoadModel(client.next_id(), EngineConfig(model, context=64, threads=1)), lambda event: None)


def test_before_a_request_is_posted(client: Client, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    post = Worker.post

    def late(worker: Worker, request: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        post(worker, request)

    monkeypatch.setattr(Worker, "post", late)
    with pytest.raises(Cancelled):
        open_it(client, model)


def at_the_end(monkeypatch: pytest.MonkeyPatch, kind: type[Event]) -> None:
    """Ctrl-C comes where the event that ends a request is there already."""
    events = Worker.events

    def late(worker: Worker) -> list[Event]:
        found = events(worker)
        if any(isinstance(event, kind) for event in found):
            signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr(Worker, "events", late)


def test_when_a_model_is_open(client: Client, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_the_end(monkeypatch, Loaded)
    with pytest.raises(Cancelled):
        open_it(client, model)


def test_when_an_answer_is_whole(client: Client, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(open_it(client, model), Loaded) and not client.interrupted
    at_the_end(monkeypatch, Finished)
    ended = client.do(Generate(client.next_id(), (Message("user", "Hi"),)), lambda event: None)
    assert isinstance(ended, Finished) and client.interrupted


def test_between_the_answers_of_a_batch(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2}
    rows = [{"custom_id": f"r{i}", "method": "POST", "url": "/v1/chat/completions", "body": body} for i in range(3)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    at_the_end(monkeypatch, Finished)
    for done in (1, 2):
        code, _, err = here("batch", tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl", "--model", model, "--any-model", "--ctx", 64)
        assert code == 130 and f"{done} of 3 requests are answered" in err
        assert (tmp_path / "out.jsonl").read_bytes().count(b"\n") == done


EARLY = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background has it ignored
class Early:
    def find_spec(self, name, *_):
        if name == "engine.cli.main":
            sys.meta_path.remove(self)
            try:
                exec("signal.raise_signal(signal.SIGINT)")
            except KeyboardInterrupt as error:  # as within a library's import
                raise ImportError("no socket") from error
sys.meta_path.insert(0, Early())
sys.argv = ["ouzel", "version"]
from engine.cli import main
main()
"""


def test_while_the_commands_are_read_in() -> None:
    run = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, check=False, env=environment())
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "Stopped.\n")
