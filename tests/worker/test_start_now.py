"""Fetcher and engine side by side: a model is opened and answers while the fetcher still brings it, with the tokens of the whole one."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.cancel import CancelToken
from engine.config import EngineConfig, Sampling
from engine.container.storage import InUse
from engine.events import Failed, Finished, Loaded, Pulled, PullStopped, Startable, Text
from engine.requests import Generate, LoadModel, Message, PullModel
from engine.setup import ranges
from engine.setup.make import make
from engine.setup.transfer import Report
from engine.worker import fetcher as fetcher_module
from tests.hub.server import Hub
from tests.worker.driving import Driver as Engine
from tests.worker.fetching import Driver, served

Tiny = Callable[..., Path]
ASKED = (Message("user", "Tell me about rivers and the birds that live on them."),)
GREEDY = Sampling(temperature=0.0, max_tokens=4, seed=1)


@pytest.fixture
def hub(tiny_checkpoint: Tiny, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(ranges, "FIRST_WAIT_S", 0.01)
    with Hub({"owner/tiny": served(tiny_checkpoint("olmoe"))}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)

        def slow_from_then_on(request: PullModel, report: Report, cancel: CancelToken, startable: Callable[[], None], apart: bool) -> None:
            def told() -> None:
                server.faults.bytes_per_second = 100_000
                startable()

            make(request, report, cancel, told, apart)

        monkeypatch.setattr(fetcher_module, "make", slow_from_then_on)
        yield server


def answer(engine: Engine, id: int) -> str:
    events = engine.do(Generate(id, ASKED, GREEDY))
    assert isinstance(events[-1], Finished), events[-1]
    return "".join(e.piece for e in events if isinstance(e, Text))


def opened(engine: Engine, id: int, target: Path) -> None:
    last = engine.do(LoadModel(id, EngineConfig(target, context=128)))[-1]
    assert isinstance(last, Loaded), last


def test_that_a_model_answers_before_it_is_whole_and_as_it_does_afterwards(hub: Hub, tmp_path: Path) -> None:
    target = tmp_path / "a.ouzel"
    with Driver() as fetcher, Engine() as engine:
        id = fetcher.pull(target, start_now=True)
        assert fetcher.until(lambda e: isinstance(e, Startable | Failed)) == Startable(id, target)
        opened(engine, 1, target)
        assert not target.exists()
        early = answer(engine, 2)
        hub.faults.bytes_per_second = 0
        assert fetcher.closed(id) == Pulled(id, target)
        assert answer(engine, 3) == early
        opened(engine, 4, target)
        assert answer(engine, 5) == early and early


def test_that_an_open_model_is_not_discarded_but_paused(hub: Hub, tmp_path: Path, tiny: Tiny) -> None:
    target = tmp_path / "a.ouzel"
    with Driver() as fetcher, Engine() as engine:
        fetcher.pull(target, start_now=True)
        fetcher.until(lambda e: isinstance(e, Startable))
        opened(engine, 1, target)
        refused = fetcher.stop(target, discard=True)
        assert isinstance(refused, Failed) and isinstance(refused.error, InUse) and "Close it first" in str(refused.error)
        assert fetcher.closed(1) == PullStopped(1, target, False) and [k.paused for k in fetcher.fetcher.unfinished()] == [True]
        opened(engine, 2, tiny("olmoe", "q8"))
        assert answer(engine, 3)
        assert fetcher.stop(target, discard=True) == PullStopped(3, target, True)
        assert list(tmp_path.iterdir()) == [] and fetcher.fetcher.unfinished() == ()
