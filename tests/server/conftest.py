"""A real server over the starter model on a free port, and one whose template has a place for tools."""

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from engine.config import EngineConfig
from engine.container.manifest import encode
from engine.events import Event, Failed, Loaded
from engine.requests import LoadModel
from engine.server.serving import Server, Shared
from engine.server.settings import ServerConfig
from engine.worker.worker import Worker

HERMES = """{% if tools %}<|im_start|>system
You can call tools:
{% for t in tools %}{{ t | tojson }}
{% endfor %}Write <tool_call>{"name": NAME, "arguments": {...}}</tool_call>.<|im_end|>
{% endif %}{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}<|im_start|>assistant
"""

CALL = """<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>"""
OTHERS = {  # templates of other families: what a call looks like
    "glm": "<tool_call>{{ c.function.name }}<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>",
    "minimax": '<minimax:tool_call>\n<invoke name="{{ c.function.name }}"></invoke>\n</minimax:tool_call>',
}


class Running:
    """A server with its engine. posted: what the engine was asked for."""

    def __init__(self, model: Path, config: ServerConfig, **options: Any) -> None:
        self.model = model
        self.woken, self.ended = threading.Event(), threading.Event()
        self.worker = Worker(self.woken.set)
        self.posted: list[Any] = []
        self.seen: list[Event] = []
        self.shared = Shared(self._post, self.worker.cancel)
        self.server = Server(self.shared, config)
        self.worker.start()
        self._pump = threading.Thread(target=self._pumped, name="pump")
        self._pump.start()
        self.loaded = threading.Event()
        self.worker.post(LoadModel(1, EngineConfig(model, **({"budget_bytes": 400_000_000, "threads": 2, "programs": True} | options))))
        assert self.loaded.wait(120)
        self.server.start()
        self.url = self.server.address

    def _post(self, request: Any) -> None:
        self.posted.append(request)
        self.worker.post(request)

    def _pumped(self) -> None:
        while not self.ended.is_set():
            self.woken.wait(0.1)
            self.woken.clear()
            for event in self.worker.events():
                self.seen.append(event)
                self.server.take(event)
                if isinstance(event, Loaded | Failed):
                    self.loaded.set()

    @property
    def name(self) -> str:
        assert self.shared.info is not None
        return self.shared.info.name

    def close(self) -> None:
        self.server.stop()
        assert self.server.join(30)
        self.worker.stop()
        assert self.worker.join(30)
        self.ended.set()
        self._pump.join()


@contextmanager
def running(model: Path, config: ServerConfig | None = None, **options: Any) -> Iterator[Running]:
    """A server for the length of a `with` block."""
    made = Running(model, config or ServerConfig(port=0), **options)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def served(starter: Path) -> Iterator[Running]:
    with running(starter) as made:
        yield made


@pytest.fixture(scope="module")
def caller_model(starter: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter with a template in the manner of Hermes."""
    folder = tmp_path_factory.mktemp("caller") / "caller.ouzel"
    shutil.copytree(starter, folder)
    (folder / "chat_template.jinja").write_text(HERMES, encoding="utf-8")
    return resealed(folder, "chat_template.jinja")


def resealed(folder: Path, *changed: str) -> Path:
    """Put the checksums of changed files into the manifest."""
    import xxhash

    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for name in changed:
        data = (folder / name).read_bytes()
        manifest["files"][name] = {"nbytes": len(data), "xxh3": xxhash.xxh3_128_hexdigest(data)}
    manifest.pop("checksum", None)
    manifest["checksum"] = xxhash.xxh3_128_hexdigest(encode(manifest))
    (folder / "manifest.json").write_bytes(encode(manifest))
    return folder


@pytest.fixture(scope="module", params=OTHERS)
def calling_otherwise(request: pytest.FixtureRequest, caller_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The same with a template of another family."""
    assert CALL in HERMES
    folder = tmp_path_factory.mktemp("other") / f"{request.param}.ouzel"
    shutil.copytree(caller_model, folder, copy_function=os.link)
    (folder / "chat_template.jinja").unlink()
    (folder / "chat_template.jinja").write_text(HERMES.replace(CALL, OTHERS[request.param]), encoding="utf-8")
    manifest = folder / "manifest.json"
    kept = manifest.read_bytes()
    manifest.unlink()
    manifest.write_bytes(kept)
    with running(resealed(folder, "chat_template.jinja")) as made:
        yield made


@pytest.fixture(scope="module")
def calling(caller_model: Path) -> Iterator[Running]:
    with running(caller_model) as made:
        yield made


@pytest.fixture
def client() -> Iterator[Callable[[Running], openai.OpenAI]]:
    """client(running): the official client."""
    with ExitStack() as stack:
        yield lambda made: stack.enter_context(openai.OpenAI(base_url=f"{made.url}/v1", api_key="none", max_retries=0, timeout=120))


@pytest.fixture
def http(served: Running) -> Iterator[httpx.Client]:
    """A plain client of the starter's server."""
    with httpx.Client(base_url=served.url, timeout=120) as made:
        yield made
